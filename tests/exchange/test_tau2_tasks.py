"""Tasks of a tau2-bench domain are judged as tau2-bench judges them; those that cannot be are told, with the reason."""

import json

import pytest

from tests.exchange.foreign_shop import row
from toolscale.artifacts import Call
from toolscale.checkers.task_file import read_tasks
from toolscale.checkers.verdict import judge
from toolscale.environment import Sandbox, load_environment
from toolscale.exchange.tau2_import import import_tau2

ASSERTED = [{"env_type": "assistant", "func_name": "assert_sent", "arguments": {"order_id": "O-2"}}]


def test_tasks_that_have_no_place_here_are_listed_with_the_reason(domain, tmp_path):
    user_call = {"action_id": "0", "name": "x", "arguments": {}, "requestor": "user"}
    rows = [
        row("kept", ["notify"]),
        row("kept", ["notify"]),
        row("own state", initial_state={"initialization_data": {"agent_data": {"orders": {}}}}),
        row("empty state", initial_state={"initialization_data": None}),
        row("user's", criteria={"actions": [user_call]}),
        row(
            "asserted",
            criteria={"env_assertions": [{**ASSERTED[0], "func_name": "x"}], "reward_basis": ["ENV_ASSERTION"]},
        ),
        row("ticketed", ticket="Pay it."),
        {"no": "id"},
        row("bad", criteria={"actions": [{"name": "pay", "arguments": "{"}]}),
        row("nameless", criteria={"actions": [{"arguments": {}}]}),
        row("odd", criteria={"actions": ["pay"]}),
        "no object",
    ]
    (domain / "tasks.json").write_text(json.dumps(rows))
    report = import_tau2(domain, tmp_path / "out")
    tasks = {task.id: task for task in read_tasks(tmp_path / "out/tasks.json")}
    assert set(tasks) == {"kept", "own state", "empty state", "ticketed"}
    assert tasks["kept"].instruction == "Pay.\nBe short."
    assert tasks["kept"].communicate_info == ["9.50"]
    told = {(one.what, word) for one in report.left_out for word in one.reason.split()}
    for what, word in {
        ("task kept", "same"),
        ("task user's", "user"),
        ("task asserted", "`x`"),
        ("task ticketed", "`ticket`"),
        ("task number 7", "`id`"),
        ("task bad", "JSON:"),
        ("task nameless", "form"),
        ("task odd", "form"),
        ("task number 11", "`id`"),
    }:
        assert (what, word) in told


@pytest.mark.parametrize(
    ("criteria", "judged"),
    [
        ({"actions": None}, False),
        ({"actions": []}, True),
        ({"actions": [], "reward_basis": ["COMMUNICATE"]}, False),
        ({"actions": None, "reward_basis": ["NL_ASSERTION"]}, False),
        ({"actions": None, "env_assertions": ASSERTED, "reward_basis": ["DB", "ENV_ASSERTION"]}, True),
        ({"actions": None, "env_assertions": []}, True),
    ],
)
def test_the_database_is_judged_where_tau2_bench_judges_it(domain, tmp_path, criteria, judged):
    rows = [row("t1", criteria=criteria)]
    (domain / "tasks.json").write_text(json.dumps(rows))
    import_tau2(domain, tmp_path / "out")
    for file in (domain / "tasks.json", tmp_path / "out/tasks.json"):
        (task,) = read_tasks(file)
        assert (task.golden_calls, task.database_judged) == ([], judged)
        assert task.communicate_info == ["9.50"]
    with Sandbox(load_environment(tmp_path / "out")) as sandbox:
        paying = [Call(name="pay", arguments={"order_id": "O-1", "amount": 1})]
        assert judge(sandbox, task, paying, ["9.50"]).solved == (not judged)
        assert judge(sandbox, task, [], ["9.50"]).solved
        assert not judge(sandbox, task, [], ["10"]).solved


def test_actions_that_judge_nothing_are_told(domain, tmp_path):
    rows = [
        row("asserted", criteria={"actions": None, "env_assertions": ASSERTED, "reward_basis": ["ENV_ASSERTION"]}),
        row("said", ["notify"], criteria={"reward_basis": ["COMMUNICATE"]}),
        row("unsaid", ["notify"], criteria={"reward_basis": ["DB"]}),
    ]
    (domain / "tasks.json").write_text(json.dumps(rows))
    report = import_tau2(domain, tmp_path / "out")
    assert {task.id: task.database_judged for task in read_tasks(tmp_path / "out/tasks.json")} == {
        "asserted": False,
        "said": False,
        "unsaid": True,
    }
    told = "tau2-bench does not judge it by its communicate_info; here what is said counts"
    assert {one.what: one.reason for one in report.left_out if one.reason != told or one.what != "task asserted"} == {
        "task said": "its actions are left out, since tau2-bench judges it by COMMUNICATE alone",
        "task unsaid": told,
    }


def test_a_domain_without_a_file_of_tasks_is_imported_without_tasks(domain, tmp_path):
    (domain / "tasks.json").unlink()
    assert import_tau2(domain, tmp_path / "out").written == {"functions": 5, "tasks": 0}
    assert read_tasks(tmp_path / "out/tasks.json") == []
