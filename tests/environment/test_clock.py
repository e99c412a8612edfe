"""Time stands still and chance follows from the seed, whichever way a function asks."""

from typing import Any

import pytest

from tests.environment.worlds import call, world
from toolscale.environment import Sandbox

SOURCE = """
import datetime, random, time, uuid
from datetime import date, datetime as dt, timedelta, timezone
STARTED = dt.now()

def clocks(db):
    return {
        "datetime.now": dt.now().isoformat(),
        "utcnow": dt.utcnow().isoformat(),
        "today": dt.today().isoformat(),
        "now in utc": datetime.datetime.now(timezone.utc).isoformat(),
        "now elsewhere": dt.now(timezone(timedelta(hours=2))).isoformat(),
        "date.today": date.today().isoformat(),
        "time": dt.fromtimestamp(time.time(), timezone.utc).isoformat(),
        "time_ns": dt.fromtimestamp(time.time_ns() // 10**9).isoformat(),
        "localtime": time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime()),
        "gmtime": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime()),
        "strftime": time.strftime("%Y-%m-%dT%H:%M:%S"),
        "ctime": time.ctime(),
        "asctime": time.asctime(),
        "started": STARTED.isoformat(),
    }

def standing(db):
    before = (time.monotonic(), time.perf_counter(), time.process_time(), time.monotonic_ns())
    time.sleep(1000)
    return before == (time.monotonic(), time.perf_counter(), time.process_time(), time.monotonic_ns())

def kinds(db):
    moment, day = dt.now(), date.today()
    return [
        isinstance(moment, datetime.datetime), isinstance(moment, date), isinstance(day, date),
        isinstance(day, dt), isinstance(moment + timedelta(1), dt), isinstance(dt.min, dt),
        isinstance(moment.date(), date), issubclass(dt, date), moment.date() == day,
        dt.strptime("2026-03-14", "%Y-%m-%d") < moment, (moment - dt(2026, 3, 14)).seconds,
        dt.fromisoformat("2026-03-15T00:00:00").strftime("%A"), dt.combine(day, datetime.time(1)).isoformat(),
    ], [
        moment.replace(hour=1).isoformat(), str(day), str(moment), (day + timedelta(days=1)).isoformat(),
    ]

def chance(db, label=""):
    return [
        random.random(), random.randint(1, 10**9), random.choice(range(10**6)), str(uuid.uuid4()), str(uuid.uuid1()),
        random.Random().random(), random.SystemRandom().random(), random.sample(range(100), 3), random.getrandbits(64),
    ]

def reseeded(db):
    random.seed()
    return random.random()

def fixed(db): return random.Random(5).random()
def other(db): return random.random()
def sets(db): return list({None, "a", "b", "c", 1.5, (1, 2), frozenset("xyz")} - {(1, 2), frozenset("xyz")})
"""


def results(calls: list[Any], seed: int = 0) -> list[Any]:
    with Sandbox(world(SOURCE, seed=seed)) as sandbox:
        outcomes = sandbox.run(calls).outcomes
    assert all(outcome.ok for outcome in outcomes), [outcome.error for outcome in outcomes]
    return [outcome.result for outcome in outcomes]


def test_every_clock_shows_the_environments_time() -> None:
    (clocks,) = results([call("clocks")])
    now = "2026-03-14T15:09:26"
    assert clocks.pop("now in utc") == f"{now}+00:00"
    assert clocks.pop("now elsewhere") == "2026-03-14T17:09:26+02:00"
    assert clocks.pop("time") == f"{now}+00:00"
    assert clocks.pop("date.today") == "2026-03-14"
    assert clocks.pop("ctime") == clocks.pop("asctime") == "Sat Mar 14 15:09:26 2026"
    assert set(clocks.values()) == {now}


def test_no_time_passes() -> None:
    assert results([call("standing")]) == [True]


def test_frozen_dates_are_dates() -> None:
    assert results([call("kinds")]) == [
        [
            [True, True, True, False, *[True] * 6, 54566, "Sunday", "2026-03-14T01:00:00"],
            ["2026-03-14T01:09:26", "2026-03-14", "2026-03-14 15:09:26", "2026-03-15"],
        ],
    ]


@pytest.mark.parametrize("name", ["chance", "reseeded", "sets"])
def test_two_runs_draw_the_same(name: str) -> None:
    assert results([call(name)]) == results([call(name)])


def test_another_seed_draws_something_else() -> None:
    one, other = results([call("chance")], seed=1)[0], results([call("chance")], seed=2)[0]
    assert all(a != b for a, b in zip(one, other, strict=True))


def test_what_is_drawn_depends_on_the_call_and_not_on_what_was_called_before() -> None:
    alone = results([call("chance")])[0]
    assert results([call("other"), call("reseeded"), call("chance")])[2] == alone
    assert results([call("chance", label="x")])[0] != alone


def test_the_same_call_again_draws_something_else() -> None:
    first, second = results([call("chance"), call("chance")])
    assert first != second


def test_a_generator_with_a_seed_of_its_own_is_left_alone() -> None:
    import random

    assert results([call("fixed")]) == [random.Random(5).random()]
