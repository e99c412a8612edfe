"""What waits for another end that is gone holds up nobody: neither the error's sentence nor the end of the process."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

from trainer.distributed import in_daemon

HANGS = """
import asyncio, threading
from trainer.distributed import in_daemon

async def dies():
    raise OSError("the server is gone")

async def main():
    await asyncio.gather(dies(), in_daemon(threading.Event().wait))

try:
    asyncio.run(main())
except OSError as error:
    print(error)
"""


def test_where_the_other_end_dies_the_error_comes_at_once_and_the_process_ends():
    command, root = [sys.executable, "-c", HANGS], Path(__file__).parents[2]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "the server is gone\n"


def test_what_comes_back_and_what_is_raised_are_those_of_the_work():
    assert asyncio.run(in_daemon(lambda: 7)) == 7
    with pytest.raises(ZeroDivisionError):
        asyncio.run(in_daemon(lambda: 1 // 0))
