"""Calls, tokens and dollars of attempts at the tasks of a dataset, before they are made."""

import asyncio
from collections.abc import Sequence

from toolscale.dataset.folder import Placed
from toolscale.environment import Sandbox
from toolscale.episodes.episode import run_episode
from toolscale.estimate.ahead import Ahead
from toolscale.estimate.forecast import Estimate, Forecaster
from toolscale.estimate.ranges import Range
from toolscale.estimate.sizes import sizes
from toolscale.estimate.turns import read_again
from toolscale.llm.prices import Prices
from toolscale.llm.rehearsal import Rehearsal
from toolscale.settings import Settings
from toolscale.stages import ROLES, Stage
from toolscale.store import Store

AT_ONCE = 8
"""Tasks that are looked into at the same time."""


async def estimate_attempts(name: str, chosen: Sequence[Placed], settings: Settings, store: Store) -> Estimate:
    """What the settings' attempts at these tasks of the dataset `name` would newly pay. Makes no call.

    Raises:
        UserError: a model cannot be had, or nobody knows its price.
    """
    stages: list[Stage] = ["episode", "user"] if settings.user_mode == "simulated" else ["episode"]
    models: dict[str, str] = {stage: settings.for_role(ROLES[stage]).model for stage in stages}
    prices = Prices(settings.prices)
    for model in models.values():
        prices.look_up(model)
    ahead = await _look_ahead(chosen, settings, store)
    unfinished = len(ahead.missing["episode"]) + len(ahead.missing["user"])
    known = sizes(store, models, {placed.environment.domain for placed in chosen})
    wanted = Range(unfinished, unfinished)
    forecaster = Forecaster(store, settings, prices, ahead)
    lines = [forecaster.line(stage, wanted, known.by_stage[stage]) for stage in stages]
    return Estimate(name, lines, f"the attempts' prompts, and {known.history or _NO_HISTORY}")


_NO_HISTORY = "sizes measured on the reference domains; the model has no history in this ledger"


async def _look_ahead(chosen: Sequence[Placed], settings: Settings, store: Store) -> Ahead:
    """Every attempt, as far as the store has the answers."""
    ahead = Ahead()
    async with Rehearsal(settings, store) as gateway:
        # By identity: tasks of one environment share one object.
        for environment in {id(placed.environment): placed.environment for placed in chosen}.values():
            at_once = asyncio.Semaphore(AT_ONCE)
            with Sandbox(environment) as sandbox:

                async def attempts(placed: Placed, at_once: asyncio.Semaphore, sandbox: Sandbox) -> None:
                    async with at_once:
                        golden = await asyncio.to_thread(sandbox.run, placed.task.golden_calls)
                        ahead.read_again.append(read_again(golden.outcomes))
                        for index in range(settings.attempts):
                            await run_episode(
                                placed.task,
                                sandbox,
                                gateway,
                                attempt=index,
                                user_mode=settings.user_mode,
                                max_turns=settings.max_turns,
                                seed=settings.seed,
                            )

                here = [placed for placed in chosen if placed.environment is environment]
                await asyncio.gather(*(attempts(placed, at_once, sandbox) for placed in here))
    ahead.answered = gateway.answered
    for call in gateway.missing:
        ahead.missing[call.purpose.stage].append(call.characters)
    return ahead
