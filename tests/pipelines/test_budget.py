"""A budget of one dollar, with real processes: the command, the server, and the ledger between two runs."""

import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import dagster as dg
import duckdb
import pytest

from pipelines.factory import Factory
from pipelines.run import run
from pipelines.stopped import RunStopped
from tests.served import serving
from toolscale.reference.domain import reference_domain
from toolscale.settings import Settings
from toolscale.store import ModelCall, Store

MODEL = "openai/reference"
PRICES = {MODEL: {"input": 2.0, "output": 8.0}}


def toolscale(root, *arguments):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("TOOLSCALE_", "DAGSTER_"))}
    environment |= {"OPENAI_API_KEY": "none", "TOOLSCALE_PRICES": json.dumps(PRICES)}
    command = [sys.executable, "-m", "toolscale.cli", *arguments]
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)


def of(server, *more):
    return ["restaurant", "--model", MODEL, "--api-base", server.url, "--tasks", "2", *more]


def paid(root, stage=None) -> list[float]:
    with Store(Settings(data_root=str(root / "data")).database_url()) as store:
        return [call.dollars for call in store.rows(ModelCall) if stage in (None, call.stage)]


def rows(root):
    with closing(duckdb.connect()) as duck:
        folder = root / "data" / "datasets" / "restaurant"
        return duck.sql(f"select * from '{folder}/tasks/*.parquet' order by id").fetchall()


@pytest.fixture(scope="module")
def server():
    with serving() as running:
        yield running


@pytest.fixture(scope="module")
def uninterrupted(server, tmp_path_factory):
    """The root of a run without a cap, what was estimated before it, and how many calls the estimate made."""
    root, asked_before = tmp_path_factory.mktemp("uninterrupted"), server.stats()["requests"]
    before = toolscale(root, "estimate", *of(server, "--json"))
    assert before.returncode == 0, before.stderr
    asked = server.stats()["requests"] - asked_before
    done = toolscale(root, "synthesize", *of(server, "--json"))
    assert done.returncode == 0, done.stderr
    return root, json.loads(before.stdout), asked


@pytest.mark.slow
def test_a_dollar_ends_the_run_and_the_next_one_goes_on_to_the_same_rows(server, uninterrupted, tmp_path: Path):
    whole, _, _ = uninterrupted
    stopped = toolscale(tmp_path, "synthesize", *of(server, "--max-cost", "1.00"))
    assert stopped.returncode == 3, stopped.stderr
    assert "Traceback" not in stopped.stderr
    assert "max_cost is $1.0000" in stopped.stderr
    assert "Left: the rest of " in stopped.stderr
    assert "toolscale synthesize restaurant" in stopped.stderr
    first = paid(tmp_path)
    assert 1.0 - 2 * max(first) < sum(first) <= 1.0 + 64 * max(first)
    assert sum(first) < sum(paid(whole))
    again = toolscale(tmp_path, "synthesize", *of(server, "--max-cost", "20"))
    assert again.returncode == 0, again.stderr
    assert sorted(paid(tmp_path)) == sorted(paid(whole))
    assert rows(tmp_path) == rows(whole) != []


def test_a_stopped_run_says_as_json_what_is_done_and_left(server, tmp_path: Path):
    stopped = toolscale(tmp_path, "synthesize", *of(server, "--max-calls", "1", "--json"))
    said = json.loads(stopped.stdout)["stopped"]
    assert (stopped.returncode, said["calls"], said["stage"]) == (3, 1, "schema")
    assert said["finished_stages"] == ["domain", "subjects"]
    assert said["left_stages"][-1] == "verified_tasks"
    assert len(paid(tmp_path)) == 1


def test_in_dagster_the_step_fails_without_retries_and_says_what_was_paid(tmp_path: Path):
    factory = Factory.of(Settings(data_root=str(tmp_path)), model="offline/reference", max_calls=1)
    with dg.DagsterInstance.ephemeral() as instance:
        with pytest.raises(RunStopped) as stopped:
            run([reference_domain("restaurant").domain], factory, instance=instance)
        (made,) = instance.get_runs()
        failures = instance.get_records_for_run(made.run_id, of_type=dg.DagsterEventType.STEP_FAILURE).records
    assert (stopped.value.stop.stage, stopped.value.stop.calls) == ("schema", 1)
    (failed,) = [record.event_log_entry.dagster_event.step_failure_data for record in failures]
    metadata = failed.user_failure_data.metadata
    assert {name: metadata[name].value for name in ("calls_paid", "dollars_paid")} == {
        "calls_paid": 1,
        "dollars_paid": 0,
    }
    assert "Every answer is kept" in failed.user_failure_data.description


@pytest.mark.slow
def test_an_estimate_makes_no_call_and_the_run_costs_what_it_said(uninterrupted):
    root, before, asked = uninterrupted
    assert asked == 0
    assert before["dollars"]["low"] <= sum(paid(root)) <= before["dollars"]["high"]
    assert before["calls"]["low"] <= len(paid(root)) <= before["calls"]["high"]


@pytest.mark.slow
def test_an_estimate_of_a_run_that_was_made_leaves_nothing_to_pay(server, uninterrupted):
    root, _, _ = uninterrupted
    calls = len(paid(root))
    after = toolscale(root, "estimate", *of(server, "--json"))
    assert after.returncode == 0, after.stderr
    estimated = json.loads(after.stdout)
    assert estimated["dollars"]["high"] == estimated["calls"]["high"] == 0
    # Rewordings are kept by request, ten of which share a call, so they are found again without one.
    assert sum(line["cached"] for line in estimated["lines"]) >= calls - len(paid(root, stage="rewording"))
    assert len(paid(root)) == calls


@pytest.mark.slow
def test_history_of_another_domain_is_what_an_estimate_rests_on(server, uninterrupted):
    root, _, _ = uninterrupted
    other = toolscale(root, "estimate", "railway", *of(server, "--json")[1:])
    assert other.returncode == 0, other.stderr
    assert "history of restaurant" in json.loads(other.stdout)["rests_on"]
    with_history = toolscale(root, "estimate", "railway", *of(server)[1:])
    assert max(map(len, with_history.stdout.splitlines()[:-1])) <= 80


@pytest.mark.slow
def test_the_cost_is_summed_by_whatever_is_asked(uninterrupted):
    root, _, _ = uninterrupted
    for by in ("stage", "role", "domain", "model"):
        summed = json.loads(toolscale(root, "cost", "--by", by, "--json").stdout)["lines"]
        assert sum(line["dollars"] for line in summed) == pytest.approx(sum(paid(root)))
    assert "$" in toolscale(root, "cost", "--domain", "restaurant").stdout
    nowhere = toolscale(root / "data", "cost")
    assert (nowhere.returncode, nowhere.stderr.count("\n")) == (2, 1)


def test_a_model_without_a_price_is_refused_before_anything_is_written(server, tmp_path: Path):
    done = toolscale(tmp_path, "synthesize", "restaurant", "--model", "openai/unpriced", "--api-base", server.url)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "TOOLSCALE_PRICES='" in done.stderr
    assert list(tmp_path.iterdir()) == []
