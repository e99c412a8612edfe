"""The `toolscale` command. Commands import what they need when they run, so that `--help` answers at once."""

import sys
import traceback
from typing import Any

import typer
from dotenv import load_dotenv
from typer.core import TyperGroup

from toolscale.cli import (
    attempting,
    batches,
    cache,
    comparing,
    cost,
    distilling,
    domains,
    estimate,
    evaluating,
    factory,
    index,
    judging,
    orchestrating,
    publishing,
    querying,
    reporting,
    serving,
    traces,
)
from toolscale.cycles import look_rarely
from toolscale.errors import UserError
from toolscale.printable import in_one_line
from toolscale.terminal import guard_logs, say, say_text


class TwoWords(TyperGroup):
    """Commands whose names may have two words: `evaluate compare` stands beside `evaluate BENCHMARK`."""

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """The command that the arguments name, and what is left of them."""
        both = " ".join(args[:2])
        return super().resolve_command(ctx, [both, *args[2:]] if both in self.commands else args)


app = typer.Typer(
    name="toolscale",
    cls=TwoWords,
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
app.add_typer(batches.app, name="batches")
app.add_typer(cache.app, name="cache")
app.add_typer(domains.app, name="domains")
app.add_typer(index.app, name="index")
app.command()(factory.demo)
app.command()(factory.build)
app.command()(factory.synthesize)
app.command()(estimate.estimate)
app.command()(cost.cost)
app.command()(reporting.report)
app.command()(querying.query)
app.command()(publishing.push)
app.command()(publishing.export)
app.command("import")(publishing.import_)
app.command()(traces.traces)
app.command()(orchestrating.orchestrate)
app.command()(evaluating.evaluate)
app.command("evaluate compare")(comparing.compare)
app.command()(attempting.attempt)
app.command()(distilling.distill)
app.command()(serving.serve)
app.command("serve-orchestrator")(orchestrating.serve_orchestrator)
app.command("serve-offline")(serving.serve_offline)
app.command("serve-experts")(serving.serve_experts)


def main() -> None:
    """Run the command line; a user's mistake is one line on standard error and exit status 2."""
    look_rarely()
    guard_logs()
    load_dotenv(".env")  # as `dagster dev` does; what the environment says goes first
    try:
        app()
    except UserError as error:
        say(f"toolscale: {in_one_line(str(error))}", error=True)
        sys.exit(2)
    except Exception:  # a fault of ours: what Python would print too, but a model's words may stand in it
        say_text(traceback.format_exc().rstrip(), error=True)
        sys.exit(1)
