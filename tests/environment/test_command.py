"""`toolscale environment run` prints what calls did, or one line that says what is wrong, and then runs nothing."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.environment.worlds import world
from toolscale.environment import write_environment

SOURCE = """
def get(db, id): return db['trains'][id]
def book(db, id):
    db['trains'][id]['seats'] -= 1
    db['bookings']['B2'] = {'id': 'B2', 'train_id': id}
    return 'booked'
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_environment(world(SOURCE), tmp_path / "rail")
    return tmp_path / "rail"


def run(folder: Path, calls: Any, *options: str) -> subprocess.CompletedProcess[str]:
    file = folder.parent / "calls.json"
    file.write_text(calls if isinstance(calls, str) else json.dumps(calls))
    command = [sys.executable, "-m", "toolscale.cli", "environment", "run", str(folder), "--calls", str(file), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


CALLS = [{"name": "book", "arguments": {"id": "T2"}}, {"name": "get", "arguments": {"id": "T9"}}, {"name": "get"}]


def test_results_errors_and_changes_are_printed(folder: Path) -> None:
    done = run(folder, CALLS)
    assert (done.returncode, done.stderr) == (0, "")
    for expected in (
        '1. book(id="T2")',
        '"booked"',
        "looked up trains[T2]",
        "wrote trains[T2], bookings[B2]",
        "KeyError: T9",
        "TypeError: get() missing 1 required positional argument: 'id'",
        "changed trains[T2]",
        "seats: 2 -> 1",
        "added bookings[B2]",
    ):
        assert expected in done.stdout


def test_json_holds_outcomes_and_diff_and_nothing_else(folder: Path) -> None:
    done = run(folder, CALLS, "--json")
    printed = json.loads(done.stdout)
    assert list(printed) == ["outcomes", "diff"]
    assert [outcome["error_type"] for outcome in printed["outcomes"]] == [None, "KeyError", "TypeError"]
    assert printed["outcomes"][0]["wrote"] == [["trains", "T2"], ["bookings", "B2"]]
    assert {(change["table"], change["key"], change["kind"]) for change in printed["diff"]} == {
        ("trains", "T2", "changed"),
        ("bookings", "B2", "added"),
    }


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ("[{", "calls.json:1: not JSON"),
        ({}, "must hold a list"),
        ([{"name": "get", "arguments": "{"}], "call 1: the arguments are not JSON"),
        ([{"id": "t1", "golden_calls": []}], "--task ID"),
        (["get"], "call 1 must be"),
        ([{"arguments": {}}], "`name`: field required"),
        ([{"name": "get", "arguments": [1]}], "`arguments`"),
        ([{"name": "get", "argument": {}}], "`argument`"),
        (
            [{"name": "book", "arguments": {"id": "T2"}}, {"name": "cancel"}],
            "call 2 names `cancel`, which is not offered",
        ),
    ],
)
def test_a_bad_calls_file_is_one_line_and_nothing_is_run(folder: Path, calls: Any, expected: str) -> None:
    done = run(folder, calls, "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert expected in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_bad_folder_is_one_line(folder: Path) -> None:
    (folder / "functions.py").write_text("def get(db:\n")
    done = run(folder, CALLS)
    assert (done.returncode, done.stdout) == (2, "")
    assert "functions.py:1: not Python" in done.stderr
    assert done.stderr.count("\n") == 1


def test_golden_calls_run_as_they_stand_in_tasks_and_rows(folder: Path) -> None:
    golden = [
        {"action_id": "book_0", "name": "book", "arguments": {"id": "T2"}},
        {"action_id": "get_1", "name": "get", "arguments": '{"id": "T9"}'},
    ]
    as_they_stand = run(folder, golden, "--json")
    of_a_task = run(folder, [{"id": "t1", "golden_calls": golden}], "--task", "t1", "--json")
    assert as_they_stand.stderr == of_a_task.stderr == ""
    assert as_they_stand.stdout == of_a_task.stdout == run(folder, CALLS[:2], "--json").stdout


def test_a_task_that_is_not_there_or_calls_what_is_not_offered_is_refused(folder: Path) -> None:
    tasks = [{"id": "t1", "golden_calls": [{"name": "cancel", "arguments": {}}]}]
    assert "no task `t2`" in run(folder, tasks, "--task", "t2").stderr
    assert "call 1 names `cancel`, which is not offered" in run(folder, tasks, "--task", "t1").stderr
