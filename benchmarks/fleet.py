"""What the factory costs around its work with many domains, beside what it costs with ten.

Run with ``python benchmarks/fleet.py --domains 1000``. Two small domains are generated and copied under other names
(`benchmarks/clones.py`), once ten times and once as often as was said. On each of the two data roots the same is
measured: the sensor, one domain's assets through the IO managers, one domain generated, a release of all, of nothing
new and of one changed domain, its check, and in `dagster dev` a backfill of a hundred that is queued and does not
begin. CPU is that of the processes at work and of all below them; memory the most that a process held, or what
processes hold together, what they share counted once. `benchmarks/backfill.py` has a backfill begin and end.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

# A file of this folder has Dagster's name, and the folder comes first where modules are looked for.
sys.path = [place for place in sys.path if Path(place).resolve() != Path(__file__).resolve().parent]

from benchmarks.development import asked, dagster_dev, order, session_of  # noqa: E402

MODEL = "offline/reference"
ORIGINALS = "railway,restaurant"
FEW = 10
BACKFILLED = 100
_SETTLED = 20.0
_GROUPS = ("definitions", "sensor", "run", "release", "dagster")

ROWS: dict[str, tuple[str, bool]] = {
    "definitions": ("loading the definitions, CPU s", False),
    "definitions_megabytes": ("the process that loaded them, MB", False),
    "sensor": ("a quiet tick of the sensor `domains`, CPU s", True),
    "io": ("a domain's tasks and environment read by the IO managers, CPU ms", False),
    "run": ("one domain generated from stored answers, CPU s", False),
    "release": ("a first release, CPU s", True),
    "release_megabytes": ("its process, MB", False),
    "release_unchanged": ("a release with nothing new, CPU s", True),
    "release_changed": ("a release with one domain changed, CPU s", True),
    "check": ("the check of that release, CPU s", True),
    "check_of_a_domain": ("of it the changed domain, CPU s", False),
    "unchanged": ("`toolscale build` finds that nothing changed, CPU s", True),
    "planned": ("a run of a backfill of {backfilled} queued, seconds of the wall clock", False),
    "planned_cpu": ("the same, CPU s of all of Dagster's processes", False),
    "page": ("the asset page's partitions of `verified_tasks`, CPU s", True),
    "daemon_megabytes": ("the daemon after it, MB", False),
    "dagster_megabytes": ("all of Dagster's processes after it, MB", False),
    "instance_bytes": ("Dagster's records after it, MB", False),
    "portions_bytes": ("rows kept ready for a release, MB", True),
    "root_bytes": ("the data root without them and the store, MB", True),
}
"""Name of each figure -> what it is, and whether it is of all domains: then it is compared for each domain."""


def cpu() -> float:
    """CPU seconds of this process and of those below it that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def peak() -> float:
    """The most megabytes that this process held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def timed(work: Callable[[], Any]) -> float:
    """CPU seconds of some work."""
    before = cpu()
    work()
    return cpu() - before


@contextmanager
def registered(root: Path) -> Iterator[tuple[Any, Any, list[str]]]:
    """An instance that knows the domains of a data root, the factory of the root, and the domains."""
    import dagster as dg

    from pipelines.factory import Factory
    from toolscale.settings import Settings

    names = sorted(folder.name for folder in (root / "environments").iterdir())
    with (
        tempfile.TemporaryDirectory(prefix="toolscale-fleet-") as home,
        dg.instance_for_test(temp_dir=home) as instance,
    ):
        instance.add_dynamic_partitions("domain", names)
        settings = Settings.load(data_root=str(root), default_model=MODEL)
        yield instance, Factory.of(settings, tasks_per_domain=3), names


def sensor(root: Path) -> dict[str, float]:
    """A tick that finds nothing to do, and what a run reads of one domain."""
    import dagster as dg

    from pipelines.sensors import domains_sensor
    from pipelines.storage import read_environment, read_rows, rows_file
    from toolscale.artifacts import Task

    with registered(root) as (instance, factory, names):

        def tick() -> None:
            with dg.build_sensor_context(instance=instance) as context:
                domains_sensor(context, factory=factory)

        def read() -> None:
            read_environment(str(root), names[-1])
            read_rows(rows_file(str(root), "verified_tasks", names[-1]), Task)

        tick(), read()
        return {"sensor": min(timed(tick) for _ in range(3)), "io": 1000 * min(timed(read) for _ in range(3))}


def run(root: Path) -> dict[str, float]:
    """One of the originals, whose answers are in the store, generated among the others."""
    from pipelines.definitions import definitions

    original = ORIGINALS.partition(",")[0]
    with registered(root) as (instance, factory, _):
        instance.add_dynamic_partitions("domain", [original])
        job = definitions(factory, factory.data_root).get_repository_def().get_job("generate")
        seconds = timed(lambda: job.execute_in_process(instance=instance, partition_key=original))
    for file in [*(root / "assets").glob(f"*/{original}*.parquet"), *(root / "environments").glob(original)]:
        if file.stem.removesuffix(".rejects") == original:
            subprocess.run(["rm", "-r", str(file)], check=True)
    return {"run": seconds}


def release(root: Path) -> dict[str, float]:
    """Releases of all domains, and what a check of one changed domain costs among others that have passed."""
    import dagster as dg

    from pipelines.checked import note_passed
    from pipelines.checks import checked_by, code_of_check, dataset_faults
    from pipelines.definitions import definitions
    from pipelines.portions import read_head
    from pipelines.storage import rows_file
    from pipelines.unchanged import domain_unchanged, note_domain

    with registered(root) as (instance, factory, names):
        whole = definitions(factory, factory.data_root).get_repository_def().get_job("release")
        job = whole.get_subset(asset_selection={dg.AssetKey("dataset")}, asset_check_selection=set())

        def written() -> None:
            job.execute_in_process(instance=instance)

        found = {"release": timed(written), "release_megabytes": peak(), "release_unchanged": timed(written)}
        file = rows_file(str(root), "trajectories", names[len(names) // 2])
        os.utime(str(file))
        found["release_changed"] = timed(written)
        heads = {name: read_head(str(root), name) for name in names}
        code = code_of_check(factory)
        marks = {name: checked_by(code, head) for name, head in heads.items() if head is not None}
        note_passed(factory, marks)
        quiet = timed(lambda: list(dataset_faults(factory, names)))
        note_passed(factory, {name: mark for name, mark in marks.items() if name != file.stem})
        found["check"] = timed(lambda: list(dataset_faults(factory, names)))
        found["check_of_a_domain"] = found["check"] - quiet
        for name in names:
            note_domain(factory, name)
        found["unchanged"] = timed(lambda: [domain_unchanged(factory, name) for name in names])
        return found


def dagster(root: Path) -> dict[str, float]:
    """A backfill that is queued, a page, and what Dagster's processes hold then."""
    import dagster as dg

    names = sorted(folder.name for folder in (root / "environments").iterdir())
    chosen = names[: min(BACKFILLED, len(names))]
    with tempfile.TemporaryDirectory(prefix="toolscale-fleet-") as folder:
        home = Path(folder)
        settings = Path("dagster.yaml").read_text().replace("max_concurrent_runs: 4", "max_concurrent_runs: 0")
        (home / "dagster.yaml").write_text(settings)
        told = {"TOOLSCALE_DATA_ROOT": str(root), "TOOLSCALE_DEFAULT_MODEL": MODEL}
        with dg.DagsterInstance.from_config(folder) as instance:
            instance.add_dynamic_partitions("domain", names)
            for name in names:
                instance.report_runless_asset_event(dg.AssetMaterialization("verified_tasks", partition=name))
            with dagster_dev(home, told) as (leader, server):
                time.sleep(_SETTLED)
                before, began = _cpu_of(leader), time.time()
                order(server, chosen)
                while instance.get_runs_count(dg.RunsFilter(statuses=[dg.DagsterRunStatus.QUEUED])) < len(chosen):
                    time.sleep(0.5)
                runs = len(chosen)
                found = {"planned": (time.time() - began) / runs, "planned_cpu": (_cpu_of(leader) - before) / runs}
                before = _cpu_of(leader)
                for _ in range(5):
                    asked(server, _PAGE)
                found["page"] = (_cpu_of(leader) - before) / 5
                held = {pid: _held(pid) for pid in session_of(leader)}
                daemons = [pid for pid in held if "daemon" in Path(f"/proc/{pid}/cmdline").read_text()]
        found["dagster_megabytes"] = sum(held.values())
        found["daemon_megabytes"] = max(held[pid] for pid in daemons)
        found["instance_bytes"] = _size(home / "history", home / "storage") / 1e6
    return found


