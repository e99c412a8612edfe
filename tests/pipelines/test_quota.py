"""A wanted number of tasks through the whole chain: the command ends with it, or says what is missing and goes on."""

import json
from pathlib import Path

import pytest

from tests.pipelines.test_budget import toolscale
from toolscale.dataset import read_dataset

pytestmark = pytest.mark.slow

WANTED = ("weather", "--model", "offline/reference", "--keep", "12", "--pass-rate", "0.2:0.8", "--golden-calls", "2:8")


def test_a_run_that_keeps_too_few_says_so_writes_them_and_is_gone_on_with(tmp_path: Path):
    stopped = toolscale(tmp_path, "synthesize", *WANTED, "--max-calls", "620", "--json")
    assert stopped.returncode == 3, stopped.stderr
    said = json.loads(stopped.stdout)["domains"]["weather"]
    assert 0 < said["kept"] < 12
    sentence = f"{said['kept']} of 12 wanted tasks with a pass rate of 0.2 to 0.8 and 2 to 8 golden calls: "
    assert said["short"].startswith(f"{sentence}the budget is spent (max_calls is 620)")
    assert len(list(read_dataset(tmp_path / "data/datasets/weather"))) == said["kept"]
    done = toolscale(tmp_path, "synthesize", *WANTED, "--json")
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)["domains"]["weather"]
    assert (figures["kept"], "short" in figures) == (12, False)
    assert figures["proposed"] == figures["kept"] + sum(figures["rejected"].values())
    kept = [task for task, _ in read_dataset(tmp_path / "data/datasets/weather")]
    assert all(0.2 <= task.pass_rate <= 0.8 and 2 <= len(task.golden_calls) <= 8 for task in kept)
    audited = toolscale(tmp_path, "audit", "data/datasets/weather", "--json")
    assert audited.returncode == 0, audited.stderr
    again = toolscale(tmp_path, "synthesize", *WANTED, "--max-calls", "0", "--json")
    assert (again.returncode, json.loads(again.stdout)["domains"]) == (0, json.loads(done.stdout)["domains"])


def test_where_nothing_can_be_kept_one_line_says_why(tmp_path: Path):
    hopeless = (*WANTED[:-1], "40:50")
    ended = toolscale(tmp_path, "synthesize", *hopeless)
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr
    assert "tasks passed the gates" in ended.stderr
    assert "0 of 12 wanted tasks" in ended.stderr
