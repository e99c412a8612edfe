"""The published code's training data become questions and domain tasks; what cannot be used is counted by reason."""

import json

import pytest
from typer.testing import CliRunner

from tests.exchange.published_code import LOOK, PAY, question, task, write_checkout
from toolscale.cli import app
from toolscale.dataset.folder import read_placed
from toolscale.dataset.questions import read_question_tasks
from toolscale.environment import Sandbox
from toolscale.errors import UserError


@pytest.fixture
def imported(tmp_path):
    def run(rows, *options):
        checkout = write_checkout(tmp_path / "ToolOrchestra", rows)
        command = ["import", str(checkout), "--format", "toolorchestra", "--out", str(tmp_path / "out"), "--json"]
        result = CliRunner().invoke(app, [*command, *options])
        if isinstance(result.exception, UserError):
            raise result.exception
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    return run


def test_questions_and_tasks_of_one_file_become_a_folder_each_that_can_be_trained_on(imported, tmp_path):
    rows = [*(question(number) for number in range(20)), task(1, [PAY]), task(2, [], said="Where is my order?")]
    report = imported(rows, "--catalogue", "training", "--seed", "3")
    assert report["written"] == {"questions in train": 18, "questions in eval": 2, "domains": 1, "tasks": 2}
    questions = read_question_tasks(tmp_path / "out/questions")
    assert {each.question: each.answer for each in questions}["How much is 4 + 1?"] == "5"
    assert all(each.configuration.tools for each in questions)
    placed = {one.task.id: one for one in read_placed(tmp_path / "out/tasks")}
    assert placed.keys() == {"shop____1", "shop____2"}
    assert all(one.instance.configuration.tools for one in placed.values()), "domain tasks have a draw of their own too"
    paid = placed["shop____1"]
    assert paid.task.domain == paid.environment.domain == "shop"
    assert paid.task.golden_calls[0].arguments == {"order_id": "O-1", "amount": 1.0}, "the padding is gone"
    with Sandbox(paid.environment) as sandbox:
        assert [outcome.result for outcome in sandbox.run(paid.task.golden_calls).outcomes] == ["9.5"]


def test_what_cannot_be_used_is_counted_by_its_reason_and_kept_among_the_rejects(imported, tmp_path):
    import pyarrow.parquet as pq

    rows = [
        question(0),
        question(1, problem=""),
        task(1, [PAY]),
        task(2, [PAY]),
        task(3, [LOOK], said="Look."),
        task(4, [PAY], domain="zoo"),
        task(5, [PAY], domain="../shop"),
        task(6, [], example=None),
        {"id": "shop____7", "category": "chat"},
    ]
    report = imported(rows)
    left_out = {each["reason"]: each["what"] for each in report["left_out"]}
    assert left_out == {
        "its own aliases of models, prices and weights are not read; tools are drawn anew": "8 rows",
        "its domain is not in the checkout, or its tools are not": "2 rows",
        "there is no question": "1 row",
        "another row before it has the same task, with another draw of models": "1 row",
        "a golden call of it fails": "1 row",
        "there is no task in `example`": "1 row",
        "its `category` is neither qa nor func_call": "1 row",
    }
    assert report["written"]["tasks"] == 1
    (kept,) = read_placed(tmp_path / "out/tasks")
    assert kept.instance is None, "without a catalogue the training decides"
    rejects = pq.read_table(tmp_path / "out/tasks/rejects/train.parquet").to_pylist()
    assert len(rejects) == 6
    (failed,) = [each for each in rejects if each["reasons"][0] == "a golden call of it fails"]
    assert failed["reasons"][1] == "get_order: ValueError: no order O-9"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "git lfs pull"),
        ("", "no row of use"),
        (json.dumps({"id": "zoo____1", "category": "func_call"}) + "\n", "its domain is not in the checkout"),
    ],
)
def test_data_that_are_not_there_are_told_with_the_way_out_and_nothing_is_written(tmp_path, text, says):
    root = write_checkout(tmp_path / "ToolOrchestra", [])
    (root / "data/data.jsonl").write_text(text)
    result = CliRunner().invoke(app, ["import", str(root), "--format", "toolorchestra", "--out", str(tmp_path / "out")])
    assert isinstance(result.exception, UserError)
    assert says in str(result.exception)
    assert not (tmp_path / "out").exists()


def test_a_folder_without_the_data_is_named():
    result = CliRunner().invoke(app, ["import", "/nowhere", "--format", "toolorchestra", "--out", "out"])
    assert isinstance(result.exception, UserError)
    assert "github.com/NVlabs/ToolOrchestra" in str(result.exception)
