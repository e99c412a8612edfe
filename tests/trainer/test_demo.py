"""The demo's tasks are tasks like all others, its dataset is the same every time, and its report says what happened."""

import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from toolscale.checkers import GateContext, run_gates
from toolscale.dataset.folder import read_rows
from toolscale.environment import Sandbox
from trainer.config import Config
from trainer.demo import shop
from trainer.demo.__main__ import PRESET
from trainer.demo.dataset import write_demo_dataset
from trainer.demo.model import SIGNATURES, TEMPLATE
from trainer.demo.report import CURVES, Report, _rates, write_report
from trainer.demo.screen import Screen
from trainer.grpo import TrainingResult
from trainer.tasks.data import read_exercises

TASKS = 80


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("demo") / "dataset"
    write_demo_dataset(made, count=TASKS)
    return made


def test_every_task_of_the_shop_passes_every_program_gate():
    environment = shop.environment()
    proposed = shop.tasks(environment, 60)
    assert {task.intent for task in proposed} == {"last_day", "keep_longer", "move", "send_back"}
    with Sandbox(environment) as sandbox:
        context = GateContext(sandbox)
        for task in proposed:
            assert [gate.gate for gate in run_gates(task, context) if not gate.passed] == [], task.instruction


def test_the_models_template_tells_every_function_with_its_parameters(tokenizer):
    system = [{"role": "system", "content": "Help."}]
    template = SIGNATURES + TEMPLATE.read_text()
    told = tokenizer.apply_chat_template(
        system, tools=shop.environment().tools(), chat_template=template, tokenize=False
    )
    assert "move(parcel: string, locker: string): Move a parcel to another locker.\n" in told
    assert [function.name for function in shop.environment().functions] == re.findall(r"^(\w+)\(", told, re.MULTILINE)


def test_the_shop_has_the_tasks_that_the_demo_wants_and_no_more_than_it_has():
    environment = shop.environment()
    assert len({task.id for task in shop.tasks(environment, 1500)}) == 1500
    with pytest.raises(ValueError, match="the shop has"):
        shop.tasks(environment, 1_000_000)


def test_the_dataset_is_the_same_every_time(folder, tmp_path):
    write_demo_dataset(tmp_path / "again", count=TASKS)
    files = sorted(path.relative_to(folder) for path in folder.rglob("*.parquet"))
    assert files
    for file in files:
        assert (tmp_path / "again" / file).read_bytes() == (folder / file).read_bytes(), file


def test_another_seed_is_another_shop(folder, tmp_path):
    write_demo_dataset(tmp_path / "other", seed=1, count=TASKS)
    assert read_exercises(folder, Config.read(PRESET).data, 0) != read_exercises(
        tmp_path / "other", Config.read(PRESET).data, 0
    )


def test_every_kept_task_has_a_trajectory_that_ends_with_what_the_user_wants_to_know(folder):
    exercises = read_exercises(folder, Config.read(PRESET).data, 0)
    wanted = {each.task.id: each.task.communicate_info for each in (*exercises.train, *exercises.held_out)}
    told = {row["task_id"]: row["messages"][-1]["content"] for _, row in read_rows(folder, "trajectories")}
    assert told == {task: f"Done: {', '.join(facts)}." for task, facts in wanted.items()}
    assert exercises.held_out


def step(number: int, solved: float, **more: float) -> dict:
    seconds = {"rollouts": 3.0, "update": 4.0, "weights": 1.0, "step": 8.0}
    figures = {"rollouts": 32.0, "reward_mean": solved, "solved": solved, "sampled_tokens": 70.0}
    return {"kind": "train", "step": number, "seconds": seconds, **figures, **more}


def test_the_report_has_the_figures_and_a_curve_for_each(tmp_path):
    rates = [{"pass_rate": rate, "low": rate - 0.05, "high": rate + 0.05} for rate in (0.1, 0.4, 0.7)]
    # A step without an update has no entropy and no mismatch.
    lines = [
        {"kind": "sft", "step": 1, "seconds": {}, "loss": 0.8},
        step(1, 0.4, entropy=0.2, mismatch_kl=1e-3),
        step(2, 0),
        {"kind": "evaluation", "step": 2, "seconds": {}, **rates[2], "temperature": 0.6},
    ]
    settings = Config.read(PRESET, {"seed": 7})
    report = Report(settings, 123.45, *rates, lines)
    write_report(report, tmp_path)
    assert "temperature 0.6" in _rates(report).axes[0].get_xlabel()
    assert json.loads((tmp_path / "report.json").read_text()) == {
        "seed": 7,
        "dtype": settings.model.dtype,
        "seconds": 123.5,
        "raw": rates[0],
        "before": rates[1],
        "after": rates[2],
        "steps": 2,
        "trajectories_per_second": 4.0,
    }
    page = (tmp_path / "report.html").read_text()
    assert page.count("data:image/png;base64,iVBOR") == 2
    assert "0.400" in page
    assert [value(lines[1]) for _, value in CURVES.values()] == [0.4, 0.4, 1e-3, 0.2, 70.0, 280.0]
    # Means are over the rollouts that count.
    assert CURVES["speed"][1](step(1, 0.4, user_error=8.0, environment_error=4.0)) == 175.0


def test_where_the_checkpoint_was_not_evaluated_as_it_came_the_report_has_no_row_of_it(tmp_path):
    rates = {"pass_rate": 0.4, "low": 0.3, "high": 0.5}
    lines = [step(1, 0.4), {"kind": "evaluation", "step": 1, "seconds": {}, **rates}]
    result = TrainingResult("model", "checkpoint", "version", 1, before=rates, after=rates)
    write_report(Report.of(Config.read(PRESET), result, lines, 1.0), tmp_path)
    assert json.loads((tmp_path / "report.json").read_text())["raw"] is None
    page = (tmp_path / "report.html").read_text()
    assert page.count("<td>0.400</td>") == 2
    assert "as it came" not in page


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_the_first_lines_say_what_is_computed_in(dtype):
    terminal = io.StringIO()
    Screen(terminal).title(Config.read(PRESET, {"model.dtype": dtype}))
    assert f"in {dtype}" in terminal.getvalue()


def screened(log: Path, then: str) -> "subprocess.CompletedProcess[str]":
    """A process that prints aside, says something on the terminal, and ends in that way."""
    program = f"""
import atexit, os, pathlib
from trainer.demo.screen import aside
atexit.register(lambda: os.write(2, b"leaked"))
with aside(pathlib.Path({str(log)!r})) as terminal:
    os.write(1, b"loading"); os.write(2, b"warning")
    terminal.write("told")
    {then}
"""
    return subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True)


def test_what_libraries_print_goes_to_the_log_until_the_interpreter_has_ended(tmp_path):
    ended = screened(tmp_path / "log", "pass")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "told", "")
    assert (tmp_path / "log").read_text() == "loadingwarningleaked"


def test_what_went_wrong_is_seen_on_the_terminal(tmp_path):
    ended = screened(tmp_path / "log", "raise SystemError('broken')")
    assert ended.returncode == 1
    assert ended.stdout == f"toldIt did not end well; what was said is in {tmp_path / 'log'}\n"
    assert "SystemError: broken" in ended.stderr
