"""The program gates met once: their outcomes travel with the task, and hold while nothing that they saw has changed.

A task's author hears the gates while it can still mend the task, and they are most of what a task costs without models.
So whoever verifies the task later takes these outcomes if task, environment and the gates' code are the same.
"""

from functools import cache
from hashlib import sha256
from pathlib import Path

from toolscale.artifacts import Task, content_id
from toolscale.checkers.context import GateContext
from toolscale.checkers.gates import run_gates
from toolscale.input_files import files_in

_FOUND_LATER = {"difficulty", "attempts", "attempts_ended", "pass_rate", "examined"}


def examined(task: Task, context: GateContext) -> Task:
    """The task with the kinds of its facts, the outcomes of the program gates, and the mark of what these hold for.

    A task whose mark is right comes back as it is.
    """
    if still_holds(task, context):
        return task
    task = task.model_copy(update={"fact_kinds": context.golden(task).fact_kinds})
    task = task.model_copy(update={"gates": run_gates(task, context)})
    return task.model_copy(update={"examined": _mark(task, context)})


def still_holds(task: Task, context: GateContext) -> bool:
    """Whether the outcomes that a task carries are of these gates, in this environment, for this very task."""
    return bool(task.examined) and task.examined == _mark(task, context)


def _mark(task: Task, context: GateContext) -> str:
    """A hash of all that the outcomes follow from, and of the outcomes."""
    said = task.model_dump(mode="json", exclude=_FOUND_LATER)
    return content_id("examined", said, context.environment_id, _version_of_gates())


@cache
def _version_of_gates() -> str:
    """A hash of the code that decides: the checkers and the sandbox."""
    digest = sha256()
    for room in ("checkers", "environment"):
        for file in files_in(Path(__file__).parents[1] / room, "*.py", deep=True):
            digest.update(file.read_bytes())
    return digest.hexdigest()
