"""`toolscale audit`: every gate counted honestly."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.checkers.conftest import LIBRARY, RENEWAL, call, task_of
from tests.checkers.test_gates import attempt
from toolscale.artifacts import Attempt, Task
from toolscale.dataset import About, read_dataset, write_dataset
from toolscale.dataset.audit import audit
from toolscale.environment import load_environment
from toolscale.errors import UserError

IDLE = task_of(call("get_member", member_id="M-1"), says="Look up M-1").model_copy(update={"id": "idle"})
BROKEN = task_of(call("get_member")).model_copy(update={"id": "broken"})
BARE = task_of(*RENEWAL.golden_calls, info=("12.50",)).model_copy(update={"id": "bare"})


def renewal(name: str, small_talk: str, *attempts: Attempt) -> Task:
    """The renewal with more words, so that it is not the same task again."""
    scenario = RENEWAL.user_scenario
    assert scenario is not None
    instructions = scenario.instructions.model_copy(update={"task_instructions": small_talk})
    talking = scenario.model_copy(update={"instructions": instructions})
    return RENEWAL.model_copy(update={"id": name, "user_scenario": talking, "attempts": list(attempts)})


TRIED = renewal("tried", "I read slowly, and my cat ate a page.", attempt(0, False), attempt(1, True))
FAILED = renewal("failed", "It rained all week, so there was no way for me to come by.", attempt(0, False))


def library_with(folder: Path, tasks: list[Task], beside: bool = False) -> Path:
    environment = folder / "library"
    shutil.copytree(LIBRARY, environment)
    rows = [task.model_dump(mode="json") for task in tasks]
    ((folder if beside else environment) / "tasks.json").write_text(json.dumps(rows))
    return environment


def test_the_report_counts_gates_agents_and_mutants(tmp_path: Path) -> None:
    report = audit(library_with(tmp_path, [RENEWAL, IDLE, BROKEN, BARE, TRIED, FAILED])).as_json()
    parts = {"tasks", "passed", "gates", "agents", "inaction", "mutation", "failures", "misplaced_trajectories"}
    assert set(report) == parts
    assert (report["tasks"], report["passed"]) == (6, 3)
    assert report["gates"] == {
        "replay": {"passed": 5, "failed": 1},
        "grounded": {"passed": 4, "failed": 0},
        "acts": {"passed": 4, "failed": 1},
        "discriminates": {"passed": 5, "failed": 0},
        "no_leak": {"passed": 4, "failed": 0},
        "answered": {"passed": 4, "failed": 0},
        "policy": {"passed": 0, "failed": 0},
        "consistent": {"passed": 4, "failed": 0},
        "pass_at_8": {"passed": 1, "failed": 1},
        "ambiguous": {"passed": 0, "failed": 0},
        "distinct": {"passed": 4, "failed": 0},
    }
    assert report["agents"] == {"null": 1, "read_only": 1, "hand_over": 1, "recite": 1}
    assert report["inaction"]["both"] == 1, "the idle task, and those that are broken are not right by the database"
    assert report["mutation"]["killed"] == report["mutation"]["total"] > 30
    assert [(failure["task_id"], failure["gate"]) for failure in report["failures"]] == [
        ("idle", "acts"),
        ("broken", "replay"),
        ("failed", "pass_at_8"),
    ]
    assert all(failure["reasons"] for failure in report["failures"])


def test_tasks_may_lie_beside_the_environment(tmp_path: Path) -> None:
    assert audit(library_with(tmp_path, [RENEWAL], beside=True)).as_json()["passed"] == 1


def test_a_dataset_is_audited_like_the_environments_it_was_made_of(tmp_path: Path) -> None:
    dataset = tmp_path / "dataset"
    write_dataset(
        dataset,
        tasks=[TRIED, FAILED],
        environments=[load_environment(LIBRARY)],
        trajectories=[],
        rejects=[],
        rejected=[],
        about=About(),
    )
    report = audit(dataset).as_json()
    assert (report["tasks"], report["passed"]) == (2, 1)
    assert report["gates"]["replay"] == {"passed": 2, "failed": 0}
    assert [(failure["task_id"], failure["gate"]) for failure in report["failures"]] == [("failed", "pass_at_8")]


def test_two_environments_of_one_domain_are_each_audited_with_their_own_tasks(tmp_path: Path) -> None:
    """As where two datasets were merged: neither library has the loan that the other's task is about."""
    database = json.loads((LIBRARY / "database.json").read_text())
    database["loans"]["L-99"] = database["loans"].pop("L-10")
    first = load_environment(LIBRARY)
    second = first.model_copy(update={"database": database})
    theirs = task_of(call("renew_loan", loan_id="L-99", due="2026-12-24"), says="Renew L-99 until 2026-12-24")
    theirs = theirs.model_copy(update={"id": "theirs"})
    for name, environment, task in (("a", first, TRIED), ("b", second, theirs)):
        write_dataset(
            tmp_path / name,
            tasks=[task],
            environments=[environment],
            trajectories=[],
            rejects=[],
            rejected=[],
            about=About(),
        )
    for config in ("tasks", "environments"):
        for file in (tmp_path / "b" / config).glob("*.parquet"):
            shutil.copy(file, tmp_path / "a" / config / f"more-{file.name}")
    played = {task.id: environment.database for task, environment in read_dataset(tmp_path / "a")}
    assert played == {"tried": first.database, "theirs": database}
    report = audit(tmp_path / "a").as_json()
    assert (report["tasks"], report["passed"]) == (2, 2)


