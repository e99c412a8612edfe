"""A tau2-bench domain whose users call tools too is judged as tau2-bench judges it."""

import json

import pytest

from tests.exchange.tau2_club import DATABASE, ENVIRONMENT, HANDED_OVER, LOCKED_OUT, PAID, TOOLS, USER_TOOLS
from toolscale.artifacts import Call, EntryRef
from toolscale.checkers import GateContext, examine
from toolscale.checkers.check import check
from toolscale.checkers.task_file import read_tasks
from toolscale.environment import Sandbox, load_environment
from toolscale.exchange.tau2_import import import_tau2


@pytest.fixture(scope="module")
def club(tmp_path_factory):
    folder = tmp_path_factory.mktemp("domains") / "club"
    folder.mkdir()
    for name, text in {
        "tools.py": TOOLS,
        "user_tools.py": USER_TOOLS,
        "environment.py": ENVIRONMENT,
        "db.json": json.dumps(DATABASE),
        "tasks.json": json.dumps([LOCKED_OUT, HANDED_OVER, PAID]),
    }.items():
        (folder / name).write_text(text)
    out = folder.parent / "imported"
    report = import_tau2(folder, out)
    assert (report.written, report.left_out) == ({"functions": 3, "tasks": 3}, [])
    return out


@pytest.fixture(scope="module")
def context(club):
    with Sandbox(load_environment(club)) as sandbox:
        yield GateContext(sandbox)


@pytest.fixture(scope="module")
def tasks(club):
    return {task.id: task for task in read_tasks(club / "tasks.json")}


def test_the_users_tools_and_the_tasks_own_are_not_offered_to_agents(context):
    spec = context.sandbox.spec
    assert [function.name for function in spec.functions] == ["unlock", "check", "hand_over"]
    assert {function.name: function.caller for function in spec.unoffered} == {
        "pay": "user",
        "user_check": "user",
        "lock": "task",
        "update_db": "task",
        "assert_unlocked": "task",
        "is_member": "task",
        "assert_door": "task",
    }


def test_a_task_starts_in_its_initial_state_and_both_sides_stay_in_step(context, tasks):
    start = tasks["locked out"].start
    replay = context.sandbox.run(
        [Call(name="user_check"), Call(name="pay"), Call(name="check", arguments={"member_id": "M1"})], start
    )
    assert [outcome.ok for outcome in replay.begun] == [True, True, True]
    assert replay.outcomes[0].result == "shut"
    assert replay.outcomes[2].result == {"name": "Ann", "paid": True, "locked": True}
    assert replay.changes[EntryRef("members", "M2")]["name"] == "Cy"
    assert replay.changes[EntryRef("user_database", "money")] == 5
    assert set(replay.outcomes[1].wrote) == {EntryRef("user_database", "money"), EntryRef("members", "M1")}


UNLOCKED = Call(name="unlock", arguments={"member_id": "M1"})


@pytest.mark.parametrize(
    ("name", "calls", "reason"),
    [
        ("locked out", [UNLOCKED], None),
        ("locked out", [UNLOCKED, Call(name="pay")], None),
        ("locked out", [], "`assert_door`(expected='open') is False, expected True"),
        ("locked out", [UNLOCKED, Call(name="lock", arguments={"member_id": "M1"})], "expected True"),
        ("handed over", [Call(name="hand_over", arguments={"summary": "Any words."})], None),
        ("handed over", [], "did not call `hand_over`"),
        ("paid", [Call(name="pay")], None),
        ("paid", [], "user_database/money"),
        ("paid", [Call(name="pay"), Call(name="pay")], "user_database/money"),
    ],
)
def test_the_verdict_is_tau2_benchs(context, tasks, name, calls, reason):
    verdict = context.judge(tasks[name], calls, [])
    assert verdict.solved == (reason is None)
    assert context.solves(tasks[name], calls, []) == verdict.solved
    assert reason is None or any(reason in one for one in verdict.reasons)


def test_a_task_that_assertions_judge_meets_the_gates(context, tasks):
    outcomes = {outcome.gate: outcome for outcome in examine(tasks["locked out"], context).outcomes}
    assert outcomes["replay"].passed
    assert outcomes["acts"].passed
    assert any("without golden_calls[1] `pay`" in reason for reason in outcomes["discriminates"].reasons)


def test_each_side_calls_what_it_is_offered_and_nothing_else(club, tmp_path):
    unlocking = {"name": "unlock", "arguments": {"member_id": "M1"}}
    rows = [
        {"task_id": "locked out", "messages": [{"role": "assistant", "tool_calls": [unlocking]}]},
        {"task_id": "locked out", "messages": [{"role": "user", "tool_calls": [unlocking]}]},
        {"task_id": "paid", "calls": [{"name": "pay", "arguments": {}, "requestor": "user"}]},
        {"task_id": "paid", "calls": [{"name": "pay", "arguments": {}}]},
        {"task_id": "locked out", "calls": [{"name": "update_db", "arguments": {"update_data": {}}}]},
    ]
    file = tmp_path / "trajectories.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    judged = list(check(club, club / "tasks.json", file))
    assert [each.verdict.solved for each in judged] == [True, False, True, False, False]
    assert "calls[0] `unlock` is for the agent; the user cannot call it" in judged[1].verdict.reasons
    assert "calls[0] `pay` is for the user; the agent cannot call it" in judged[3].verdict.reasons
