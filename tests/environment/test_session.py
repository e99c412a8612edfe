"""A session is its list of calls."""

import pytest

from tests.environment.worlds import TRAINS, call, world
from toolscale.environment import Limits, Sandbox, Session

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
