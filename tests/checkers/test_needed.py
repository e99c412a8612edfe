"""Completeness asks for what a careful agent must look at, and no more."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.checkers.conftest import call, task_of
from toolscale.artifacts import EnvironmentSpec, FunctionSpec, GoldenCall, Task
from toolscale.checkers import GateContext, GoldenReplay, examine, judge
from toolscale.checkers.results import readable
from toolscale.environment import Replay, Sandbox

SOURCE = """
def get_guest(db, guest_id):
    return dict(db["guests"][guest_id], city=db["cities"][db["guests"][guest_id]["city_id"]]["name"])

def list_stays(db, guest_id):
    return [stay for stay in db["stays"].values() if db["guests"][guest_id] and stay["guest_id"] == guest_id]

def get_stay(db, stay_id):
    stay = db["stays"][stay_id]
    return dict(stay, room=db["rooms"][stay["room_id"]]["view"])

def get_room(db, room_id):
    return db["rooms"][room_id]

def find_rooms(db, most):
    return [room for room in db["rooms"].values() if room["price"] <= most]

def count_rooms(db, most):
    return len(find_rooms(db, most))

def book_room(db, stay_id, room_id):
    db["stays"][stay_id]["room_id"] = room_id
    return "booked"

def add_note(db, stay_id, note):
    db["stays"][stay_id]["note"] = note
    return "noted"
