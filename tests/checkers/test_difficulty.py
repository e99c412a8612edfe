"""The types of difficulty are read from what golden calls and facts do."""

from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.checkers.conftest import call, task_of
from toolscale.artifacts import Difficulty, EnvironmentSpec, FunctionSpec, Task
from toolscale.checkers import GateContext, difficulty_of
from toolscale.checkers.arithmetic import Figures, worked_out
from toolscale.environment import Sandbox

SOURCE = """
import uuid

def get_guest(db, guest_id):
    return db["guests"][guest_id]

def list_stays(db, guest_id):
    return [stay for stay in db["stays"].values() if stay["guest_id"] == guest_id]

def get_room(db, room_id):
    return db["rooms"][room_id]

def book_room(db, guest_id, room_id):
    if db["rooms"][room_id]["taken"]:
        raise ValueError("the room is taken")
    key = "S-" + uuid.uuid4().hex[:4]
    db["stays"][key] = {"stay_id": key, "guest_id": guest_id, "room_id": room_id, "note": ""}
    db["rooms"][room_id]["taken"] = True
    return db["stays"][key]

def cancel_stay(db, stay_id):
    stay = db["stays"].pop(stay_id)
    return {"refund": db["rooms"][stay["room_id"]]["price"]}

def add_note(db, stay_id, note):
    db["stays"][stay_id]["note"] = note
    return "noted"

def echo_note(db, stay_id, note):
    db["stays"][stay_id]["note"] = note
    return db["stays"][stay_id]

def add_credit(db, guest_id, amount):
    db["guests"][guest_id]["credit"] += amount
    return db["guests"][guest_id]
"""

WRITES = {"book_room", "cancel_stay", "add_note", "echo_note", "add_credit"}
DATABASE: dict[str, Any] = {
    "guests": {"G-1": {"guest_id": "G-1", "name": "Anna Keller", "credit": 5.25}},
    "rooms": {
        "R-1": {"room_id": "R-1", "view": "garden", "price": 112.4, "taken": False},
        "R-2": {"room_id": "R-2", "view": "harbour", "price": 95.0, "taken": True},
        "R-3": {"room_id": "R-3", "view": "street", "price": 61.3, "taken": True},
    },
    "stays": {
        "S-1": {"stay_id": "S-1", "guest_id": "G-1", "room_id": "R-3", "note": ""},
        "S-2": {"stay_id": "S-2", "guest_id": "G-1", "room_id": "R-2", "note": ""},
    },
}


@pytest.fixture(scope="module")
def hotel() -> Iterator[GateContext]:
    names = ["get_guest", "list_stays", "get_room", *sorted(WRITES)]
    functions = [
        FunctionSpec(name=name, description=name, kind="write" if name in WRITES else "read", parameters={})
        for name in names
    ]
    spec = EnvironmentSpec(
        domain="hotel", now=datetime(2026, 11, 23, 9), functions=functions, source=SOURCE, database=DATABASE
    )
    with Sandbox(spec) as sandbox:
        yield GateContext(sandbox)


def new_stay(hotel: GateContext) -> str:
    (outcome,) = hotel.sandbox.run([call("book_room", guest_id="G-1", room_id="R-1")]).outcomes
    assert isinstance(outcome.result, dict)
    return str(outcome.result["stay_id"])


def types(hotel: GateContext, task: Task) -> set[Difficulty]:
    return set(difficulty_of(task, hotel))


def test_a_fact_that_a_result_holds_is_a_look_up(hotel: GateContext) -> None:
    task = task_of(call("get_room", room_id="R-1"), says="What does room R-1 look out on?", info=("garden",))
    assert types(hotel, task) == {"look-up"}


def test_a_write_whose_arguments_the_user_says_is_no_look_up(hotel: GateContext) -> None:
    task = task_of(call("add_note", stay_id="S-1", note="late"), says="Please put the note late on my stay S-1.")
    assert types(hotel, task) == set()


def test_a_find_that_asks_for_the_next_find_is_multi_hop(hotel: GateContext) -> None:
    says = "I am G-1. What do the rooms of my stays look out on?"
    task = task_of(call("list_stays", guest_id="G-1"), call("get_room", room_id="R-3"), says=says, info=("street",))
    assert types(hotel, task) == {"look-up", "multi-hop"}


def test_a_read_that_tells_nothing_makes_no_hop(hotel: GateContext) -> None:
    says = "I am G-1. Who am I?"
    calls = (call("list_stays", guest_id="G-1"), call("get_room", room_id="R-3"), call("get_guest", guest_id="G-1"))
    assert types(hotel, task_of(*calls, says=says, info=("Anna Keller",))) == {"look-up"}


def test_an_argument_that_an_earlier_write_told_is_dependent(hotel: GateContext) -> None:
    says = "I am G-1. Please book room R-1, and put the note late on that stay."
    calls = (call("book_room", guest_id="G-1", room_id="R-1"), call("add_note", stay_id=new_stay(hotel), note="late"))
    assert types(hotel, task_of(*calls, says=says)) == {"dependent"}


def test_what_stood_in_the_record_before_a_write_returned_it_is_not_dependent(hotel: GateContext) -> None:
    says = "I am G-1. Please credit me 10, and put my name down as the note of S-1."
    calls = (
        call("add_credit", guest_id="G-1", amount=10),
        call("add_note", stay_id="S-1", note="Anna Keller"),
    )
    assert types(hotel, task_of(*calls, says=says)) == set()


