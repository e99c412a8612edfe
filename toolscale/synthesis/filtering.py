"""Stage: verified_tasks. Every task meets the gates; what passes is kept, what does not is kept too, with the reasons.

The program gates come first, since they are cheap; only a task that passes them is put before an agent, eight times
(paper, Appendix, data synthesis: a task is removed if no model solves it in pass@8). What the attempts did tells
whether the task is ambiguous. Near-duplicates are looked for last, among the tasks that passed everything else.
"""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from toolscale.artifacts import Attempt, GateOutcome, Task, Trajectory
from toolscale.artifacts.environment import EnvironmentSpec
from toolscale.checkers import GateContext, Made, ambiguous, difficulty_of, distinct, pass_at_8, run_gates
from toolscale.environment import Sandbox
from toolscale.llm import Gateway
from toolscale.settings import Settings
from toolscale.store import AttemptRow, GateResult, Store
from toolscale.synthesis.attempts import attempt_task, calls_of, counted, succeeded

AT_ONCE = 16
"""Tasks that are put to the test at the same time; each makes its attempts side by side."""


@dataclass(frozen=True)
class Verified:
    """The tasks that passed every gate, those that did not, and all attempts at a kept task, solved or not."""

    kept: list[Task]
    rejected: list[Task]
    trajectories: list[Trajectory]


async def verify_tasks(
    environment: EnvironmentSpec,
    tasks: Sequence[Task],
    gateway: Gateway,
    store: Store,
    settings: Settings,
    *,
    seed: int = 0,
    on_verified: Callable[[Task], None] | None = None,
) -> Verified:
    """Put every task to the test. `on_verified` hears of each task when all that is left is to compare it with others.

    Raises:
        UserError: the settings name a model that cannot be had.
    """
    gate = asyncio.Semaphore(AT_ONCE)
    with Sandbox(environment) as sandbox:
        context = GateContext(sandbox)

        async def verify(task: Task) -> tuple[Task, list[Trajectory]]:
            async with gate:
                tested, trajectories = await _verify(task, context, gateway, settings, seed)
                await store.save(*_rows(tested))
            if on_verified:
                on_verified(tested)
            return tested, trajectories

        tested = await asyncio.gather(*(verify(task) for task in tasks))
    compared = keep_distinct([task for task, _ in tested], {environment.domain: environment})
    await store.save(*(row for task in compared for row in _gate_rows(task) if row.gate == "distinct"))
    verified = {task.id for task in compared if task.verified}
    return Verified(
        kept=[task for task in compared if task.verified],
        rejected=[task for task in compared if not task.verified],
        trajectories=[trajectory for task, made in tested if task.id in verified for trajectory in made],
    )


def keep_distinct(tasks: Sequence[Task], environments: Mapping[str, EnvironmentSpec]) -> list[Task]:
    """The tasks, in their order; those that no other gate refuses with the outcome of `distinct` among themselves."""
    earlier = {task.id: [gate for gate in task.gates if gate.gate != "distinct"] for task in tasks}
    passed = [task for task in tasks if all(gate.passed for gate in earlier[task.id])]
    outcomes = distinct(passed, environments)
    return [
        task.model_copy(update={"gates": [*earlier[task.id], outcomes[task.id]]}) if task.id in outcomes else task
        for task in tasks
    ]


async def _verify(
    task: Task, context: GateContext, gateway: Gateway, settings: Settings, seed: int
) -> tuple[Task, list[Trajectory]]:
    """The task with its gates and attempts, and the trajectories of these."""
    task = await asyncio.to_thread(_with_fact_kinds, task, context)
    gates = await asyncio.to_thread(run_gates, task, context)
    task = task.model_copy(update={"difficulty": await asyncio.to_thread(difficulty_of, task, context)})
    if not all(gate.passed for gate in gates):
        return task.model_copy(update={"gates": gates}), []
    trajectories = await _attempts(task, context, gateway, settings, seed)
    made = [Made(attempt, calls_of(trajectory)) for attempt, trajectory in trajectories]
    attempts = [attempt for attempt, _ in trajectories]
    of_ends = await asyncio.to_thread(ambiguous, task, made, context)
    outcomes: list[GateOutcome] = [*gates, pass_at_8(attempts), of_ends]
    rate = None if settings.stop_at_first_success else _pass_rate(attempts)
    return task.model_copy(update={"gates": outcomes, "attempts": attempts, "pass_rate": rate}), [
        trajectory for _, trajectory in trajectories
    ]


def _with_fact_kinds(task: Task, context: GateContext) -> Task:
    return task.model_copy(update={"fact_kinds": context.golden(task).fact_kinds})


def _pass_rate(attempts: Sequence[Attempt]) -> float | None:
    """The share of attempts that solved the task; attempts that the user spoiled do not count."""
    solved = [attempt.verdict.solved for attempt in counted(attempts)]
    return sum(solved) / len(solved) if solved else None


async def _attempts(
    task: Task, context: GateContext, gateway: Gateway, settings: Settings, seed: int
) -> list[tuple[Attempt, Trajectory]]:
    """All attempts side by side, or one after the other until the first success if the settings say so."""

    async def attempt(index: int) -> tuple[Attempt, Trajectory]:
        return await attempt_task(task, context, gateway, settings, index=index, seed=seed)

    if not settings.stop_at_first_success:
        return list(await asyncio.gather(*(attempt(index) for index in range(settings.attempts))))
    made = []
    for index in range(settings.attempts):
        made.append(await attempt(index))
        if succeeded(made[-1][0]):
            break
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
