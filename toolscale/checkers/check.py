"""`toolscale check`: trajectories that anybody recorded, judged against an environment that anybody wrote."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from toolscale.artifacts import Call, EnvironmentSpec, Task, Verdict
from toolscale.checkers.context import GateContext
from toolscale.checkers.lines import Line, lines_of
from toolscale.checkers.recorded import BadTrajectoryError, RecordedTrajectory, parse_trajectory
from toolscale.checkers.task_file import read_tasks
from toolscale.checkers.verdict import judges_at_once
from toolscale.environment import Sandbox, load_environment

_MOST_LINES_NAMED = 5

_AHEAD = 4
"""Lines that wait for each judge."""


@dataclass(frozen=True)
class Judgement:
    """The verdict on one line of a trajectories file, and what its author should mend, if anything."""

    line: int
    task_id: str | None
    verdict: Verdict
    problem: str | None = None

    def as_row(self) -> dict[str, Any]:
        """What `--json` prints."""
        return {"task_id": self.task_id, "solved": self.verdict.solved, **self.verdict.model_dump(mode="json")}

    def as_lines(self) -> list[str]:
        """What a reader sees: one line, and one more for each reason."""
        verdict, name = self.verdict, self.task_id or f"(line {self.line})"
        if verdict.solved:
            return [f"solved    {name}"]
        missed = [word for word in ("execution", "fidelity", "completeness") if not getattr(verdict, word)]
        return [f"unsolved  {name}  ({', '.join(missed)})", *(f"    - {reason}" for reason in verdict.reasons)]


@dataclass
class Complaint:
    """What the author of a trajectories file should mend: the first lines by name, and how many there are."""

    trajectories: Path
    named: list[str] = field(default_factory=list)
    more: int = 0

    def note(self, judgement: Judgement) -> None:
        """Take in a judgement."""
        if judgement.problem is None:
            return
        if len(self.named) < _MOST_LINES_NAMED:
            self.named.append(f"line {judgement.line}: {judgement.problem}")
        else:
            self.more += 1

    def as_line(self) -> str | None:
        """The complaint in one line; None if there is nothing to mend."""
        if not self.named:
            return None
        more = f"; and {self.more} more" if self.more else ""
        return f"{self.trajectories}: {'; '.join(self.named)}{more}. Correct these lines and run again"


def check(environment: Path, tasks: Path, trajectories: Path) -> Iterator[Judgement]:
    """Judge every line of a trajectories file, in order. A bad line is judged unsolved and the rest go on.

    However long the file is, only a few lines of it are held at a time. Raises `UserError` before the first judgement
    if the environment, the tasks or the file cannot be read, or if the file holds a JSON array in place of lines.
    """
    spec = load_environment(environment)
    known = {task.id: task for task in read_tasks(tasks)}
    with lines_of(trajectories) as lines, Sandbox(spec) as sandbox, ThreadPoolExecutor(judges_at_once()) as threads:
        context = GateContext(sandbox)
        for task in [*known.values()][:1]:
            context.golden(task)  # a machine that cannot run the environment says so before the first verdict
        yield from _in_order(threads, lambda line: _judgement(line, known, context), lines)


def _in_order(
    threads: ThreadPoolExecutor, judge: Callable[[Line], Judgement], lines: Iterable[Line]
) -> Iterator[Judgement]:
    """The judgements in the order of the lines, as soon as they are there; a few lines ahead are under way."""
    ahead: deque[Future[Judgement]] = deque()
    try:
        for line in lines:
            ahead.append(threads.submit(judge, line))
            while ahead and (len(ahead) > _AHEAD * judges_at_once() or ahead[0].done()):
                yield ahead.popleft().result()
        while ahead:
            yield ahead.popleft().result()
    finally:
        for future in ahead:
            future.cancel()


def _judgement(line: Line, tasks: dict[str, Task], context: GateContext) -> Judgement:
    number = line.number
    try:
        trajectory = parse_trajectory(line.whole())
    except BadTrajectoryError as error:
        return Judgement(number, error.task_id, _unsolved(f"no trajectory: {error}"), str(error))
    task = tasks.get(trajectory.task_id)
    if task is None:
        problem = f"no task `{trajectory.task_id}` in the tasks file"
        return Judgement(number, trajectory.task_id, _unsolved(problem), problem)
    if len(trajectory.calls) > (most := context.sandbox.limits.calls):
        problem = f"{len(trajectory.calls):,} calls, over the sandbox's {most:,}"
        return Judgement(number, task.id, _unsolved(problem), problem)
    if trajectory.broken_off:
        return Judgement(number, task.id, _unsolved(f"the episode was broken off: {trajectory.broken_off}"))
    trajectory = _as_each_may(trajectory, context.sandbox.spec)
    verdict = context.judge(task, trajectory.calls, trajectory.agent_messages)
    return Judgement(number, task.id, _with_notes(verdict, trajectory, context), _not_offered(trajectory, context))


def _as_each_may(trajectory: RecordedTrajectory, spec: EnvironmentSpec) -> RecordedTrajectory:
    """The trajectory without calls of what its caller is not offered: they did nothing but err."""
    callers: dict[str, str] = {function.name: function.caller for function in spec.unoffered}
    calls: list[Call] = []
    erring = list(trajectory.erring)
    of_user: set[int] = set()
    for position, call in enumerate(trajectory.calls):
        by = "user" if position in trajectory.of_user else "agent"
        offered_to = callers.get(call.name, "agent")
        if by == offered_to:
            if by == "user":
                of_user.add(len(calls))
            calls.append(call)
        else:
            erring.append(f"calls[{position}] `{call.name}` is for the {offered_to}; the {by} cannot call it")
    return replace(trajectory, calls=calls, erring=erring, of_user=frozenset(of_user))


def _unsolved(reason: str) -> Verdict:
    return Verdict(execution=False, fidelity=False, completeness=False, reasons=[reason])


def _with_notes(verdict: Verdict, trajectory: RecordedTrajectory, context: GateContext) -> Verdict:
    """An unsolved verdict also says which calls never had a chance: it may be why."""
    unknown = _not_offered(trajectory, context)
    notes = trajectory.erring + ([unknown] if unknown else [])
    return verdict if verdict.solved else verdict.model_copy(update={"reasons": [*verdict.reasons, *notes]})


def _not_offered(trajectory: RecordedTrajectory, context: GateContext) -> str | None:
    unknown = sorted({call.name for call in trajectory.calls} - context.facts.kinds.keys())
    if not unknown:
        return None
    return f"the environment offers no function {', '.join(f'`{name}`' for name in unknown)}"
