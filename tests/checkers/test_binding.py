"""Small talk is told from what binds a service by a closed list of words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.programs.tool_hire import environment
from toolscale.checkers.binding import binding, hangs, small_talk
from toolscale.checkers.facts import EnvironmentFacts

FACTS = EnvironmentFacts(environment())
VERBS = "take book pay send tell give cancel choose keep drop bring make leave call".split()  # noqa: SIM905
WORDS = [word for words in small_talk(FACTS).values() for word in words]


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=12))
def test_words_of_small_talk_bind_nothing_in_any_order(words):
    assert list(binding(" ".join(words).capitalize() + ".", FACTS)) == []


@given(
    st.lists(st.sampled_from(WORDS), max_size=8),
    st.sampled_from(
        ["not", "never", "no", "if", "unless", "only", "before", "two", "12", "HI-7", "please", "you", "want", "too"]
    ),
    st.lists(st.sampled_from(WORDS), max_size=8),
)
def test_one_word_of_another_kind_among_them_binds(before, word, after):
    assert (
        word.casefold() in [each.casefold() for each in binding(" ".join([*before, word, *after]), FACTS)]
        or word == "12"
    )
    assert list(binding(" ".join([*before, word, *after]), FACTS))


@pytest.mark.parametrize(
    "said", ["Is the kettle singing?", "The kettle: {1}", "My *kettle*", "it costs 5€", "A saw\tand 1 more"]
)
def test_questions_figures_and_signs_bind(said):
    assert list(binding(said, FACTS))


@pytest.mark.parametrize("verb", VERBS)
def test_no_command_is_small_talk(verb):
    assert list(binding(f"{verb} the umbrella.", FACTS)) == [verb]


def test_what_a_service_speaks_of_is_no_small_talk_with_its_users():
    assert list(binding("My ladder is wet.", FACTS)) == ["ladder"]
    assert list(binding("My umbrella is wet.", FACTS)) == []


@pytest.mark.parametrize(
    "said", ["If it fits", "don't", "only the saw", "as soon as it is back", "none of these", "until May"]
)
def test_conditions_and_denials_may_hang_something(said):
    assert hangs(said)


def test_a_plain_wish_hangs_nothing():
    assert not hangs("Extend HI-7 by two days and tell me the new date")
