"""`toolscale distill`: a folder of steps with the thoughts of a model that takes them right."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from toolscale.artifacts import Reject
from toolscale.dataset.steps import read_step_tasks, write_steps
from toolscale.exchange.sample import Sample
from toolscale.llm import Gateway, GatewayError
from toolscale.llm.budgets import spent
from toolscale.llm.endpoints import see_that_it_has_an_address
from toolscale.questions.distilling import DOMAIN, STAGE, distilled
from toolscale.questions.steps import Step
from toolscale.settings import ModelSettings, Settings
from toolscale.store import Store


@dataclass(frozen=True)
class DistillOptions:
    """What a user asks for; None is as the settings have it."""

    steps: Path
    out: Path
    model: ModelSettings
    attempts: int = 1
    """The most at one step."""
    draw: Sample = field(default_factory=Sample)
    max_cost: float | None = None
    max_calls: int | None = None


@dataclass(frozen=True)
class DistillSummary:
    """What a run came to."""

    asked: int
    right: int
    """Steps that were taken right: those of the new folder."""
    calls: int
    dollars: float
    """What this run newly paid."""


Heard = Callable[[int, int, int], None]
"""Hears how many of how many steps are done, and how many of them were taken right."""


async def distill(options: DistillOptions, heard: Heard = lambda done, total, right: None) -> DistillSummary:
    """Have a model take the steps, and write those that it takes right, with its thoughts; the others are rejects.

    What the store has answered before is not asked again, so a run that was killed or that its budget ended goes on.

    Raises:
        UserError: the options cannot be followed as they stand.
        GatewayError: the model cannot be had or the budget is spent; nothing is written, what was answered is kept.
    """
    caps = {"max_cost": options.max_cost, "max_calls": options.max_calls}
    settings = Settings.load(**{name: value for name, value in caps.items() if value is not None})
    see_that_it_has_an_address(options.model.model, options.model.api_base)
    steps = options.draw.of(read_step_tasks(options.steps))
    run = f"distill-{uuid4()}"
    with Store(settings.database_url()) as store:
        async with Gateway(settings, store, run=run) as gateway:
            gateway.price_of(options.model.model)
            found = await _at_all(steps, gateway.with_model("agent", options.model), options, settings, heard)
        paid = spent(store, run)
    kept = [each for each in found if each is not None]
    rejects = [
        Reject(domain=DOMAIN, stage=STAGE, check="golden", reasons=[f"step {step.id} was not taken right"])
        for step, each in zip(steps, found, strict=True)
        if each is None
    ]
    told = f"Steps of {options.steps.name}, with the thoughts of {options.model.model} where it took them right."
    write_steps(options.out, kept, rejects, [told, *options.draw.told])
    return DistillSummary(len(steps), len(kept), paid.calls, paid.dollars)


async def _at_all(
    steps: Sequence[Step], gateway: Gateway, options: DistillOptions, settings: Settings, heard: Heard
) -> list[Step | None]:
    """Each step with thoughts, or None, in their order. When one fails, those that were begun still end."""
    found: dict[int, Step | None] = {}
    failures: list[GatewayError] = []

    async def work(left: Iterator[tuple[int, Step]]) -> None:
        for place, step in left:
            if failures:
                return
            try:
                found[place] = await distilled(step, gateway, attempts=options.attempts, seed=options.draw.seed)
            except GatewayError as error:
                failures.append(error)
                return
            heard(len(found), len(steps), sum(each is not None for each in found.values()))

    heard(0, len(steps), 0)
    left = iter(enumerate(steps))
    await asyncio.gather(*(work(left) for _ in range(settings.max_in_flight)))
    if failures:
        raise failures[0]
    return [found[place] for place in range(len(steps))]
