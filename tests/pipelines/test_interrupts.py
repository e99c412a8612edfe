"""A run that is told to end ends, wherever the signal finds it, and a later one pays for nothing again."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import dagster as dg
import pytest

from pipelines.interrupts import run_until_interrupted
from tests.served import serving
from toolscale.settings import Settings
from toolscale.store import ModelCall, Store


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("place", ["callback", "task"])
def test_a_signal_ends_a_stage_wherever_it_finds_it(number, place):
    let_go = []

    async def call():
        try:
            await asyncio.sleep(60)
        finally:
            let_go.append(True)

    async def stage():
        loop = asyncio.get_running_loop()
        if place == "callback":
            loop.call_later(0.01, os.kill, os.getpid(), number)
        else:
            os.kill(os.getpid(), number)
        await asyncio.gather(*(call() for _ in range(3)))

    before = signal.getsignal(number)
    with pytest.raises(dg.DagsterExecutionInterruptedError):
        run_until_interrupted(stage())
    assert let_go in ([], [True] * 3), "some calls were let go and others not"
    assert signal.getsignal(number) is before


def test_a_stage_that_is_left_alone_gives_its_answer_and_its_errors():
    async def fails():
        raise ValueError("as it is")

    assert run_until_interrupted(asyncio.sleep(0, "done")) == "done"
    with pytest.raises(ValueError, match="as it is"):
        run_until_interrupted(fails())


CONFIG = {"tasks_per_domain": 2, "attempts": 3, "model": "openai/reference"}


def generating(home: Path, server, job="generate") -> subprocess.Popen:
    """Dagster's own process of a run of `generate`, with its records and data below a folder."""
    (home / "data").mkdir(exist_ok=True)
    (home / "run.json").write_text(
        json.dumps({"resources": {"factory": {"config": {**CONFIG, "api_base": server.url}}}})
    )
    chosen = {
        "DAGSTER_HOME": str(home),
        "TOOLSCALE_DATA_ROOT": str(home / "data"),
        "OPENAI_API_KEY": "none",
        "TOOLSCALE_MAX_IN_FLIGHT": "8",
    }
    clean = {name: value for name, value in os.environ.items() if not name.startswith("DAGSTER_")}
    command = [sys.executable, "-m", "dagster", "job", "execute", "-m", "pipelines.definitions", "-j", job]
    command += ["-c", str(home / "run.json"), "--tags", json.dumps({"dagster/partition": "restaurant"})]
    # Not in the repository's folder: Dagster reads the `.env` there, which has a DAGSTER_HOME of its own.
    return subprocess.Popen(command, cwd=home, env=clean | chosen, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def steps_and_status(home: Path):
    with dg.DagsterInstance.from_config(str(home)) as instance:
        (run, *_) = instance.get_runs(limit=1)
        done = [each.step_key for each in instance.get_run_step_stats(run.run_id) if each.status.value == "SUCCESS"]
        return done, run.status


def cancel(home: Path, process: subprocess.Popen) -> None:
    """As the launcher does when somebody clicks on Terminate."""
    with dg.DagsterInstance.from_config(str(home)) as instance:
        (run,) = instance.get_runs()
        instance.report_run_canceling(run)
    process.send_signal(signal.SIGINT)


@pytest.mark.slow
def test_a_cancelled_run_stops_within_seconds_and_the_next_pays_only_for_what_was_in_flight(tmp_path):
    (tmp_path / "dagster.yaml").write_text((Path(__file__).parents[2] / "dagster.yaml").read_text())
    with dg.DagsterInstance.from_config(str(tmp_path)) as instance:
        instance.add_dynamic_partitions("domain", ["restaurant"])
    with serving("--latency", "0.3:0.6") as server:
        process = generating(tmp_path, server)
        try:
            deadline = time.monotonic() + 240
            while server.stats()["ok"] < 30:
                assert process.poll() is None, "it ended before it was told to"
                assert time.monotonic() < deadline
                time.sleep(0.2)
            cancel(tmp_path, process)
            process.wait(60)
        finally:
            process.kill()
            process.wait()
        done, status = steps_and_status(tmp_path)
        assert status is dg.DagsterRunStatus.CANCELED
        assert "subjects" in done
        assert "verified_tasks" not in done
        asked = server.stats()
        with Store(Settings(data_root=str(tmp_path / "data")).database_url()) as store:
            kept = sum(call.status == "ok" for call in store.rows(ModelCall))
        assert asked["requests"] - 8 <= kept <= asked["requests"], "what was answered is kept"
        again = generating(tmp_path, server)
        try:
            assert again.wait(280) == 0
        finally:
            again.kill()
            again.wait()
        ended = server.stats()
        assert steps_and_status(tmp_path)[1] is dg.DagsterRunStatus.SUCCESS
        assert ended["requests"] - ended["distinct"] <= 8, "asked twice: no more than what was in flight"
