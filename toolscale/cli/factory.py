"""Running the factory."""

import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from toolscale.cli import options
from toolscale.terminal import say, say_json, say_text

if TYPE_CHECKING:
    from pipelines.factory import Factory
    from toolscale.artifacts import Domain

FIRST_TASKS = 210
MORE_FIRST_TASKS = {"medicine": 260}
"""Domain -> first tasks, where the paper's dataset has more tasks of it than others get."""

EVOLUTION_ROUNDS = 3
"""How often `toolscale build` makes each task harder; every round's tasks are kept beside those before."""

HoldOut = Annotated[
    str | None, typer.Option(help="Domains, with commas, all of whose tasks are in eval; `none`; else two of many.")
]


def demo(
    domains: Annotated[str, typer.Option(help="Reference domains, with commas.")] = "railway,restaurant,medicine",
    tasks_per_domain: Annotated[int, typer.Option(min=1, help="First tasks proposed; each is then made harder.")] = 85,
    seed: Annotated[int | None, typer.Option(min=0, help="The same seed gives the same rows.")] = None,
    out: Annotated[Path | None, typer.Option(help="Where the dataset goes; else `demo` in the data root.")] = None,
    hold_out: HoldOut = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """The whole factory on the offline model: no key, no network, no GPU."""
    from pipelines.domains import read_domain
    from pipelines.factory import Factory
    from toolscale.reference.domain import reference_domain
    from toolscale.settings import Settings

    settings = Settings.load()
    factory = Factory.of(
        settings,
        model="offline/reference",
        tasks_per_domain=tasks_per_domain,
        seed=settings.seed if seed is None else seed,
        dataset=str(out or options.beside(settings.data_root, "demo")),
        hold_out=_held_out(hold_out),
    )
    names = [reference_domain(name.strip()).name for name in domains.split(",")]
    _run([read_domain(settings.data_root, name) for name in names], factory, as_json)


def build(
    out: Annotated[Path | None, typer.Option(help="Where the dataset goes; else `dataset` in the data root.")] = None,
    domains: Annotated[str, typer.Option(help="Domains, with commas; else all reference domains.")] = "",
    tasks_per_domain: Annotated[
        int | None, typer.Option(min=1, help=f"First tasks proposed; else {FIRST_TASKS}, or more where it takes more.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="The same seed gives the same rows.")] = None,
    processes: Annotated[int, typer.Option(min=1, help="Domains generated at once; the rows are the same.")] = 2,
    max_cost: Annotated[float | None, typer.Option(min=0, help="Dollars that the run may newly pay.")] = None,
    max_calls: Annotated[int | None, typer.Option(min=0, help="Calls that the run may newly make.")] = None,
    rounds: Annotated[int, typer.Option(min=0, help="How often each task is made harder.")] = EVOLUTION_ROUNDS,
    hold_out: HoldOut = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """The whole dataset, ready to publish: all domains, with the models of the settings (offline by default).

    What was made before and has not changed is not made again.
    """
    from pipelines.domains import read_domain
    from pipelines.factory import Factory
    from toolscale.reference.domain import reference_domains
    from toolscale.settings import Settings

    settings = Settings.load()
    chosen: dict[str, Any] = {"dataset": str(out)} if out else {}
    names = [name.strip() for name in domains.split(",")] if domains else list(reference_domains())
    factory = Factory.of(
        settings,
        tasks_per_domain=tasks_per_domain or FIRST_TASKS,
        more_tasks={} if tasks_per_domain else MORE_FIRST_TASKS,
        evolution_rounds=rounds,
        seed=settings.seed if seed is None else seed,
        max_cost=max_cost,
        max_calls=max_calls,
        hold_out=_held_out(hold_out),
        **chosen,
    )
    _run([read_domain(settings.data_root, name) for name in names], factory, as_json, processes)


def _held_out(names: str | None) -> list[str] | None:
    """The domains that an option names, none for `none`; None where it is not given."""
    if names is None:
        return None
    return [] if names.strip() == "none" else [name.strip() for name in names.split(",")]


@options.of_a_run
def synthesize(ordered: options.Ordered) -> None:
    """A dataset for a domain that nobody has written before, with a model of yours.

    A domain that is there is gone on with: what was paid for is kept.
    """
    domain, factory, preview, as_json = ordered
    _preview(domain, factory, as_json) if preview else _run([domain], factory, as_json)


def _run(domains: Sequence["Domain"], factory: "Factory", as_json: bool, processes: int = 1) -> None:
    """Run the factory and print what it came to; exit status 3 if its budget ended it, or wanted tasks are missing."""
    from pipelines.board import shown
    from pipelines.run import run

    with _stopped_by_budget(as_json), shown() as progress:
        report = run(domains, factory, progress=progress, processes=processes)
    say_json(report.as_json()) if as_json else report.print()
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
