"""Values that follow from what people say: a corpus, laws, and what the gate `grounded` makes of them.

`grounding/tuned.jsonl` was at hand while the program was written. `grounding/unseen.jsonl` was not, and its misses are
left as they are; `benchmarks/grounded.py` prints the figures of both.
"""

import json
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.checkers.conftest import call
from tests.checkers.test_gates import attempt
from tests.synthesis.shop import DOMAIN, SCHEMA, entries, plan
from toolscale.artifacts import Call, Function, GoldenCall, Instructions, Json, Task, UserScenario
from toolscale.checkers import GateContext
from toolscale.checkers.derived import Sources, derivable
from toolscale.checkers.gates import grounded, is_undecided
from toolscale.checkers.results import holds, readable
from toolscale.environment import Sandbox
from toolscale.synthesis.assembly import assemble

CORPUS = Path(__file__).parent / "grounding"
NOW = datetime(2026, 11, 20, 9, 30)  # a Friday
QUOTED = [
    "stays just the one night",
    "the week after, Tuesday to Friday",
    "a week from tomorrow",
    "the first Saturday of December",
    "the day before she comes",
    "ten days after her operation",
    "as many instalments as you allow",
    "the second Saturday of December",
    "two nights",
    "next week, Tuesday to Friday",
    "from the 18th to the 27th",
    "half past six in the evening",
    "two in the afternoon",
]


def rows() -> Iterator[dict[str, Any]]:
    for file in sorted(CORPUS.glob("*.jsonl")):
        yield from map(json.loads, file.read_text(encoding="utf-8").splitlines())


def follows(row: dict[str, Any], value: Json) -> bool:
    results = row.get("results", [])
    sources = Sources(row["says"], datetime.fromisoformat(row["now"]), results, row.get("policy", ""))
    return any(holds(readable(result), value) for result in results) or derivable(value, sources)


def test_a_day_that_many_records_show_is_one_to_count_from_and_a_time_of_many_is_not() -> None:
    found = [{"date": f"2026-12-0{7 + at // 20}", "starts": f"{8 + at % 10:02}:00"} for at in range(40)]
    starts = [{"starts": found}]
    says = "Take the first free start, and let her stay for 4 nights from that day; call me two hours later."
    assert derivable("2026-12-11", Sources(says, NOW, starts))
    assert not derivable("2026-12-13", Sources(says, NOW, starts))
    assert not derivable("19:00", Sources(says, NOW, starts))


@pytest.mark.parametrize(
    "says",
    [
        "the very first day that's possible after 2026-11-27",
        "the first day possible after the 27th of November",
        "the first day you can after 27 November",
    ],
)
def test_the_first_day_that_is_possible_after_another_is_the_next(says: str) -> None:
    assert derivable("2026-11-28", Sources(f"We're away; take {says}.", NOW))
    assert not derivable("2026-11-29", Sources(f"We're away; take {says}.", NOW))


def test_the_corpus_is_large_half_of_it_does_not_follow_and_every_phrase_of_the_complaint_is_in_it() -> None:
    right, wrong = ([value for row in rows() for value in row[field]] for field in ("derivable", "not_derivable"))
    assert len(right) + len(wrong) >= 300
    assert len(wrong) >= len(right)
    said = "\n".join(row["says"] for row in rows()).casefold()
    assert [phrase for phrase in QUOTED if phrase.casefold() not in said] == []


def test_what_follows_from_what_people_say_is_not_refused() -> None:
    judged = [follows(row, value) for row in rows() for value in row["derivable"]]
    assert judged.count(False) <= 0.03 * len(judged)


def test_what_only_resembles_what_follows_is_not_accepted() -> None:
    judged = [follows(row, value) for row in rows() for value in row["not_derivable"]]
    assert judged.count(True) <= 0.02 * len(judged)


@pytest.mark.parametrize("day", ["2026-10-01", "2026-10-31", "2026-11-20"])
def test_a_search_may_begin_and_end_with_a_month_that_is_named_and_with_the_present_a_write_may_not(day: str) -> None:
    says = "I paid them by card some time in October."
    assert derivable(day, Sources(says, NOW, searching=True))
    assert not derivable(day, Sources(says, NOW))
    assert not derivable("2026-10-02", Sources(says, NOW, searching=True))


@given(st.integers(2, 60), st.sampled_from(["after", "before"]), st.integers(1, 300))
def test_a_span_from_a_day_in_a_result_is_that_day_and_no_neighbour(count: int, way: str, ahead: int) -> None:
    visit = NOW.date() + timedelta(ahead)
    sources = Sources(f"Exactly {count} days {way} her operation, please.", NOW, [{"operation": visit.isoformat()}])
    meant = visit + timedelta(count if way == "after" else -count)
    found = [shift for shift in range(-3, 4) if derivable((meant + timedelta(shift)).isoformat(), sources)]
    assert set(found) <= {0, (visit - meant).days}
    assert 0 in found


@given(st.integers(0, 3), st.integers(0, 6), st.integers(1, 12))
def test_a_ranked_weekday_is_one_day_of_the_month(rank: int, weekday: int, month: int) -> None:
    names = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    months = date(2026, month, 1).strftime("%B")
    sources = Sources(f"On the {['first', 'second', 'third', 'fourth'][rank]} {names[weekday]} of {months}.", NOW)
    year = 2026 + (month < 11)
    days = [date(year, month, number) for number in range(1, 29)]
    assert [day for day in days if derivable(day.isoformat(), sources)] == [
        day for day in days if day.weekday() == weekday and (day.day - 1) // 7 == rank
    ]


