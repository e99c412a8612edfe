"""A domain that no reference covers, from its name to a dataset: `toolscale synthesize` and a model that errs."""

import json
import os
import subprocess
import sys
from collections import Counter

import pyarrow.parquet as pq
import pytest

from tests.conftest import FREE
from tests.end_to_end import bicycles
from tests.openai_server import OpenAIServer
from toolscale.dataset import read_dataset
from toolscale.dataset.audit import audit
from toolscale.environment import load_environment, not_checkable_in, rules_in

DOMAIN = "bike_rental"


def toolscale(folder, *arguments):
    """The command as a user types it, in a folder of its own."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("TOOLSCALE_", "DAGSTER_"))}
    environment |= {"OPENAI_API_KEY": "any", **FREE}
    command = [sys.executable, "-m", "toolscale.cli", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def synthesize(folder, server, out, *options):
    """The figures of the domain."""
    given = ("--description", bicycles.DESCRIPTION, "--model", "openai/apprentice", "--api-base", server.url)
    printed = toolscale(folder, "synthesize", DOMAIN, *given, "--tasks", "5", "--out", out, "--json", *options)
    return printed["domains"][DOMAIN]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("city")


@pytest.fixture(scope="module")
def server():
    with OpenAIServer(bicycles.model) as server:
        yield server


@pytest.fixture(scope="module")
def figures(folder, server):
    """What the first run printed; its dataset is in the folder `dataset`."""
    return synthesize(folder, server, "dataset")


def asked(server, stage, *more):
    """The requests of a stage; `more` are further lines of their prompts, such as a function's."""
    heads = [f"Stage: {stage}", f"Domain: {DOMAIN}"]
    return [
        request
        for request in server.requests
        if request["messages"][0]["content"].splitlines()[:2] == heads
        and {*more} <= {line for message in request["messages"][1:2] for line in str(message["content"]).splitlines()}
    ]


def rejects(folder):
    files = sorted((folder / "dataset" / "rejects").glob("*.parquet"))
    return [row for file in files for row in pq.read_table(file).to_pylist()]


def test_the_figures_are_what_the_model_deserves(figures):
    assert (figures["functions"], figures["entries"]) == (6, 14)
    assert (figures["proposed"], figures["kept"]) == (6, 4)
    assert figures["rejected"] == {"no_leak": 1, "pass_at_8": 1}
    assert 0.5 < figures["pass_rate"] < 1


def test_every_kept_task_passes_the_audit(folder, figures):
    report = audit(folder / "dataset").as_json()
    assert report["tasks"] == report["passed"] == figures["kept"]
    assert set(report["agents"].values()) == {0}
    assert report["mutation"]["killed"] == report["mutation"]["total"] > 20
    assert report["failures"] == []


def test_kept_tasks_are_the_drafts_with_their_kin_and_all_attempts(folder, figures):
    tasks = {task.user_scenario.instructions.reason_for_call: task for task, _ in read_dataset(folder / "dataset")}
    drafts = (bicycles.BRING_BACK, bicycles.RENT, bicycles.TOP_UP, bicycles.BRING_BACK_AND_TOP_UP)
    assert tasks.keys() == {draft["reason_for_call"] for draft in drafts}
    for draft in drafts:
        task = tasks[draft["reason_for_call"]]
        assert [(call.name, call.arguments) for call in task.golden_calls] == [
            (call["name"], call["arguments"]) for call in draft["golden_calls"]
        ]
        assert len(task.attempts) == 8
        assert task.pass_rate == sum(attempt.verdict.solved for attempt in task.attempts) / 8
    parent, child = (tasks[draft["reason_for_call"]] for draft in (bicycles.BRING_BACK, bicycles.BRING_BACK_AND_TOP_UP))
    assert (child.lineage.parent, child.lineage.depth, child.lineage.added) == (parent.id, 1, "a second goal")
    assert child.lineage.operator == "second_goal"
    assert 0 < parent.pass_rate < 1
    assert tasks[bicycles.RENT["reason_for_call"]].pass_rate == 1


@pytest.mark.parametrize(
    ("stage", "more", "said"),
    [
        ("subjects", (), "there are 2 subjects"),
        ("schema", (), "there is no table `bicycles`"),
        ("entries", ("Subject: rentals",), "'B-99' is not in bikes"),
        ("entries", ("Subject: riders",), "nobody has such a balance"),
        ("function", ("Function: start_rental",), "a write must change something"),
        ("function", ("Function: end_rental",), "must be refused with ValueError"),
        ("rules", (), "`rides_start_with_a_balance` does not fire on the last call of its own breaking example"),
        ("intents", (), "there are 4 intents; propose at least 12"),
        ("tasks", (), "`golden_calls`"),
        ("tasks", (), "no_leak: the user says '6.75'"),
    ],
    ids=lambda value: value if isinstance(value, str) and " " not in value else "",
)
def test_a_wrong_first_answer_went_back_once_with_the_reason_and_was_mended(server, figures, stage, more, said):
    mended = [request for request in asked(server, stage, *more) if said in request["messages"][-1]["content"]]
    assert len(mended) == 1
    assert any(message["role"] == "assistant" for message in mended[0]["messages"])


