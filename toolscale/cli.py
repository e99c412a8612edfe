"""The `toolscale` command. Commands import what they need when they run, so that `--help` answers at once."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from toolscale.errors import UserError

app = typer.Typer(
    name="toolscale",
    help="A factory of verifiable tool-use tasks in executable environments.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
environment_app = typer.Typer(help="Run calls in an environment folder.", no_args_is_help=True)
app.add_typer(environment_app, name="environment")


@app.command()
def check(
    environment: Annotated[Path, typer.Option(help="The environment folder.")],
    tasks: Annotated[Path, typer.Option(help="A JSON list of tasks: id, golden_calls, communicate_info.")],
    trajectories: Annotated[Path, typer.Option(help="JSON lines: task_id, and calls with agent_messages or messages.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")] = False,
) -> None:
    """Judge recorded trajectories against an environment and its tasks."""
    from toolscale.checkers import check

    judged = []
    for judgement in check.check(environment, tasks, trajectories):
        judged.append(judgement)
        print(json.dumps(judgement.as_row()) if as_json else judgement.as_text(), flush=True)
    if complaint := check.complaint(trajectories, judged):
        raise UserError(complaint)


@app.command()
def audit(
    path: Annotated[Path, typer.Argument(help="A dataset folder, or an environment folder with its tasks.json.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Replay and re-gate every task of a dataset, or of an environment folder with its tasks."""
    from toolscale.dataset import audit as auditing

    if as_json:
        print(json.dumps(auditing.audit(path).as_json()))
        return
    auditing.print_audit(path)


@environment_app.command("run")
def run_environment(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The environment folder.")],
    calls: Annotated[Path, typer.Option(help="A JSON list of calls: name, arguments.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print {outcomes, diff} as JSON.")] = False,
) -> None:
    """Run calls one after the other on a fresh database; print their results and what they changed."""
    from toolscale.environment import command

    command.run_calls(folder, calls, as_json)


@app.command()
def demo(
    domains: Annotated[str, typer.Option(help="Reference domains, with commas.")] = "railway,restaurant,medicine",
    tasks_per_domain: Annotated[int, typer.Option(min=1, help="First tasks proposed; each is then made harder.")] = 85,
    seed: Annotated[int | None, typer.Option(min=0, help="The same seed gives the same rows.")] = None,
    out: Annotated[Path | None, typer.Option(help="Where the dataset goes; else `demo` in the data root.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """The whole factory on the offline model: no key, no network, no GPU."""
    from pipelines.domains import read_domain
    from pipelines.factory import Factory
    from pipelines.progress import shown
    from pipelines.run import run
    from toolscale.reference.domain import reference_domain
    from toolscale.settings import Settings

    settings = Settings.load()
    factory = Factory.of(
        settings,
        model="offline/reference",
        tasks_per_domain=tasks_per_domain,
        seed=settings.seed if seed is None else seed,
        dataset=str(out or f"{settings.data_root}/demo"),
    )
    names = [reference_domain(name.strip()).name for name in domains.split(",")]
    with shown() as progress:
        report = run([read_domain(settings.data_root, name) for name in names], factory, progress=progress)
    print(json.dumps(report.as_json())) if as_json else report.print()


@app.command()
def synthesize(
    domain: Annotated[str, typer.Argument(help="The domain's name, such as car_rental.")],
    description: Annotated[str, typer.Option(help="What it covers, in a sentence or two.")] = "",
    model: Annotated[str, typer.Option(help="litellm's model string, for every role.")] = "",
    role: Annotated[list[str] | None, typer.Option(help="ROLE=MODEL, where a role differs; may be repeated.")] = None,
    api_base: Annotated[str, typer.Option(help="Base URL of the model's endpoint.")] = "",
    tasks: Annotated[int, typer.Option(min=1, help="First tasks proposed; each is then made harder.")] = 85,
    out: Annotated[Path | None, typer.Option(help="Where the dataset goes.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="The same seed asks the same.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """A dataset for a domain that nobody has written before, with a model of yours."""
    from pipelines.domains import make_domain, read_domain
    from pipelines.factory import Factory, roles_from
    from pipelines.progress import shown
    from pipelines.run import run
    from toolscale.settings import Settings

    settings = Settings.load()
    root = settings.data_root
    described = make_domain(domain, description) if description else read_domain(root, domain)
    factory = Factory.of(
        settings,
        model=model,
        roles=roles_from(role or []),
        api_base=api_base,
        tasks_per_domain=tasks,
        seed=settings.seed if seed is None else seed,
        dataset=str(out or f"{root}/datasets/{domain}"),
    )
    with shown() as progress:
        report = run([described], factory, progress=progress)
    print(json.dumps(report.as_json())) if as_json else report.print()


@app.command("serve-offline")
def serve_offline(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 8321,
    model: Annotated[list[str] | None, typer.Option(help="A name it is served as; may be repeated.")] = None,
    key_variable: Annotated[str, typer.Option(help="Variable that holds the only accepted key; else any goes.")] = "",
    echo_schema: Annotated[bool, typer.Option("--echo-schema", help="Answer any JSON schema minimally.")] = False,
    latency: Annotated[str, typer.Option(help="Seconds: 0.2, or 0.1:0.3 at random.")] = "0",
    slots: Annotated[int | None, typer.Option(min=1, help="Requests at once; one more gets a 429.")] = None,
    retry_after: Annotated[float | None, typer.Option(min=0, help="Seconds that a 429 says to wait.")] = None,
    error_rate: Annotated[float, typer.Option(min=0, max=1, help="Share of 500, 502 and 503.")] = 0,
    hang_rate: Annotated[float, typer.Option(min=0, max=1, help="Share that is never answered.")] = 0,
    reset_rate: Annotated[float, typer.Option(min=0, max=1, help="Share of reset connections.")] = 0,
    cut_rate: Annotated[float, typer.Option(min=0, max=1, help="Share of bodies that end in the middle.")] = 0,
    malformed_rate: Annotated[float, typer.Option(min=0, max=1, help="Share of bodies that are not JSON.")] = 0,
    wrong_type_rate: Annotated[float, typer.Option(min=0, max=1, help="Share of JSON of wrong types.")] = 0,
    empty_rate: Annotated[float, typer.Option(min=0, max=1, help="Share of answers without choices.")] = 0,
    refusal_rate: Annotated[float, typer.Option(min=0, max=1, help="Share of refusals.")] = 0,
    html_rate: Annotated[float, typer.Option(min=0, max=1, help="Share of HTML pages.")] = 0,
    fault_seed: Annotated[int, typer.Option(min=0, help="The same seed, the same faults and latencies.")] = 0,
) -> None:
    """The offline model as an OpenAI-compatible HTTP server, which can be told to misbehave."""
    from toolscale.reference.server import Switches, key_from, latency_from, serve

    switches = Switches(
        models=tuple(model or ("reference",)),
        echo_schema=echo_schema,
        key=key_from(key_variable),
        latency=latency_from(latency),
        slots=slots,
        retry_after=retry_after,
        rates={
            "error": error_rate,
            "hang": hang_rate,
            "reset": reset_rate,
            "cut": cut_rate,
            "malformed": malformed_rate,
            "wrong_type": wrong_type_rate,
            "empty": empty_rate,
            "refusal": refusal_rate,
            "html": html_rate,
        },
        fault_seed=fault_seed,
    )
    serve(host, port, switches)


def main() -> None:
    """Run the command line; a user's mistake is one line on standard error and exit status 2."""
    try:
        app()
    except UserError as error:
        print(f"toolscale: {' '.join(str(error).split())}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