def test_a_task_whose_environment_is_not_there_is_named(tmp_path: Path) -> None:
    write_dataset(
        tmp_path / "d",
        tasks=[TRIED],
        environments=[load_environment(LIBRARY)],
        trajectories=[],
        rejects=[],
        rejected=[],
        about=About(),
    )
    (file,) = (file for file in (tmp_path / "d" / "tasks").glob("*.parquet") if pq.read_metadata(file).num_rows)
    rows = pq.read_table(file)
    column = rows.schema.get_field_index("environment")
    pq.write_table(rows.set_column(column, "environment", [["another"]]), file)
    with pytest.raises(UserError, match="no environment `another`, where task tried plays"):
        audit(tmp_path / "d")


def test_a_task_with_too_many_golden_calls_fails_its_gate_and_ends_no_other_audit(tmp_path: Path) -> None:
    endless = task_of(*[call("get_member", member_id="M-1")] * 1001).model_copy(update={"id": "endless"})
    report = audit(library_with(tmp_path, [endless, RENEWAL])).as_json()
    assert (report["tasks"], report["passed"]) == (2, 1)
    (failure,) = report["failures"]
    assert (failure["task_id"], failure["gate"]) == ("endless", "replay")
    (reason,) = failure["reasons"]
    assert "1,001 calls, over the sandbox's 1,000" in reason


def test_a_near_duplicate_of_another_task_is_named(tmp_path: Path) -> None:
    report = audit(library_with(tmp_path, [RENEWAL.model_copy(update={"id": "again"}), RENEWAL])).as_json()
    assert [(failure["task_id"], failure["gate"]) for failure in report["failures"]] == [("library-1", "distinct")]
    assert "near-duplicate of again" in report["failures"][0]["reasons"][0]


def test_progress_hears_of_every_task(tmp_path: Path) -> None:
    heard: list[tuple[int, int]] = []
    audit(library_with(tmp_path, [RENEWAL, IDLE]), lambda done, total: heard.append((done, total)))
    assert heard == [(1, 2), (2, 2)]


def test_a_path_that_is_neither_says_what_is_expected(tmp_path: Path) -> None:
    shutil.copytree(LIBRARY, tmp_path / "without_tasks")
    for path, expected in [(tmp_path / "nowhere", "no such folder"), (tmp_path, "parquet")]:
        with pytest.raises(UserError, match=expected):
            audit(path)
    with pytest.raises(UserError, match=r"put a tasks\.json"):
        audit(tmp_path / "without_tasks")


def run_audit(*arguments: Any) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "toolscale.cli", "audit", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_the_command_prints_json_alone_or_tables(tmp_path: Path) -> None:
    environment = library_with(tmp_path, [RENEWAL, IDLE])
    done = run_audit(environment, "--json")
    assert done.returncode == 0
    printed = json.loads(done.stdout)
    assert printed.pop("hidden_inputs") == [{"domain": "library", "clock": [], "chance": [], "not_reached": ["hang"]}]
    assert printed == audit(environment).as_json()
    shown = run_audit(environment).stdout
    assert "1 of 2 tasks pass" in shown
    assert "idle fails acts" in shown


def test_the_command_says_what_is_wrong_and_exits_with_2(tmp_path: Path) -> None:
    done = run_audit(tmp_path / "nowhere", "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1


def test_numbers_beyond_every_float_are_audited_like_others(tmp_path: Path) -> None:
    large = 10**400
    task = task_of(call("add_note", loan_id="L-10", note=large), says=f"Note {large} on my loan L-10, please")
    assert audit(library_with(tmp_path, [task])).tasks[0].passed


def test_what_solved_attempts_found_is_grounded_in_an_audit_as_it_was_when_the_task_was_kept(tmp_path: Path) -> None:
    found = task_of(call("pay_fine", member_id="M-1", amount=7), says="I am M-1. Pay what I always pay.")
    twice = found.model_copy(
        update={"id": "twice", "attempts": [attempt(0, True), attempt(1, False), attempt(2, True)]}
    )
    once = found.model_copy(update={"id": "once", "attempts": [attempt(0, True), attempt(1, False)]})
    report = audit(library_with(tmp_path, [twice, once])).as_json()
    assert report["gates"]["grounded"] == {"passed": 1, "failed": 1}
    assert [failure["task_id"] for failure in report["failures"] if failure["gate"] == "grounded"] == ["once"]
