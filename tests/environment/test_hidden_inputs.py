"""Who reads the clock or draws at random is found by running, blamed by name, and nobody else is."""

from datetime import datetime, timedelta
from itertools import repeat
from random import Random

import pytest

from tests.environment.worlds import NOW, call, world
from toolscale.environment.hidden_inputs import ENOUGH, SHIFTS, hidden_inputs, other_clocks

DESK = '''
import random
import time
import uuid
from datetime import date, datetime, timedelta

OPENED = datetime.now()


def book(db, train_id):
    """Draws: its id is generated."""
    booking = {"id": str(uuid.uuid4()), "train_id": db["trains"][train_id]["id"]}
    db["bookings"][booking["id"]] = booking
    return booking


def stamp(db, booking_id):
    """Reads the clock, and shows it in the database alone."""
    db["bookings"][booking_id]["at"] = datetime.utcnow().isoformat()


def number(db):
    """Reads the clock: its id is made from it."""
    return f"N-{time.time_ns()}"


def today(db):
    return date.today().isoformat()


def is_weekend(db):
    return date.today().weekday() >= 5


def refund(db, booking_id):
    """Reads the clock only to compare."""
    if datetime.now() > datetime(2026, 3, 15):
        raise ValueError("too late")
    return "refunded"


def opened(db):
    """Reads the clock before it is called."""
    return OPENED.year


def shuffled(db):
    return random.sample(sorted(db["trains"]), 3)


def greet(db):
    """Does both."""
    return f"{random.random()} {time.time()}"


def lucky(db):
    """Draws, by a seed of its own that is the clock."""
    return random.Random(time.time()).random()


def fair(db):
    """Does neither: its seed is a number."""
    return random.Random(5).random()


def count(db):
    """Does neither, though what it counts may come of one that does."""
    return sorted(map(str, db["bookings"].values()))


def drop(db):
    """Does neither; takes a table away, with what others put in."""
    return len(db.pop("bookings", {}))


def unused(db):
    return random.random()


def refuses(db):
    raise ValueError("never")


def stop(db):
    """Does neither: only whoever waits for it knows how long it takes."""
    while True:
        pass
'''
CLOCK = {"stamp", "number", "today", "is_weekend", "refund", "opened", "greet", "lucky"}
CHANCE = {"book", "shuffled", "greet"}
REACHED = (
    call("book", train_id="T1"),
    call("stamp", booking_id="B1"),
    call("number"),
    call("today"),
    call("is_weekend"),
    call("refund", booking_id="B1"),
    call("opened"),
    call("shuffled"),
    call("greet"),
    call("lucky"),
    call("fair"),
    call("count"),
)


def test_who_reads_the_clock_or_draws_is_named_and_nobody_else() -> None:
    found = hidden_inputs(world(DESK), [REACHED, [*REACHED[::-1], call("drop"), call("fair")]])
    assert set(found.clock) == CLOCK
    assert set(found.chance) == CHANCE
    assert found.not_reached == ["unused", "refuses", "stop"]


def test_whatever_the_order_of_the_calls_only_the_guilty_are_blamed() -> None:
    rng = Random(0)
    lists = [rng.choices(REACHED, k=8) for _ in range(12)]
    found = hidden_inputs(world(DESK), lists)
    called = {each.name for calls in lists for each in calls}
    assert set(found.clock) == CLOCK & called
    assert set(found.chance) == CHANCE & called


def test_a_call_on_a_generated_id_is_judged_on_the_state_of_the_unchanged_run() -> None:
    from toolscale.environment import Sandbox

    spec = world(DESK)
    with Sandbox(spec) as sandbox:
        booked = sandbox.run([call("book", train_id="T1")]).outcomes[0].result
    assert isinstance(booked, dict)
    found = hidden_inputs(spec, [[call("book", train_id="T1"), call("stamp", booking_id=booked["id"])]])
    assert found.chance == ["book"], "that the id is another under another seed is not the second call's doing"
    assert found.clock == ["stamp"]


def test_a_function_that_never_returned_is_not_called_innocent() -> None:
    found = hidden_inputs(world(DESK), [[call("refuses")], [call("stop"), call("fair")], [call("nobody_knows_it")]])
    assert (found.clock, found.chance) == ([], [])
    assert {"refuses", "stop", "fair", "unused"} <= set(found.not_reached)


def test_a_function_that_fails_otherwise_under_another_clock_reads_it() -> None:
    found = hidden_inputs(
        world("from datetime import datetime\n\n\ndef late(db):\n    raise ValueError(f'it is {datetime.now()}')\n"),
        [[call("late")]],
    )
    assert (found.clock, found.not_reached) == (["late"], [])


EXPIRES = """
from datetime import datetime

if datetime.now() > datetime(2026, 3, 20):
    raise RuntimeError("expired")


def one(db):
    return 1


def two(db):
    db["bookings"].clear()
"""


def test_a_module_that_reads_the_clock_makes_all_its_functions_do_so() -> None:
    assert hidden_inputs(world(EXPIRES), [[call("two"), call("one"), call("two")]]).clock == ["one", "two"]


DEADLINE = """
from datetime import datetime, timedelta


def cancel_{name}(db):
    left = datetime.fromisoformat(db["orders"]["{name}"]["until"]) - datetime.now()
    return "ok" if {kept} else "too late"
"""
AWAY = {"hours": timedelta(hours=3), "weeks": timedelta(days=20), "years": timedelta(days=700)}


def test_deadlines_near_and_far_ahead_and_past_are_seen() -> None:
    until = AWAY | {f"past_{name}": -away for name, away in AWAY.items()}
    database = {"orders": {name: {"until": (NOW + away).isoformat()} for name, away in until.items()}}
    spec = world("".join(DEADLINE.format(name=name, kept="left > timedelta(0)") for name in until), database)
    assert hidden_inputs(spec, [[call(f"cancel_{name}")] for name in until]).clock == [f"cancel_{n}" for n in until]


def test_a_window_before_a_date_that_the_database_names_is_seen() -> None:
    database = {"orders": {f"d{day}": {"until": f"2019-05-{day}T10:00"} for day in range(10, 21)}}
    spec = world(DEADLINE.format(name="d15", kept="timedelta(0) < left < timedelta(hours=24)"), database)
    assert hidden_inputs(spec, [[call("cancel_d15")]]).clock == ["cancel_d15"]


COIN = """
import random


def refund(db, to="card"):
    return random.random() if to == "voucher" else 0
"""


def test_drawn_calls_take_branches_that_no_list_takes() -> None:
    lists = [[call("refund")]] * (ENOUGH + 5)
    assert hidden_inputs(world(COIN), lists).chance == []
    assert hidden_inputs(world(COIN), lists, {"refund": repeat(call("refund", to="voucher"))}).chance == ["refund"]


@pytest.mark.parametrize("now", [datetime.min, datetime.max, NOW])
def test_other_clocks_are_moments_that_there_are(now: datetime) -> None:
    clocks = other_clocks(world("", {"notes": ["2019-13-45", "0000-00-00"]}).model_copy(update={"now": now}))
    assert now not in clocks
    assert len(SHIFTS) - 4 <= len(clocks) <= len(SHIFTS)
