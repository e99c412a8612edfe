"""What a call returns, what an error says, and that a sandbox serves many threads and survives losses."""

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.environment.worlds import TRAINS, call, world
from toolscale.artifacts import GoldenCall
from toolscale.environment import PRELOADED_MODULES, Limits, Sandbox, diff, process, state_differences
from toolscale.environment.process import ALLOW_UNSANDBOXED
from toolscale.errors import UserError

SOURCE = """
from __future__ import annotations
import datetime, decimal, enum, re
from collections.abc import Iterable
from dataclasses import dataclass

LIMIT = 3
_seen = []

class Status(str, enum.Enum):
    OPEN = "open"

@dataclass
class Seat:
    number: int

class NotFound(Exception):
    pass

def _train(db, id):
    try:
        return db["trains"][id]
    except KeyError:
        raise NotFound(f"train {id} is unknown") from None

def echo(db, value): return value
def get(db, id): return _train(db, id)
def raw(db, id): return db["trains"][id]
def book(db, id, seats=1):
    train = _train(db, id)
    train["seats"] -= seats
    if train["seats"] < 0:
        raise ValueError("not enough seats")
    return train
def status(db): return {"status": Status.OPEN, "seat": Seat(3).number, "pair": (1, 2), 5: None}
def remember(db, value): _seen.append(value); return _seen
def when(db): return datetime.datetime.now()
def odd_record(db): db["trains"]["T1"].update(at=datetime.datetime.now(), p=decimal.Decimal("1.50"))
def deep(db, levels):
    value = []
    for _ in range(levels): value = [value]
    return value
def silent(db): raise ValueError
def positional(x, /): return sorted(x)
def total(db): return sum(train["seats"] for train in db["trains"].values())
async def later(db): return 1
"""


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(world(SOURCE)) as opened:
        yield opened


def result(sandbox: Sandbox, name: str, **arguments: Any) -> Any:
    outcome = sandbox.run([call(name, **arguments)]).outcomes[0]
    assert outcome.ok, (outcome.error_type, outcome.error)
    return outcome.result


def error(sandbox: Sandbox, name: str, **arguments: Any) -> tuple[str | None, str | None]:
    outcome = sandbox.run([call(name, **arguments)]).outcomes[0]
    assert outcome.result is None
    return outcome.error_type, outcome.error


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(value=json_values)
def test_any_json_value_comes_back_as_it_went_in(sandbox: Sandbox, value: Any) -> None:
    returned = result(sandbox, "echo", value=value)
    assert returned == value
    assert type(returned) is type(value)


def test_modules_may_hold_imports_classes_constants_and_helpers(sandbox: Sandbox) -> None:
    assert result(sandbox, "status") == {"status": "open", "seat": 3, "pair": [1, 2], "5": None}
    assert result(sandbox, "positional") == ["bookings", "notices", "trains"]


def test_an_error_is_the_exceptions_class_and_text(sandbox: Sandbox) -> None:
    assert error(sandbox, "get", id="T9") == ("NotFound", "train T9 is unknown")
    assert error(sandbox, "raw", id="T9") == ("KeyError", "T9")
    assert error(sandbox, "silent") == ("ValueError", "ValueError")
    kind, text = error(sandbox, "get", number=1)
    assert kind == "TypeError"
    assert "unexpected keyword argument 'number'" in str(text)
    assert error(sandbox, "get", db={})[0] == "TypeError"


def test_what_is_not_json_is_an_error_of_the_call(sandbox: Sandbox) -> None:
    kind, text = error(sandbox, "when")
    assert kind == "NotJson"
    assert "datetime" in str(text)
    assert error(sandbox, "later")[0] == "NotJson"
    assert error(sandbox, "deep", levels=500) == ("NotJson", "the result is nested too deeply")


def test_only_offered_functions_can_be_called_and_the_run_goes_on(sandbox: Sandbox) -> None:
    names = ["_train", "LIMIT", "Status", "__builtins__", "no_such", "total"]
    outcomes = sandbox.run([call(name) for name in names]).outcomes
    assert [outcome.error_type for outcome in outcomes] == ["UnknownFunction"] * 5 + [None]
    assert "book" in str(outcomes[0].error)


