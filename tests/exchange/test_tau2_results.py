"""Simulations of tau2-bench are trajectories here, and one that nobody ended is unsolved, as it is there."""

import json

import pytest

from tests.exchange.tau2_club import DATABASE, ENVIRONMENT, LOCKED_OUT, PAID, TOOLS, USER_TOOLS
from toolscale.checkers.check import check
from toolscale.errors import UserError
from toolscale.exchange.tau2_import import import_tau2
from toolscale.exchange.tau2_results import simulations_in
from toolscale.exchange.trajectories_import import TRAJECTORIES, import_trajectories


def call(name, side="assistant", **arguments):
    return {"role": side, "tool_calls": [{"id": "1", "name": name, "arguments": arguments, "requestor": side}]}


HISTORY = PAID["initial_state"]["message_history"]
UNLOCKED = [call("unlock", member_id="M1"), {"role": "tool", "id": "1", "content": "unlocked"}]
SIMULATIONS = [
    {"task_id": "locked out", "termination_reason": "user_stop", "messages": UNLOCKED},
    {"task_id": "locked out", "termination_reason": "max_steps", "messages": UNLOCKED},
    {"task_id": "locked out", "termination_reason": "agent_stop", "messages": [call("unlock", "user", member_id="M1")]},
    {"task_id": "paid", "termination_reason": "user_stop", "messages": [*HISTORY, call("pay", "user")]},
    {"task_id": "paid", "termination_reason": "user_stop", "messages": [*HISTORY, call("pay")]},
    {"task_id": "spoken", "termination_reason": "user_stop", "messages": None, "ticks": [{}]},
    {"task_id": "broken", "messages": [{"role": "ghost"}]},
    {"messages": []},
]
RESULTS = {"info": {}, "tasks": [LOCKED_OUT, PAID], "simulations": SIMULATIONS}


def test_simulations_are_judged_as_tau2_bench_judges_them(tmp_path):
    domain = tmp_path / "club"
    domain.mkdir()
    for name, text in {
        "tools.py": TOOLS,
        "user_tools.py": USER_TOOLS,
        "environment.py": ENVIRONMENT,
        "db.json": json.dumps(DATABASE),
        "tasks.json": json.dumps([LOCKED_OUT, PAID]),
        "results.json": json.dumps(RESULTS),
    }.items():
        (domain / name).write_text(text)
    import_tau2(domain, tmp_path / "env")
    report = import_trajectories(domain / "results.json", tmp_path / "results", simulations_in)
    assert report.written == {"trajectories": 5}
    assert [one.reason for one in report.left_out] == [
        "it was spoken, and has ticks in place of messages",
        "its `messages` are no chat",
        "it has no `task_id`",
    ]
    judged = list(check(tmp_path / "env", tmp_path / "env/tasks.json", tmp_path / "results" / TRAJECTORIES))
    assert [each.verdict.solved for each in judged] == [True, False, False, True, False]
    assert judged[1].verdict.reasons == ["the episode was broken off: max_steps"]


@pytest.mark.parametrize("content", [[], {"simulations": {}}, {"simulations": [{"messages": []}]}, "{"])
def test_what_holds_no_simulations_is_refused(tmp_path, content):
    file = tmp_path / "results.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    with pytest.raises(UserError, match=r"results\.json"):
        import_trajectories(file, tmp_path / "out", simulations_in)
    assert not (tmp_path / "out").exists()
