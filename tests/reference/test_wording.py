"""Wording and reading are each other's inverse."""

from datetime import date
from random import Random

from hypothesis import assume, given
from hypothesis import strategies as st

from toolscale.templates.template import Pen, recognise, render, slots, words_of

words = st.text(alphabet="abcdefghij ÄéŁ-'0123456789", min_size=1, max_size=20).map(str.strip).filter(bool)
TEMPLATE = "Move {who} to seat {seat:int} on {day:date}, for at most {budget:money} euros, with {others:list}."


@given(
    who=words.filter(lambda text: " to seat " not in f" {text} "),
    seat=st.integers(0, 10_000),
    day=st.dates(date(1000, 1, 1), date(9999, 12, 31)).map(date.isoformat),
    budget=st.integers(0, 10**7).map(lambda cents: cents / 100),
    others=st.lists(words.filter(lambda text: " and " not in f" {text} "), min_size=1, max_size=4),
)
def test_recognising_a_rendered_line_gives_the_facts_back(who, seat, day, budget, others):
    facts = {"who": who, "seat": seat, "day": day, "budget": budget, "others": others}
    assert recognise(TEMPLATE, render(TEMPLATE, facts)) == facts


@given(words, words)
def test_a_line_is_recognised_whole_or_not_at_all(before, name):
    line = render("Cancel {booking}.", {"booking": name})
    assume(not f"{before} {line}".lower().startswith("cancel "))
    assert recognise("Cancel {booking}.", f"{before} {line}") is None
    assert recognise("Cancel {booking}.", f"{line} please") is None


def test_a_slot_that_stands_twice_must_say_the_same_twice():
    template = "From {a} to {b}, and from {b} back to {a}."
    assert recognise(template, "From Bern to Chur, and from Chur back to Bern.") == {"a": "Bern", "b": "Chur"}
    assert recognise(template, "From Bern to Chur, and from Bern back to Bern.") is None
    assert slots(template) == {"a", "b"}


def test_no_date_is_read_where_there_is_none():
    assert recognise("On {day:date}.", "On 31 February 2026.") is None


def test_words_that_end_with_a_fact_are_found_with_the_whole_of_it():
    facts, pen = {"house": "Le Petit Comptoir", "day": "2026-12-05"}, Pen(Random(3))
    asks = "[What|And what] is cheapest on {day:date} at {house}"
    said = render(f"{asks}? I come soon.", facts, pen)
    assert said.startswith(words_of(asks, facts, said, pen) + "?")
    assert words_of("Which is dearest at {house}", facts, said, pen) == ""
