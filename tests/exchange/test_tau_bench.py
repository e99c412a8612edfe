"""A domain of tau-bench becomes an environment, and its recorded runs are judged as tau-bench judges them."""

import json
from datetime import datetime

import pytest

from tests.exchange.tau_bench_shop import FILES, RUNS
from toolscale.artifacts import Call
from toolscale.checkers.check import check
from toolscale.checkers.task_file import read_tasks
from toolscale.environment import Sandbox, load_environment
from toolscale.errors import UserError
from toolscale.exchange.tau_bench import import_tau_bench
from toolscale.exchange.tau_bench_trajectories import trajectories_in
from toolscale.exchange.trajectories_import import TRAJECTORIES, import_trajectories


@pytest.fixture
def shop(tmp_path):
    for name, text in FILES.items():
        file = tmp_path / "shop" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path / "shop"


def test_its_tools_tell_what_tau_bench_tells_and_its_runs_are_judged_alike(shop, tmp_path):
    report = import_tau_bench(shop, tmp_path / "env")
    assert report.written == {"functions": 1, "tasks": 2}
    assert [one.what for one in report.left_out] == ["task 1"]
    spec = load_environment(tmp_path / "env")
    assert (spec.now, spec.functions[0].description) == (datetime(2024, 5, 15, 15), "Cancel an order.")
    assert {task.id: len(task.golden_calls) for task in read_tasks(tmp_path / "env/tasks.json")} == {
        "0": 1,
        "train-0": 0,
    }
    with Sandbox(spec) as sandbox:
        told = sandbox.run([Call(name="cancel_order", arguments={"order_id": name}) for name in ("O1", "O2", "O3")])
    assert [outcome.result for outcome in told.outcomes] == [
        {"status": "cancelled", "total": 12.5},
        "Error: it was sent",
        "Error: order not found",
    ]
    (tmp_path / "runs.json").write_text(json.dumps(RUNS))
    report = import_trajectories(tmp_path / "runs.json", tmp_path / "runs", trajectories_in)
    assert (report.written, len(report.left_out)) == ({"trajectories": 3}, 2)
    judged = list(check(tmp_path / "env", tmp_path / "env/tasks.json", tmp_path / "runs" / TRAJECTORIES))
    assert [each.verdict.solved for each in judged] == [True, False, False]
    assert judged[1].verdict.reasons == ["never said '12.5'"], "what stands beside a call reached nobody"
    assert judged[2].verdict.reasons == [
        "the episode was broken off: it ran out of steps, so tau-bench did not judge it"
    ]


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("tools/cancel.py", "import json", "import os", r"cancel\.py:2: imports os, which the sandbox does not have"),
        (
            "tools/cancel.py",
            '"name": "cancel_order"',
            '"name": print("run")',
            "must return a dictionary that is written",
        ),
        ("tools/cancel.py", '"name": "cancel_order"', '"name": "x(): pass\\nprint"', "must return a dictionary"),
        ("tools/cancel.py", "class Cancel", "class Cancel(:", "cannot be read as Python"),
        ("tasks_test.py", "TASKS = [", "TASKS = tuple([", "cannot be read as Python"),
        ("tasks_train.py", "TASKS_TRAIN = [", "TASKS_TRAIN = 1\nx = lambda: [", "holds no list of tasks"),
        ("data/orders.json", "{", "[", r"orders\.json"),
        ("wiki.md", "2024-05-15", "2024-55-15", r"wiki\.md"),
    ],
)
def test_what_is_malformed_is_refused_in_one_sentence_and_nothing_is_written(shop, tmp_path, file, old, new, message):
    path = shop / file
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(UserError, match=message):
        import_tau_bench(shop, tmp_path / "env")
    assert not (tmp_path / "env").exists()
