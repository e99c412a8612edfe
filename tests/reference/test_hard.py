"""Goals that depend on each other, figures to compute, and first wishes that fail."""

from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference.rehearsal import Stage, as_task
from toolscale.checkers import GateContext, difficulty_of, run_gates
from toolscale.reference import teacher
from toolscale.reference.complications import WEIGHTS, Complication, complications
from toolscale.reference.computed import Figure, computed
from toolscale.reference.domain import reference_domain, reference_domains
from toolscale.reference.program import OUTCOME, DeadEnd, Goal, Twist, World, calls
from toolscale.reference.recogniser import understand
from toolscale.reference.teacher import word
from toolscale.reference.voices import VOICES
from toolscale.templates.template import Pen, recognise, render

FIGURE = Figure(("cancel",), "refund", "the refund", "the refunds", {"cancel": (50.0,)})
BY_NAME = {twist.name: twist for twist in computed(FIGURE)}


@pytest.fixture(scope="module")
def railway() -> Iterator[Stage]:
    stage = Stage("railway")
    with stage.sandbox:
        yield stage


def said_of(twist: Twist, facts: dict[str, Any]) -> tuple[str, ...]:
    """What is told in the end by a twist that calls nothing."""
    assert twist.after is not None
    with pytest.raises(StopIteration) as end:
        next(twist.after(facts))
    told: tuple[str, ...] = end.value.value.tell
    return told


@given(st.decimals("2", "9999.99", places=2), st.integers(2, 5))
def test_equal_shares_add_up_to_the_sum_but_for_a_cent_each(amount: Decimal, sharers: int) -> None:
    facts = {OUTCOME: {"refund": float(amount)}, "sharers": sharers}
    try:
        (part,) = said_of(BY_NAME["a share of the refund"], facts)
    except DeadEnd:
        assert (amount * 1000 / sharers) % 10 == 5  # half a cent, which people round in two ways
    else:
        assert abs(Decimal(part) * sharers - amount) < Decimal("0.01") * sharers


@given(st.lists(st.decimals("2", "9999.99", places=2), min_size=2, max_size=4))
def test_a_total_is_the_sum_of_all_results(amounts: list[Decimal]) -> None:
    results = [{"refund": float(amount)} for amount in amounts]
    assert said_of(BY_NAME["all of the refunds"], {OUTCOME: results}) == (f"{sum(amounts):.2f}",)


def test_sums_in_different_currencies_are_not_added() -> None:
    results = [{"refund": 20.0, "currency": "EUR"}, {"refund": 30.0, "currency": "PLN"}]
    with pytest.raises(DeadEnd):
        next(BY_NAME["all of the refunds"].after({OUTCOME: results}))  # type: ignore[misc]


@pytest.mark.parametrize("name", reference_domains())
def test_every_voice_words_what_goes_on_from_an_outcome_so_that_it_is_read_back(name: str) -> None:
    domain = reference_domain(name)
    going_on = [twist for twist in domain.twists if twist.takes]
    assert going_on
    for twist in going_on:
        assert {*twist.takes} <= domain.writes, f"{twist.name} goes on from what does not write"
        assert any(calls(program.solve, frozenset(twist.takes)) for program in domain.programs), twist.name
    for twist in going_on:
        if twist.operator == "computed":
            facts = {"sharers": 3, "percent": 40, "guess": 1250.0}
            for text in twist.voices.values():
                for seed in range(4):
                    line = render(text, facts, Pen(Random(seed)))
                    assert recognise(text, line) is not None, line


@pytest.mark.parametrize("voice", VOICES)
def test_what_is_wanted_instead_is_read_back_as_such(voice: str) -> None:
    domain = reference_domain("railway")
    programs = {program.name: program for program in domain.programs}
    refused = Goal(programs["refuse_late_refund"], {"booking_id": "RB-123456"})
    instead = Goal(programs["cancel_booking"], {"booking_id": "RB-654321"}, instead=True)
    for seed in range(3):
        read = understand("railway", word(domain, [refused, instead], voice, Pen(Random(seed)))).goals
        assert [(goal.program.name, goal.instead) for goal in read] == [
            ("refuse_late_refund", False),
            ("cancel_booking", True),
        ]


def offered(stage: Stage, name: str, world: World) -> list[Complication]:
    """What could be added to a program's request."""
    program = next(each for each in stage.domain.programs if each.name == name)
    goal = Goal(program, program.draw(world, Random(5)))
    return complications(stage.domain, [goal], goal.drawn, world)


def test_nobody_asks_for_a_total_of_one_or_goes_on_from_what_is_never_done(railway: Stage) -> None:
    names = {each.name for each in offered(railway, "cancel_booking", World(railway.database, "passenger_id"))}
    assert "a share of the refund" in names
    assert "all of the refunds" not in names
    assert "a seat on the new booking" not in names


def test_what_is_wanted_instead_is_about_the_same_day_journey_or_booking(railway: Stage) -> None:
    world = World(railway.database, "passenger_id")
    program = next(each for each in railway.domain.programs if each.name == "refuse_large_party")
    goal = Goal(program, program.draw(world, Random(5)))
    made = 0
    for option in complications(railway.domain, [goal], goal.drawn, world):
        with suppress(DeadEnd, KeyError):
            for first, instead in [option.add(Random(1))] if option.operator == "recovery" else []:
                shared = (first.facts.keys() & instead.facts.keys()) - {"passenger_id"}
                assert shared
                assert all(instead.facts[slot] == first.facts[slot] for slot in shared)
                made += 1
    assert made


@pytest.mark.parametrize(("operator", "kind"), [("computed", "arithmetic"), ("dependent", "dependent")])
def test_the_teacher_makes_tasks_of_the_kind_and_they_pass_the_gates(
    railway: Stage, operator: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = dict.fromkeys(WEIGHTS, 0) | {operator: 1}
    monkeypatch.setattr("toolscale.reference.complications.WEIGHTS", weights)
    said = "cheapest standard ticket Bologna Centrale to Roma Termini, 27 Nov. book it.\nid PX-31027"
    world = World(railway.database, "passenger_id")
    harder = railway.enact(lambda: teacher.evolve(railway.domain, said, world, Random(2), error_rate=0))
    task, context = as_task("railway", "", harder), GateContext(railway.sandbox)
    assert kind in difficulty_of(task, context)
    assert [gate for gate in run_gates(task, context) if not gate.passed] == []
