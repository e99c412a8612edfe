"""One run at a time makes a domain; whoever comes second is told so, and a run that died is in nobody's way."""

import os
import signal
import subprocess
import sys

import dagster as dg
import pytest

from pipelines.alone import alone
from pipelines.definitions import definitions
from pipelines.factory import Factory
from pipelines.run import run, run_few
from pipelines.run_config import RunConfig
from toolscale.errors import UserError
from toolscale.reference.domain import reference_domain
from toolscale.settings import Settings

HOLDS = (
    "import sys, time\n"
    "from pipelines.alone import alone\n"
    "with alone(sys.argv[1], ['railway', 'zoo']):\n"
    "    print('held', flush=True)\n"
    "    time.sleep(60)\n"
)


@pytest.fixture
def holder(tmp_path):
    """Another process that makes `railway` and `zoo`."""
    with subprocess.Popen([sys.executable, "-c", HOLDS, str(tmp_path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_a_second_run_of_a_domain_is_refused_in_one_line_and_one_of_another_is_not(tmp_path, holder):
    with alone(str(tmp_path), ["medicine"]):
        pass
    said = r"^another run is making `zoo` in .*; wait for it, or stop it$"
    with pytest.raises(UserError, match=said), alone(str(tmp_path), ["medicine", "zoo"]):
        pass
    with alone(str(tmp_path), ["medicine"]):
        pass


def test_a_run_that_was_killed_holds_nothing(tmp_path, holder):
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    with alone(str(tmp_path), ["railway", "zoo"]):
        pass


def test_commands_leave_a_domain_alone_that_another_run_makes(tmp_path, holder):
    factory = Factory.of(Settings(data_root=str(tmp_path)), model="offline/reference")
    with dg.DagsterInstance.ephemeral() as instance:
        with pytest.raises(UserError, match="another run is making `railway`"):
            run([reference_domain(name).domain for name in ("medicine", "railway")], factory, instance=instance)
        with pytest.raises(UserError, match="another run is making `railway`"):
            run_few(reference_domain("railway").domain, factory, instance=instance)
        assert not instance.get_runs()
    assert [path.name for path in tmp_path.iterdir()] == ["made"]


def launched(instance, root, **tags):
    """A run of the asset `domain`, as the UI launches it."""
    instance.add_dynamic_partitions("domain", ["railway"])
    job = definitions(RunConfig(), str(root)).resolve_implicit_global_asset_job_def()
    ran = job.execute_in_process(
        instance=instance, asset_selection=[dg.AssetKey("domain")], tags=tags, raise_on_error=False
    )
    return ran.success, "".join(str(entry.dagster_event) for entry in instance.all_logs(ran.run_id))


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOOLSCALE_DATA_ROOT", str(tmp_path))
    return tmp_path


def test_a_run_of_dagsters_is_refused_too_and_says_why(root, holder):
    with dg.DagsterInstance.ephemeral() as instance:
        succeeded, said = launched(instance, root, **{"dagster/partition": "railway"})
        assert not succeeded
        assert "another run is making `railway`" in said
        assert not (root / "assets").exists()
        holder.kill()
        holder.wait()
        assert launched(instance, root, **{"dagster/partition": "railway"})[0]


def test_a_run_over_a_range_of_partitions_which_no_queue_could_hold_writes_nothing(root):
    ends = {f"dagster/asset_partition_range_{end}": "railway" for end in ("start", "end")}
    with dg.DagsterInstance.ephemeral() as instance:
        assert not launched(instance, root, **ends)[0]
    assert not (root / "assets").exists()


def test_in_object_storage_nothing_is_locked():
    with alone("memory://store", ["railway"]), alone("memory://store", ["railway"]):
        pass
