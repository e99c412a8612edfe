"""A model's pass rate on a dataset."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from toolscale.cli import options
from toolscale.cli.bars import bar
from toolscale.errors import UserError
from toolscale.printable import in_one_line
from toolscale.terminal import say, say_json

if TYPE_CHECKING:
    from toolscale.evaluation.pass_rates import AttemptOptions, PassRateSummary


def attempt(
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="The dataset folder to add the rates to.")],
    model: Annotated[str, typer.Option(help="The agent's model, as a litellm model string.")],
    api_base: options.ApiBase = "",
    attempts: Annotated[
        int | None, typer.Option(min=1, help="Attempts per task; by default as in the settings, 8.")
    ] = None,
    split: Annotated[str, typer.Option(help="Only tasks of train or eval; by default all.")] = "",
    tasks: Annotated[
        int | None, typer.Option(min=1, help="Number of tasks, drawn by the seed; by default all.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Seed for drawing the tasks; also sent with each attempt.")
    ] = None,
    mode: Annotated[
        Literal["direct", "simulated"] | None,
        typer.Option(help="direct: the instruction is the first message; simulated: a model plays the user."),
    ] = None,
    temperature: Annotated[
        float | None, typer.Option(min=0, help="The agent's temperature; by default its provider's.")
    ] = None,
    max_cost: options.MaxCost = None,
    max_calls: options.MaxCalls = None,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Only print what it would newly pay; make no call.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Attempt a dataset's tasks with any model, and add its pass rate to them.

    The same command continues an earlier run and pays for nothing twice.
    """
    import asyncio

    from toolscale.evaluation.pass_rates import AttemptOptions, add_rates_of
    from toolscale.settings import model_at

    asked = AttemptOptions(
        dataset=dataset,
        agent=model_at(model, api_base).model_copy(update={"temperature": temperature}),
        attempts=attempts,
        mode=mode,
        split=split,
        tasks=tasks,
        seed=seed,
        max_cost=max_cost,
        max_calls=max_calls,
    )
    if estimate:
        _estimate(asked, as_json)
        return
    with bar(dataset.resolve().name) as heard:

        def tell(done: int, total: int, solved: float) -> None:
            heard(done, total, f"pass rate {solved / done:.2f}" if done else "")

        outcome = asyncio.run(add_rates_of(asked, tell))
    say_json(_as_json(asked, outcome)) if as_json else _print(asked, outcome)
    if outcome.over_budget:
        raise typer.Exit(options.BUDGET_SPENT)
    if outcome.stopped is not None:
        raise UserError(f"{outcome.stopped}; answers received are kept; run the same command to continue")


def _estimate(asked: "AttemptOptions", as_json: bool) -> None:
    import asyncio

    from toolscale.cli.estimate import show_estimate
    from toolscale.estimate.attempts import estimate_attempts
    from toolscale.evaluation.pass_rates import drawn
    from toolscale.store import Store

    settings = asked.settings()
    name = asked.dataset.resolve().name
    with Store(settings.database_url()) as store:
        found = asyncio.run(estimate_attempts(name, drawn(asked, settings.seed), settings, store))
    show_estimate(found, f"the attempts at {name}", settings, as_json)


def _as_json(asked: "AttemptOptions", outcome: "PassRateSummary") -> dict[str, Any]:
    return {
        "dataset": str(asked.dataset),
        "model": asked.agent.model,
        **outcome.figures(),
        "domains": {domain: outcome.figures(domain) for domain in sorted(outcome.wanted)},
        "stopped": str(outcome.stopped) if outcome.stopped else None,
    }


def _print(asked: "AttemptOptions", outcome: "PassRateSummary") -> None:
    from toolscale.console import console, table
    from toolscale.dataset.by_model import ranged

    say(f"{asked.agent.model} on {asked.dataset}", "pass rates with 95% intervals; what this run newly paid", "")
    shown = table("domain", "tasks", "attempted", "pass rate", "calls", "dollars")
    for domain in (*sorted(outcome.wanted), *([None] if len(outcome.wanted) > 1 else [])):
        found = outcome.figures(domain)
        shown.add_row(
            "all" if domain is None else in_one_line(domain),
            f"{found['tasks']:,}",
            f"{found['attempted']:,}",
            ranged(outcome.rates(domain)),
            f"{found['calls']:,}",
            f"${found['dollars']:,.4f}",
            style="bold" if domain is None else "",
        )
    console().print(shown)
    say("")
    if outcome.over_budget:
        say(f"{outcome.stopped}.")
    done, wanted = len(outcome.rated), outcome.wanted.total()
    where = f"their rates stand in {asked.dataset}" if done else "no rate was added"
    say(f"{done} of {wanted} tasks have all their attempts; {where}.")
    if outcome.over_budget:
        say(
            "Run the same command to continue; nothing is paid for twice:",
            f"  {shlex.join(['toolscale', *sys.argv[1:]])}",
        )
