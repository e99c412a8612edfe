"""The path of a real model: `toolscale synthesize` against an OpenAI-compatible server, by the command a user types."""

import json
import os
import subprocess
import sys

import duckdb
import pytest

from tests.conftest import FREE
from tests.openai_server import OpenAIServer
from toolscale.dataset import read_dataset
from toolscale.dataset.audit import audit
from toolscale.reference.model import OfflineRequest, answer

pytestmark = pytest.mark.slow


def reference_over_http(request):
    """The offline model's answers, given to whoever asks for them over HTTP."""
    return answer(OfflineRequest(request["messages"], request.get("tools") or (), request.get("seed") or 0))


def synthesize(server, folder, *options):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TOOLSCALE_")}
    environment |= {"OPENAI_API_KEY": "secret-key-of-the-user", **FREE}
    command = [sys.executable, "-m", "toolscale.cli", "synthesize", "restaurant", "--json"]
    command += ["--description", "Restaurants of a group: tables, menus, orders.", "--model", "openai/anything"]
    command += ["--api-base", server.url, "--out", str(folder / "dataset"), *options]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A finished run: its folder, what it printed, and the server that answered it."""
    folder = tmp_path_factory.mktemp("newcomer")
    with OpenAIServer(reference_over_http, key="secret-key-of-the-user") as server:
        finished = synthesize(server, folder, "--tasks", "4")
        assert finished.returncode == 0, finished.stderr
        asked = len(server.requests)
        again = synthesize(server, folder, "--tasks", "4")
        assert again.returncode == 0, again.stderr
        yield folder, json.loads(finished.stdout), server, asked


def test_every_stage_asked_the_server(run):
    _, _, server, _ = run
    stages = {request["messages"][0]["content"].splitlines()[0] for request in server.requests}
    wanted = "subjects schema entries validation functions_plan function rules intents tasks evolution"
    assert stages > {f"Stage: {stage}" for stage in wanted.split()}
    assert any(stage.startswith("You are an agent") for stage in stages)
    assert {request["model"] for request in server.requests} == {"anything"}


def test_the_dataset_holds_what_was_reported_and_passes_the_audit(run):
    folder, report, _, _ = run
    tasks = read_dataset(folder / "dataset")
    assert len(tasks) == report["domains"]["restaurant"]["kept"] > 0
    assert {environment.domain for _, environment in tasks} == {"restaurant"}
    audited = audit(folder / "dataset").as_json()
    assert audited["passed"] == audited["tasks"] == len(tasks)
    assert audited["agents"] == {"null": 0, "read_only": 0, "hand_over": 0, "recite": 0}


def test_a_second_run_pays_for_nothing_and_gives_the_same_rows(run):
    _, _, server, asked = run
    assert len(server.requests) == asked


def test_the_key_is_written_nowhere(run):
    folder, _, _, _ = run
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    assert not any(b"secret-key-of-the-user" in path.read_bytes() for path in files)


def test_duckdb_reads_the_rows(run):
    folder, report, _, _ = run
    rows = f"'{folder}/dataset/tasks/*.parquet'"
    query = f"select count(*), count(distinct id), min(len(evaluation_criteria.actions)) from {rows}"
    ((count, ids, fewest_actions),) = duckdb.sql(query).fetchall()
    assert count == ids == report["domains"]["restaurant"]["kept"]
    assert fewest_actions >= 1


def test_a_wrong_key_is_one_line_and_leaves_no_dataset(tmp_path):
    with OpenAIServer(reference_over_http, key="another") as server:
        finished = synthesize(server, tmp_path)
    assert finished.returncode == 2
    *progress, complaint = finished.stderr.strip().splitlines()
    assert not any("toolscale:" in line for line in progress)  # a slow machine shows how far it is
    assert complaint.startswith("toolscale: openai/anything")
    assert "OPENAI_API_KEY" in complaint
    assert "secret-key" not in finished.stderr
    assert not (tmp_path / "dataset").exists()
