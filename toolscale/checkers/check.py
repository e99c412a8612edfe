"""`toolscale check`: trajectories that anybody recorded, judged against an environment that anybody wrote."""

from codecs import BOM_UTF8
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolscale.artifacts import Task, Verdict
from toolscale.checkers.gates import GateContext
from toolscale.checkers.recorded import BadTrajectoryError, RecordedTrajectory, parse_trajectory
from toolscale.checkers.task_file import read_tasks
from toolscale.checkers.verdict import judges_at_once
from toolscale.environment import Sandbox, load_environment
from toolscale.errors import UserError

_MOST_LINES_NAMED = 5


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

    def as_text(self) -> str:
        """What a reader sees: one line, and one more for each reason."""
        verdict, name = self.verdict, self.task_id or f"(line {self.line})"
        if verdict.solved:
            return _printable(f"solved    {name}")
        missed = [word for word in ("execution", "fidelity", "completeness") if not getattr(verdict, word)]
        lines = [f"unsolved  {name}  ({', '.join(missed)})", *(f"    - {reason}" for reason in verdict.reasons)]
        return "\n".join(map(_printable, lines))


def check(environment: Path, tasks: Path, trajectories: Path) -> Iterator[Judgement]:
    """Judge every line of a trajectories file, in order. A bad line is judged unsolved and the rest go on.

    Raises `UserError` before the first judgement if the environment, the tasks or the file cannot be read.
    """
    spec = load_environment(environment)
    known = {task.id: task for task in read_tasks(tasks)}
    try:
        lines = trajectories.read_bytes().removeprefix(BOM_UTF8).split(b"\n")
    except OSError as error:
        raise UserError(f"{trajectories}: cannot be read ({error.strerror}); give a file of JSON lines") from error
    with Sandbox(spec) as sandbox, ThreadPoolExecutor(judges_at_once()) as threads:
        context = GateContext(sandbox)
        for task in [*known.values()][:1]:
            context.golden(task)  # a machine that cannot run the environment says so before the first verdict
        numbered = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
        yield from threads.map(lambda pair: _judgement(pair[0], pair[1], known, context), numbered)


def complaint(trajectories: Path, judgements: list[Judgement]) -> str | None:
    """One line on the lines that somebody should mend; None if there are none."""
    bad = [f"line {judgement.line}: {judgement.problem}" for judgement in judgements if judgement.problem]
    if not bad:
        return None
    more = f"; and {len(bad) - _MOST_LINES_NAMED} more" if len(bad) > _MOST_LINES_NAMED else ""
    return _printable(f"{trajectories}: {'; '.join(bad[:_MOST_LINES_NAMED])}{more}. Correct these lines and run again")


def _printable(text: str) -> str:
    """The text on one line and without control characters: names in a trajectory may hold anything."""
    return "".join(character if character.isprintable() else "?" for character in text)


def _judgement(number: int, line: bytes, tasks: dict[str, Task], context: GateContext) -> Judgement:
    try:
        trajectory = parse_trajectory(line)
    except BadTrajectoryError as error:
        return Judgement(number, error.task_id, _unsolved(f"no trajectory: {error}"), str(error))
    task = tasks.get(trajectory.task_id)
    if task is None:
        problem = f"no task `{trajectory.task_id}` in the tasks file"
        return Judgement(number, trajectory.task_id, _unsolved(problem), problem)
    if len(trajectory.calls) > (most := context.sandbox.limits.calls):
        problem = f"{len(trajectory.calls):,} calls, over the sandbox's {most:,}"
        return Judgement(number, task.id, _unsolved(problem), problem)
    verdict = context.judge(task, trajectory.calls, trajectory.agent_messages)
    return Judgement(number, task.id, _with_notes(verdict, trajectory, context), _not_offered(trajectory, context))


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
