"""Starts runs as Dagster does by default, and tells its daemon which of them have died."""

import os
from pathlib import Path

import dagster as dg

from pipelines.dagster_internals import CheckRunHealthResult, WorkerStatus

CLOCK_SET_BY = 600
"""Seconds by which the clock may be set while a run goes on without the run being taken for dead."""


class LocalRunLauncher(dg.DefaultRunLauncher):
    """A run is a process of this machine, which must also be the daemon's.

    Dagster's own launcher leaves it to the code server to see that a run's process has died. Where the code server died
    too, as when the machine was switched off, the run would count as started for good, and the queue would wait for it.
    """

    @property
    def supports_check_run_worker_health(self) -> bool:
        """The daemon may ask."""
        return True

    def check_run_worker_health(self, run: dg.DagsterRun) -> CheckRunHealthResult:
        """Whether the process of a run that has started is still there; the daemon fails a run whose process is not."""
        events = self._instance.all_logs(run.run_id, of_type=dg.DagsterEventType.ENGINE_EVENT)
        told = ((each.timestamp, each.dagster_event) for each in events)
        first = next(((when, pid) for when, event in told if event and (pid := _pid_in(event))), None)
        if first is None or _is_process_of(*first):
            return CheckRunHealthResult(WorkerStatus.RUNNING)
        return CheckRunHealthResult(WorkerStatus.NOT_FOUND, f"process {first[1]} of the run has died")


def _pid_in(event: dg.DagsterEvent) -> int | None:
    """The process that an event of the engine speaks of; the first of a run is that of the run itself."""
    said = event.engine_event_data.metadata.get("pid")
    return int(str(said.value)) if said is not None else None


def _is_process_of(run_began: float, pid: int) -> bool:
    """Whether the process is there, and was when the run began: after a restart, another may have its number."""
    began = process_began(pid)
    return began is not None and began <= run_began + CLOCK_SET_BY


def process_began(pid: int) -> float | None:
    """When a process of this machine began, in seconds since the epoch; None if it is not there or has ended."""
    try:
        state, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    if state == "Z":
        return None
    (booted,) = (line.split()[1] for line in Path("/proc/stat").read_text().splitlines() if line.startswith("btime "))
    return int(booted) + int(fields[18]) / os.sysconf("SC_CLK_TCK")