def test_changes_made_before_an_error_stay(sandbox: Sandbox) -> None:
    replay = sandbox.run([call("book", id="T1", seats=5), call("get", id="T1")])
    assert replay.outcomes[0].error == "not enough seats"
    assert replay.outcomes[0].wrote == [("trains", "T1")]
    assert replay.outcomes[1].result == {**TRAINS["trains"]["T1"], "seats": -4}


def test_a_result_is_as_it_was_when_the_call_returned(sandbox: Sandbox) -> None:
    first, second = sandbox.run([call("book", id="T3"), call("book", id="T3")]).outcomes
    assert (first.result["seats"], second.result["seats"]) == (2, 1)  # type: ignore[index,call-overload]


def test_a_record_that_is_not_json_is_reported_as_text(sandbox: Sandbox) -> None:
    (change,) = sandbox.run([call("odd_record")]).diff(sandbox.spec)
    assert {field.path: field.after for field in change.fields} == {("at",): "2026-03-14 15:09:26", ("p",): "1.50"}


def test_every_trajectory_starts_afresh(sandbox: Sandbox) -> None:
    for _ in range(2):
        assert result(sandbox, "remember", value=1) == [1]
    replay = sandbox.run([call("remember", value=1), call("remember", value=2)])
    assert replay.outcomes[1].result == [1, 2]
    assert sandbox.spec.database == TRAINS


def test_state_compares_by_structure_and_says_where_it_differs(sandbox: Sandbox) -> None:
    one = sandbox.run([call("book", id="T4", seats=2), call("get", id="T1")])
    other = sandbox.run(
        [call("book", id="T4"), GoldenCall(action_id="2", name="book", arguments={"id": "T4", "seats": 1.0})]
    )
    less = sandbox.run([call("book", id="T4")])
    assert one.same_state(other)
    assert state_differences(one, other, sandbox.spec) == []
    assert not one.same_state(less)
    (change,) = state_differences(one, less, sandbox.spec)
    assert (change.table, change.key, change.fields[0].before, change.fields[0].after) == ("trains", "T4", 2, 3)
    assert state_differences(sandbox.run([]), less, sandbox.spec) == less.diff(sandbox.spec)


def test_a_change_that_is_undone_is_no_change(sandbox: Sandbox) -> None:
    replay = sandbox.run([call("book", id="T4", seats=2), call("book", id="T4", seats=-2)])
    assert [outcome.wrote for outcome in replay.outcomes] == [[("trains", "T4")]] * 2
    assert replay.changes == {}
    assert replay.operated == {("trains", "T4")}


operations = st.lists(st.tuples(st.sampled_from(["T1", "T2", "T9"]), st.integers(-2, 3)), max_size=6)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(operations)
def test_a_replay_is_determined_by_its_calls_and_extends_its_prefixes(
    sandbox: Sandbox, steps: list[tuple[str, int]]
) -> None:
    calls = [call("book", id=id, seats=seats) for id, seats in steps]
    whole = sandbox.run(calls)
    with Sandbox(sandbox.spec) as other:
        assert other.run(calls) == whole
    prefix = sandbox.run(calls[:-1])
    assert whole.outcomes[: len(prefix.outcomes)] == prefix.outcomes
    with_diff = {change.key for change in whole.diff(sandbox.spec)}
    assert with_diff == {ref.key for ref in whole.changes}


def test_a_module_that_fails_gives_its_error_to_every_call() -> None:
    with Sandbox(world("def one(db): return 1\nraise RuntimeError('broken')")) as broken:
        outcomes = broken.run([call("one"), call("one")]).outcomes
    assert [(outcome.error_type, outcome.error) for outcome in outcomes] == [("RuntimeError", "broken")] * 2


def test_a_refused_import_says_what_there_is() -> None:
    with Sandbox(world("import requests\ndef one(db): return 1")) as broken:
        outcome = broken.run([call("one")]).outcomes[0]
    assert outcome.error_type == "ModuleNotFoundError"
    assert "'requests'" in str(outcome.error)
    assert "statistics" in str(outcome.error)


