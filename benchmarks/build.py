"""What `toolscale build` costs, at several sizes and with nothing changed: wall time, CPU, memory, tasks kept.

Run with ``python benchmarks/build.py --sizes 1000,2000,4000``. Each size is built from nothing, under a data root of
its own that is removed afterwards, and then once more. ``--keep FOLDER`` has the last of them stay there, with
Dagster's records beside it, for ``benchmarks/scale.py``. CPU is that of the build and of all processes below it; memory
is the most that they held at one time, what they share counted once.
"""

import argparse
import json
import os
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

from toolscale.reference.domain import reference_domains

YIELD = 2.9
"""Tasks kept for each first task proposed, about: with it a size is turned into first tasks."""


class Measured(NamedTuple):
    """One build."""

    tasks: int
    wall: float
    cpu: float
    megabytes: float
    seconds_unchanged: float

    def as_json(self) -> dict[str, float]:
        """The figures, and those that should not depend on the size."""
        tasks = max(1, self.tasks)
        per_task = {"cpu_ms_per_task": self.cpu / tasks * 1000, "wall_ms_per_task": self.wall / tasks * 1000}
        return {name: round(value, 1) for name, value in {**self._asdict(), **per_task}.items()}


def measured(domains: list[str], first_tasks: int, processes: int, root: Path) -> Measured:
    """Build twice under one new folder: from nothing, and with nothing changed."""
    options = ["--domains", ",".join(domains), "--tasks-per-domain", str(first_tasks), "--processes", str(processes)]
    (root / "dagster").mkdir(parents=True)
    (root / "dagster" / "dagster.yaml").symlink_to(Path("dagster.yaml").resolve())
    wall, cpu, megabytes = _built(root, options)
    unchanged, _, _ = _built(root, options)
    report = json.loads((root / "report.json").read_text())
    return Measured(sum(each["kept"] for each in report["domains"].values()), wall, cpu, megabytes, unchanged)


def _built(root: Path, options: list[str]) -> tuple[float, float, float]:
    """Wall and CPU seconds of a build, and the megabytes that it held at most."""
    command = [sys.executable, "-m", "toolscale.cli", "build", *options, "--out", str(root / "dataset"), "--json"]
    places = {"TOOLSCALE_DATA_ROOT": str(root / "data"), "DAGSTER_HOME": str(root / "dagster")}
    began = time.perf_counter()
    with open(root / "report.json", "wb") as answer:
        pid = os.posix_spawn(
            sys.executable, command, {**os.environ, **places}, file_actions=[(os.POSIX_SPAWN_DUP2, answer.fileno(), 1)]
        )
    most = [0]
    watching = threading.Event()
    watch = threading.Thread(target=_watch, args=(pid, most, watching))
    watch.start()
    _, status, usage = os.wait4(pid, 0)
    watching.set()
    watch.join()
    if status:
        raise SystemExit(f"the build ended with status {os.waitstatus_to_exitcode(status)}; what it said stands above")
    return time.perf_counter() - began, usage.ru_utime + usage.ru_stime, most[0] / 1024


def _watch(pid: int, most: list[int], ended: threading.Event) -> None:
    while not ended.wait(0.5):
        most[0] = max(most[0], sum(map(_kilobytes, _tree(pid))))


def _tree(root: int) -> set[int]:
    """The process and all below it."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it has ended
            parents[int(entry.name)] = int(fields[1])
    tree = {root}
    while more := {pid for pid, parent in parents.items() if parent in tree} - tree:
        tree |= more
    return tree


def _kilobytes(pid: int) -> int:
    """What a process holds, with its part of what it shares."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


def main() -> None:
    """Measure every size and print what came out."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", default="1000,2000,4000", help="about so many tasks kept, with commas")
    parser.add_argument("--domains", default=",".join(reference_domains()), help="with commas; else all")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--json", action="store_true", dest="as_json", help="print one JSON object")
    parser.add_argument("--keep", type=Path, help="a new folder, in which the last size stays")
    options = parser.parse_args()
    if options.keep and options.keep.exists():
        parser.error(f"{options.keep} is there already")
    domains, sizes = options.domains.split(","), [int(size) for size in options.sizes.split(",")]
    found = []
    for place, size in enumerate(sizes, start=1):
        first_tasks = max(1, round(size / len(domains) / YIELD))
        with tempfile.TemporaryDirectory(prefix="toolscale-build-") as folder:
            root = options.keep.resolve() if options.keep and place == len(sizes) else Path(folder)
            one = measured(domains, first_tasks, options.processes, root)
        found.append(one)
        print(f"about {size}: {one.as_json()}", file=sys.stderr, flush=True)
    first, last = found[0].as_json(), found[-1].as_json()
    ratio = round(last["cpu_ms_per_task"] / first["cpu_ms_per_task"], 3)
    if options.as_json:
        print(json.dumps({"builds": [one.as_json() for one in found], "cpu_per_task_last_to_first": ratio}))
        return
    print("| tasks kept | wall, s | CPU, s | CPU ms a task | peak memory, MB | again, unchanged, s |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: |")
    for one in found:
        per_task = one.as_json()["cpu_ms_per_task"]
        figures = (f"{one.tasks}", f"{one.wall:.0f}", f"{one.cpu:.0f}", f"{per_task:.0f}", f"{one.megabytes:.0f}")
        print(f"| {' | '.join(figures)} | {one.seconds_unchanged:.1f} |")
    print(f"CPU a task, the last size to the first: {ratio}")


if __name__ == "__main__":
    main()
