"""Voices vary how a request is put, never what it asks for."""

from datetime import timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolscale.artifacts import PRESENT
from toolscale.checkers.derived import Sources, derivable
from toolscale.checkers.phrasing import worded
from toolscale.checkers.wording import fold
from toolscale.reference.domain import reference_domain
from toolscale.reference.program import Goal
from toolscale.reference.recogniser import understand
from toolscale.reference.teacher import word
from toolscale.reference.voices import VOICES, wording
from toolscale.templates.spelling import CODECS
from toolscale.templates.template import Pen, recognise, render, slots

RAILWAY = reference_domain("railway")
CANCEL = next(program for program in RAILWAY.programs if program.name == "cancel_booking")
GOAL = Goal(CANCEL, {"booking_id": "RB-4F82A1"})


@given(st.integers(-400, 700))
def test_every_spelling_of_a_date_is_grounded_and_reads_back(ahead):
    day = (PRESENT.date() + timedelta(days=ahead)).isoformat()
    for spelling in CODECS["date"].spellings(day):
        assert recognise("On {day:date}.", f"On {spelling}.") == {"day": day}
        assert worded(day, fold(f"I go on {spelling}, please."), PRESENT), spelling
        assert derivable(day, Sources(f"I go on {spelling}, please.", PRESENT)), spelling


@given(st.integers(0, 23), st.integers(0, 59))
def test_every_spelling_of_a_time_is_grounded_and_reads_back(hour, minute):
    clock = f"{hour:02}:{minute:02}"
    for spelling in CODECS["time"].spellings(clock):
        assert recognise("At {at:time} sharp.", f"At {spelling} sharp.") == {"at": clock}
        assert worded(clock, fold(f"I come at {spelling}."), PRESENT), spelling
        assert derivable(clock, Sources(f"I come at {spelling}.", PRESENT)), spelling


@given(st.integers(1, 10**8))
def test_every_spelling_of_a_sum_is_grounded_and_reads_back(cents):
    for spelling in CODECS["money"].spellings(cents / 100):
        assert recognise("At most {sum:money}, or less.", f"At most {spelling}, or less.") == {"sum": cents / 100}
        assert worded(cents / 100, fold(f"at most {spelling} euros"), PRESENT), spelling
        assert derivable(cents / 100, Sources(f"at most {spelling} euros", PRESENT)), spelling


def test_alternatives_may_nest_and_be_empty_and_each_is_recognised():
    template = "[Please |Could you [kindly |]]move {what}[ to {where}|]."
    lines = {render(template, {"what": "it", "where": "Bern"}, Pen(Random(seed))) for seed in range(60)}
    assert lines == {
        f"{how}move it{to}." for how in ("Please ", "Could you kindly ", "Could you ") for to in (" to Bern", "")
    }
    for line in lines:
        facts = recognise(template, line)
        assert facts is not None
        assert ("where" in facts) == ("Bern" in line)


@pytest.mark.parametrize("template", ["[a|b", "a]", "a|b"])
def test_brackets_that_do_not_pair_are_a_mistake_of_their_author(template):
    with pytest.raises(ValueError, match="bracket"):
        render(template, {})


def test_a_slot_in_two_spellings_must_mean_one_value():
    template = "On {day:date}, yes, {day:date}."
    assert recognise(template, "On 24 November 2026, yes, November 24th.") == {"day": "2026-11-24"}
    assert recognise(template, "On 24 November 2026, yes, 24 Nov.") == {"day": "2026-11-24"}
    assert recognise(template, "On 24 November 2026, yes, 25 Nov.") is None


@pytest.mark.parametrize("voice", VOICES)
def test_a_voice_asks_for_the_same_whatever_it_says_around_it(voice):
    assert VOICES[voice].personas
    said = {word(RAILWAY, [GOAL], voice, Pen(Random(seed))) for seed in range(40)}
    assert len(said) > 15
    for text in said:
        (goal,) = understand("railway", text).goals
        assert (goal.program.name, goal.drawn) == ("cancel_booking", {"booking_id": "RB-4F82A1"}), text


@pytest.mark.parametrize("voice", VOICES)
def test_the_same_again_and_a_second_request_are_told_apart(voice):
    points = next(program for program in RAILWAY.programs if program.name == "refuse_refund_of_saver")
    goals = [Goal(points, {"booking_id": "RB-4F82A1"}, repeats=("RB-0C11D2",)), GOAL]
    for seed in range(20):
        read = understand("railway", word(RAILWAY, goals, voice, Pen(Random(seed)))).goals
        assert [(goal.program.name, goal.repeats) for goal in read] == [
            ("refuse_refund_of_saver", ("RB-0C11D2",)),
            ("cancel_booking", ()),
        ]


def test_a_description_stands_where_the_id_would_and_is_read_back_as_one():
    drawn = {"trip_from": "Bern", "trip_to": "Wien Hbf", "trip_date": "2026-11-27", "state": "booked"}
    (trip,) = [each for each in RAILWAY.descriptions if slots(each.voices["plain"]) == set(drawn)]
    for voice in VOICES:
        text = render(wording(CANCEL.voices, voice), {"booking_id": render(wording(trip.voices, voice), drawn)})
        (goal,) = understand("railway", text).goals
        assert "booking_id" not in goal.drawn, text
        assert [described.drawn for described in goal.described] == [drawn]


def test_a_persona_speaks_in_one_voice_only():
    everybody = [persona for voice in VOICES for persona in set(RAILWAY.personas_of(voice))]
    assert len(everybody) == len(set(everybody))
