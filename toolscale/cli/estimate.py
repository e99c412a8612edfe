"""What a run is going to cost."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from toolscale.cli import options
from toolscale.cli.fleet import show_plan
from toolscale.terminal import say, say_json

if TYPE_CHECKING:
    from toolscale.estimate import Estimate
    from toolscale.estimate.ranges import Range
    from toolscale.settings import Settings


@options.of_a_run
def estimate(ordered: options.Ordered) -> None:
    """Estimate what `synthesize` would pay with the same options, by stage. Makes no call.

    With --preview it estimates the preview alone; with --all it lists what would be made, in that order. It says
    whether --max-cost and --max-calls are enough. --out is accepted but makes no difference: a dataset costs the same
    wherever it goes.
    """
    import asyncio

    from pipelines.orders import PREVIEW_TASKS
    from pipelines.preflight import refuse_unknown_offline
    from pipelines.preview import refuse_preview
    from toolscale.estimate import estimate as estimated

    described, factory, preview, _, as_json = ordered
    if described is None:
        show_plan(factory, as_json)
        return
    if preview:
        refuse_preview(factory.data_root, described.name)
    settings = factory.settings()
    refuse_unknown_offline(described, factory.data_root, settings)
    with factory.store() as store:
        tasks = factory.likely_first_tasks(described.name, store)
        found = asyncio.run(
            estimated(
                described,
                settings,
                store,
                tasks=min(tasks, PREVIEW_TASKS) if preview else tasks,
                rounds=factory.evolution_rounds,
            )
        )
    if not as_json:
        say_offline(settings)
    show_estimate(found, f"a {'preview' if preview else 'run'} of {found.domain}", settings, as_json)


def say_offline(settings: "Settings") -> None:
    """Say where the offline model answers: what it makes looks like any other model's."""
    from pipelines.preflight import offline_answers

    if line := offline_answers(settings):
        say(line, "")


def show_estimate(found: "Estimate", what: str, settings: "Settings", as_json: bool) -> None:
    """Print what something would newly pay, and whether the caps of the settings are enough."""
    caps = {"max_cost": (settings.max_cost, found.dollars), "max_calls": (settings.max_calls, found.calls)}
    set_caps = {name: (cap, figure) for name, (cap, figure) in caps.items() if cap is not None}
    if as_json:
        fits = {name: {"cap": cap, "enough": _enough(cap, figure)} for name, (cap, figure) in set_caps.items()}
        say_json({**found.as_json(), "caps": fits})
        return
    say(f"What {what} would newly pay:", "")
    _print_estimate(found)
    for name, (cap, figure) in set_caps.items():
        say(f"{_OPTIONS[name]} {cap:g}: {_ENOUGH[_enough(cap, figure)]}.")


_OPTIONS = {"max_cost": "--max-cost", "max_calls": "--max-calls"}

_ENOUGH = {
    "yes": "enough, by this estimate",
    "perhaps": "perhaps enough; if not, the run stops there, and the same command continues it",
    "no": "not enough; the run will stop there, and the same command continues it",
}


def _enough(cap: float, figure: "Range") -> Literal["yes", "perhaps", "no"]:
    """Whether a run stays within a cap."""
    return "yes" if figure.high <= cap else "no" if figure.low > cap else "perhaps"


def _print_estimate(found: "Estimate") -> None:
    from toolscale.console import console, table

    shown = table("stage", "stored", "calls", "tokens in", "tokens out", "dollars")

    def row(name: str, stored: int, calls: "Range", tokens: "Sequence[Range]", dollars: "Range", style: str) -> None:
        counts = (_between(figure, _count) for figure in (calls, *tokens))
        shown.add_row(name, f"{stored:,}", *counts, _between(dollars, _money), style=style)

    for line in found.lines:
        row(line.stage, line.cached, line.calls, (line.prompt_tokens, line.completion_tokens), line.dollars, "")
    stored = sum(line.cached for line in found.lines)
    row("all", stored, found.calls, (found.prompt_tokens, found.completion_tokens), found.dollars, "bold")
    console().print(shown)
    say("", f"Most likely {_money(found.likely)} in all.")
    say(f"Models: {', '.join(sorted({line.model for line in found.lines}))}.", f"Rests on {found.rests_on}.")


def _between(figure: "Range", written: Callable[[float], str]) -> str:
    low, high = written(figure.low), written(figure.high)
    return low if low == high else f"{low}-{high}"


def _count(figure: float) -> str:
    return (
        f"{figure:.0f}"
        if figure < 10_000
        else f"{figure / 1e3:.0f}k"
        if figure < 10_000_000
        else f"{figure / 1e6:.0f}M"
    )


def _money(figure: float) -> str:
    return f"${figure:,.4f}" if figure < 1 else f"${figure:,.2f}" if figure < 100 else f"${figure:,.0f}"