def test_json_in_a_fence_is_no_wrong_answer(server, figures):
    assert len(asked(server, "functions_plan")) == 1
    assert len(asked(server, "function", "Function: top_up")) == 1


def test_what_was_refused_is_kept_with_its_reasons(folder, figures):
    kept = rejects(folder)
    assert Counter((reject["stage"], reject["check"]) for reject in kept) == {
        ("entries", "program"): 1,
        ("entries", "validator"): 1,
        ("functions", "function"): 5,
        ("rules", "rules"): 1,
        ("programs", "program"): 4 * 12,  # it writes none, for no intent: what its drafts give is not less for that
        ("tasks", "infeasible"): 1,
        ("tasks", "no_leak"): 1,
        ("evolved_tasks", "form"): 1,
        ("verified_tasks", "pass_at_8"): 1,
    }
    assert all(reject["reasons"] and reject["domain"] == DOMAIN for reject in kept)
    reasons = Counter(reject["reasons"][0].partition(":")[0] for reject in kept if reject["stage"] == "functions")
    assert reasons == {"start_rental": 1, "end_rental": 1, "plan_route": 3}
    raw = {(reject["stage"], reject["check"]): json.loads(reject["raw"]) for reject in kept}
    assert "B-99" in str(raw["entries", "program"])
    assert "weather" in raw["evolved_tasks", "form"]
    instructions = raw["tasks", "no_leak"]["user_scenario"]["instructions"]
    assert instructions["reason_for_call"] == bicycles.ASK["reason_for_call"]


def test_the_environment_holds_what_was_accepted_and_nothing_that_was_refused(folder, figures):
    environment = load_environment(folder / "data" / "environments" / DOMAIN)
    assert [function.name for function in environment.functions] == [spec["name"] for spec in bicycles.PLAN[:6]]
    assert "requests" not in environment.source
    records = {table: each for subject in bicycles.ENTRIES.values() for table, each in subject.items()}
    assert environment.database == records
    (played, *others) = [each for _, each in read_dataset(folder / "dataset")]
    assert played == environment
    assert all(other is played for other in others)


def test_no_task_is_kept_whose_policy_nobody_evaluated(folder, server, figures):
    rows = pq.read_table(folder / "data" / "assets" / "verified_tasks" / f"{DOMAIN}.parquet")["json"].to_pylist()
    outcomes = [gate for row in rows for gate in json.loads(row)["gates"] if gate["gate"] == "policy"]
    assert len(outcomes) == figures["kept"]
    said = ["judged by openai/apprentice: it keeps the sentence that no program can check"]
    assert all(outcome["passed"] and outcome["reasons"] == said for outcome in outcomes)
    assert len(asked(server, "policy")) == figures["kept"] + figures["rejected"]["pass_at_8"]
    rules = load_environment(folder / "data" / "environments" / DOMAIN).rules
    assert list(rules_in(rules)) == [each["rule"] for each in bicycles.RULE_EXAMPLES]
    assert not_checkable_in(rules) == (bicycles.PATIENCE,)


def test_an_audit_does_not_ask_the_judge_again_and_says_so(folder, figures):
    for each in audit(folder / "dataset").tasks:
        policy = next(outcome for outcome in each.outcomes if outcome.gate == "policy")
        assert policy.passed
        assert policy.reasons[0].startswith("judged by a model when the task was made, not again")


def test_the_environment_runs_calls_by_the_command(folder, figures):
    calls = [bicycles.END, ("get_rider", {"rider_id": "P-2"}), ("top_up", {"rider_id": "P-2", "amount": 1000})]
    (folder / "calls.json").write_text(json.dumps([{"name": name, "arguments": given} for name, given in calls]))
    printed = toolscale(folder, "environment", "run", f"data/environments/{DOMAIN}", "--calls", "calls.json", "--json")
    ended, rider, refused = printed["outcomes"]
    assert ended["result"]["fee"] == 4.5
    assert rider["result"]["balance"] == pytest.approx(9.1 - 4.5)
    assert refused["error"] == "a top-up is between 5 and 100"
    assert {(change["table"], change["key"]) for change in printed["diff"]} == {
        ("rentals", "T-2"),
        ("bikes", "B-2"),
        ("riders", "P-2"),
    }


def test_another_agent_is_the_only_one_asked_again_and_may_do_better(folder, server, figures):
    before = len(server.requests)
    better = synthesize(folder, server, "with_deft", "--role", f"agent=openai/{bicycles.DEFT}")
    new = server.requests[before:]
    assert {request["model"] for request in new} == {bicycles.DEFT}
    assert not any(request["messages"][0]["content"].startswith("Stage:") for request in new)
    assert (better["kept"], better["pass_rate"]) == (5, 1.0)
    assert better["rejected"] == {"no_leak": 1}
    assert audit(folder / "with_deft").as_json()["passed"] == 5
    card = (folder / "with_deft" / "README.md").read_text()
    assert f"openai/{bicycles.DEFT}" in next(line for line in card.splitlines() if line.startswith("- agent, "))
