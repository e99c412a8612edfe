"""What is handed to vLLM in files leaves nothing in memory, whatever becomes of the process that wrote it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

from trainer.rollout import memory_folder
from trainer.rollout.memory_folder import MemoryFolder

HOLDS = """
import sys, time
from pathlib import Path
from trainer.rollout import memory_folder
from trainer.rollout.memory_folder import MemoryFolder

memory_folder._MEMORY = Path(sys.argv[1])
folder = MemoryFolder(10)
(folder.path / "piece").write_bytes(b"x")
print(folder.path, flush=True)
time.sleep(60)
"""


@pytest.fixture(autouse=True)
def memory(tmp_path, monkeypatch):
    """A folder that stands for `/dev/shm`."""
    monkeypatch.setattr(memory_folder, "_MEMORY", tmp_path)
    return tmp_path


@pytest.fixture
def other(memory):
    """Another process that has a folder there, and that folder."""
    command, root = [sys.executable, "-c", HOLDS, str(memory)], Path(__file__).parents[2]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as process:
        yield process, Path(process.stdout.readline().strip())
        process.kill()


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGKILL])
def test_what_a_killed_process_left_is_gone_once_another_one_begins(by, other, memory):
    process, left = other
    with MemoryFolder(10) as mine:
        assert sorted(memory.iterdir()) == sorted([mine, left]), "nobody removes what is in use"
    os.kill(process.pid, by)
    process.wait()
    assert (left / "piece").exists()
    with MemoryFolder(10) as mine:
        assert list(memory.iterdir()) == [mine]
    assert not list(memory.iterdir())


def test_a_folder_that_another_process_takes_for_a_left_one_before_it_is_locked_is_not_used(memory, monkeypatch):
    locked, taken = memory_folder.locked, []

    def too_late(folder):
        if not taken:
            taken.append(folder)
            memory_folder._remove_left()
        return locked(folder)

    monkeypatch.setattr(memory_folder, "locked", too_late)
    with MemoryFolder(10) as mine:
        assert [mine] == list(memory.iterdir())
        assert mine not in taken


def test_where_memory_has_no_room_the_folder_is_on_the_disk(memory, monkeypatch, tmp_path_factory):
    disk = tmp_path_factory.mktemp("disk")
    monkeypatch.setattr(memory_folder.tempfile, "tempdir", str(disk))
    with MemoryFolder(2**60) as mine:
        assert mine.parent == disk
