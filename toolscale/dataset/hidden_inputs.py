"""What an import and an audit say of functions that read the clock or draw at random, by the calls that are at hand."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from toolscale.artifacts import Call, CallOutcome, EnvironmentSpec, Task
from toolscale.checkers.task_file import read_tasks
from toolscale.dataset.folder import decoded, read_rows
from toolscale.dataset.rows import Row
from toolscale.environment import load_environment
from toolscale.environment.hidden_inputs import HiddenInputs, hidden_inputs
from toolscale.synthesis.drawn import DrawnCalls

_OUTCOMES = TypeAdapter(list[CallOutcome])


def hidden_inputs_of(spec: EnvironmentSpec, tasks: Iterable[Task], more: Iterable[list[Call]] = ()) -> HiddenInputs:
    """Found by the tasks' golden calls, by more lists of calls, and for what they hardly reach by calls that are drawn.

    Raises UserError where the sandbox cannot run on this machine.
    """
    return hidden_inputs(spec, [*(task.golden_calls for task in tasks), *more], DrawnCalls(spec))


def hidden_inputs_of_folder(folder: Path) -> HiddenInputs:
    """The same for an environment folder with its tasks.json. Raises UserError where one of them cannot be read."""
    return hidden_inputs_of(load_environment(folder), read_tasks(folder / "tasks.json"))


def hidden_inputs_in(subjects: Sequence[tuple[Task, EnvironmentSpec]], dataset: Path) -> list[HiddenInputs]:
    """The same for each environment of an audit, with the calls of the dataset's trajectories where it has some.

    Raises UserError where the sandbox cannot run on this machine, or a trajectory's row cannot be read.
    """
    recorded = _recorded(dataset) if (dataset / "trajectories").is_dir() else {}
    found = []
    for spec in {id(spec): spec for _, spec in subjects}.values():
        tasks = [task for task, of in subjects if of is spec]
        found.append(hidden_inputs_of(spec, tasks, [calls for task in tasks for calls in recorded.get(task.id, ())]))
    return found


def told(found: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """One line a function that depends on the clock or on chance, and one of those of which nothing is known."""
    for one in found:
        place = f"{one['domain']}: " if len(found) > 1 else ""
        for name in dict.fromkeys((*one["clock"], *one["chance"])):
            does = ["reads the clock"] if name in one["clock"] else []
            does += ["draws at random (chance or a generated id)"] if name in one["chance"] else []
            yield f"{place}{name} {' and '.join(does)}"
        if not one["clock"] and not one["chance"]:
            yield f"{place}no function was seen to read the clock or to draw at random"
        if missed := one["not_reached"]:
            some = "1 function was" if len(missed) == 1 else f"{len(missed)} functions were"
            yield f"{place}{some} not reached by any call that returned, so nothing is known of: {', '.join(missed)}"


def _recorded(dataset: Path) -> dict[str, list[list[Call]]]:
    """Task id -> the calls of each of its trajectories."""
    found: dict[str, list[list[Call]]] = defaultdict(list)
    for _, row in read_rows(dataset, "trajectories"):
        found[row["task_id"]].append(decoded(dataset, "trajectories", _calls, row))
    return found


def _calls(row: Row) -> list[Call]:
    return [
        Call(name=done.name, arguments=done.arguments) for done in _OUTCOMES.validate_python(json.loads(row["calls"]))
    ]
