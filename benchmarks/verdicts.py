"""What `toolscale check` says of golden, damaged and idle trajectories of a dataset.

Run as ``python benchmarks/verdicts.py DATASET``. It writes every environment as a folder, makes the trajectories
without the gates' own code (one golden write dropped, or one of its arguments altered), has the command judge them, and
prints how many it calls solved. All golden ones should be, and none of the others.

With ``--memory LINES`` it has the command read a file of so many short trajectories instead, and prints the most memory
that it held. They name a task that is not there, so that nothing is replayed: it is the file that is measured.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from toolscale.artifacts import EnvironmentSpec, Task
from toolscale.dataset import read_dataset
from toolscale.environment import write_environment

Trajectory = dict[str, Any]

_TELLING_ITS_PEAK = """
import atexit, pathlib, re, sys
status = pathlib.Path("/proc/self/status")
atexit.register(lambda: print(re.search(r"VmHWM:\\s+(\\d+)", status.read_text())[1], file=sys.stderr))
from toolscale.cli import main
main()
"""
"""The command line; the most kilobytes that it held are its last line on standard error."""


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


def check_command(folder: Path) -> list[str]:
    """The command over the files of a folder."""
    command = [sys.executable, "-m", "toolscale.cli", "check", "--json"]
    for option, path in (
        ("--environment", "environment"),
        ("--tasks", "tasks.json"),
        ("--trajectories", "trajectories.jsonl"),
    ):
        command += [option, str(folder / path)]
    return command


def write_tasks(folder: Path, tasks: list[Task], environment: EnvironmentSpec) -> None:
    """The environment and its tasks, as anybody would write them."""
    write_environment(environment, folder / "environment")
    needed = {"id", "golden_calls", "communicate_info"}
    (folder / "tasks.json").write_text(
        json.dumps([task.model_dump(mode="json", include=needed) for task in tasks]), encoding="utf-8"
    )


def memory(tasks: list[Task], environment: EnvironmentSpec, count: int) -> None:
    """Print what the command takes to judge a file of so many lines."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_tasks(folder, tasks, environment)
        with (folder / "trajectories.jsonl").open("w", encoding="utf-8") as file:
            line = {"task_id": "nobody's", "calls": [], "agent_messages": ["I will see to it."]}
            file.writelines(json.dumps(line) + "\n" for _ in range(count))
        size, began = (folder / "trajectories.jsonl").stat().st_size, time.perf_counter()
        command = [sys.executable, "-c", _TELLING_ITS_PEAK, *check_command(folder)[3:]]
        said = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False).stderr
        seconds = time.perf_counter() - began
    held = int(said.splitlines()[-1]) / 1024
    print(f"{count:,} trajectories, {size / 2**20:.0f} MiB: {held:.0f} MiB at most, {seconds:.0f} s")


def main() -> None:
    """Print a table of kinds: trajectories judged, called solved."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--memory", type=int, metavar="LINES", help="measure memory over a file of so many lines")
    chosen = parser.parse_args()
    subjects = read_dataset(chosen.dataset)
    if chosen.memory:
        first = subjects[0][1]
        memory([task for task, where in subjects if where is first], first, chosen.memory)
        return
    environments = {id(environment): environment for _, environment in subjects}
    judged, solved = Counter[str](), Counter[str]()
    for environment in environments.values():
        own = [task for task, where in subjects if where is environment]
        labelled = [pair for task in own for pair in trajectories(task, environment)]
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_tasks(folder, own, environment)
            lines = [json.dumps(trajectory) for _, trajectory in labelled]
            (folder / "trajectories.jsonl").write_text("\n".join(lines), encoding="utf-8")
            printed = subprocess.run(check_command(folder), capture_output=True, text=True, check=True).stdout
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