@settings(max_examples=40)
@given(st.text(max_size=80), st.one_of(st.integers(), st.floats(), st.text(max_size=12), st.dates().map(str)))
def test_whatever_is_said_is_read(says: str, value: Json) -> None:
    assert derivable(value, Sources(says, NOW, [{"day": "9999-12-31", "at": "23:59", "n": 1e300}], says)) in (
        True,
        False,
    )


# the gate

SPLIT = Function(
    name="split_order",
    description="Pay an order in parts.",
    kind="write",
    parameters={"type": "object", "properties": {"order_id": {"type": "string"}, "parts": {"type": "integer"}}},
    source=(
        "def split_order(db, order_id, parts):\n"
        "    if parts > 4:\n"
        "        raise ValueError('parts of less than 5 euros; 4 is the most')\n"
        "    db['orders'][order_id]['amount'] /= parts\n"
        "    return 'split'\n"
    ),
)
FIND = Function(
    name="find_orders",
    description="Orders of at least so much.",
    kind="read",
    parameters={"type": "object", "properties": {"least": {"type": "number"}, "order_id": {"type": "string"}}},
    source=(
        "def find_orders(db, least=0, order_id=None):\n"
        "    found = [order for key, order in db['orders'].items() if order_id in (None, key)]\n"
        "    found = [order for order in found if order['amount'] >= least]\n"
        "    return {'least': least, 'half': least / 2, 'orders': found}\n"
    ),
)


@pytest.fixture(scope="module")
def shop() -> Iterator[GateContext]:
    with Sandbox(assemble(DOMAIN, SCHEMA, entries(), [SPLIT, FIND], plan("Anybody may split."), [])) as sandbox:
        yield GateContext(sandbox)


def wish(says: str, *calls: GoldenCall, info: tuple[str, ...] = (), solved: int = 0, spoiled: int = 0) -> Task:
    attempts = [attempt(at, True) for at in range(solved)]
    attempts += [attempt(solved + at, True).model_copy(update={"user_fault": True}) for at in range(spoiled)]
    return Task(
        id="shop-1",
        user_scenario=UserScenario(instructions=Instructions(domain="shop", reason_for_call=says)),
        golden_calls=list(calls),
        communicate_info=list(info),
        attempts=attempts,
    )


def parts(count: int) -> GoldenCall:
    return call("split_order", order_id="O-1", parts=count)


def test_as_many_as_may_be_is_where_the_function_refuses_one_more(shop: GateContext) -> None:
    assert grounded(wish("Split O-1 into as many parts as you allow.", parts(4)), shop).passed
    assert not grounded(wish("Split O-1 into as many parts as you allow.", parts(3)), shop).passed
    assert not grounded(wish("Split O-1 into some parts.", parts(4)), shop).passed


def test_a_quantity_that_a_refusal_of_the_wish_names_has_a_source(shop: GateContext) -> None:
    assert grounded(wish("Split O-1 into 9 parts, or what comes near it.", parts(4)), shop).passed
    assert not grounded(wish("Split O-1 into 9 parts, or what comes near it.", parts(3)), shop).passed


def test_what_a_read_searches_by_needs_no_source_but_a_key_does(shop: GateContext) -> None:
    assert grounded(wish("What is on order?", call("find_orders", least=17.5), info=("82.0",)), shop).passed
    keyed = grounded(wish("What is on order?", call("find_orders", order_id="O-8"), info=("82.0",)), shop)
    assert "look it up first" in keyed.reasons[0]
    assert not is_undecided(keyed)


def test_what_a_read_only_gives_back_is_no_source(shop: GateContext) -> None:
    calls = (call("find_orders", least=3), call("split_order", order_id="O-1", parts=3))
    refused = grounded(wish("Split O-1 for me.", *calls), shop)
    assert [reason for reason in refused.reasons if "`parts`" in reason] == refused.reasons != []


def test_a_read_that_a_fact_was_worked_out_from_needs_a_source(shop: GateContext) -> None:
    refused = grounded(wish("Tell me the half.", call("find_orders", least=17.5), info=("8.75",)), shop)
    assert "`least`" in refused.reasons[0]
    assert grounded(wish("Tell me half of 17.5.", call("find_orders", least=17.5), info=("8.75",)), shop).passed


def test_solved_attempts_are_a_source_where_no_program_can_tell_and_the_outcome_says_so(shop: GateContext) -> None:
    says = "Split O-1 the way my brother did."
    assert is_undecided(grounded(wish(says, parts(3)), shop))
    found = grounded(wish(says, parts(3), solved=2), shop)
    assert found.passed
    assert "2 solved attempts found" in found.reasons[0]
    assert not grounded(wish(says, parts(3), solved=1, spoiled=3), shop).passed


def test_solved_attempts_count_only_with_that_value_where_their_calls_are_known(shop: GateContext) -> None:
    task = wish("Split O-1 the way my brother did.", parts(3))
    three, two = ([Call(name="split_order", arguments={"order_id": "O-1", "parts": count})] for count in (3, 2))
    assert grounded(task, shop, [three, three, two]).passed
    assert is_undecided(grounded(task, shop, [three, two, two]))


def test_no_attempt_is_a_source_for_the_name_of_an_entry(shop: GateContext) -> None:
    guessed = wish("Split my order in two.", call("split_order", order_id="O-5", parts=2), solved=8)
    refused = grounded(guessed, shop)
    assert not refused.passed
    assert not is_undecided(refused)
