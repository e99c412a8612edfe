"""As many tasks as asked for, as hard as asked for: propose, put to the test, see what is missing, and go on.

A wave puts to the test what was proposed and has the wanted number of golden calls. What was solved too often, or has
too few golden calls, is made harder for the next wave; what is never solved is dropped. For what is still missing new
first tasks are proposed, for the intents with the fewest tasks so far and with the functions that few tasks call; an
operator is asked for the less, the more tasks have it. The same answers lead through the same waves, so a run that
broke off goes on where it was and pays for nothing twice.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from toolscale.artifacts import Domain, EnvironmentSpec, GateOutcome, Intent, Operator, Reject, Task
from toolscale.llm import BudgetSpent, Gateway
from toolscale.settings import Settings
from toolscale.store import Store
from toolscale.synthesis.evolution import evolve_tasks
from toolscale.synthesis.filtering import Tested, Verified, compared, put_to_the_test, save_comparison
from toolscale.synthesis.sifted import Sifted
from toolscale.synthesis.tally import Told, unheard
from toolscale.synthesis.tasks import propose_tasks, without_doubles

FRUITLESS = 3
"""Waves in a row that bring nothing, after which there is no sense in another."""

DEEPEST = 8
"""Evolutions behind a task after which it is not made harder again."""

LEAST_YIELD = 0.25
"""A wave is as large as if at least so many of its tasks were kept, so that a bad start does not make it endless."""

RARE = 4
"""Functions that an author is told few tasks call."""


@dataclass(frozen=True)
class Wanted:
    """How many tasks, and which."""

    keep: int
    pass_rate: tuple[float, float] | None = None
    golden_calls: tuple[int, int] | None = None

    def has_the_length(self, task: Task) -> bool:
        """Whether a task has as many golden calls as are wanted."""
        return self.golden_calls is None or self.golden_calls[0] <= len(task.golden_calls) <= self.golden_calls[1]

    def misses(self, task: Task) -> str:
        """Why a task that passed every gate is not wanted; empty if it is."""
        if self.golden_calls and not self.has_the_length(task):
            fewest, most = self.golden_calls
            return f"{len(task.golden_calls)} golden calls; wanted are {fewest} to {most}"
        if self.pass_rate and (task.pass_rate is None or not self.pass_rate[0] <= task.pass_rate <= self.pass_rate[1]):
            rate = "unknown" if task.pass_rate is None else f"{task.pass_rate:.3g}"
            return f"a pass rate of {rate}; wanted is {self.pass_rate[0]:g} to {self.pass_rate[1]:g}"
        return ""

    def is_too_easy(self, task: Task) -> bool:
        """Whether a harder version of a sound task may be wanted."""
        if self.golden_calls and len(task.golden_calls) < self.golden_calls[0]:
            return True
        return bool(self.pass_rate and task.pass_rate is not None and task.pass_rate > self.pass_rate[1])

    def third(self, task: Task) -> str:
        """Where in the wanted pass rates a task lies: `hard`, `middling` or `easy`."""
        low, high = self.pass_rate or (0.0, 1.0)
        place = ((task.pass_rate or 0) - low) / (high - low) if high > low else 0.5
        return "hard" if place < 1 / 3 else "middling" if place < 2 / 3 else "easy"


@dataclass(frozen=True)
class Filled:
    """The wanted tasks with all that was made on the way, and what is missing, in a sentence; empty if nothing is."""

    verified: Verified
    rejects: list[Reject] = field(default_factory=list)
    short: str = ""


async def fill(
    domain: Domain,
    environment: EnvironmentSpec,
    intents: Sequence[Intent],
    proposed: Sequence[Task],
    gateway: Gateway,
    store: Store,
    settings: Settings,
    wanted: Wanted,
    *,
    first: int,
    rounds: int = 1,
    seed: int = 0,
    told: Told = unheard,
) -> Filled:
    """Go on from the `proposed` tasks until as many are kept as wanted, the budget is spent, or nothing more comes.

    `first` is how many first tasks were asked for so far, `rounds` how often each further one is made harder. Whatever
    a gate refused, and whatever is sound and not wanted, is among the rejected.
    """
    quota = _Quota(domain, environment, list(intents), gateway, store, settings, wanted, first, rounds, seed, told)
    return await quota.fill(list(proposed))


@dataclass
class _Quota:
    """The state of filling a quota."""

    domain: Domain
    environment: EnvironmentSpec
    intents: list[Intent]
    gateway: Gateway
    store: Store
    settings: Settings
    wanted: Wanted
    first: int
    rounds: int
    seed: int
    told: Told
    met: list[Tested] = field(default_factory=list)
    """All that was put to the test, in the order of the proposals."""
    refused: list[Reject] = field(default_factory=list)
    kept: list[Task] = field(default_factory=list)
    """Of these, what is wanted and no near-duplicate of another."""
    hardened: set[str] = field(default_factory=set)
    """Ids of the tasks that were made harder here."""

    async def fill(self, wave: list[Task]) -> Filled:
        fruitless, short = 0, ""
        try:
            while True:
                before = len(self.kept)
                await self._meet(wave)
                found = len(self.kept)
                if found >= self.wanted.keep:
                    break
                fruitless = 0 if found > before else fruitless + 1
                if fruitless == FRUITLESS:
                    short = f"the last {FRUITLESS} waves brought none, of {len(self.met)} proposals; wider bounds may"
                    break
                wave = await self._next_wave(self.wanted.keep - found)
        except BudgetSpent as spent:
            short = f"the budget is spent ({spent.reason}); another run continues from there and pays for nothing twice"
        verified = compared(self._chosen(), self.environment)
        await save_comparison(verified, self.store)
        return Filled(verified, self.refused, short)

    async def _meet(self, wave: list[Task]) -> None:
        """Put a wave to the test. Tasks of another length than wanted are not brought before an agent.

        Raises:
            BudgetSpent: the budget ended before all were tested; those that were are met.
        """
        due = [task for task in wave if self.wanted.has_the_length(task)]
        hear = self._telling()
        tested = iter(
            await put_to_the_test(
                self.environment, due, self.gateway, self.store, self.settings, seed=self.seed, on_verified=hear
            )
        )
        outcomes = [next(tested) if self.wanted.has_the_length(task) else Tested(task, []) for task in wave]
        self.met += [self._marked(each) for each in outcomes if isinstance(each, Tested)]
        self.kept = compared(self.met, self.environment).kept
        for each in outcomes:
            if isinstance(each, BudgetSpent):
                raise each

    def _marked(self, tested: Tested) -> Tested:
        """The tested task; one that is sound and not wanted with the outcome that says so."""
        if tested.task.rejected_by or not (reason := self.wanted.misses(tested.task)):
            return tested
        return tested._replace(task=_refused(tested.task, reason))

    def _telling(self) -> Callable[[Task], None]:
        """Tells of each tested task how many are kept, of how many, and how hard these are."""
        kept = len(self.kept)
        thirds = Counter(self.wanted.third(each) for each in self.kept)
        tried = Counter(tried=len(self.met), attempts=sum(len(each.task.attempts) for each in self.met))

        def hear(task: Task) -> None:
            nonlocal kept
            tried.update(tried=1, attempts=len(task.attempts))
            if task.rejected_by is None and not self.wanted.misses(task):
                kept += 1
                thirds.update([self.wanted.third(task)])
            self.told(min(kept, self.wanted.keep), self.wanted.keep, {"kept": kept, **tried, **thirds})

        return hear

    async def _next_wave(self, missing: int) -> list[Task]:
        """What is made harder, and for the rest first tasks with what grows of them."""
        kept = len(self.kept) / max(1, len(self.met))
        size = math.ceil(missing / max(kept, LEAST_YIELD))
        easy = self._too_easy()[: math.ceil(size / 2)]
        self.hardened |= {task.id for task in easy}
        harder = await self._made_harder(easy, 1)
        count = math.ceil((size - len(harder.kept)) / (1 + self.rounds))
        new = await propose_tasks(
            self.domain,
            self.environment,
            self._intents_with_few(),
            self.gateway,
            count=count,
            first=self.first,
            refusals=self.settings.refusals,
            rare=self._functions_with_few(),
            seed=self.seed,
        )
        self.first += count
        grown = await self._made_harder(new.kept, self.rounds)
        known = {each.task.id for each in self.met}
        sifted = without_doubles(self.domain, "tasks", [*harder.kept, *new.kept, *grown.kept], known)
        self.refused += [*harder.rejects, *new.rejects, *grown.rejects, *sifted.rejects]
        return sifted.kept

    async def _made_harder(self, tasks: list[Task], rounds: int) -> Sifted[Task]:
        return await evolve_tasks(
            self.domain,
            self.environment,
            tasks,
            self.gateway,
            rounds=rounds,
            operators=self._rarer_first(self.settings.operators),
            seed=self.seed,
        )

    def _too_easy(self) -> list[Task]:
        """Tasks that are sound and too easy, and were not made harder here; those of intents with few tasks first."""
        of_intent = Counter(task.intent for task in self.kept)
        found = [
            task
            for task, _ in self.met
            if [gate.gate for gate in task.gates if not gate.passed] == ["wanted"]
            and self.wanted.is_too_easy(task)
            and task.lineage.depth < DEEPEST
            and task.id not in self.hardened
        ]
        return sorted(found, key=lambda task: of_intent[task.intent])

    def _intents_with_few(self) -> list[Intent]:
        of_intent = Counter(task.intent for task in self.kept)
        return sorted(self.intents, key=lambda intent: of_intent[intent.purpose])

    def _functions_with_few(self) -> list[str]:
        called = Counter(call.name for task in self.kept for call in task.golden_calls)
        names = [function.name for function in self.environment.functions]
        return sorted(names, key=lambda name: called[name])[:RARE]

    def _rarer_first(self, operators: Mapping[Operator, float]) -> dict[Operator, float]:
        """The mix, in which an operator weighs the less, the more kept tasks have it."""
        used = Counter(task.lineage.operator for task in self.kept)
        return {operator: weight / (1 + used[operator]) for operator, weight in operators.items()}

    def _chosen(self) -> list[Tested]:
        """All that was tested; of more kept tasks than were asked for, the surplus is refused as not wanted."""
        surplus = {task.id for task in self.kept} - {task.id for task in evenly(self.kept, self.wanted.keep)}
        reason = f"more than the {self.wanted.keep} that were wanted"
        return [
            each._replace(task=_refused(each.task, reason)) if each.task.id in surplus else each for each in self.met
        ]


def evenly(tasks: Sequence[Task], count: int) -> list[Task]:
    """So many of the tasks, in their order, with intents, operators and functions about equally frequent."""
    left, chosen, frequent = list(tasks), set[str](), Counter[tuple[str, str]]()
    while left and len(chosen) < count:
        best = min(left, key=lambda task: sum(frequent[trait] for trait in _traits(task)) / len(_traits(task)))
        left.remove(best)
        chosen.add(best.id)
        frequent.update(_traits(best))
    return [task for task in tasks if task.id in chosen]


def _traits(task: Task) -> set[tuple[str, str]]:
    functions = {("function", call.name) for call in task.golden_calls}
    return {("intent", task.intent), ("operator", task.lineage.operator or ""), *functions}


def _refused(task: Task, reason: str) -> Task:
    outcome = GateOutcome(gate="wanted", passed=False, reasons=[reason])
    return task.model_copy(update={"gates": [*task.gates, outcome], "examined": ""})