def test_every_preloaded_module_can_be_imported_and_used() -> None:
    imports = "".join(f"import {name}\n" for name in PRELOADED_MODULES)
    source = (
        imports
        + """
import collections.abc
def use(db):
    datetime.datetime.strptime("2026-01-02", "%Y-%m-%d").strftime("%A")
    time.strptime("2026", "%Y")
    calendar.month_name[2]
    locale.getlocale()
    "\\xe9".encode("latin-1").decode("cp1252").encode("idna")
    re.compile("(?i)a+").match("AA")
    typing.get_type_hints(use)
    decimal.Decimal("1.1").quantize(decimal.Decimal("1"))
    statistics.NormalDist(0, 1).cdf(0.5)
    f"{1234.5:,.2f}"
    hashlib.sha256(b"").hexdigest() + hashlib.md5(b"").hexdigest()
    copy.deepcopy(dataclasses.make_dataclass("D", ["a"])(1))
    csv.writer(io.StringIO()).writerow([1])
    enum.Enum("E", "A B").A.name
    return unicodedata.normalize("NFC", "e\\u0301")
"""
    )
    with Sandbox(world(source)) as opened:
        assert result(opened, "use") == "é"


def test_many_threads_share_a_sandbox(sandbox: Sandbox) -> None:
    with ThreadPoolExecutor(24) as threads:
        replays = list(
            threads.map(lambda n: sandbox.run([call("echo", value=n), call("book", id="T5", seats=n)]), range(60))
        )
    assert [replay.outcomes[0].result for replay in replays] == list(range(60))
    assert [diff_.fields[0].after for replay in replays[1:] for diff_ in replay.diff(sandbox.spec)] == [
        5 - n for n in range(1, 60)
    ]


def test_no_more_trajectories_run_at_once_than_the_limit_says() -> None:
    source = "def hang(db, n):\n    while True: pass"
    # Children that answered and have yet to end would be counted too, so it is the time that is looked at: six hung
    # trajectories of 0.3 s, two at a time, cannot be over sooner, however fast or busy the machine is.
    started = time.monotonic()
    with Sandbox(world(source), Limits(children=2, seconds=0.3)) as opened, ThreadPoolExecutor(6) as threads:
        runs = list(threads.map(lambda n: opened.run([call("hang", n=n)]), range(6)))
    assert time.monotonic() - started >= 3 * 0.3
    assert not any(run.alive for run in runs)


def _running_children(sandbox: Sandbox) -> int:
    template = sandbox._template._process
    if template is None:
        return 0
    try:
        children = Path(f"/proc/{template.pid}/task/{template.pid}/children").read_text().split()
        states = [Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0] for child in children]
    except OSError:
        return 0
    return sum(state != "Z" for state in states)


def test_no_process_or_descriptor_is_left_behind() -> None:
    before = len(os.listdir("/proc/self/fd"))
    with Sandbox(world("def hang(db):\n    while True: pass\ndef one(db): return 1"), Limits(seconds=0.2)) as opened:
        for _ in range(5):
            opened.run([call("hang")])
            opened.run([call("one")], fresh=True)
        deadline = time.monotonic() + 5
        while _running_children(opened) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert _running_children(opened) == 0
        template = opened._template._process
        assert template is not None
    assert template.poll() is not None
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_lost_template_is_started_again() -> None:
    with Sandbox(world(SOURCE)) as opened:
        assert result(opened, "total") == 15
        template = opened._template._process
        assert template is not None
        os.kill(template.pid, signal.SIGKILL)
        template.wait()
        assert result(opened, "echo", value=1) == 1


def test_equal_calls_are_run_once_and_hangs_are_not_remembered() -> None:
    source = "def hang(db):\n    while True: pass\ndef one(db): return 1"
    with Sandbox(world(source), Limits(seconds=0.2)) as opened:
        assert opened.run([call("one")]) is opened.run([call("one")])
        assert opened.run([call("hang")]) is not opened.run([call("hang")])


def test_the_latest_replays_are_remembered_as_far_as_their_bytes_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolscale.environment.sandbox._REMEMBERED_BYTES", 2_000)
    with Sandbox(world("def echo(db, value): return value")) as opened:
        first, *others = [[call("echo", value=f"{number}" * 300)] for number in range(5)]
        before = opened.run(first)
        assert opened.run(first) is before
        for each in others:
            opened.run(each)
        assert opened.run(first) is not before
        latest = opened.run(others[-1])
        assert opened.run(others[-1]) is latest


