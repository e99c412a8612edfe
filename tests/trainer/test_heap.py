"""What is freed stays, so that the next micro-batch has it at once."""

import os
import subprocess
import sys

import pytest

from trainer.heap import keep_freed

PIECES = """
import resource
from trainer.heap import keep_freed

def pages_had():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

keep_freed()
for _ in range(2):
    before = pages_had()
    pieces = [b"x" * (64 << 20) for _ in range(4)]
    pieces.clear()
print((pages_had() - before) * resource.getpagesize())
"""


def had_anew(**variables: str) -> int:
    """Bytes of pages that a process takes from the system to hold 256 MiB for the second time."""
    own = ("MALLOC_", "GLIBC_TUNABLES")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(own)} | variables
    ended = subprocess.run([sys.executable, "-c", PIECES], capture_output=True, text=True, check=True, env=environment)
    return int(ended.stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's")
def test_what_was_freed_is_had_again_without_a_new_page() -> None:
    assert had_anew() < 1 << 20


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's")
@pytest.mark.parametrize(
    "variables",
    [{"MALLOC_MMAP_THRESHOLD_": "1048576"}, {"GLIBC_TUNABLES": "glibc.malloc.mmap_threshold=1048576"}],
)
def test_what_the_environment_says_of_it_holds(variables: dict[str, str]) -> None:
    assert had_anew(**variables) > 200 << 20


@pytest.mark.skipif(sys.platform != "linux", reason="glibc's")
def test_another_choice_of_the_environment_changes_nothing_of_it() -> None:
    assert had_anew(MALLOC_ARENA_MAX="2") < 1 << 20


def test_another_c_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trainer.heap.ctypes.CDLL", lambda _: object())
    keep_freed()
