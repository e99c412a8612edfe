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
from dataclasses import dataclass, field, replace

from toolscale.artifacts import EnvironmentSpec, GateOutcome, Intent, Operator, Reject, Task, TaskProgram
from toolscale.llm import BudgetSpent
from toolscale.synthesis.evolution import evolve_tasks
from toolscale.synthesis.filtering import Tested, Verified, compared, put_to_the_test, save_comparison, verify_tasks
from toolscale.synthesis.run import DomainRun
from toolscale.synthesis.sifted import Sifted
from toolscale.synthesis.tally import unheard
from toolscale.synthesis.tasks import propose_tasks, without_doubles
from toolscale.synthesis.wanted import Wanted

FRUITLESS = 3
"""Waves in a row that bring nothing, after which there is no sense in another."""

DEEPEST = 8
"""Evolutions behind a task after which it is not made harder again."""

LEAST_YIELD = 0.25
"""A wave is as large as if at least so many of its tasks were kept, so that a bad start does not make it endless."""

RARE = 4
"""Functions that an author is told few tasks call."""


@dataclass(frozen=True)
class Filled:
    """The wanted tasks with all that was made on the way, and what is missing, in a sentence; empty if nothing is."""

    verified: Verified
    rejects: list[Reject] = field(default_factory=list)
    short: str = ""


async def verified_tasks(
    run: DomainRun,
    environment: EnvironmentSpec,
    intents: list[Intent],
    programs: list[TaskProgram],
    tasks: list[Task],
    evolved_tasks: list[Task],
) -> Filled:
    """The tasks that pass every gate: those of programs, then judge and blind solver, then eight attempts of an agent.

    If a number of tasks is wanted, more are proposed and made harder until that many are kept.
    """
    proposed = [*tasks, *evolved_tasks]
    if run.wanted is None:
        return Filled(await verify_tasks(run, environment, proposed))
    settings = run.settings.model_copy(update={"wanted_pass_rate": run.wanted.pass_rate})
    quota = _Quota(replace(run, settings=settings), environment, intents, programs, run.wanted, run.first_tasks)
    return await quota.fill(proposed)


@dataclass
class _Quota:
    """The state of filling a quota."""

    run: DomainRun
    environment: EnvironmentSpec
    intents: list[Intent]
    programs: list[TaskProgram]
    wanted: Wanted
    first: int
    """First tasks that were asked for so far."""
    met: list[Tested] = field(default_factory=list)
    """All that was put to the test, in the order of the proposals."""
    refused: list[Reject] = field(default_factory=list)
    kept: list[Task] = field(default_factory=list)
    """Of these, what is wanted and no near-duplicate of another."""
    hardened: set[str] = field(default_factory=set)
    """Ids of the tasks that were made harder here."""

    async def fill(self, wave: list[Task]) -> Filled:
        """Go on from a wave until as many are kept as wanted, the budget is spent, or nothing more comes.

        Whatever a gate refused, and whatever is sound and not wanted, is among the rejected.
        """
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
        await save_comparison(verified, self.run.store)
        return Filled(verified, self.refused, short)

    async def _meet(self, wave: list[Task]) -> None:
        """Put a wave to the test. Tasks of another length than wanted are not brought before an agent.

        Raises:
            BudgetSpent: the budget ended before all were tested; those that were are met.
        """
        due = [task for task in wave if self.wanted.has_the_length(task)]
        tested = iter(await put_to_the_test(self.run, self.environment, due, self._telling()))
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
            self.run.told(min(kept, self.wanted.keep), self.wanted.keep, {"kept": kept, **tried, **thirds})

        return hear

    async def _next_wave(self, missing: int) -> list[Task]:
        """What is made harder, and for the rest first tasks with what grows of them."""
        kept = len(self.kept) / max(1, len(self.met))
        size = math.ceil(missing / max(kept, LEAST_YIELD))
        easy = self._too_easy()[: math.ceil(size / 2)]
        self.hardened |= {task.id for task in easy}
        harder = await self._made_harder(easy, 1)
        rounds = self.run.evolution_rounds
        count = math.ceil((size - len(harder.kept)) / (1 + rounds))
        run, rare = replace(self.run, first_tasks=count, told=unheard), self._functions_with_few()
        intents = self._intents_with_few()
        new = await propose_tasks(run, self.environment, intents, self.programs, before=self.first, rare=rare)
        self.first += count
        grown = await self._made_harder(new.kept, rounds)
        known = {each.task.id for each in self.met}
        sifted = without_doubles(self.run.domain, "tasks", [*harder.kept, *new.kept, *grown.kept], known)
        self.refused += [*harder.rejects, *new.rejects, *grown.rejects, *sifted.rejects]
        return sifted.kept

    async def _made_harder(self, tasks: list[Task], rounds: int) -> Sifted[Task]:
        settings = self.run.settings
        rarer_first = settings.model_copy(update={"operators": self._rarer_first(settings.operators)})
        run = replace(self.run, settings=rarer_first, evolution_rounds=rounds, told=unheard)
        return await evolve_tasks(run, self.environment, self.programs, tasks)

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
