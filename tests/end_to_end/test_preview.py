"""A preview shows what a domain will be like and what the rest will cost, and nothing of it is paid for twice."""

import json
import os
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

from pipelines.orders import PREVIEW_TASKS
from tests.openai_server import OpenAIServer
from toolscale.reference.model import OfflineRequest, answer

pytestmark = pytest.mark.slow

TASKS = PREVIEW_TASKS + 2
PRICES = {"openai/anything": {"input": 2.0, "output": 8.0}}


def reference_over_http(request):
    """The offline model's answers, for a domain that has another name here."""
    renamed = json.loads(json.dumps(request["messages"]).replace("eating_out", "restaurant"))
    return answer(OfflineRequest(renamed, request.get("tools") or (), request.get("seed") or 0))


def toolscale(folder, server, *options, command="synthesize"):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("TOOLSCALE_", "DAGSTER_"))}
    environment |= {"OPENAI_API_KEY": "none", "TOOLSCALE_PRICES": json.dumps(PRICES)}
    told = [sys.executable, "-m", "toolscale.cli", command, "Eating out", "--tasks", str(TASKS)]
    told += ["--model", "openai/anything", "--api-base", server.url, *options]
    return subprocess.run(told, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """The folder, what the preview printed for programs and for people, what each command asked the server, and what
    `toolscale estimate` says after the preview.
    """
    folder = tmp_path_factory.mktemp("newcomer")
    with OpenAIServer(reference_over_http) as server:
        asked = []

        def run(*options):
            before = len(server.requests)
            done = toolscale(folder, server, *options)
            asked.append([json.dumps(request, sort_keys=True) for request in server.requests[before:]])
            return done

        preview = run("--preview", "--json", "--description", "Restaurants of a group.")
        assert preview.returncode == 0, preview.stderr
        shown = run("--preview")
        estimated = toolscale(folder, server, "--json", command="estimate")
        whole = run("--json")
        late = run("--preview")
        yield folder, json.loads(preview.stdout), shown, whole, late, asked, json.loads(estimated.stdout)


def test_a_preview_goes_through_all_stages_with_a_handful_of_tasks(played):
    _, preview, *_ = played
    assert preview["domain"]["name"] == "eating_out"
    assert len(preview["subjects"]) >= 3
    assert sum(preview["entries"].values()) > 100
    assert {"read", "write"} == {function["kind"] for function in preview["functions"]}
    assert 1 <= len(preview["tasks"]) <= 3
    assert all(task["instruction"] and task["golden_calls"] for task in preview["tasks"])
    funnel = preview["funnel"]
    assert 0 < funnel["kept"] <= funnel["proposed"] <= 2 * PREVIEW_TASKS
    assert funnel["proposed"] == funnel["kept"] + sum(funnel["rejected"].values())
    assert preview["paid"]["dollars"] > 0


def test_what_the_preview_made_is_kept_and_paid_for_once(played):
    folder, _, shown, whole, _, (first, second, third, _), _ = played
    assert shown.returncode == whole.returncode == 0, shown.stderr + whole.stderr
    assert first
    assert second == [], "the same preview again asks nothing"
    assert third
    assert not set(first) & set(third), "the rest repeats no call of the preview"
    assert pq.read_metadata(folder / "data" / "assets" / "tasks" / "eating_out.parquet").num_rows > 1


def test_the_estimate_of_the_rest_holds(played):
    _, preview, _, _, _, (_, _, third, _), _ = played
    assert preview["first_tasks"] == TASKS
    assert preview["rest"]["calls"]["low"] <= len(third) <= preview["rest"]["calls"]["high"]
    assert preview["rest"]["dollars"]["high"] > 0


def test_a_preview_estimates_the_rest_as_if_it_ran_every_stage_once_more(played):
    _, preview, *_, estimated = played
    assert preview["rest"] == {name: estimated[name] for name in preview["rest"]}


def test_people_are_shown_the_same_in_words_with_the_command_that_goes_on(played):
    _, preview, shown, *_ = played
    for said in (
        *preview["subjects"],
        *preview["entries"],
        *(" ".join(task["instruction"].split()) for task in preview["tasks"]),
    ):
        assert said in shown.stdout
    *_, command = shown.stdout.strip().splitlines()
    assert command.split()[:3] == ["toolscale", "synthesize", "'Eating"]
    assert "--preview" not in command


def test_a_preview_never_takes_the_place_of_more(played):
    folder, _, _, whole, late, *_ = played
    assert late.returncode == 2
    assert "more than a preview makes" in late.stderr
    kept = json.loads(whole.stdout)["domains"]["eating_out"]["kept"]
    assert pq.read_metadata(folder / "data" / "assets" / "verified_tasks" / "eating_out.parquet").num_rows >= kept


def test_a_preview_says_where_the_offline_model_answered(tmp_path, played):
    command = [sys.executable, "-m", "toolscale.cli", "synthesize", "restaurant", "--tasks", "3", "--preview"]
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("TOOLSCALE_", "DAGSTER_"))}
    shown = subprocess.run(command, cwd=tmp_path, env=clean, capture_output=True, text=True, check=True).stdout
    assert "Answered by the offline model, not by a real one: every role." in shown
    assert "Answered by the offline model" not in played[2].stdout
