"""What a run is going to cost, and what was paid."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from toolscale.estimate import Estimate
    from toolscale.estimate.ranges import Range
    from toolscale.store import LedgerLine


def estimate(
    domain: Annotated[str, typer.Argument(help="The domain's name.")],
    description: Annotated[str, typer.Option(help="What it covers; else as its file says.")] = "",
    model: Annotated[str, typer.Option(help="litellm's model string, for every role.")] = "",
    role: Annotated[list[str] | None, typer.Option(help="ROLE=MODEL, where a role differs; may be repeated.")] = None,
    api_base: Annotated[str, typer.Option(help="Base URL of the model's endpoint.")] = "",
    tasks: Annotated[int, typer.Option(min=1, help="First tasks proposed; each is then made harder.")] = 85,
    seed: Annotated[int | None, typer.Option(min=0, help="The seed of the run.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """What `synthesize` with the same options would newly pay, by stage. Makes no call."""
    import asyncio

    from pipelines.domains import named
    from pipelines.factory import Factory, roles_from
    from toolscale.estimate import estimate as estimated
    from toolscale.settings import Settings

    settings = Settings.load()
    described = named(settings.data_root, domain, description)
    factory = Factory.of(
        settings,
        model=model,
        roles=roles_from(role or []),
        api_base=api_base,
        tasks_per_domain=tasks,
        seed=settings.seed if seed is None else seed,
    )
    with factory.store() as store:
        found = asyncio.run(
            estimated(
                described,
                factory.settings(),
                store,
                tasks=factory.tasks_per_domain,
                rounds=factory.evolution_rounds,
                seed=factory.seed,
            )
        )
    print(json.dumps(found.as_json())) if as_json else _print_estimate(found)


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
        print(json.dumps({"by": by, "domain": domain or None, "lines": [line._asdict() for line in lines]}))
    else:
        _print_cost(by, lines)


def _print_estimate(found: "Estimate") -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    print(f"What a run of {found.domain} would newly pay:")
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("stage", no_wrap=True)
    for heading in ("stored", "calls", "tokens in", "tokens out", "dollars"):
        table.add_column(heading, justify="right", no_wrap=True)
    for line in found.lines:
        tokens = _between(line.prompt_tokens, _count), _between(line.completion_tokens, _count)
        table.add_row(
            line.stage, f"{line.cached:,}", _between(line.calls, _count), *tokens, _between(line.dollars, _money)
        )
    table.add_section()
    totals = (found.calls, found.prompt_tokens, found.completion_tokens)
    cached = f"{sum(line.cached for line in found.lines):,}"
    table.add_row("all", cached, *(_between(total, _count) for total in totals), _between(found.dollars, _money))
    Console().print(table)
    print(f"Models: {', '.join(sorted({line.model for line in found.lines}))}.")
    print(f"Rests on {found.rests_on}.")


def _print_cost(by: str, lines: "list[LedgerLine]") -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(by, box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("calls", "failed", "tokens in", "tokens out", "dollars"):
        table.add_column(heading, justify="right")
    for line in lines:
        counts = (line.calls, line.failed, line.prompt_tokens, line.completion_tokens)
        unpriced = f" + {line.unpriced} calls of unknown price" if line.unpriced else ""
        table.add_row(line.name, *(f"{count:,}" for count in counts), f"${line.dollars:.4f}{unpriced}")
    table.add_section()
    totals = [sum(figures) for figures in zip(*(line[1:] for line in lines), strict=True)] or [0] * 6
    table.add_row("all", *(f"{count:,}" for count in totals[:4]), f"${totals[4]:.4f}")
    Console().print(table)


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
    return f"${figure:,.4f}" if figure < 100 else f"${figure:,.0f}"
