"""Tasks that programs draw, and make harder by composition. No model is asked, so a draw that fails costs nothing."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from random import Random

from toolscale.artifacts import Goal, Operator, Reject, Task, TaskProgram
from toolscale.programs import Dead, Solution, Workshop
from toolscale.programs.compose import Harder, harder
from toolscale.programs.variants import drawn_twist, idle_limit
from toolscale.synthesis.composed import goal_of, task_of
from toolscale.synthesis.heard import heard
from toolscale.synthesis.run import DomainRun
from toolscale.synthesis.writing import Desk

DRAWS = 8
"""Draws of a program, one of which must make a sound first task."""

TRIES = 6
"""Compositions with an operator, one of which must make a sound harder task."""

TWISTED = 0.5
"""The share of first tasks that take one of their program's twists, so that they are not all built alike."""


class Drawing:
    """A domain's programs at work: the gates in its environment, and the workshop beside it."""

    def __init__(self, desk: Desk, workshop: Workshop, programs: Sequence[TaskProgram]) -> None:
        self._desk = desk
        self._workshop = workshop
        self._programs: Mapping[str, TaskProgram] = {program.name: program for program in programs}

    @property
    def run(self) -> DomainRun:
        """What the tasks are drawn for."""
        return self._desk.run

    def draws(self, task: Task) -> bool:
        """Whether a task was drawn by programs that are here."""
        return bool(task.lineage.goals) and all(goal.program in self._programs for goal in task.lineage.goals)

    async def first(self, index: int, program: TaskProgram) -> Task | Reject:
        """The first task of that number, by a program: the first draw that is sound."""
        return await asyncio.to_thread(self._first, index, program)

    async def made_harder(self, task: Task, operators: Sequence[Operator]) -> Task | Reject:
        """The task with one thing more: the first of the operators that makes a sound one."""
        return await asyncio.to_thread(self._harder, task, operators)

    def _first(self, index: int, program: TaskProgram) -> Task | Reject:
        reasons: list[str] = []
        for number in range(DRAWS):
            seed = f"{self.run.seed}:{program.name}:{index}:{number}"
            goal, operator = self._drawn(program, seed)
            made = goal if isinstance(goal, Dead) else self._task([goal], seed, operator or program.operator)
            if isinstance(made, Task):
                return made
            reasons.append(made.reason)
        return self._reject("tasks", f"{DRAWS} draws of `{program.name}` make no sound task", reasons)

    def _drawn(self, program: TaskProgram, seed: str) -> tuple[Goal | Dead, Operator | None]:
        """A goal, and the operator of the twist that it takes, if it takes one."""
        (facts,) = self._workshop.draw(program, [seed])
        if isinstance(facts, Dead):
            return facts, None
        goal, rng = goal_of(program, seed, facts), Random(f"twist {seed}")
        if program.twists and rng.random() < TWISTED:
            twist = rng.choice(program.twists)
            drawn = drawn_twist(self._workshop, program, twist, goal, seed)
            if not isinstance(drawn, Dead):
                return goal.model_copy(update={"twists": [drawn]}), twist.operator
        return goal, None

    def _harder(self, task: Task, operators: Sequence[Operator]) -> Task | Reject:
        reasons: list[str] = []
        for operator in operators:
            for found in self._candidates(task, operator):
                made = self._task(found.goals, f"{task.id}:{found.added}", operator, found.added, task)
                if isinstance(made, Task):
                    return made
                reasons.append(made.reason)
        return self._reject("evolved_tasks", f"nothing can be added to {task.id}", reasons)

    def _candidates(self, task: Task, operator: Operator) -> Iterator[Harder]:
        found = harder(self._workshop, self._programs, task.lineage.goals, operator, f"{self.run.seed}:{task.id}")
        for _, each in zip(range(TRIES), found, strict=False):
            yield each

    def _task(
        self,
        goals: Sequence[Goal],
        seed: str,
        operator: Operator | None,
        added: str = "",
        parent: Task | None = None,
    ) -> Task | Dead:
        """The task of these goals, if it is one, is sound, and asks for another thing than its parent."""
        solved = self._workshop.solve(self._programs, goals)
        if isinstance(solved, Dead):
            return solved
        if not isinstance(solved, Solution) or not (solved.wrote or solved.told):
            return Dead("it changes nothing and tells nothing")
        if idle := idle_limit(self._workshop, self._programs, goals, solved):
            return Dead(f"`{idle}` decides nothing for what was drawn")
        domain = self.run.domain.name
        task = task_of(domain, self._programs, goals, solved, seed=seed, operator=operator, added=added, parent=parent)
        if isinstance(task, Dead):
            return task
        hearing = heard(task, self._desk.context)
        return Dead("; ".join(hearing.reasons)) if hearing.reasons else hearing.task

    def _reject(self, stage: str, what: str, reasons: Sequence[str]) -> Reject:
        told = list(dict.fromkeys(reasons))[:3]
        return Reject(domain=self.run.domain.name, stage=stage, check="draw", reasons=[what, *told])
