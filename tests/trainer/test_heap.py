"""Free memory goes back to the system."""

import subprocess
import sys

import pytest

from trainer.heap import trim

PIECES = """
import resource
from trainer.heap import trim

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()

del_me = b"x" * (8 << 20)
del del_me  # glibc takes pieces of this size from its heap from now on
pieces = [b"x" * (4 << 20) for _ in range(64)]
last = pieces.pop()
pieces.clear()
held = resident()
trim()
print(held - resident(), len(last))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc, and glibc")
def test_what_lies_below_a_piece_in_use_is_given_back() -> None:
    ended = subprocess.run([sys.executable, "-c", PIECES], capture_output=True, text=True, check=True)
    given_back, still_there = map(int, ended.stdout.split())
    assert given_back > 200 << 20
    assert still_there == 4 << 20


def test_another_c_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trainer.heap.ctypes.CDLL", lambda _: object())
    trim()