_PAGE = """{ assetNodeOrError(assetKey: {path: ["verified_tasks"]}) { ... on AssetNode {
  partitionStats { numMaterialized numPartitions } assetPartitionStatuses { __typename }
  partitionKeysByDimension { partitionKeys } } } }"""


def _cpu_of(leader: int) -> float:
    """CPU seconds of the processes of a session, and of those below them that have ended."""
    ticks = 0
    for pid in session_of(leader):
        with suppress(OSError):
            ticks += sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def _held(pid: int) -> float:
    """Megabytes, with the process's part of what it shares."""
    with suppress(OSError):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0) / 1024
    return 0.0


def _size(*folders: Path) -> int:
    return sum(file.stat().st_size for folder in folders for file in folder.rglob("*") if file.is_file())


def definitions() -> dict[str, float]:
    """A new process up to the loaded definitions; it does not depend on the domains."""
    from pipelines.definitions import defs

    defs().get_repository_def()
    return {"definitions": time.process_time(), "definitions_megabytes": peak()}


def measured(domains: int, originals: Path, folder: Path) -> dict[str, float]:
    """All figures of a data root of so many domains, each group in a process of its own."""
    root = folder / f"of-{domains}"
    clones = Path(__file__).with_name("clones.py")
    copied = [sys.executable, str(clones), "--data-root", str(originals), "--domains", str(domains), "--out", str(root)]
    subprocess.run(copied, check=True)
    found = {"root_bytes": _size(root / "assets", root / "environments") / 1e6}
    for what in _GROUPS:
        command = [sys.executable, __file__, "--only", what, "--root", str(root)]
        done = subprocess.run(command, env={**os.environ, "DAGSTER_HOME": ""}, stdout=subprocess.PIPE, check=True)
        found |= json.loads(done.stdout.splitlines()[-1])
        print(f"{domains} domains, {what}: {found}", file=sys.stderr, flush=True)
    return found | {"portions_bytes": _size(root / "made" / "portions") / 1e6}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--domains", type=int, default=1000)
    parser.add_argument("--tasks-per-domain", type=int, default=3, help="first tasks of the two originals")
    parser.add_argument("--folder", type=Path, help="where the data roots are made; else where temporary files go")
    parser.add_argument("--json", action="store_true", dest="as_json", help="print one JSON object")
    parser.add_argument(
        "--only", choices=["definitions", "sensor", "run", "release", "dagster"], help=argparse.SUPPRESS
    )
    parser.add_argument("--root", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.only:
        measure = globals()[options.only]
        print(json.dumps(measure() if options.only == "definitions" else measure(options.root)))
        return
    with tempfile.TemporaryDirectory(prefix="toolscale-fleet-", dir=options.folder) as folder:
        originals = Path(folder, "originals")
        build = [sys.executable, "-m", "toolscale.cli", "build", "--domains", ORIGINALS, "--processes", "1"]
        build += ["--tasks-per-domain", str(options.tasks_per_domain), "--out", str(originals / "dataset")]
        places = {"TOOLSCALE_DATA_ROOT": str(originals), "DAGSTER_HOME": ""}
        subprocess.run(build, env={**os.environ, **places}, stdout=subprocess.DEVNULL, check=True)
        few, many = (measured(domains, originals, Path(folder)) for domains in (FEW, options.domains))
    times = options.domains / FEW
    ratios = {name: many[name] / few[name] / (times if of_all else 1) for name, (_, of_all) in ROWS.items()}
    if options.as_json:
        print(json.dumps({"few": few, "many": many, "ratios": ratios}))
        return
    print(f"| | {FEW} domains | {options.domains:,} domains | the second to the first, a domain |")
    print("| --- | ---: | ---: | ---: |")
    for name, (what, of_all) in ROWS.items():
        ratio = f"{ratios[name]:.2f}" if of_all else f"({ratios[name]:.2f} in all)"
        said = what.format(backfilled=BACKFILLED)
        print(f"| {said} | {few[name]:,.3g} | {many[name]:,.4g} | {ratio} |")


if __name__ == "__main__":
    main()
