"""What `toolscale check` says of golden, damaged and idle trajectories of a dataset.

Run as ``python benchmarks/verdicts.py DATASET``. It writes every environment as a folder, makes the trajectories
without the gates' own code (one golden write dropped, or one of its arguments altered), has the command judge them, and
prints how many it calls solved. All golden ones should be, and none of the others.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from toolscale.artifacts import EnvironmentSpec, Task
from toolscale.dataset import read_dataset
from toolscale.environment import write_environment

Trajectory = dict[str, Any]


def altered(value: Any) -> Any:
    """Another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return value + "_x"
    if isinstance(value, list):
        return value[:-1] or ["x"]
    return "x"


def trajectories(task: Task, environment: EnvironmentSpec) -> Iterator[tuple[str, Trajectory]]:
    """Each trajectory with the kind that it is."""
    calls = [{"name": call.name, "arguments": call.arguments} for call in task.golden_calls]
    kinds = {function.name: function.kind for function in environment.functions}
    everything = " | ".join(
        str(value) for table in environment.database.values() for record in table.values() for value in record.values()
    )

    def made(calls: list[dict[str, Any]], said: list[str]) -> Trajectory:
        return {"task_id": task.id, "calls": calls, "agent_messages": said}

    yield "golden", made(calls, task.communicate_info)
    yield "null agent", made([], [])
    yield "read-only agent", made([call for call in calls if kinds[call["name"]] == "read"], [])
    yield "hand-over agent", made([], ["I will hand you over to a colleague."])
    yield "reciting agent", made([], [everything])
    for position, call in enumerate(calls):
        if kinds[call["name"]] != "write":
            continue
        yield "one golden write dropped", made(calls[:position] + calls[position + 1 :], task.communicate_info)
        for name, value in call["arguments"].items():
            arguments = {**call["arguments"], name: altered(value)}
            changed = [*calls[:position], {**call, "arguments": arguments}, *calls[position + 1 :]]
            yield "one argument altered", made(changed, task.communicate_info)


def main() -> None:
    """Print a table of kinds: trajectories judged, called solved."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset", type=Path)
    subjects = read_dataset(parser.parse_args().dataset)
    environments = {id(environment): environment for _, environment in subjects}
    judged, solved = Counter[str](), Counter[str]()
    for environment in environments.values():
        own = [task for task, where in subjects if where is environment]
        labelled = [pair for task in own for pair in trajectories(task, environment)]
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_environment(environment, folder / "environment")
            needed = {"id", "golden_calls", "communicate_info"}
            (folder / "tasks.json").write_text(
                json.dumps([task.model_dump(mode="json", include=needed) for task in own]), encoding="utf-8"
            )
            lines = [json.dumps(trajectory) for _, trajectory in labelled]
            (folder / "trajectories.jsonl").write_text("\n".join(lines), encoding="utf-8")
            command = [sys.executable, "-m", "toolscale.cli", "check", "--json"]
            for option, path in (
                ("--environment", "environment"),
                ("--tasks", "tasks.json"),
                ("--trajectories", "trajectories.jsonl"),
            ):
                command += [option, str(folder / path)]
            printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        verdicts = [json.loads(line) for line in printed.splitlines()]
        for (kind, trajectory), verdict in zip(labelled, verdicts, strict=True):
            assert verdict["task_id"] == trajectory["task_id"]
            judged[kind] += 1
            solved[kind] += verdict["solved"]
    print(f"{'trajectories':28}{'judged':>8}{'solved':>8}{'share':>9}")
    for kind, count in judged.items():
        print(f"{kind:28}{count:8}{solved[kind]:8}{solved[kind] / count:9.1%}")


if __name__ == "__main__":
    main()
