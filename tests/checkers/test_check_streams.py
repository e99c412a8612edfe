"""`toolscale check` holds a few lines of a file, whatever the file's size."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.checkers.conftest import LIBRARY
from toolscale.checkers import lines, task_file
from toolscale.checkers.check import Complaint, check
from toolscale.errors import UserError

TASKS = [{"id": "renewal", "golden_calls": [], "communicate_info": ["12.50"]}]
STRANGER = json.dumps({"task_id": "nobody's", "calls": [], "agent_messages": ["I will see to it."]}) + "\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "tasks.json").write_text(json.dumps(TASKS))
    return tmp_path / "tasks.json", tmp_path / "trajectories.jsonl"


def peak_megabytes(tasks: Path, trajectories: Path) -> float:
    """Of a process that judges the file, without its sandboxes."""
    program = (
        "import re, sys; from pathlib import Path; from toolscale.checkers.check import *\n"
        "said = Complaint(Path('x'))\n"
        "for each in check(*map(Path, sys.argv[1:])): said.note(each)\n"
        "print(int(re.search(r'VmHWM:\\s+(\\d+)', Path('/proc/self/status').read_text())[1]) / 1024)"
    )
    command = [sys.executable, "-c", program, str(LIBRARY), str(tasks), str(trajectories)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def test_memory_does_not_grow_with_the_file(files: tuple[Path, Path]) -> None:
    tasks, trajectories = files
    trajectories.write_text(STRANGER * 500)
    few = peak_megabytes(tasks, trajectories)
    trajectories.write_text(STRANGER * 30_000)
    assert peak_megabytes(tasks, trajectories) < few + 15, "a line that was judged is still held"


def test_every_line_is_judged_once_and_in_order_and_the_complaint_counts_them_all(files: tuple[Path, Path]) -> None:
    _, trajectories = files
    trajectories.write_text("\n" + STRANGER * 200 + "{\n")
    judged = list(check(LIBRARY, *files))
    assert [each.line for each in judged] == list(range(2, 203))
    complaint = Complaint(trajectories)
    for each in judged:
        complaint.note(each)
    said = complaint.as_line() or ""
    assert said.startswith(f"{trajectories}: line 2: no task `nobody's`")
    assert "and 196 more" in said


def test_a_line_that_is_too_long_is_a_bad_line_of_its_number_and_the_rest_go_on(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "LONGEST", 2**20)
    tasks, trajectories = files
    trajectories.write_text(STRANGER + '{"task_id": "' + "x" * 2**22 + '"}\n' + STRANGER)
    judged = list(check(LIBRARY, tasks, trajectories))
    assert [(each.line, each.task_id) for each in judged] == [(1, "nobody's"), (2, None), (3, "nobody's")]
    assert judged[1].problem == "the line is longer than 1 MiB"


def test_a_line_may_be_as_long_as_is_said(files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LONGEST", len(STRANGER))
    files[1].write_text(STRANGER * 2 + STRANGER.replace("see", "seek"))
    assert ["longer" in (each.problem or "") for each in check(LIBRARY, *files)] == [False, False, True]


@pytest.mark.parametrize("form", ["over many lines", "in one line that is too long"])
def test_a_json_array_is_refused_with_what_to_do_before_any_verdict(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.setattr(lines, "LONGEST", 2**16)
    indent, count = (1, 2) if form == "over many lines" else (None, 2_000)
    files[1].write_text(json.dumps([json.loads(STRANGER)] * count, indent=indent))
    with pytest.raises(UserError, match=r"holds a JSON array: write each trajectory .* on a line of its own"):
        next(check(LIBRARY, *files))


def test_a_file_of_tasks_that_is_too_large_is_refused_with_what_to_do(
    files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_file, "_LARGEST", 20)
    files[1].write_text(STRANGER)
    with pytest.raises(UserError, match="of tasks; judge them in several files"):
        next(check(LIBRARY, *files))


def test_trajectories_may_come_through_a_pipe(files: tuple[Path, Path]) -> None:
    os.mkfifo(files[1])
    with subprocess.Popen(["sh", "-c", 'printf "%s" "$1" > "$0"', files[1], STRANGER * 3]) as writer:
        assert [each.line for each in check(LIBRARY, *files)] == [1, 2, 3]
    assert writer.returncode == 0
