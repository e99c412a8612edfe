"""`toolscale check` as a user runs it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.checkers.conftest import LIBRARY, RENEWAL

GOLDEN = [call.model_dump(include={"name", "arguments"}) for call in RENEWAL.golden_calls]
TASKS = [{"id": "renewal", "golden_calls": GOLDEN, "communicate_info": ["12.50"]}]
SOLVED = {"task_id": "renewal", "calls": GOLDEN, "agent_messages": ["You owe $12.50."]}


def check(folder: Path, lines: list[Any], *options: str, environment: Path = LIBRARY, tasks: Any = TASKS):  # type: ignore[no-untyped-def]
    (folder / "tasks.json").write_text(json.dumps(tasks))
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    (folder / "trajectories.jsonl").write_text(text)
    files = {"environment": environment, "tasks": folder / "tasks.json", "trajectories": folder / "trajectories.jsonl"}
    given = [word for name, path in files.items() for word in (f"--{name}", str(path))]
    return subprocess.run(
        [sys.executable, "-m", "toolscale.cli", "check", *given, *options],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_each_line_gets_a_verdict_and_unsolved_alone_is_no_error(tmp_path: Path) -> None:
    messages = [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"function": {"name": call["name"], "arguments": json.dumps(call["arguments"])}}],
        }
        for call in GOLDEN
    ]
    as_chat = {"task_id": "renewal", "messages": [*messages, {"role": "assistant", "content": "12.50 it is"}]}
    dropped = {**SOLVED, "calls": GOLDEN[:2]}
    done = check(tmp_path, [SOLVED, as_chat, dropped, {**SOLVED, "agent_messages": ["12.05"]}, ""], "--json")
    assert (done.returncode, done.stderr) == (0, "")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["solved"] for row in rows] == [True, True, False, False]
    assert set(rows[0]) == {"task_id", "solved", "execution", "fidelity", "completeness", "reasons"}
    assert rows[2]["reasons"][0] == "loans/L-10 `due`: expected '2026-12-04', found '2026-11-24'"
    assert rows[3]["reasons"] == ["never said '12.50'"]


def test_a_bad_line_is_judged_unsolved_and_the_rest_go_on(tmp_path: Path) -> None:
    stranger = {**SOLVED, "calls": [*GOLDEN, {"name": "open_door", "arguments": {}}]}
    lines = ["{", {"task_id": "unheard_of", "calls": []}, {"task_id": "renewal", "calls": 3}, stranger, SOLVED]
    done = check(tmp_path, lines, "--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["task_id"] for row in rows] == [None, "unheard_of", "renewal", "renewal", "renewal"]
    assert [row["solved"] for row in rows] == [False, False, False, True, True]
    assert all(row["reasons"] for row in rows[:3])
    assert done.returncode == 2
    (complaint,) = done.stderr.splitlines()
    for part in ("line 1: not JSON", "line 2: no task `unheard_of`", "line 3: `calls` is", "line 4", "`open_door`"):
        assert part in complaint


def test_names_with_control_characters_cannot_break_the_one_line_complaint(tmp_path: Path) -> None:
    done = check(tmp_path, [{"task_id": "a\nb\x1b[2J", "calls": []}])
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "\x1b" not in done.stdout + done.stderr


def test_malformed_arguments_err_like_a_call_and_do_not_crash(tmp_path: Path) -> None:
    broken = {**SOLVED, "calls": [*GOLDEN[:2], {"name": "renew_loan", "arguments": '{"loan_id"'}]}
    done = check(tmp_path, [broken], "--json")
    assert done.returncode == 0
    row = json.loads(done.stdout)
    assert not row["solved"]
    assert any("calls[2] `renew_loan`: the arguments are not JSON" in reason for reason in row["reasons"])


def test_a_trajectory_that_is_too_long_is_judged_unsolved(tmp_path: Path) -> None:
    done = check(tmp_path, [{**SOLVED, "calls": GOLDEN * 1000}, SOLVED], "--json")
    assert [json.loads(line)["solved"] for line in done.stdout.splitlines()] == [False, True]
    assert done.returncode == 2


def test_a_task_with_too_many_golden_calls_ends_no_other_tasks_verdict(tmp_path: Path) -> None:
    endless = {"id": "endless", "golden_calls": GOLDEN[:1] * 1001, "communicate_info": []}
    done = check(tmp_path, [{**SOLVED, "task_id": "endless"}, SOLVED], "--json", tasks=[endless, *TASKS])
    assert done.returncode == 0
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["solved"] for row in rows] == [False, True]
    assert rows[0]["reasons"][0].startswith("golden_calls[1000] `get_member` failed with NotRun: the trajectory has")


def test_golden_calls_that_fail_are_a_reason_and_no_crash(tmp_path: Path) -> None:
    tasks = [{"id": "renewal", "golden_calls": [{"name": "open_door", "arguments": {}}], "communicate_info": []}]
    done = check(tmp_path, [{**SOLVED, "calls": []}], "--json", tasks=tasks)
    assert done.returncode == 0
    assert "golden_calls[0] `open_door` failed with UnknownFunction" in json.loads(done.stdout)["reasons"][0]


def test_a_reader_sees_verdicts_and_reasons(tmp_path: Path) -> None:
    done = check(tmp_path, [SOLVED, {**SOLVED, "calls": []}])
    assert done.stdout.startswith("solved    renewal\nunsolved  renewal  (execution, completeness)\n    - loans/L-10")


@pytest.mark.parametrize("broken", ["functions.json", "database.json", "functions.py"])
def test_a_malformed_environment_is_one_line_and_nothing_on_standard_output(tmp_path: Path, broken: str) -> None:
    environment = tmp_path / "library"
    shutil.copytree(LIBRARY, environment)
    (environment / broken).write_text("{ oops")
    done = check(tmp_path, [SOLVED], environment=environment)
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert broken in done.stderr


def test_a_malformed_tasks_file_is_one_line_and_nothing_on_standard_output(tmp_path: Path) -> None:
    done = check(tmp_path, [SOLVED], tasks=[{"id": "renewal"}, 3])
    assert (done.returncode, done.stdout) == (2, "")
    (complaint,) = done.stderr.splitlines()
    assert "tasks.json" in complaint
