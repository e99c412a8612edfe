"""Stage: verified_tasks. Every task meets the gates; what passes is kept, what does not is kept too, with the reasons.

The program gates come first, since they are cheap; what they said of a task's draft is taken if nothing has changed
since. Of a task that passes them a judge reads what of the policy no program can check, if there is such a thing; and
where the golden calls made a choice that programs find open, a blind solver is asked, once. What passes so far is put
before an agent, eight times (paper, Appendix, data synthesis: a task is removed if no model solves it in pass@8). What
the attempts did tells as well whether the task is ambiguous, and whether what no program could trace is there to be
found. Near-duplicates are looked for last, among the tasks that passed everything else.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from toolscale.artifacts import Attempt, GateOutcome, Task, Trajectory
from toolscale.artifacts.environment import EnvironmentSpec
from toolscale.checkers import GateContext, JudgedAttempt, ambiguous, difficulty_of, distinct, examined, pass_at_8
from toolscale.checkers.gates import AGREEING, grounded, may_pass
from toolscale.environment import Sandbox
from toolscale.llm import BudgetSpent
from toolscale.store import AttemptRow, GateResult, Store
from toolscale.synthesis.attempts import attempt_task, calls_of, counted, succeeded
from toolscale.synthesis.judgement import judged
from toolscale.synthesis.openness import openness
from toolscale.synthesis.run import DomainRun
from toolscale.synthesis.tally import Told
from toolscale.synthesis.waves import next_wave

AT_ONCE = 16
"""Tasks that are put to the test at the same time; each makes its attempts side by side."""


@dataclass(frozen=True)
class Verified:
    """The tasks that passed every gate, those that did not, and all attempts at a kept task, solved or not."""

    kept: list[Task]
    rejected: list[Task]
    trajectories: list[Trajectory]


class Tested(NamedTuple):
    """A task with its gates and attempts, and the trajectories of these; it was not yet compared with others."""

    task: Task
    trajectories: list[Trajectory]


async def verify_tasks(run: DomainRun, environment: EnvironmentSpec, tasks: Sequence[Task]) -> Verified:
    """Put every task to the test.

    Raises:
        BudgetSpent: the run's budget ended before all were tested.
        UserError: the settings name a model that cannot be had.
    """
    tested = []
    for each in await put_to_the_test(run, environment, tasks, _telling(run.told, len(tasks))):
        if isinstance(each, BudgetSpent):
            raise each
        tested.append(each)
    verified = compared(tested, environment)
    await save_comparison(verified, run.store)
    return verified


def _telling(told: Told, proposed: int) -> Callable[[Task], None]:
    """Tells of each tested task how many are kept so far, and of their attempts."""
    met, counts = 0, Counter(kept=0, attempts=0)

    def hear(task: Task) -> None:
        nonlocal met
        met += 1
        counts.update(kept=task.rejected_by is None, attempts=len(task.attempts))
        told(met, proposed, counts)

    return hear


async def put_to_the_test(
    run: DomainRun, environment: EnvironmentSpec, tasks: Sequence[Task], on_tested: Callable[[Task], None]
) -> list[Tested | BudgetSpent]:
    """Every task, in order, with all outcomes but that of the comparison; or what ended its test before it was done.

    `on_tested` hears of each task when all that is left is to compare it with others.

    Raises:
        UserError: the settings name a model that cannot be had.
    """
    slots = asyncio.Semaphore(AT_ONCE)
    with Sandbox(environment) as sandbox:
        context = GateContext(sandbox)

        async def verify(task: Task) -> Tested | BudgetSpent:
            async with slots:
                try:
                    tested, trajectories = await _verify(task, context, run)
                except BudgetSpent as spent:
                    return spent
                await run.store.save(*_rows(tested))
            on_tested(tested)
            return Tested(tested, trajectories)

        return await asyncio.gather(*(verify(task) for task in tasks))


def compared(tested: Sequence[Tested], environment: EnvironmentSpec) -> Verified:
    """The tested tasks, sifted, once each was compared with the others."""
    tasks = keep_distinct([each.task for each in tested], {environment.domain: environment})
    verified = {task.id for task in tasks if task.verified}
    return Verified(
        kept=[task for task in tasks if task.verified],
        rejected=[task for task in tasks if not task.verified],
        trajectories=[made for each in tested if each.task.id in verified for made in each.trajectories],
    )


async def save_comparison(verified: Verified, store: Store) -> None:
    """Note in the store what came of comparing the tasks."""
    tasks = [*verified.kept, *verified.rejected]
    await store.save(*(row for task in tasks for row in _gate_rows(task) if row.gate == "distinct"))


def keep_distinct(tasks: Sequence[Task], environments: Mapping[str, EnvironmentSpec]) -> list[Task]:
    """The tasks, in their order; those that no other gate refuses with the outcome of `distinct` among themselves."""
    earlier = {task.id: [gate for gate in task.gates if gate.gate != "distinct"] for task in tasks}
    passed = [task for task in tasks if all(gate.passed for gate in earlier[task.id])]
    outcomes = distinct(passed, environments)
    return [
        task.model_copy(update={"gates": [*earlier[task.id], outcomes[task.id]]}) if task.id in outcomes else task
        for task in tasks
    ]


async def _verify(task: Task, context: GateContext, run: DomainRun) -> tuple[Task, list[Trajectory]]:
    """The task with its gates and attempts, and the trajectories of these."""
    settings = run.settings
    task = await asyncio.to_thread(examined, task, context)
    gates, difficulty = task.gates, await asyncio.to_thread(difficulty_of, task, context)
    task = task.model_copy(update={"difficulty": difficulty, "examined": ""})
    if not may_pass(gates):
        return task, []
    gates = await judged(gates, task, context, run)
    if not may_pass(gates):
        return task.model_copy(update={"gates": gates}), []
    of_choices = await openness(task, context, run)
    if not of_choices.passed:
        return task.model_copy(update={"gates": [*gates, of_choices]}), []
    enough = 1 if all(gate.passed for gate in gates) else AGREEING
    trajectories = await _attempts(task, context, run, enough)
    made = [JudgedAttempt(attempt, calls_of(trajectory)) for attempt, trajectory in trajectories]
    attempts = [attempt for attempt, _ in trajectories]
    if enough > 1:
        solved = [each.calls for each in made if succeeded(each.attempt)]
        traced = await asyncio.to_thread(grounded, task, context, solved)
        gates = [traced if gate.gate == traced.gate else gate for gate in gates]
    of_ends = await asyncio.to_thread(ambiguous, task, made, context)
    outcomes: list[GateOutcome] = [*gates, pass_at_8(attempts), of_ends if of_ends.reasons else of_choices]
    ended = settings.attempts_stop if settings.attempts_stop != "never" and len(made) < settings.attempts else None
    rate = None if settings.attempts_stop == "first_success" else _pass_rate(attempts)
    found = {"gates": outcomes, "attempts": attempts, "attempts_ended": ended, "pass_rate": rate}
    return task.model_copy(update=found), [trajectory for _, trajectory in trajectories]


def _pass_rate(attempts: Sequence[Attempt]) -> float | None:
    """The share of attempts that solved the task; attempts that the user spoiled do not count."""
    solved = [attempt.verdict.solved for attempt in counted(attempts)]
    return sum(solved) / len(solved) if solved else None


async def _attempts(task: Task, context: GateContext, run: DomainRun, enough: int) -> list[tuple[Attempt, Trajectory]]:
    """All attempts side by side; in waves, if the settings say what ends them early."""

    async def attempt(index: int) -> tuple[Attempt, Trajectory]:
        return await attempt_task(task, context, run.gateway, run.settings, index=index)

    made: list[tuple[Attempt, Trajectory]] = []
    while wave := next_wave([each for each, _ in made], run.settings, enough):
        made += await asyncio.gather(*(attempt(len(made) + further) for further in range(wave)))
    return made


def _rows(task: Task) -> list[GateResult | AttemptRow]:
    """The task's gates and attempts as rows of the store."""
    attempts = [
        AttemptRow(
            task_id=task.id,
            index=attempt.index,
            domain=task.domain,
            solved=attempt.verdict.solved,
            **attempt.verdict.model_dump(exclude={"reasons"}),
            reasons=json.dumps(attempt.verdict.reasons, ensure_ascii=False),
            **attempt.model_dump(include={"user_fault", "turns", "termination"}),
        )
        for attempt in task.attempts
    ]
    return [*_gate_rows(task), *attempts]


def _gate_rows(task: Task) -> list[GateResult]:
    return [
        GateResult(
            task_id=task.id,
            gate=gate.gate,
            domain=task.domain,
            passed=gate.passed,
            reasons=json.dumps(gate.reasons, ensure_ascii=False),
        )
        for gate in task.gates
    ]
