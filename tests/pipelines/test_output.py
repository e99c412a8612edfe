"""What a run printed is behind the tabs of its page for some days, and a command's stays in its terminal."""

import os
import shutil
import time
from pathlib import Path

import dagster as dg
import pytest

from pipelines.output import DAY, forget_old, in_a_terminal

INSTANCE = Path(__file__).parents[2] / "dagster.yaml"


@pytest.fixture
def instance(tmp_path, monkeypatch):
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path))
    shutil.copy(INSTANCE, tmp_path)
    with dg.DagsterInstance.from_config(str(tmp_path)) as made:
        yield made


@dg.op
def prints():
    print("said by a step")


@dg.job(executor_def=dg.in_process_executor)
def printing():
    prints()


def printed(instance, run_id):
    """What the run's page shows as *stdout*; nothing where there is nothing to show."""
    captured = [each.dagster_event for each in instance.all_logs(run_id, of_type=dg.DagsterEventType.LOGS_CAPTURED)]
    keys = [[run_id, "compute_logs", event.logs_captured_data.file_key] for event in captured]
    return b"".join(instance.compute_log_manager.get_log_data(key).stdout or b"" for key in keys).decode()


def test_what_a_process_printed_is_where_the_runs_page_looks_for_it(instance, tmp_path):
    run = printing.execute_in_process(instance=instance)
    assert printed(instance, run.run_id) == "said by a step\n"
    assert (tmp_path / "output" / run.run_id).is_dir()


def test_a_command_keeps_its_terminal(instance, capsys, tmp_path):
    with in_a_terminal():
        run = printing.execute_in_process(instance=instance)
    assert printed(instance, run.run_id) == ""
    assert "said by a step" in capsys.readouterr().out
    assert not (tmp_path / "output").exists()


def test_old_output_is_looked_for_once_a_day(instance, tmp_path):
    folder = tmp_path / "output"

    def left_by_a_run(name):
        (folder / name).mkdir(parents=True)
        os.utime(folder / name, (0, 0))
        printing.execute_in_process(instance=instance)
        return (folder / name).exists()

    assert not left_by_a_run("first")
    assert left_by_a_run("second")
    yesterday = time.time() - DAY - 1
    os.utime(folder / ".looked", (yesterday, yesterday))
    assert not left_by_a_run("third")


def test_it_goes_when_nothing_was_written_for_long(tmp_path):
    now = time.time()
    for run, days in (("old", 31), ("new", 29)):
        (tmp_path / run / "compute_logs").mkdir(parents=True)
        (tmp_path / run / "compute_logs" / "a.out").write_text(run)
        for written in (tmp_path / run / "compute_logs" / "a.out", tmp_path / run):
            os.utime(written, (now - days * DAY,) * 2)
    forget_old(tmp_path, now - 30 * DAY)
    assert [left.name for left in tmp_path.iterdir()] == ["new"]
    forget_old(tmp_path / "nothing yet", now)