"""

DATABASE: dict[str, Any] = {
    "cities": {"C-1": {"name": "Lisbon"}},
    "guests": {
        "G-1": {"guest_id": "G-1", "name": "Anna Keller", "city_id": "C-1", "points": 3287},
        "G-2": {"guest_id": "G-2", "name": "Ben Okafor", "city_id": "C-1", "points": 75},
    },
    "rooms": {
        "R-1": {"room_id": "R-1", "view": "garden", "price": 112.0},
        "R-2": {"room_id": "R-2", "view": "harbour", "price": 95.0},
        "R-3": {"room_id": "R-3", "view": "street", "price": 61.0},
    },
    "stays": {
        "S-1": {"stay_id": "S-1", "guest_id": "G-1", "room_id": "R-3", "door_code": "4471"},
        "S-2": {"stay_id": "S-2", "guest_id": "G-2", "room_id": "R-1", "door_code": "9035"},
    },
}

PARAMETERS = {
    "get_guest": ("guest_id",),
    "list_stays": ("guest_id",),
    "get_stay": ("stay_id",),
    "get_room": ("room_id",),
    "find_rooms": ("most",),
    "count_rooms": ("most",),
    "book_room": ("stay_id", "room_id"),
    "add_note": ("stay_id", "note"),
}


def hotel(policy: str = "") -> EnvironmentSpec:
    functions = [
        FunctionSpec(
            name=name,
            description="-",
            parameters={"type": "object", "properties": {each: {} for each in parameters}, "required": [*parameters]},
            kind="write" if name in ("book_room", "add_note") else "read",
        )
        for name, parameters in PARAMETERS.items()
    ]
    return EnvironmentSpec(
        domain="hotel",
        now=datetime(2026, 11, 20, 9),
        policy=policy,
        functions=functions,
        source=SOURCE,
        database=DATABASE,
    )


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(hotel()) as running:
        yield running


GUEST, STAYS, STAY = (
    call("get_guest", guest_id="G-1"),
    call("list_stays", guest_id="G-1"),
    call("get_stay", stay_id="S-1"),
)
GARDEN, HARBOUR = call("get_room", room_id="R-1"), call("get_room", room_id="R-2")
NOTE = call("add_note", stay_id="S-1", note="late")
NOTE_PLEASE = "I am guest G-1. Please note on my stay S-1: late."


def missed(sandbox: Sandbox, task: Task, *calls: GoldenCall) -> list[str]:
    """What completeness finds missing, if all that should be said is said and the state is right."""
    verdict = judge(sandbox, task, calls, task.communicate_info)
    assert verdict.execution
    assert verdict.completeness == (not verdict.reasons)
    return verdict.reasons


def test_a_read_that_nothing_needs_is_not_asked_for(sandbox: Sandbox) -> None:
    task = task_of(GUEST, STAYS, STAY, HARBOUR, NOTE, says=NOTE_PLEASE)
    assert missed(sandbox, task, NOTE) == []


def test_what_a_function_joined_along_the_way_is_not_asked_for(sandbox: Sandbox) -> None:
    task = task_of(STAY, says="I am in stay S-1. What is my door code?", info=("4471",))
    assert ("rooms", "R-3") in GoldenReplay.of(sandbox, task).replay.operated
    assert missed(sandbox, task, STAYS) == []
    assert missed(sandbox, task) == ["did not look up stays/S-1"]


def test_a_fact_asks_for_the_read_that_tells_it(sandbox: Sandbox) -> None:
    task = task_of(GUEST, STAY, NOTE, says=NOTE_PLEASE + " How many points do I have?", info=("3287",))
    assert missed(sandbox, task, STAY, NOTE) == ["did not look up guests/G-1"]
    assert missed(sandbox, task, GUEST, NOTE) == []


def test_a_needed_argument_asks_for_the_read_that_gave_it_and_so_back_to_the_first(sandbox: Sandbox) -> None:
    task = task_of(STAYS, STAY, says="I am guest G-1. What view does my room have?", info=("street",))
    assert missed(sandbox, task) == ["did not look up guests/G-1", "did not look up stays/S-1"]
    noted = task_of(STAYS, STAY, NOTE, says="I am guest G-1. Please note on my stay: late.")
    assert missed(sandbox, noted, NOTE) == ["did not look up guests/G-1"]


def test_an_argument_of_a_read_that_nothing_needs_asks_for_nothing(sandbox: Sandbox) -> None:
    task = task_of(STAYS, call("get_room", room_id="R-3"), NOTE, says=NOTE_PLEASE)
    assert missed(sandbox, task, NOTE) == []


def test_a_value_that_two_reads_tell_asks_for_either(sandbox: Sandbox) -> None:
    task = task_of(STAY, call("get_room", room_id="R-3"), says="What view has room R-3 of stay S-1?", info=("street",))
    assert missed(sandbox, task, STAY) == missed(sandbox, task, call("get_room", room_id="R-3")) == []
    assert missed(sandbox, task) == ["did not look up rooms/R-3 or stays/S-1"]


@pytest.mark.parametrize(
    "policy",
    [
        "Before any note, call `get_guest` to see who it is.",
        "Rooms are not changed by notes. Get the guest before you add a note.",
    ],
)
def test_a_read_that_the_policy_names_is_asked_for(policy: str) -> None:
    task = task_of(GUEST, NOTE, says=NOTE_PLEASE)
    with Sandbox(hotel(policy)) as strict:
        assert missed(strict, task, NOTE) == ["did not look up guests/G-1"]
        assert missed(strict, task, STAYS, NOTE) == []


def test_another_function_that_shows_the_same_entry_counts(sandbox: Sandbox) -> None:
    task = task_of(HARBOUR, says="What does room R-2 cost?", info=("95.00",))
    assert missed(sandbox, task, call("find_rooms", most=100)) == []
    for elsewhere in (call("find_rooms", most=70), call("count_rooms", most=100), STAY):
        assert missed(sandbox, task, elsewhere) == ["did not look up rooms/R-2"]


def test_what_whoever_writes_is_told_asks_for_no_look_up(sandbox: Sandbox) -> None:
    task = task_of(call("get_room", room_id="R-1"), NOTE, says=NOTE_PLEASE, info=("noted",))
    assert missed(sandbox, task, NOTE) == []


@pytest.mark.parametrize(
    ("golden", "fact"),
    [([STAY], "4471"), ([STAYS, STAY], "street"), ([GARDEN, HARBOUR], "9035"), ([HARBOUR, GARDEN], "95.00")],
    ids=["one read", "two that tell it", "worked out of both", "the first of two"],
)
def test_a_question_never_loses_its_last_look_up(sandbox: Sandbox, golden: list[GoldenCall], fact: str) -> None:
    task = task_of(*golden, says="I am guest G-1 of stay S-1 and think of rooms R-1 and R-2. Well?", info=(fact,))
    assert missed(sandbox, task) != []
    assert examine(task, GateContext(sandbox)).idle_solvers == []


READS = st.one_of(
    st.sampled_from([GUEST, STAYS, STAY, GARDEN, HARBOUR]),
    st.builds(lambda key: call("get_room", room_id=key), st.sampled_from([*DATABASE["rooms"]])),
    st.builds(lambda key: call("get_stay", stay_id=key), st.sampled_from([*DATABASE["stays"]])),
    st.builds(lambda most: call("find_rooms", most=most), st.sampled_from([70, 100, 200])),
)
WRITES = st.one_of(
    st.just(NOTE),
    st.builds(
        lambda stay, room: call("book_room", stay_id=stay, room_id=room),
        st.sampled_from([*DATABASE["stays"]]),
        st.sampled_from([*DATABASE["rooms"]]),
    ),
)
TASKS = st.builds(
    lambda calls, said, facts: task_of(*calls, says=f"Please, {', '.join(said)}.", info=tuple(facts)),
    st.lists(st.one_of(READS, READS, WRITES), min_size=1, max_size=6),
    st.lists(st.sampled_from(["G-1", "G-2", "S-1", "S-2", "R-1", "R-2", "R-3", "late", "100"]), max_size=4),
    st.lists(st.sampled_from(["street", "harbour", "garden", "4471", "3287", "Lisbon", "95.00", "R-2"]), max_size=3),
)
PATIENT = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def values_found(task: Task, replay: Replay) -> Iterator[tuple[str, list[int]]]:
    """Each fact and argument that the user does not say, with the golden calls that may have told it."""
    texts = [readable(done.result) for done in replay.outcomes]
    for fact in task.communicate_info:
        yield fact, [at for at, text in enumerate(texts) if fact.casefold().removesuffix(".00") in text]
    for position, done in enumerate(task.golden_calls):
        for value in map(str, done.arguments.values()):
            yield value, [at for at, text in enumerate(texts[:position]) if value.casefold() in text]


@given(task=TASKS, data=st.data())
@PATIENT
def test_dropping_a_read_that_nothing_needs_never_flips_the_verdict(sandbox: Sandbox, task: Task, data: Any) -> None:
    golden = GoldenReplay.of(sandbox, task)
    reads = [at for at, done in enumerate(golden.replay.outcomes) if not done.wrote]
    assume(reads)
    assume(not any(fact in task.instruction for fact in task.communicate_info))  # no task tells what the user says
    dropped = data.draw(st.sampled_from(reads))
    found = [sources for value, sources in values_found(task, golden.replay) if value not in task.instruction]
    assume(all(sources != [dropped] for sources in found))
    assume(all(sources or not task.communicate_info for sources in found))  # a fact worked out may need any read
    rest = [call for at, call in enumerate(task.golden_calls) if at != dropped]
    assert judge(sandbox, task, rest, task.communicate_info, golden).reasons == []


@given(task=TASKS, kept=st.sets(st.integers(0, 5)))
@PATIENT
def test_never_more_is_asked_than_that_every_entry_of_the_golden_calls_is_operated_on(
    sandbox: Sandbox, task: Task, kept: set[int]
) -> None:
    golden = GoldenReplay.of(sandbox, task)
    replay = sandbox.run([call for at, call in enumerate(task.golden_calls) if at in kept])
    if golden.replay.operated <= replay.operated:
        assert golden.covered_by(replay)


def test_a_task_is_asked_for_its_needs_once(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    monkeypatch.setattr("toolscale.checkers.verdict.needs", lambda *given: made.append(given) or [])
    context = GateContext(sandbox)
    task = task_of(STAY, says="My door code?", info=("4471",))
    for _ in range(3):
        context.solves(task, [], task.communicate_info)
    assert len(made) == 1
