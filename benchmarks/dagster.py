"""What Dagster costs: in a run of all assets over several domains, in keeping output, in loading, and at rest.

Run with ``python benchmarks/dagster.py --domains restaurant,railway``. The domains are generated one after the other,
with as many first tasks as a run has by default, and released: once as one backfill in `dagster dev`, with its queue,
its sensors and a process a run; once by the same stages called as plain functions. Both start from nothing. The
overhead is what the first takes more. Dagster's own log tells what of it passes outside of steps, and what in the steps
of checks, which the second has not. What it costs to keep what a run prints is told by the CPU of the first domain's
run, alone, with and without.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import yaml

# This file has the package's name, and its folder comes first where modules are looked for.
sys.path = [place for place in sys.path if Path(place).resolve() != Path(__file__).resolve().parent]

from benchmarks.development import dagster_dev, order, session_of  # noqa: E402

MODEL = "offline/reference"
_TURNS = 3
"""Runs with their output kept, and as many without."""
_NOT_KEPT = {"module": "dagster._core.storage.noop_compute_log_manager", "class": "NoOpComputeLogManager"}
_SETTLED = 25.0
"""Seconds after which a server that started is at rest."""


def as_a_backfill(domains: list[str], root: Path) -> dict[str, float]:
    """Seconds from the order to the end of the last run, and what of it the steps of stages and of checks took.

    The `first_look` of Dagster's daemon comes before all of them: it looks for backfills once in 30 s.
    """
    import dagster as dg

    home = root / "home"
    home.mkdir(parents=True)
    chosen = {"TOOLSCALE_DEFAULT_MODEL": MODEL, "TOOLSCALE_DATA_ROOT": str(root)}
    shutil.copy("dagster.yaml", home)
    with dagster_dev(home, chosen) as (_, server), dg.DagsterInstance.from_config(str(home)) as instance:
        instance.add_dynamic_partitions("domain", domains)
        ordered = time.time()
        order(server, domains)
        runs = _all_ended(instance, domains)
        stages = checks = 0.0
        for each in runs:
            for step in instance.get_run_step_stats(each.run_id):
                seconds = (step.end_time or 0.0) - (step.start_time or 0.0)
                known = _is_a_check(step.step_key)
                checks, stages = checks + seconds * known, stages + seconds * (not known)
        ended = max(instance.get_run_stats(each.run_id).end_time or 0.0 for each in runs)
        queued = min(instance.get_run_stats(each.run_id).enqueued_time or ended for each in runs)
        events = sum(len(instance.all_logs(each.run_id)) for each in runs)
        size = sum(file.stat().st_size for file in home.rglob("*") if file.is_file())
    return {
        "wall": ended - ordered,
        "first_look": queued - ordered,
        "stages": stages,
        "checks": checks,
        "runs": len(runs),
        "events": events,
        "log_bytes": size,
    }


def _all_ended(instance: Any, domains: list[str]) -> list[Any]:
    """The runs of a backfill and the release that follows, once all have ended."""
    while True:
        time.sleep(2)
        runs = instance.get_runs()
        if failed := [each for each in runs if each.is_failure_or_canceled]:
            raise SystemExit(f"run {failed[0].run_id} of {failed[0].job_name} failed")
        generated = [each for each in runs if each.job_name == "generate" and each.is_finished]
        released = [each for each in runs if each.job_name == "release" and each.is_finished]
        if len(generated) == len(domains) and released and all(each.is_finished for each in runs):
            return list(runs)


def without(domains: list[str], root: Path) -> dict[str, float]:
    """Seconds of the same stages as plain functions, with the rows written as the assets write them."""
    import asyncio

    from toolscale.reference.domain import reference_domain

    began = time.perf_counter()
    made = [asyncio.run(_stages(reference_domain(domain).domain, root)) for domain in domains]
    _release(made, root)
    return {"wall": time.perf_counter() - began}


async def _stages(domain: Any, root: Path) -> dict[str, Any]:
    from pipelines.factory import Factory
    from pipelines.storage import environment_folder, rows_file, write_rows
    from toolscale.artifacts import EnvironmentSpec, Reject
    from toolscale.environment import write_environment
    from toolscale.llm import Gateway
    from toolscale.settings import Settings
    from toolscale.store import Store
    from toolscale.synthesis.chain import CHAIN, kept_of
    from toolscale.synthesis.run import DomainRun
    from toolscale.synthesis.sifted import Sifted

    def keep(asset: str, rows: Any, rejects: Any = None) -> None:
        held = rows if isinstance(rows, list) else [rows]
        if held:
            write_rows(rows_file(str(root), asset, domain.name), type(held[0]), held)
        if rejects is not None:
            write_rows(rows_file(str(root), asset, domain.name, rejects=True), Reject, rejects)

    settings = Settings.load(data_root=str(root), default_model=MODEL)
    made, refused = {"domain": domain}, []
    *earlier, last = CHAIN
    with Store(settings.database_url()) as store:
        async with Gateway(settings, store, run="plain") as gateway:
            run = DomainRun(domain, gateway, store, settings, Factory.of(settings).tasks_per_domain)
            keep("domain", domain)
            for stage in earlier:
                found = await stage.make(run, made)
                made[stage.name] = kept_of(found)
                if isinstance(found, EnvironmentSpec):
                    write_environment(found, environment_folder(str(root), domain.name).path)
                elif isinstance(found, Sifted):
                    keep(stage.name, found.kept, found.rejects)
                    refused += found.rejects
                else:
                    keep(stage.name, found)
            verified = (await last.make(run, made)).verified
            keep("verified_tasks", verified.kept)
            keep("rejected_tasks", verified.rejected)
            keep("trajectories", verified.trajectories)
    return {"environment": made["environment"], "verified": verified, "refused": refused}


def _release(made: list[dict[str, Any]], root: Path) -> None:
    from toolscale.dataset import About, write_dataset
    from toolscale.synthesis.filtering import keep_distinct

    environments = {each["environment"].domain: each["environment"] for each in made}
    compared = keep_distinct([task for each in made for task in each["verified"].kept], environments)
    kept = [task for task in compared if task.rejected_by != "distinct"]
    ids = {task.id for task in kept}
    write_dataset(
        root / "dataset",
        tasks=kept,
        environments=list(environments.values()),
        trajectories=[one for each in made for one in each["verified"].trajectories if one.task_id in ids],
        rejects=[reject for each in made for reject in each["refused"]],
        rejected=[task for each in made for task in each["verified"].rejected],
        about=About(),
    )


def _is_a_check(step: str) -> bool:
    """Whether a step of a run is one of an asset check: those carry the check's name after the asset's."""
    from pipelines import checks, watch

    named = [each for module in (checks, watch) for each in vars(module).values() if hasattr(each, "check_keys")]
    return step in {each.node_def.name for each in named}


def output_kept(domain: str) -> dict[str, float]:
    """CPU seconds of a domain's run, the least of several: with what it printed kept by `dagster.yaml`, and without."""
    settings = yaml.safe_load(Path("dagster.yaml").read_text())
    ways = {"with": settings, "without": settings | {"compute_logs": _NOT_KEPT}}
    turns = [{name: _cpu_of_a_run(domain, way) for name, way in ways.items()} for _ in range(_TURNS)]
    return {name: min(turn[name] for turn in turns) for name in ways}


