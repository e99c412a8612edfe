"""The same calls give the same results, even where a result depends on where objects lie in memory."""

import ctypes
import os
import resource
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.environment.worlds import call, world
from toolscale.artifacts import CallOutcome
from toolscale.environment import Sandbox, Session, process

SOURCE = """
import datetime, enum
class Plain: pass
class Named:
    def __init__(self, name): self.name = name
def ids(db, note=""): return [id(object()), id(db), id(ids), id([]), id(Plain), id("x" * 300), hash(None), id(datetime)]
def texts(db, note=""): return [repr(Plain()), repr(object()), str(texts), repr(enum.sys.stdout)]
def orders(db, note=""): return [named.name for named in {Named(n) for n in range(40)}] + [
    each.__name__ for each in {Plain, Named, int, ids, texts, orders}
]
def keep(db, note=""):
    db["bookings"][note] = {"at": id(note), "all": [str(Plain()) for _ in range(5)]}
    return db["bookings"][note]
"""
LISTS = [
    [call("ids"), call("texts"), call("orders")],
    [call("keep", note="a" * 100), call("orders", note="b"), call("keep", note="c")],
    [call("orders"), *[call("keep", note=str(n)) for n in range(30)], call("ids")],
]


def _addresses_can_be_fixed() -> bool:
    libc: Any = ctypes.CDLL(None)
    before = libc.personality(ctypes.c_ulong(0xFFFFFFFF))
    allowed = libc.personality(ctypes.c_ulong(before | 0x0040000)) != -1
    libc.personality(ctypes.c_ulong(before))
    return bool(allowed)


pytestmark = pytest.mark.skipif(
    not _addresses_can_be_fixed(), reason="this system does not let address randomization be switched off"
)


@contextmanager
def _open_descriptors(count: int) -> Iterator[None]:
    with ExitStack() as stack:
        for _ in range(count):
            stack.callback(os.close, os.dup(0 if os.isatty(0) else 2))
        yield


@contextmanager
def _stack_limit(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_STACK, (size if hard == resource.RLIM_INFINITY else min(size, hard), hard))
    yield
    resource.setrlimit(resource.RLIMIT_STACK, (soft, hard))


def _outcomes() -> list[list[CallOutcome]]:
    with Sandbox(world(SOURCE)) as sandbox:
        replays = [sandbox.run(calls) for calls in LISTS]
    assert all(replay.ok for replay in replays), [replay.outcomes for replay in replays]
    return [list(replay.outcomes) for replay in replays]


def test_templates_on_odd_hosts_answer_alike(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    expected = _outcomes()
    for descriptors in (1, 7, 97, 203):
        with _open_descriptors(descriptors):
            assert _outcomes() == expected, f"{descriptors} more descriptors are open"
    for size in (3 << 20, 1 << 30):
        with _stack_limit(size):
            assert _outcomes() == expected, f"the stack may have {size} bytes"
    for letters in (1, 70, 200):
        monkeypatch.setenv("ODD", "x" * letters**2)
        folder = tmp_path / ("y" * letters)
        folder.mkdir()
        monkeypatch.chdir(folder)
        assert _outcomes() == expected, f"environment and working directory are {letters} letters longer"


def test_the_first_template_after_an_installation_answers_as_later_ones() -> None:
    expected = _outcomes()
    shutil.rmtree(Path(process.__file__).parent / "inside" / "__pycache__", ignore_errors=True)
    assert _outcomes() == expected


def test_what_a_template_was_asked_before_changes_no_result() -> None:
    with Sandbox(world(SOURCE)) as sandbox:
        first = [sandbox.run(calls) for calls in LISTS]
        for size in (0, 1, 17, 1000, 100_000, 3_000_000):
            sandbox.run([call("keep", note="z" * size)])
            sandbox.run([call("unknown"), call("ids", wrong=size), *[call("texts")] * (size % 50)])
            assert [sandbox.run(calls, fresh=True) for calls in LISTS] == first, size
        with ThreadPoolExecutor(6) as threads:
            at_once = list(threads.map(lambda calls: sandbox.run(calls, fresh=True), LISTS * 8))
        assert at_once == first * 8


def test_a_result_depends_on_the_calls_before_it_and_not_on_those_after() -> None:
    with Sandbox(world(SOURCE)) as sandbox:
        for calls in LISTS:
            whole = sandbox.run([*calls, call("keep", note="w" * 10_000)])
            for length in range(1, len(calls) + 1):
                assert sandbox.run(calls[:length]).outcomes == whole.outcomes[:length]


def test_a_call_answers_alike_whether_those_after_it_are_known_or_come_later() -> None:
    with Sandbox(world(SOURCE)) as sandbox:
        for calls in LISTS:
            session = Session(sandbox)
            played = [session.call(each.name, each.arguments) for each in calls]
            assert played == list(sandbox.run(calls, fresh=True).outcomes)
