"""The `toolscale` command. Commands import what they need when they run, so that `--help` answers at once."""

import sys

import typer

from toolscale.cli import factory, judging, serving
from toolscale.errors import UserError

app = typer.Typer(
    name="toolscale",
    help="A factory of verifiable tool-use tasks in executable environments.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command()(judging.check)
app.command()(judging.audit)
environment = typer.Typer(help="Run calls in an environment folder.", no_args_is_help=True)
environment.command("run")(judging.run_environment)
app.add_typer(environment, name="environment")
app.command()(factory.demo)
app.command()(factory.synthesize)
app.command("serve-offline")(serving.serve_offline)


def main() -> None:
    """Run the command line; a user's mistake is one line on standard error and exit status 2."""
    try:
        app()
    except UserError as error:
        print(f"toolscale: {' '.join(str(error).split())}", file=sys.stderr)
        sys.exit(2)
