"""A model's pass rate on a dataset: its attempts at every task, each judged, and the rates added to the folder."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any
from uuid import uuid4

from toolscale.artifacts import EnvironmentSpec
from toolscale.checkers import GateContext
from toolscale.dataset.adding_rates import add_pass_rates, see_that_it_takes_pass_rates
from toolscale.dataset.folder import Placed, read_placed
from toolscale.dataset.pass_rates import Conditions, PassRate
from toolscale.environment import Sandbox
from toolscale.episodes.episode import UserMode
from toolscale.errors import UserError
from toolscale.intervals import interval
from toolscale.llm import BudgetSpent, Gateway, GatewayError
from toolscale.llm.budget import Spent
from toolscale.llm.endpoints import see_that_it_has_an_address
from toolscale.settings import ModelSettings, Settings
from toolscale.store import Store
from toolscale.synthesis.attempts import attempt_task, counted, succeeded


@dataclass(frozen=True)
class AttemptOptions:
    """What a user asks for; None is as the settings have it."""

    dataset: Path
    agent: ModelSettings
    attempts: int | None = None
    mode: UserMode | None = None
    split: str = ""
    """Of the tasks; empty = all."""
    tasks: int | None = None
    """How many, drawn by the seed; None = all."""
    seed: int | None = None
    max_cost: float | None = None
    max_calls: int | None = None

    def settings(self) -> Settings:
        """All settings of the run, with what was asked for.

        Raises:
            UserError: a model that is needed has no address.
        """
        asked: dict[str, Any] = {"attempts": self.attempts, "user_mode": self.mode, "seed": self.seed}
        asked |= {"max_cost": self.max_cost, "max_calls": self.max_calls}
        settings = Settings.load(**{name: value for name, value in asked.items() if value is not None})
        settings = settings.model_copy(update={"models": {**settings.models, "agent": self.agent}})
        for model in models_of(settings):
            see_that_it_has_an_address(model.model, model.api_base)
        return settings


@dataclass(frozen=True)
class Rated:
    """A task and how the model fared at it."""

    domain: str
    found: PassRate


@dataclass(frozen=True)
class PassRateSummary:
    """What a run came to."""

    wanted: Counter[str]
    """Domain -> tasks that were to be attempted."""
    rated: dict[str, Rated]
    """Task id -> its rate, once all its attempts are made. These stand in the dataset."""
    paid: dict[str, Spent]
    """Domain -> what this run newly paid."""
    stopped: GatewayError | UserError | None = None
    """What ended it before all was attempted."""

    @property
    def over_budget(self) -> bool:
        """True if the budget ended it."""
        return isinstance(self.stopped, BudgetSpent)

    def rates(self, domain: str | None = None) -> list[float]:
        """The rates of the tasks of a domain, or of all, in the order of their ids."""
        rated = [each for _, each in sorted(self.rated.items()) if domain in (None, each.domain)]
        return [each.found.rate for each in rated if each.found.rate is not None]

    def figures(self, domain: str | None = None) -> dict[str, Any]:
        """Of a domain, or of all: tasks wanted, tasks attempted, mean rate with its interval, calls and dollars."""
        domains = self.wanted if domain is None else [domain]
        rates = self.rates(domain)
        paid = [self.paid.get(name, Spent()) for name in domains]
        return {
            "tasks": sum(self.wanted[name] for name in domains),
            "attempted": sum(domain in (None, each.domain) for each in self.rated.values()),
            "pass_rate": interval(rates) if rates else None,
            "calls": sum(each.calls for each in paid),
            "dollars": sum(each.dollars for each in paid),
        }


Heard = Callable[[int, int, float], None]
"""Hears how many of how many tasks are attempted, and the sum of their rates so far."""


async def add_rates_of(options: AttemptOptions, heard: Heard = lambda done, total, solved: None) -> PassRateSummary:
    """Attempt the tasks of a dataset with a model, and add its pass rate to each whose attempts are all made.

    What the store has answered before is not asked again, so a run that was killed or that its budget ended goes on.

    Raises:
        UserError: the options cannot be followed as they stand; nothing was asked.
    """
    settings = options.settings()
    see_that_it_takes_pass_rates(options.dataset)
    chosen = drawn(options, settings.seed)
    run = f"attempt-{uuid4()}"
    with Store(settings.database_url()) as store, ExitStack() as stack:
        async with Gateway(settings, store, run=run) as gateway:
            for model in models_of(settings):
                gateway.price_of(model.model)
            attempts = Attempts(gateway, settings, stack, heard)
            rated, stopped = await attempts.at_all(chosen)
        paid = {line.name: Spent(line.calls, line.dollars) for line in store.cost_by("domain", run=run)}
    add_pass_rates(options.dataset, {task: each.found for task, each in rated.items()})
    return PassRateSummary(Counter(each.task.domain for each in chosen), rated, paid, stopped)


def drawn(options: AttemptOptions, seed: int) -> list[Placed]:
    """The tasks asked for, shuffled by the seed: what a budget lets through is a sample, and more begin with it.

    Raises:
        UserError: there are none, or one of them has nobody who would say what is wanted.
    """
    placed = sorted(read_placed(options.dataset), key=lambda each: each.task.id)
    found = [each for each in placed if options.split in ("", each.split)]
    if not found:
        splits = ", ".join(sorted({each.split for each in placed})) or "none"
        raise UserError(f"{options.dataset}: no tasks in the split `{options.split}`; its splits: {splits}")
    Random(seed).shuffle(found)
    found = found[: options.tasks]
    if silent := [each.task.id for each in found if each.task.user_scenario is None]:
        raise UserError(f"{options.dataset}/tasks: {silent[0]} has no user_scenario, so it does not say what is wanted")
    return found


def models_of(settings: Settings) -> list[ModelSettings]:
    """Who is asked: the agent, and the user where one is simulated."""
    simulated = [settings.for_role("user")] if settings.user_mode == "simulated" else []
    return [settings.for_role("agent"), *simulated]


class Attempts:
    """Makes the attempts of a run, a few tasks at once."""

    def __init__(self, gateway: Gateway, settings: Settings, stack: ExitStack, heard: Heard) -> None:
        """`stack` closes the sandboxes of the environments, each opened when its first task needs it."""
        self._gateway, self._settings, self._stack, self._heard = gateway, settings, stack, heard
        self._contexts: dict[int, GateContext] = {}
        agent, *simulated = models_of(settings)
        self._agent = agent
        self._user = simulated[0].model if simulated else None

    async def at_all(self, chosen: Sequence[Placed]) -> tuple[dict[str, Rated], GatewayError | UserError | None]:
        """The rates of the tasks whose attempts could all be made, and what ended the run, if anything did."""
        rated: dict[str, Rated] = {}
        stopped: list[GatewayError | UserError] = []
        left = iter(chosen)

        async def work(left: Iterator[Placed]) -> None:
            for placed in left:
                if stopped:
                    return
                try:
                    found = await self._rate(placed)
                except (GatewayError, UserError) as error:
                    stopped.append(error)
                    return
                rated[placed.task.id] = Rated(placed.task.domain, found)
                self._heard(len(rated), len(chosen), sum(each.found.rate or 0 for each in rated.values()))

        self._heard(0, len(chosen), 0)
        # As many as keep the endpoint busy, since an attempt asks one thing at a time: the more are begun, the more
        # are without a rate when the budget ends the run.
        at_once = self._settings.max_in_flight // self._settings.attempts + 1
        await asyncio.gather(*(work(left) for _ in range(at_once)))
        return rated, next(iter(stopped), None)

    async def _rate(self, placed: Placed) -> PassRate:
        """How the model fares at a task. When one attempt fails, the others still end: what they ask is kept."""
        context, settings = self._context(placed.environment), self._settings
        made = await asyncio.gather(
            *(
                attempt_task(placed.task, context, self._gateway, settings, index=index)
                for index in range(settings.attempts)
            ),
            return_exceptions=True,
        )
        attempts = []
        for each in made:
            if isinstance(each, BaseException):
                raise each
            attempts.append(each[0])
        return PassRate(
            model=self._agent.model,
            under=Conditions(user_model=self._user, temperature=self._agent.temperature, max_turns=settings.max_turns),
            attempts=len(counted(attempts)),
            solved=sum(map(succeeded, attempts)),
        )

    def _context(self, environment: EnvironmentSpec) -> GateContext:
        """Tasks of one environment share one object."""
        if id(environment) not in self._contexts:
            self._contexts[id(environment)] = GateContext(self._stack.enter_context(Sandbox(environment)))
        return self._contexts[id(environment)]
