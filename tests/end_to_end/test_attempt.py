"""`toolscale attempt` as a process: killed half way, and with the model that made the dataset."""

import json
import os
import signal
import subprocess
import sys
import time

import pyarrow.parquet as pq
import pytest

from tests.evaluation.test_pass_rates import (
    CALLS,
    MADE,
    SOLVED,
    dataset_fixture,
    distinct,
    entries,
    errs,
    fresh_fixture,
)
from tests.openai_server import OpenAIServer

pytestmark = pytest.mark.slow

__all__ = ["dataset_fixture", "fresh_fixture"]
IN_FLIGHT = 4


def toolscale(folder, *arguments, **environment):
    return subprocess.Popen(
        [sys.executable, "-m", "toolscale.cli", *map(str, arguments)],
        cwd=folder,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def ended(process):
    said, complained = process.communicate(timeout=300)
    assert process.returncode == 0, complained
    return said, complained


def test_a_run_that_is_killed_leaves_the_folder_whole_and_what_it_paid_for_is_not_asked_again(dataset, tmp_path):
    chosen = {"TOOLSCALE_ATTEMPTS": str(MADE), "TOOLSCALE_MAX_IN_FLIGHT": str(IN_FLIGHT)}
    before = {path: path.read_bytes() for path in dataset.rglob("*") if path.is_file()}
    with OpenAIServer(errs, seconds=0.1) as server:
        order = ("attempt", "d", "--model", "openai/agent", "--api-base", server.url)
        killed = toolscale(tmp_path, *order, **chosen)
        while len(server.requests) < CALLS // 2 and killed.poll() is None:
            time.sleep(0.01)
        os.killpg(killed.pid, signal.SIGKILL)
        killed.communicate(timeout=30)
        assert {path: path.read_bytes() for path in dataset.rglob("*") if path.is_file()} == before
        assert len(server.requests) < CALLS
        _, complained = ended(toolscale(tmp_path, *order, **chosen))
        asked = distinct(server)
    assert complained == ""
    assert len(asked) == CALLS
    assert sum(asked.values()) - CALLS <= IN_FLIGHT, "only what was on its way is asked again"
    assert {name: one[0]["solved"] for name, one in entries(dataset).items()} == SOLVED


def test_the_model_that_made_a_dataset_gets_its_own_pass_rates_and_is_not_asked_again(tmp_path):
    ended(toolscale(tmp_path, "demo", "--domains", "railway", "--tasks-per-domain", 3, "--out", "d"))
    said, _ = ended(toolscale(tmp_path, "attempt", "d", "--model", "offline/reference", "--json"))
    found = json.loads(said)
    assert (found["attempted"], found["calls"]) == (found["tasks"], 0)
    rows = [row for file in (tmp_path / "d" / "tasks").iterdir() for row in pq.read_table(file).to_pylist()]
    assert rows
    assert [row["pass_rates"][0]["rate"] for row in rows] == [row["pass_rate"] for row in rows]
