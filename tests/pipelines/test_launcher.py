"""A run is dead when its process is; one that goes on with a dead one spends the same budget."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator

import dagster as dg
import pytest
from dagster._core.events import EngineEventData
from dagster._core.launcher import WorkerStatus
from dagster._core.storage.tags import RETRY_NUMBER_TAG
from dagster._core.utils import make_new_run_id

import pipelines.launcher
from pipelines.factory import paying_run
from pipelines.jobs import generate
from pipelines.launcher import CLOCK_SET_BY, LocalRunLauncher, process_began
from pipelines.tags import AGAIN_BY_ITSELF


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as opened:
        yield opened


def recorded(instance: dg.DagsterInstance, parent: dg.DagsterRun | None = None, **tags: str) -> dg.DagsterRun:
    family = {"parent_run_id": parent.run_id, "root_run_id": parent.root_run_id or parent.run_id} if parent else {}
    return instance.add_run(dg.DagsterRun("generate", make_new_run_id(), tags=tags, **family))


def health(instance: dg.DagsterInstance, *processes: int) -> WorkerStatus:
    """What the daemon is told of a run of which these processes were recorded."""
    run, launcher = recorded(instance), LocalRunLauncher()
    launcher.register_instance(instance)
    instance.report_engine_event("nobody in particular", run)
    for process in processes:
        instance.report_engine_event("at work", run, EngineEventData.in_process(process))
    return launcher.check_run_worker_health(run).status


@pytest.fixture
def ended() -> int:
    """A process that was there."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    return process.pid


def test_a_run_is_running_while_its_process_is_there(instance):
    assert health(instance, os.getpid()) is WorkerStatus.RUNNING


def test_a_run_whose_process_has_died_is_not_found(instance, ended):
    assert health(instance, ended) is WorkerStatus.NOT_FOUND


def test_the_process_of_a_step_does_not_stand_for_that_of_the_run(instance, ended):
    assert health(instance, os.getpid(), ended) is WorkerStatus.RUNNING
    assert health(instance, ended, os.getpid()) is WorkerStatus.NOT_FOUND


def test_a_run_that_has_not_said_which_process_it_is_is_left_alone(instance):
    assert health(instance) is WorkerStatus.RUNNING


def test_a_process_that_has_ended_and_that_nobody_has_waited_for_is_not_there():
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert abs(process_began(process.pid) - time.time()) < 60
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert process_began(process.pid) is None
    process.communicate()


@pytest.mark.parametrize(
    ("later", "status"), [(CLOCK_SET_BY + 60, WorkerStatus.NOT_FOUND), (CLOCK_SET_BY - 60, WorkerStatus.RUNNING)]
)
def test_another_process_with_the_number_of_the_dead_one_does_not_stand_for_it(instance, monkeypatch, later, status):
    monkeypatch.setattr(pipelines.launcher, "process_began", lambda pid: time.time() + later)
    assert health(instance, os.getpid()) is status


def test_a_run_that_goes_on_with_a_dead_one_spends_its_budget_and_one_begun_by_hand_its_own(instance):
    first = recorded(instance)
    by_hand = recorded(instance, first)
    second = recorded(instance, by_hand, **{RETRY_NUMBER_TAG: "2"})
    third = recorded(instance, second, **{RETRY_NUMBER_TAG: "3"})
    spent = [paying_run(each, instance) for each in (first, by_hand, second, third)]
    assert spent == [first.run_id, by_hand.run_id, by_hand.run_id, by_hand.run_id]


def test_a_run_whose_dead_predecessor_was_deleted_spends_its_own_budget(instance):
    first = recorded(instance)
    second = recorded(instance, first, **{RETRY_NUMBER_TAG: "1"})
    instance.delete_run(first.run_id)
    assert paying_run(second, instance) == second.run_id


def test_a_domain_is_gone_on_with_when_its_run_has_died():
    assert AGAIN_BY_ITSELF.items() <= generate.tags.items()
