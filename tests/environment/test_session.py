"""A session is its list of calls, whichever processes make them."""

import os
import signal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.environment.test_hostile_functions import REACH_OS
from tests.environment.worlds import TRAINS, call, world
from toolscale.artifacts.function import UnofferedFunction
from toolscale.environment import Limits, Sandbox, Session, sandbox
from toolscale.environment import waiting as pool
from toolscale.environment.process import Template
from toolscale.environment.trajectory import Trajectory

SOURCE = """
import uuid
def book(db, id):
    db['trains'][id]['seats'] -= 1
    return str(uuid.uuid4())
def hang(db):
    while True: pass
"""


def test_a_session_answers_as_one_batch_would() -> None:
    calls = [call("book", id="T1"), call("book", id="T9"), call("book", id="T1"), call("nope")]
    with Sandbox(world(SOURCE)) as sandbox:
        session = Session(sandbox)
        outcomes = tuple(session.call(each.name, each.arguments) for each in calls)
        assert session.replay == sandbox.run(calls)
        assert outcomes == session.replay.outcomes
        assert session.replay.changes == {("trains", "T1"): {**TRAINS["trains"]["T1"], "seats": -1}}


def test_a_session_that_made_no_call_changed_nothing() -> None:
    with Sandbox(world(SOURCE)) as sandbox:
        assert Session(sandbox).replay == sandbox.run([])


def test_after_a_hang_a_session_is_over_and_agrees_with_its_replay() -> None:
    with Sandbox(world(SOURCE), Limits(seconds=0.5)) as sandbox:
        session = Session(sandbox)
        session.call("book", {"id": "T1"})
        assert session.call("hang").error_type == "Timeout"
        assert session.call("book", {"id": "T1"}).error_type == "NotRun"
        judged = sandbox.run([call("book", id="T1"), call("hang"), call("book", id="T1")])
        assert judged == session.replay
        assert judged.changes.keys() == {("trains", "T1")}


def test_what_only_users_or_tasks_may_call_is_to_a_session_no_function_and_no_part_of_what_it_did() -> None:
    spec = world(SOURCE)
    book, hang = spec.functions
    users = UnofferedFunction(**book.model_dump(), caller="user")
    with Sandbox(spec.model_copy(update={"functions": [hang], "unoffered": [users]})) as sandbox:
        session = Session(sandbox)
        assert session.call("book", {"id": "T1"}) == sandbox.unknown(call("book", id="T1"))
        assert session.replay == sandbox.run([])
        assert sandbox.run([call("book", id="T1")]).ok, "a task may call it"


def test_a_session_refuses_endless_calls_and_agrees_with_its_replay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolscale.environment.session.MOST_CALLS", 3)
    with Sandbox(world(SOURCE)) as sandbox:
        session = Session(sandbox)
        for _ in range(3):
            assert session.call("book", {"id": "T1"}).ok
        for _ in range(2):
            refused = session.call("book", {"id": "T1"})
            assert (refused.error_type, refused.ok) == ("NotRun", False)
            assert "3 calls were made" in str(refused.error)
        assert session.replay.alive
        assert session.replay == sandbox.run([call("book", id="T1")] * 3)


WORLD = f"""{REACH_OS}
import random
kept, seen = [], []
def book(db, id): seen.append(id); db["trains"][id]["seats"] -= 1; return [random.random(), id_of(kept), *seen]
def id_of(value): return id(value)
def keep(db, id): kept.append(db["trains"][id]); return len(kept)
def change(db): kept[-1]["seats"] = len(seen)
def replace(db): db["trains"] = dict(db["trains"])
def fail(db): raise ValueError(len(seen))
def grow(db): seen.append(bytearray(40 << 20)); return len(seen)
def exit(db): _os()["_exit"](0)
def steal(db): return len(_os()["read"](4, 10))
def hang(db):
    while True: pass
"""
CALLS = [
    *(call(name, id=train) for name in ("book", "keep") for train in ("T1", "T2", "T9")),
    *(call(name) for name in ("change", "replace", "fail", "unknown")),
]


@pytest.fixture
def forks(monkeypatch):
    """How often a process was begun."""
    counted, fork = [], Template.fork
    monkeypatch.setattr(Template, "fork", lambda *given: counted.append(given) or fork(*given))
    return counted


def waiting() -> list[Trajectory]:
    """Those that wait for a call, of all sandboxes."""
    return list(sandbox._WAITING._kept.values())


