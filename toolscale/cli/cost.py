"""What was paid, and what each task that was kept has cost."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from toolscale.printable import in_one_line
from toolscale.terminal import say, say_json

if TYPE_CHECKING:
    from toolscale.settings import Settings
    from toolscale.store import LedgerLine
    from toolscale.traces.costs import Costs


def cost(
    by: Annotated[
        Literal["stage", "role", "domain", "model"], typer.Option(help="What to group the calls by.")
    ] = "stage",
    domain: Annotated[str, typer.Option(help="Only calls for this domain.")] = "",
    run: Annotated[str, typer.Option(help="Only what this run paid, and the kept tasks it attempted.")] = "",
    dataset: Annotated[Path | None, typer.Option(help="Only the domains of this dataset, and the tasks in it.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show what runs have paid: calls, tokens, dollars, and cents per kept task."""
    from collections import Counter

    from toolscale.settings import Settings
    from toolscale.store import Store
    from toolscale.traces.costs import costs

    settings, kept = Settings.load(), None
    if dataset is not None:
        from toolscale.dataset.folder import domains_in

        kept = Counter(domains_in(dataset))
    with Store.existing(settings.database_url()) as store:
        found = costs(store, by, domain=domain, run=run, kept=kept)
    at_full_price = _at_full_price(found, settings)
    if as_json:
        asked = {"domain": domain or None, "run": run or None, "dataset": dataset and str(dataset)}
        say_json({**asked, **found.as_json(), "cached_at_full_price": at_full_price})
        return
    _print_cost(found)
    for model, tokens in at_full_price.items():
        said = f"{tokens:,} cached tokens of {in_one_line(model)} were counted at the full price: no other is known"
        say(f"{said}; give `cached_input` in `prices`.")


def _at_full_price(found: "Costs", settings: "Settings") -> dict[str, int]:
    """Model -> cached tokens, of the models for which nobody gives a price of cached input."""
    from toolscale.errors import UserError
    from toolscale.llm.prices import Prices

    prices, dear = Prices(settings.prices), {}
    for model, tokens in found.cached.items():
        try:
            if prices.look_up(model).cached_input is None:
                dear[model] = tokens
        except UserError:  # asked under other settings, which knew a price
            continue
    return dear


def _print_cost(found: "Costs") -> None:
    from toolscale.console import console, table

    no_price = ("no price",) if found.whole.unpriced else ()
    shown = table(found.by, "calls", "failed", "in", "cached", "out", "dollars", "¢ a task", *no_price)

    def row(name: str, line: "LedgerLine", cents: float | None, style: str) -> None:
        shown.add_row(
            name,
            f"{line.calls:,}",
            f"{line.failed:,}",
            *map(_tokens, (line.prompt_tokens, line.cached_tokens, line.completion_tokens)),
            f"${line.dollars:,.4f}",
            "" if cents is None else f"{cents:,.2f}",
            *((f"{line.unpriced:,}",) if no_price else ()),
            style=style,
        )

    for line in found.lines:
        row(in_one_line(line.name), line, found.cents(line), "")
    row("all", found.whole, found.cents_per_kept_task, "bold")
    console().print(shown)
    kept = sum(found.kept.values())
    say(f"Tasks kept: {kept:,}." if kept else "No task was kept, so no task has a price.")


def _tokens(count: int) -> str:
    return f"{count:,}" if count < 100_000 else f"{count / 1e3:,.0f}k" if count < 10_000_000 else f"{count / 1e6:,.1f}M"