def _cpu_of_a_run(domain: str, settings: dict[str, Any]) -> float:
    """Of all its processes, from nothing, on an instance with these settings."""
    import dagster as dg

    with tempfile.TemporaryDirectory(prefix="toolscale-output-") as folder:
        home = Path(folder)
        (home / "dagster.yaml").write_text(yaml.dump(settings))
        with dg.DagsterInstance.from_config(folder) as instance:
            instance.add_dynamic_partitions("domain", [domain])
        command = [sys.executable, "-m", "dagster", "job", "execute", "-m", "pipelines.definitions", "-j", "generate"]
        command += ["--tags", json.dumps({"dagster/partition": domain})]
        told = {"DAGSTER_HOME": folder, "TOOLSCALE_DATA_ROOT": f"{folder}/data", "TOOLSCALE_DEFAULT_MODEL": MODEL}
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            command, cwd=home, env={**os.environ, **told}, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(done.stderr[-2000:])
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def definitions_load() -> dict[str, float]:
    """CPU seconds from a new process to the loaded definitions, and the megabytes that it then holds."""
    code = (
        "import resource, time; from pipelines.definitions import defs; defs().get_repository_def(); "
        "print(time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    cpu, megabytes = map(float, done.stdout.split())
    return {"cpu": cpu, "megabytes": megabytes}


def idle_memory() -> dict[str, float]:
    """Megabytes that `dagster dev` and the processes below it hold at rest: what they share counted once, and not."""
    with tempfile.TemporaryDirectory(prefix="toolscale-idle-") as folder:
        shutil.copy("dagster.yaml", folder)
        with dagster_dev(Path(folder), {"TOOLSCALE_DATA_ROOT": f"{folder}/data"}) as (leader, _):
            time.sleep(_SETTLED)
            processes = session_of(leader)
            shared_once = sum(_held(pid, "smaps_rollup", "Pss:") for pid in processes) / 1024
            each_whole = sum(_held(pid, "status", "VmRSS:") for pid in processes) / 1024
    return {"processes": len(processes), "megabytes": shared_once, "megabytes_rss": each_whole}


def _held(pid: int, file: str, field: str) -> int:
    lines = Path(f"/proc/{pid}/{file}").read_text().splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith(field)), 0)