def test_one_process_makes_all_calls_of_a_session_whatever_others_do(forks) -> None:
    with Sandbox(world(WORLD)) as opened:
        first, second = Session(opened), Session(opened)
        for each in CALLS:
            first.call(each.name, each.arguments)
        for each in reversed(CALLS):
            second.call(each.name, each.arguments)
        assert len(forks) == 2
        for session, calls in ((first, CALLS), (second, CALLS[::-1])):
            assert session.replay == opened.run(calls)  # remembered
            assert session.replay == opened.run(calls, fresh=True)


@settings(max_examples=25)
@given(moves=st.lists(st.tuples(st.integers(0, 2), st.sampled_from(CALLS)), max_size=12))
def test_sessions_that_begin_alike_and_part_ways_are_each_a_fresh_replay(opened: Sandbox, moves) -> None:
    sessions, made = [Session(opened) for _ in range(3)], ([], [], [])
    for number, each in moves:
        made[number].append(each)
        sessions[number].call(each.name, each.arguments)
    for session, calls in zip(sessions, made, strict=True):
        assert session.replay == opened.run(calls, fresh=True)


@pytest.fixture(scope="module")
def opened():
    with Sandbox(world(WORLD)) as opened:
        yield opened


def test_a_session_whose_process_is_lost_goes_on_in_another(forks) -> None:
    with Sandbox(world(WORLD)) as opened:
        session = Session(opened)
        session.call("book", {"id": "T1"})
        for each in waiting():
            os.kill(each._child.pid, signal.SIGKILL)
        assert session.call("book", {"id": "T1"}).result[2:] == ["T1", "T1"]
        assert len(forks) == 2


def test_a_process_that_has_grown_or_has_no_room_does_not_wait(forks) -> None:
    with Sandbox(world(WORLD)) as opened:
        before, large, long = waiting(), Session(opened), Session(opened)
        assert large.call("grow").result == 1
        assert waiting() == before
        assert large.call("book", {"id": "T1"}).error_type == "NotJson"
        assert len(forks) == 2
        text = "x" * 600_000
        for number in range(3):
            assert long.call("fail", {"note": text}).error_type == "TypeError", number
        assert len(forks) == 4


def test_the_process_of_a_session_that_is_gone_ends_when_the_next_one_waits() -> None:
    with Sandbox(world(WORLD)) as opened:
        first, second = Session(opened), Session(opened)
        first.call("keep", {"id": "T1"})
        (own,) = [each for each in waiting() if each._template is opened._template]
        del first
        second.call("keep", {"id": "T2"})
        assert own not in waiting()
        assert len([each for each in waiting() if each._template is opened._template]) == 1


@pytest.mark.parametrize(("limit", "soft", "most"), [("RLIMIT_NOFILE", 256, 16), ("RLIMIT_NPROC", 80, 10)])
def test_as_many_may_wait_as_the_process_has_files_and_processes_for(monkeypatch, limit, soft, most) -> None:
    real = pool.resource.getrlimit
    low = getattr(pool.resource, limit)
    monkeypatch.setattr(pool.resource, "getrlimit", lambda kind: (soft, soft) if kind == low else real(kind))
    assert pool.most_waiting.__wrapped__() == most


def test_no_more_wait_than_may(monkeypatch) -> None:
    monkeypatch.setattr(pool, "most_waiting", lambda: 2)
    with Sandbox(world(WORLD)) as opened:
        sessions = [Session(opened) for _ in range(5)]
        for turn in range(3):
            for number, session in enumerate(sessions):
                session.call("book", {"id": "T1"}), session.call("keep", {"id": f"T{number}"})
                assert len(waiting()) <= 2, turn
        for number, session in enumerate(sessions):
            calls = [call("book", id="T1"), call("keep", id=f"T{number}")] * 3
            assert session.replay == opened.run(calls, fresh=True)
    assert not [each for each in waiting() if each._template is opened._template]


@pytest.mark.parametrize("name", ["exit", "steal", "hang"])
def test_what_ends_a_process_ends_its_session_as_its_replay(name: str) -> None:
    with Sandbox(world(WORLD), Limits(seconds=0.5)) as opened:
        session, calls = Session(opened), [call("book", id="T1"), call(name), call("book", id="T1")]
        for each in calls:
            session.call(each.name, each.arguments)
        assert session.replay == opened.run(calls, fresh=True)
        assert [outcome.ok for outcome in session.replay.outcomes] == [True, False, False]
