"""What a run is going to cost, and what was paid."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from toolscale.cli import options
from toolscale.printable import in_one_line
from toolscale.terminal import say, say_json

if TYPE_CHECKING:
    from toolscale.estimate import Estimate
    from toolscale.estimate.ranges import Range
    from toolscale.settings import Settings
    from toolscale.store import LedgerLine


@options.of_a_run
def estimate(ordered: options.Ordered) -> None:
    """What `synthesize` with the same options would newly pay, by stage. Makes no call.

    With --preview it is what the preview alone would pay. It says whether --max-cost and --max-calls would do. --out
    is taken and changes nothing: a dataset costs the same wherever it goes.
    """
    import asyncio

    from pipelines.orders import PREVIEW_TASKS
    from pipelines.preview import refuse_preview
    from toolscale.estimate import estimate as estimated

    described, factory, preview, as_json = ordered
    tasks = factory.tasks_per_domain
    if preview:
        refuse_preview(factory.data_root, described.name)
    settings = factory.settings()
    with factory.store() as store:
        found = asyncio.run(
            estimated(
                described,
                settings,
                store,
                tasks=min(tasks, PREVIEW_TASKS) if preview else tasks,
                rounds=factory.evolution_rounds,
                seed=factory.seed,
            )
        )
    show_estimate(found, f"a {'preview' if preview else 'run'} of {found.domain}", settings, as_json)


def show_estimate(found: "Estimate", what: str, settings: "Settings", as_json: bool) -> None:
    """Print what something would newly pay, and whether the caps of the settings would do."""
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


def cost(
    by: Annotated[
        Literal["stage", "role", "domain", "model"], typer.Option(help="What the calls are summed by.")
    ] = "stage",
    domain: Annotated[str, typer.Option(help="Of this domain only.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """What all runs so far have paid: calls, tokens and dollars."""
    from toolscale.settings import Settings
    from toolscale.store import Store

    only = {"domain": domain} if domain else {}
    with Store.existing(Settings.load().database_url()) as store:
        lines = store.cost_by(by, **only)
    if as_json:
        say_json({"by": by, "domain": domain or None, "lines": [line._asdict() for line in lines]})
    else:
        _print_cost(by, lines)


_OPTIONS = {"max_cost": "--max-cost", "max_calls": "--max-calls"}

_ENOUGH = {
    "yes": "enough, by this estimate",
    "perhaps": "perhaps enough; else the run stops there, and the same command goes on",
    "no": "not enough; the run will stop there, and the same command goes on",
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
    say("", f"Models: {', '.join(sorted({line.model for line in found.lines}))}.", f"Rests on {found.rests_on}.")


def _print_cost(by: str, lines: "list[LedgerLine]") -> None:
    from toolscale.console import console, table

    no_price = ("no price",) if any(line.unpriced for line in lines) else ()
    shown = table(by, "calls", "failed", "tokens in", "tokens out", "dollars", *no_price)

    def row(name: str, counts: "Sequence[float]", style: str) -> None:
        *whole, dollars, unpriced = counts
        shown.add_row(
            name,
            *(f"{count:,}" for count in whole),
            f"${dollars:,.4f}",
            *((f"{unpriced:,}",) if no_price else ()),
            style=style,
        )

    for line in lines:
        row(in_one_line(line.name), line[1:], "")
    row("all", [sum(figures) for figures in zip(*(line[1:] for line in lines), strict=True)] or [0] * 6, "bold")
    console().print(shown)


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
