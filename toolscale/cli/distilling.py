"""Thoughts for steps, from a model that takes them right."""

from pathlib import Path
from typing import Annotated

import typer

from toolscale.cli import options
from toolscale.cli.bars import bar
from toolscale.cli.publishing import refuse_full
from toolscale.errors import UserError
from toolscale.terminal import say, say_json


def distill(
    steps: Annotated[Path, typer.Argument(metavar="STEPS", help="A folder that `import --format steps` wrote.")],
    model: Annotated[str, typer.Option(help="Whose thoughts, as a litellm model string.")],
    out: Annotated[Path, typer.Option(help="The folder to write; it must not exist yet, or be empty.")],
    api_base: options.ApiBase = "",
    attempts: Annotated[int, typer.Option(min=1, help="Attempts at a step until one is right.")] = 1,
    tasks: Annotated[
        int | None, typer.Option(min=1, help="Number of steps, drawn by the seed; by default all.")
    ] = None,
    skip: Annotated[int, typer.Option(min=0, help="Number of that draw to pass over first.")] = 0,
    seed: Annotated[int, typer.Option(min=0, help="Seed for drawing the steps; also sent with each attempt.")] = 0,
    temperature: Annotated[
        float | None, typer.Option(min=0, help="The model's temperature; by default its provider's.")
    ] = None,
    max_cost: options.MaxCost = None,
    max_calls: options.MaxCalls = None,
    as_json: options.AsJson = False,
) -> None:
    """Have a model take steps, and keep those that it takes right, with its thoughts: lessons for `trainer sft`.

    Right is what ToolRL's reward finds right. The same command continues an earlier run and pays for nothing twice.
    """
    import asyncio
    from dataclasses import asdict

    from toolscale.exchange.distillation import DistillOptions
    from toolscale.exchange.distillation import distill as run
    from toolscale.exchange.sample import Sample
    from toolscale.llm import BudgetSpent, GatewayError
    from toolscale.settings import model_at

    refuse_full(out)
    asked = DistillOptions(
        steps=steps,
        out=out,
        model=model_at(model, api_base).model_copy(update={"temperature": temperature}),
        attempts=attempts,
        draw=Sample(tasks, skip, seed),
        max_cost=max_cost,
        max_calls=max_calls,
    )
    try:
        with bar(steps.resolve().name) as heard:
            found = asyncio.run(run(asked, lambda done, total, right: heard(done, total, f"{right} right")))
    except BudgetSpent as error:
        say(f"toolscale: {error}; nothing is written yet, run the same command to continue", error=True)
        raise typer.Exit(options.BUDGET_SPENT) from None
    except UserError:
        raise
    except GatewayError as error:
        raise UserError(f"{error}; answers received are kept; run the same command to continue") from None
    if as_json:
        say_json(asdict(found))
        return
    say(
        f"{found.right} of {found.asked} steps taken right, {found.calls:,} calls, ${found.dollars:,.4f}",
        str(out),
    )
