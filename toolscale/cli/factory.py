"""Running the factory."""

import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from toolscale.cli import options
from toolscale.cli.estimate import say_offline
from toolscale.cli.flags import Chosen, option, takes
from toolscale.cli.fleet import make_fleet
from toolscale.terminal import say, say_json, say_text

if TYPE_CHECKING:
    from pipelines.factory import Factory
    from toolscale.artifacts import Domain

DEMO_TASKS = 56
"""First tasks of each domain of the demo, which is to be over in minutes."""

FIRST_TASKS = 210
MORE_FIRST_TASKS = {"medicine": 260}
"""Domain -> first tasks, where the paper's dataset has more tasks of it than others get."""

EVOLUTION_ROUNDS = 3
"""How often `toolscale build` makes each task harder; every round's tasks are kept beside those before."""

_HOLD_OUT = option(
    "hold_out", help="Comma-separated domains whose tasks all go to eval, or `none`; by default two of five or more."
)


@takes(
    option("tasks_per_domain", default=DEMO_TASKS),
    option("task_source"),
    option("seed"),
    options.out("`demo`"),
    _HOLD_OUT,
)
def demo(
    domains: Annotated[str, typer.Option(help="Comma-separated reference domains.")] = "railway,restaurant,medicine",
    *,
    chosen: Chosen,
    as_json: options.AsJson = False,
) -> None:
    """Run the whole factory on the offline model: no key, no network, no GPU."""
    from pipelines.domains import read_domain
    from pipelines.factory import Factory
    from toolscale.reference.domain import reference_domain
    from toolscale.settings import Settings

    settings = Settings.load()
    usual = {"model": "offline/reference", "dataset": options.beside(settings.data_root, "demo")}
    factory = Factory.of(settings, **usual | chosen)
    names = [reference_domain(name.strip()).name for name in domains.split(",")]
    _run([read_domain(settings.data_root, name) for name in names], factory, as_json)


@takes(
    options.out("`dataset`"),
    option(
        "tasks_per_domain",
        default=None,
        help=f"First tasks proposed; by default {FIRST_TASKS}, more for medicine.",
    ),
    option("seed"),
    option("max_cost"),
    option("max_calls"),
    option("evolution_rounds", "--rounds", default=EVOLUTION_ROUNDS),
    option("task_source", default="drafts"),
    *options.INSTANCES,
    _HOLD_OUT,
)
def build(
    domains: Annotated[str, typer.Option(help="Comma-separated domains; by default all reference domains.")] = "",
    *,
    chosen: Chosen,
    processes: Annotated[
        int, typer.Option(min=1, help="Domains generated at the same time; the rows do not depend on it.")
    ] = 2,
    as_json: options.AsJson = False,
) -> None:
    """Build the whole dataset, ready to publish: all domains, with the models of the settings (offline by default).

    What exists and is unchanged is not made again.
    """
    from pipelines.domains import read_domain
    from pipelines.factory import Factory
    from toolscale.reference.domain import reference_domains
    from toolscale.settings import Settings

    settings = Settings.load()
    names = [name.strip() for name in domains.split(",")] if domains else list(reference_domains())
    usual = {} if "tasks_per_domain" in chosen else {"tasks_per_domain": FIRST_TASKS, "more_tasks": MORE_FIRST_TASKS}
    factory = Factory.of(settings, **usual | chosen)
    _run([read_domain(settings.data_root, name) for name in names], factory, as_json, processes)


@options.of_a_run
def synthesize(ordered: options.Ordered) -> None:
    """Make a dataset for a new domain with your own model, or for all domains that have a file.

    A domain that exists is continued, and nothing is paid for twice. With --all a domain that fails is passed over, and
    one whose yield is poor is stopped early; what is made is released together, and status 4 says that some is not.
    With --release-proposed what is left of the budget then switches proposed domains on, one by one, and makes them.
    """
    domain, factory, preview, at_once, as_json = ordered
    if domain is None:
        make_fleet(factory, at_once, as_json)
    elif preview:
        _preview(domain, factory, as_json)
    else:
        _run([domain], factory, as_json)


def _run(domains: Sequence["Domain"], factory: "Factory", as_json: bool, processes: int = 1) -> None:
    """Run the factory and print what it came to; exit status 3 if its budget ended it, or wanted tasks are missing."""
    from pipelines.board import shown
    from pipelines.run import run

    with _stopped_by_budget(as_json), shown() as progress:
        report = run(domains, factory, progress=progress, processes=processes)
    if as_json:
        say_json(report.as_json())
    else:
        say_offline(factory.settings())
        report.print()
    if any(each.short for each in report.domains.values()):
        raise typer.Exit(options.BUDGET_SPENT)


def _preview(domain: "Domain", factory: "Factory", as_json: bool) -> None:
    """Make a handful of tasks, show them and their domain, and say what the rest would cost."""
    from pipelines.board import shown
    from pipelines.preview import preview_of, refuse_preview
    from pipelines.run import run_few

    refuse_preview(factory.data_root, domain.name)
    with _stopped_by_budget(as_json), shown() as progress:
        run_few(domain, factory, progress=progress)
    found = preview_of(domain.name, factory)
    if as_json:
        say_json(found.as_json())
        return
    say_text(found.as_markdown())
    whole = shlex.join(["toolscale", *(word for word in sys.argv[1:] if word != "--preview")])
    say("", "To make the rest, which pays for nothing twice:", "", f"  {whole}")


@contextmanager
def _stopped_by_budget(as_json: bool) -> Iterator[None]:
    """Say where a run stands that its budget ended."""
    from pipelines.stopped import RunStopped

    try:
        yield
    except RunStopped as stopped:
        again = shlex.join(["toolscale", *sys.argv[1:]])
        say_json(stopped.stop.as_json()) if as_json else say_text(stopped.stop.as_text(again), error=True)
        raise typer.Exit(options.BUDGET_SPENT) from None
