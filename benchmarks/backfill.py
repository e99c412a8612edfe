"""What a backfill costs from its order to its last run, inside of steps and outside.

Run with ``python benchmarks/backfill.py --runs 4``. So many reference domains, of three drafted tasks with two attempts
each, are made once on the offline model; all but the stored answers is then thrown away, and `dagster dev` makes them
anew in runs that are queued at once, with the settings of `dagster.yaml`: web server, code server, daemon, queue, a
process for each run, answers out of the store. What runs is looked at ten times a second. CPU inside of steps is that
of a run's process and of all below it between a step's begin and its end, by the event log; the rest of the run's
process is its start, the definitions it loads and what it records. What is left is that of Dagster's services; what
they take in a minute in which nothing happens, once all is over, is told beside it and taken off it. Releases that the
sensor begins between the runs and after them are counted by themselves.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any

# A file of this folder has Dagster's name, and the folder comes first where modules are looked for.
sys.path = [place for place in sys.path if Path(place).resolve() != Path(__file__).resolve().parent]

from benchmarks.development import dagster_dev, queue  # noqa: E402
from benchmarks.fleet import MODEL, ORIGINALS  # noqa: E402

_TICK = os.sysconf("SC_CLK_TCK")
_SETTLED = 60.0
"""Seconds until services that have begun, or have nothing left to do, are taken to be at rest."""
_EVERY = 0.1
_TASKS, _SOURCE = 3, "drafts"
_SMALL = {"TOOLSCALE_ATTEMPTS": "2"}

ROWS = {
    "steps": "inside of steps, CPU s a domain",
    "run": "the runs' processes outside of steps, CPU s a domain",
    "services": "Dagster's services beside what they take at rest, CPU s a domain",
    "releases": "releases between and after the runs, CPU s in all",
    "idle": "Dagster's services at rest, CPU s a minute",
    "seconds": "from the order to the last run's end, seconds of the wall clock a domain",
}


class Watch:
    """CPU seconds of the processes below one, ten times a second."""

    def __init__(self, leader: int) -> None:
        self._leader, self._over = leader, Event()
        self.times: list[float] = []
        self.trees: list[dict[int, float]] = []
        """Process -> CPU seconds of it and of all below it."""

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Look as long as the block lasts."""
        thread = Thread(target=self._look, daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._over.set()
            thread.join()

    def used(self, process: int, since: float, until: float) -> float:
        """What a process and those below it took between two moments."""
        return self._by(process, until) - self._by(process, since)

    def _by(self, process: int, moment: float) -> float:
        """The most that was seen by then: of a process that has ended, all that was seen of it."""
        return max((seen.get(process, 0.0) for seen in self.trees[: bisect_right(self.times, moment)]), default=0.0)

    def _look(self) -> None:
        while not self._over.wait(_EVERY):
            self.times.append(time.time())
            self.trees.append(self._trees())

    def _trees(self) -> dict[int, float]:
        below, own = defaultdict(list), dict[int, float]()
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                with suppress(OSError):
                    fields = (entry / "stat").read_text().rpartition(")")[2].split()
                    below[int(fields[1])].append(int(entry.name))
                    own[int(entry.name)] = sum(map(int, fields[11:15])) / _TICK
        found: dict[int, float] = {}

        def add(process: int) -> float:
            found[process] = own.get(process, 0.0) + sum(map(add, below[process]))
            return found[process]

        add(self._leader)
        return found


def backfill(root: Path, domains: list[str]) -> dict[str, float]:
    """Have the domains made as one backfill, out of the stored answers, and say what it took."""
    import dagster as dg

    with tempfile.TemporaryDirectory(prefix="toolscale-backfill-") as folder:
        home = Path(folder)
        shutil.copy("dagster.yaml", home)
        told = {"TOOLSCALE_DATA_ROOT": str(root), "TOOLSCALE_DEFAULT_MODEL": MODEL}
        told |= _SMALL
        told["PYTHONPATH"] = os.pathsep.join([str(Path.cwd()), os.environ.get("PYTHONPATH", "")])
        with dg.DagsterInstance.from_config(folder) as instance, dagster_dev(home, told) as (leader, server):
            instance.add_dynamic_partitions("domain", domains)
            watch = Watch(leader)
            time.sleep(_SETTLED)
            with watch.watching():
                ordered = time.time()
                queue(server, domains, tasks_per_domain=_TASKS, task_source=_SOURCE)
                over = _end_of(instance, len(domains))
                time.sleep(_SETTLED)
                quiet = time.time()
                time.sleep(_SETTLED)
            return _figures(watch, instance, leader, (ordered, over, quiet, time.time()))


def _end_of(instance: Any, runs: int) -> float:
    """Wait for the end of the last run of the backfill, and of the release that reads what it wrote."""
    import dagster as dg

    while True:
        time.sleep(1)
        records = instance.get_run_records()
        of_it = [each for each in records if each.dagster_run.job_name == "generate"]
        if failed := [each for each in records if each.dagster_run.status is dg.DagsterRunStatus.FAILURE]:
            raise SystemExit(f"a run failed: {instance.all_logs(failed[0].dagster_run.run_id)[-1].user_message}")
        if len(of_it) == runs and all(each.dagster_run.is_finished for each in records):
            ended = max(each.end_time for each in of_it)
            if any(each.start_time > ended for each in records):
                return time.time()


def _figures(watch: Watch, instance: Any, leader: int, moments: tuple[float, ...]) -> dict[str, float]:
    import dagster as dg

    ordered, over, quiet, last = moments
    steps, processes, releases = 0.0, 0.0, 0.0
    runs = instance.get_run_records()
    made = [each for each in runs if each.dagster_run.job_name == "generate"]
    for record in runs:
        events = [(each.timestamp, each.dagster_event) for each in instance.all_logs(record.dagster_run.run_id)]
        process = next(pid for _, event in events if event and (pid := _process_in(event)))
        took = watch.used(process, ordered, last)
        if record not in made:
            releases += took
            continue
        processes += took
        begun = {}
        for when, event in events:
            if event and event.event_type is dg.DagsterEventType.STEP_START:
                begun[event.step_key] = when
            elif event and event.event_type is dg.DagsterEventType.STEP_SUCCESS:
                steps += watch.used(process, begun[event.step_key], when)
    idle = watch.used(leader, quiet, last) / (last - quiet)
    services = watch.used(leader, ordered, over) - processes - releases - idle * (over - ordered)
    each, ended = len(made), max(record.end_time for record in made)
    return {
        "steps": steps / each,
        "run": (processes - steps) / each,
        "services": services / each,
        "releases": releases,
        "idle": 60 * idle,
        "seconds": (ended - ordered) / each,
    }


def _process_in(event: Any) -> int | None:
    said = event.engine_event_data.metadata.get("pid") if event.is_engine_event else None
    return int(str(said.value)) if said is not None else None


def _store_answers(root: Path, domains: list[str], wanted: int) -> list[str]:
    """Make as many of the domains as are wanted, and throw all but the stored answers away. Their names."""
    places = {"TOOLSCALE_DATA_ROOT": str(root), "DAGSTER_HOME": "", **_SMALL}
    options = ["--model", "offline/reference", "--tasks", str(_TASKS), "--task-source", _SOURCE]

    def making(domain: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "toolscale.cli", "synthesize", domain, *options]
        return subprocess.Popen(command, env={**os.environ, **places}, stdout=subprocess.DEVNULL)

    made: list[str] = []
    while domains and len(made) < wanted:  # of so few tasks all may be rejected: another domain takes its place
        under_way = {domain: making(domain) for domain in domains[: wanted - len(made)]}
        made += [domain for domain, process in under_way.items() if process.wait() == 0]
        domains = domains[len(under_way) :]
    for entry in root.iterdir():
        if entry.is_dir():
            shutil.rmtree(entry)
    return made


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=4, help="domains, of the reference domains")
    parser.add_argument("--folder", type=Path, help="where the data root is made; else where temporary files go")
    parser.add_argument("--json", action="store_true", dest="as_json", help="print one JSON object")
    options = parser.parse_args()
    from toolscale.reference.domain import reference_domains

    small = dict.fromkeys((*ORIGINALS.split(","), *reference_domains()))
    with tempfile.TemporaryDirectory(prefix="toolscale-backfill-", dir=options.folder) as folder:
        root = Path(folder, "data")
        domains = _store_answers(root, list(small), options.runs)
        found = backfill(root, domains)
    if options.as_json:
        print(json.dumps(found))
        return
    print(f"| a backfill of {len(domains)} ({', '.join(domains)}) | |")
    print("| --- | ---: |")
    for name, what in ROWS.items():
        print(f"| {what} | {found[name]:,.3g} |")


if __name__ == "__main__":
    main()
