"""`toolscale audit`: replay and re-gate every task of a dataset, or of an environment folder with its tasks."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from toolscale.artifacts import MUST_PASS, EnvironmentSpec, GateOutcome, Task
from toolscale.checkers import (
    Examination,
    GateContext,
    Inaction,
    distinct,
    examine,
    inaction,
    judges_at_once,
    pass_at_8,
    was_evaluated,
    with_recorded_judgement,
)
from toolscale.checkers.agents import AGENTS
from toolscale.checkers.task_file import read_tasks
from toolscale.dataset.folder import misplaced_in
from toolscale.environment import Sandbox, load_environment
from toolscale.errors import UserError
from toolscale.input_files import files_in

Subjects = list[tuple[Task, EnvironmentSpec]]


@dataclass(frozen=True)
class TaskAudit:
    """What the gates say about one task today.

    `pass_at_8` is there if the task has attempts to read it from. `ambiguous` never is: no row tells of the calls that
    failed attempts made. What a judge said of the policy stays as it was recorded, and `policy` says so.
    """

    task: Task
    examination: Examination
    outcomes: list[GateOutcome]
    inaction: Inaction

    @property
    def passed(self) -> bool:
        """True if no gate has anything to say against the task."""
        return all(outcome.passed for outcome in self.outcomes)

    @property
    def failures(self) -> list[GateOutcome]:
        """The gates that the task failed; one that could not be evaluated is no failure of its own."""
        return [outcome for outcome in self.outcomes if not outcome.passed and was_evaluated(outcome)]


@dataclass(frozen=True)
class Audit:
    """The audits of all tasks, in the order of the tasks."""

    tasks: list[TaskAudit]
    misplaced: int = 0
    """Attempts that lie in another split than their tasks."""

    def as_json(self) -> dict[str, Any]:
        """What `--json` prints. A gate's `passed` and `failed` count the tasks on which it could be evaluated."""
        gates = {gate: {"passed": 0, "failed": 0} for gate in MUST_PASS}
        for audit in self.tasks:
            for outcome in filter(was_evaluated, audit.outcomes):
                gates[outcome.gate]["passed" if outcome.passed else "failed"] += 1
        solvers = Counter(name for audit in self.tasks for name in audit.examination.idle_solvers)
        scores = [audit.examination.mutation for audit in self.tasks]
        inactions = [audit.inaction for audit in self.tasks]
        return {
            "tasks": len(self.tasks),
            "passed": sum(audit.passed for audit in self.tasks),
            "gates": gates,
            "agents": {name: solvers[name] for name in AGENTS},
            "inaction": {
                "database": sum(idle.database for idle in inactions),
                "answer": sum(idle.answer for idle in inactions),
                "both": sum(idle.database and idle.answer for idle in inactions),
            },
            "mutation": {
                "killed": sum(score.killed for score in scores),
                "total": sum(score.total for score in scores),
            },
            "failures": [
                {"task_id": audit.task.id, "gate": outcome.gate, "reasons": outcome.reasons}
                for audit in self.tasks
                for outcome in audit.failures
            ],
            "misplaced_trajectories": self.misplaced,
        }


def audit(path: Path, progress: Callable[[int, int], None] | None = None, *, of_each: int | None = None) -> Audit:
    """Re-run the program gates on every task below `path`, and read `pass_at_8` from the attempts that are stored.

    `path` is a dataset folder, or an environment folder with `tasks.json` in it or beside it. `progress` hears how
    many of how many tasks are done. `of_each` takes only so many tasks of each domain, the first by their ids, which
    follow from their content. Raises `UserError` if the path holds neither.
    """
    subjects = read_subjects(path)
    if of_each is not None:
        subjects = first_of_each(subjects, of_each)
    done = audited(subjects, progress)
    return Audit(done, misplaced_in(path) if (path / "trajectories").is_dir() else 0)


def audited(subjects: Subjects, progress: Callable[[int, int], None] | None = None) -> list[TaskAudit]:
    """The audits of tasks, in their order. One environment after the other is at work: each is a process of its own."""
    alike = distinct([task for task, _ in subjects], {spec.domain: spec for _, spec in subjects})
    # By identity: tasks of one environment share one object, and one domain may have several environments.
    of_environment: dict[int, list[int]] = defaultdict(list)
    for place, (_, spec) in enumerate(subjects):
        of_environment[id(spec)].append(place)
    found: dict[int, TaskAudit] = {}
    with ThreadPoolExecutor(judges_at_once()) as threads:
        for places in of_environment.values():
            with Sandbox(subjects[places[0]][1]) as sandbox:
                audit_one = partial(_audit_task, context=GateContext(sandbox), alike=alike)
                results = threads.map(audit_one, [subjects[place][0] for place in places])
                for place, result in zip(places, results, strict=True):
                    found[place] = result
                    if progress:
                        progress(len(found), len(subjects))
    return [found[place] for place in range(len(subjects))]


def _audit_task(task: Task, context: GateContext, alike: Mapping[str, GateOutcome]) -> TaskAudit:
    examination = examine(task, context)
    attempted = [pass_at_8(task.attempts)] if task.attempts else []
    outcomes = [
        with_recorded_judgement(gate, task, context) if gate.gate == "policy" else gate for gate in examination.outcomes
    ]
    return TaskAudit(task, examination, [*outcomes, *attempted, alike[task.id]], inaction(task, context))


def first_of_each(subjects: Subjects, count: int) -> Subjects:
    """So many tasks of each domain, the first by their ids."""
    seen: Counter[str] = Counter()
    chosen = []
    for task, spec in sorted(subjects, key=lambda pair: pair[0].id):
        seen[task.domain] += 1
        if seen[task.domain] <= count:
            chosen.append((task, spec))
    return chosen


def read_subjects(path: Path) -> Subjects:
    """The tasks of a dataset or an environment folder, each with its environment. Raises `UserError` for neither."""
    if not path.is_dir():
        raise UserError(f"{path}: no such folder; give a dataset folder, or an environment folder with its tasks.json")
    if is_environment_folder(path):
        return _environment_folder(path)
    if files_in(path / "tasks", "*.parquet"):
        from toolscale.dataset import read_dataset

        return read_dataset(path)
    raise UserError(
        f"{path}: neither a dataset (tasks/*.parquet and environments/*.parquet) nor an environment folder "
        "(functions.json and database.json); give the path of one of them"
    )


def is_environment_folder(path: Path) -> bool:
    """Whether the folder means to be an environment, whole or not."""
    return (path / "functions.json").exists() or (path / "database.json").exists()


def _environment_folder(path: Path) -> Subjects:
    spec = load_environment(path)
    for tasks in (path / "tasks.json", path.resolve().parent / "tasks.json"):
        if tasks.is_file():
            return [(task, spec) for task in read_tasks(tasks)]
    raise UserError(f"{path}: an environment without tasks; put a tasks.json into the folder or beside it")