def test_what_a_write_returns_because_it_was_given_it_is_not_dependent(hotel: GateContext) -> None:
    calls = (call("echo_note", stay_id="S-1", note="NY"), call("add_note", stay_id="S-2", note="NY"))
    assert types(hotel, task_of(*calls, says="Please note New York, for short, on S-1 and S-2.")) == set()


def test_an_argument_that_a_read_shows_only_after_a_write_is_dependent(hotel: GateContext) -> None:
    says = "I am G-1. Please book room R-1, and put the note late on my newest stay."
    calls = (
        call("book_room", guest_id="G-1", room_id="R-1"),
        call("list_stays", guest_id="G-1"),
        call("add_note", stay_id=new_stay(hotel), note="late"),
    )
    assert "dependent" in types(hotel, task_of(*calls, says=says))


def test_an_argument_that_a_read_shows_without_the_write_before_it_is_not_dependent(hotel: GateContext) -> None:
    says = "I am G-1. Please cancel S-1, and put the note late on my other stay."
    calls = (
        call("cancel_stay", stay_id="S-1"),
        call("list_stays", guest_id="G-1"),
        call("add_note", stay_id="S-2", note="late"),
    )
    assert types(hotel, task_of(*calls, says=says)) == {"look-up"}


@pytest.mark.parametrize(
    ("says", "fact"),
    [
        ("What do rooms R-1 and R-3 cost together?", "173.70"),
        ("By how much is room R-1 dearer than R-3?", "51.10"),
        ("What do rooms R-1 and R-3 cost? We are 4 and share R-1.", "28.10"),
        ("I have 100.00 for R-1, not R-3: how much is missing?", "12.40"),
        ("R-1, not R-3: I get 15 percent back, how much is that?", "16.86 EUR"),
    ],
)
def test_a_figure_that_only_reckoning_gives_is_arithmetic(hotel: GateContext, says: str, fact: str) -> None:
    rooms = (call("get_room", room_id="R-1"), call("get_room", room_id="R-3"))
    assert "arithmetic" in types(hotel, task_of(*rooms, says=says, info=(fact,)))
    assert "arithmetic" not in types(hotel, task_of(*rooms, says=says, info=("112.4",)))


def test_an_argument_that_only_reckoning_gives_is_arithmetic(hotel: GateContext) -> None:
    says = "I am G-1. Please credit me with what rooms R-1 and R-3 cost together."
    rooms = (call("get_room", room_id="R-1"), call("get_room", room_id="R-3"))
    assert "arithmetic" in types(hotel, task_of(*rooms, call("add_credit", guest_id="G-1", amount=173.7), says=says))


def test_a_figure_that_nothing_gives_is_no_arithmetic(hotel: GateContext) -> None:
    task = task_of(call("get_room", room_id="R-1"), says="What does room R-1 cost?", info=("77.77",))
    assert "arithmetic" not in types(hotel, task)


@pytest.mark.parametrize(
    ("says", "conditional"),
    [
        ("Cancel S-1, but only if I get 50.00 back.", True),
        ("Book the harbour; failing that, the garden.", True),
        ("Cancel S-1 unless it is paid, else leave it.", True),
        ("Cancel S-1, if you please. Tell me if it worked.", False),
        ("There is something else: no, take the garden instead.", False),
    ],
)
def test_a_condition_is_read_from_the_words_and_courtesy_is_none(
    hotel: GateContext, says: str, conditional: bool
) -> None:
    task = task_of(call("get_room", room_id="R-1"), says=says, info=("garden",))
    assert ("conditional" in types(hotel, task)) == conditional


def test_a_change_that_is_asked_for_and_not_made_is_a_refusal(hotel: GateContext) -> None:
    asked = task_of(call("get_room", room_id="R-3"), says="Please cancel my stay S-1.", info=("street",))
    told = task_of(call("get_room", room_id="R-3"), says="What of S-1?").model_copy(
        update={"nl_assertions": ["Agent should refuse to cancel the stay."]}
    )
    made = task_of(call("cancel_stay", stay_id="S-1"), says="Please cancel my stay S-1.")
    assert [("refusal" in types(hotel, task)) for task in (asked, told, made)] == [True, True, False]


def test_a_first_wish_that_the_environment_refuses_is_a_recovery(hotel: GateContext) -> None:
    golden = call("book_room", guest_id="G-1", room_id="R-1")
    impossible = task_of(golden, says="I am G-1. I want room R-2; if I cannot have it, book R-1.")
    possible = task_of(call("cancel_stay", stay_id="S-1"), says="Cancel S-1, if it is not too late; do not touch S-2.")
    assert "recovery" in types(hotel, impossible)
    assert "recovery" not in types(hotel, possible)


def test_a_task_whose_golden_calls_do_not_return_has_no_type(hotel: GateContext) -> None:
    assert types(hotel, task_of(call("get_room", room_id="R-9"), says="If so?")) == set()


@given(st.lists(st.decimals("1.01", "999.99", places=2), min_size=2, max_size=4, unique=True))
def test_any_sum_of_a_few_prices_is_found_with_its_summands(prices: list[Decimal]) -> None:
    total = sum(prices, Decimal(0))
    ways = worked_out(total, Figures({"price": prices}, ()))
    assert frozenset(prices) in ways or total in prices