def _apart(what: str, domains: list[str]) -> dict[str, float]:
    """One measurement in a process of its own, under a data root that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="toolscale-dagster-") as folder:
        command = [sys.executable, __file__, "--only", what, "--root", f"{folder}/data"]
        command += ["--domains", ",".join(domains)]
        environment = {**os.environ, "DAGSTER_HOME": ""}
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
        found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
        return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--domains", default="restaurant,railway", help="with commas")
    parser.add_argument("--idle", action=argparse.BooleanOptionalAction, default=True, help="start `dagster dev` too")
    parser.add_argument("--json", action="store_true", dest="as_json", help="print one JSON object")
    parser.add_argument("--only", choices=["backfill", "plain"], help=argparse.SUPPRESS)
    parser.add_argument("--root", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    domains = options.domains.split(",")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # else each of a dozen processes compiles the project once more
    if options.only:
        measure = as_a_backfill if options.only == "backfill" else without
        print(json.dumps(measure(domains, options.root)))
        return
    ours, plain = (_apart(what, domains) for what in ("backfill", "plain"))
    outside = ours["wall"] - ours["stages"] - ours["checks"]
    found: dict[str, Any] = {
        "domains": len(domains),
        "backfill": ours,
        "plain": plain,
        "outside_of_steps_share": outside / ours["wall"],
        "wall_more_share": ours["wall"] / plain["wall"] - 1,
        "output": output_kept(domains[0]),
        "definitions": definitions_load(),
        **({"idle": idle_memory()} if options.idle else {}),
    }
    found = json.loads(json.dumps(found), parse_float=lambda text: round(float(text), 4))
    if options.as_json:
        print(json.dumps(found))
        return
    print(f"{len(domains)} domains")
    print(f"as a backfill: {ours['wall']:.1f} s, {ours['runs']:.0f} runs")
    print(f"plain:         {plain['wall']:.1f} s")
    print(f"in stages {ours['stages']:.1f} s, in checks {ours['checks']:.1f} s, outside of steps {outside:.1f} s")
    print(f"outside of steps: {found['outside_of_steps_share']:.1%} of the run's time")
    waited = ours["first_look"]
    print(f"of these {waited:.1f} s till the daemon looked; the rest is {(outside - waited) / ours['wall']:.1%}")
    print(f"event log: {ours['events']:.0f} events, {ours['log_bytes'] / 1e6:.1f} MB")
    kept, not_kept = found["output"]["with"], found["output"]["without"]
    print(f"a run's output, kept: {1 - not_kept / kept:.1%} of its CPU ({kept:.1f} s with, {not_kept:.1f} s without)")
    print(f"definitions: {found['definitions']['cpu']:.2f} s CPU, {found['definitions']['megabytes']:.0f} MB")
    if options.idle:
        once, whole = found["idle"]["megabytes"], found["idle"]["megabytes_rss"]
        print(f"`dagster dev` at rest: {once:.0f} MB, or {whole:.0f} MB where what processes share counts for each")


if __name__ == "__main__":
    main()
