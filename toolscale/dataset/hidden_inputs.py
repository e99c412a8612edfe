"""What an import and an audit say of functions that read the clock or draw at random, by the calls that are at hand."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import TypeAdapter

from toolscale.artifacts import Call, CallOutcome, EnvironmentSpec, Task
from toolscale.dataset.audit import is_environment_folder, read_subjects
from toolscale.dataset.folder import decoded
from toolscale.dataset.rows import Row
from toolscale.environment import load_environment
from toolscale.environment.hidden_inputs import HiddenInputs, hidden_inputs
from toolscale.errors import UserError
from toolscale.input_files import files_in
from toolscale.synthesis.drawn import DrawnCalls

_OUTCOMES = TypeAdapter(list[CallOutcome])


def hidden_inputs_of(spec: EnvironmentSpec, tasks: Iterable[Task], more: Iterable[list[Call]] = ()) -> HiddenInputs:
    """Found by the tasks' golden calls, by more lists of calls, and by calls that are drawn for each function.

    Raises UserError where the sandbox cannot run on this machine.
    """
    return hidden_inputs(spec, [*(task.golden_calls for task in tasks), *more], DrawnCalls(spec))


def hidden_inputs_below(path: Path) -> list[HiddenInputs]:
    """The same for each environment of what an audit reads, with the calls of a dataset's trajectories if it has some.

    Raises UserError where the sandbox cannot run on this machine, or something below `path` cannot be read.
    """
    subjects = read_subjects(path)
    if not subjects and is_environment_folder(path):
        return [hidden_inputs_of(load_environment(path), [])]
    recorded = _recorded(path)
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
    for file in files_in(dataset / "trajectories", "*.parquet"):
        try:
            # Some rows at a time and without their messages, which would fill the memory.
            for batch in pq.ParquetFile(file).iter_batches(1000, columns=["task_id", "calls"], use_threads=False):
                for row in batch.to_pylist():
                    task_id, calls = decoded(dataset, "trajectories", _task_and_calls, row)
                    found[task_id].append(calls)
        except (OSError, pa.ArrowInvalid) as error:
            raise UserError(f"{file} cannot be read as Parquet ({error}); build or download it again") from error
    return found


def _task_and_calls(row: Row) -> tuple[str, list[Call]]:
    outcomes = _OUTCOMES.validate_json(row["calls"])
    return row["task_id"], [Call(name=done.name, arguments=done.arguments) for done in outcomes]