def test_a_fresh_run_really_runs_again() -> None:
    with Sandbox(world("def one(db): return 1")) as opened:
        remembered = opened.run([call("one")])
        again = opened.run([call("one")], fresh=True)
        assert again == remembered
        assert again is not remembered


def test_calls_beyond_the_limit_are_not_run_and_say_so() -> None:
    with Sandbox(world(SOURCE), Limits(calls=2)) as opened:
        replay = opened.run([call("book", id="T4", seats=1), call("nope"), call("book", id="T4", seats=1)])
        assert [outcome.error_type for outcome in replay.outcomes] == [None, "UnknownFunction", "NotRun"]
        assert "3 calls, over the sandbox's 2" in str(replay.outcomes[2].error)
        assert not replay.alive
        assert replay.same_state(opened.run([call("book", id="T4", seats=1)]))


def test_a_database_beyond_the_limit_is_refused() -> None:
    with pytest.raises(UserError, match="database"):
        Sandbox(world(SOURCE), Limits(database_bytes=100))


def test_where_nothing_can_be_isolated_the_error_says_how_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "darwin")
    with Sandbox(world(SOURCE)) as opened, pytest.raises(UserError, match=ALLOW_UNSANDBOXED):
        opened.run([call("total")])


def test_a_start_that_takes_too_long_is_told_from_a_machine_that_cannot_isolate(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(process, "_START_SECONDS", 0.0001)
    with Sandbox(world("def f(db): return 1")) as slow, pytest.raises(UserError, match="too busy") as caught:
        slow.run([call("f")])
    assert "libseccomp" not in str(caught.value)


def test_running_without_isolation_must_be_asked_for_and_warns(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(ALLOW_UNSANDBOXED, "1")
    with Sandbox(world("def see(db, path): return open(path).read(0)")) as opened:
        assert opened.run([call("see", path="/etc/passwd")]).outcomes[0].error_type != "PermissionError"
        opened.run([call("see", path="/dev/null")])
    assert capfd.readouterr().err.count("run without isolation") == 1


def test_the_diff_of_a_replay_is_the_diff_of_whole_databases(sandbox: Sandbox) -> None:
    replay = sandbox.run([call("book", id="T2"), call("book", id="T5", seats=3)])
    after = {**TRAINS, "trains": {**TRAINS["trains"]}}
    for ref, record in replay.changes.items():
        after[ref.table][ref.key] = record
    assert replay.diff(sandbox.spec) == diff(TRAINS, after)


def test_an_exception_named_like_the_sandboxs_own_ends_nothing() -> None:
    source = """
class Timeout(Exception): pass
class NotRun(Exception): pass
def pay(db):
    db["trains"]["T1"]["seats"] = 0
    raise Timeout("the bank is slow")
def skip(db): raise NotRun("skipped")
def look(db): return db["trains"]["T1"]["seats"]
"""
    with Sandbox(world(source)) as sandbox:
        replay = sandbox.run([call("pay"), call("skip"), call("look")])
    assert replay.alive
    assert [outcome.error for outcome in replay.outcomes] == ["the bank is slow", "skipped", None]
    assert replay.outcomes[0].error_type == "functions.Timeout"
    assert replay.outcomes[2].result == 0


def test_a_change_inside_a_large_list_is_found_and_quickly() -> None:
    rows = [{"id": n, "text": "x" * 20, "paid": True, "parts": [1, 2.5, None]} for n in range(10_000)]
    source = "def change(db): db['rows'][-1]['paid'] = 1\ndef same(db): db['rows'][0]['parts'][0] = 1.0"
    with Sandbox(world(source, {"rows": rows})) as sandbox:
        started = time.process_time()
        changed, same = sandbox.run([call("change")]), sandbox.run([call("same")])
        assert time.process_time() - started < 1.5
        (change,) = changed.diff(sandbox.spec)
    assert [field.as_json() for field in change.fields] == [{"path": [9999, "paid"], "before": True, "after": 1}]
    assert not same.changes
