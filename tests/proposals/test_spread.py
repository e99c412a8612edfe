"""Proposals are wanted evenly over the tree, topics first, and calls ask for a few at once."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from toolscale.proposals.spread import AT_ONCE, Place, calls, places
from toolscale.proposals.tree import divisions

FILLED = st.dictionaries(st.sampled_from(sorted(divisions())), st.integers(0, 9), max_size=20)


@given(st.integers(0, 400), FILLED, st.integers(0, 3))
def test_no_division_gets_more_than_it_must(count, filled, seed):
    wanted = places(count, (), filled, seed)
    assert wanted.total() == count
    have = {code: filled.get(code, 0) + wanted[Place(division=code)] for code in divisions()}
    for code in divisions():
        if wanted[Place(division=code)]:
            assert have[code] - 1 <= min(have.values())


def test_few_proposals_reach_as_many_sections_as_there_can_be():
    for seed in range(5):
        wanted = places(21, (), {}, seed)
        assert {place.section for place in wanted} == {each.section for each in divisions().values()}
    assert places(21, (), {}, 0) != places(21, (), {}, 1)
    assert places(21, (), {}, 0) == places(21, (), {}, 0)


def test_topics_come_first_one_each():
    wanted = places(3, ["tea", "coffee"], {}, 0)
    assert wanted[Place("tea")] == wanted[Place("coffee")] == 1
    assert sum(bool(place.division) for place in wanted) == 1
    assert places(1, ["tea", "coffee"], {}, 0) == Counter({Place("tea"): 1})


@given(st.integers(0, 900), st.integers(0, 20))
def test_calls_ask_for_all_that_is_wanted_until_a_division_is_too_much_for_one(count, topics):
    wanted = places(count, [f"topic {number}" for number in range(topics)], {}, 0)
    asked = calls(wanted)
    assert all(0 < sum(call.values()) <= AT_ONCE for call in asked)
    assert Counter(place for call in asked for place in call) == Counter(set(wanted)), "a place is in one call"
    assert {place: number for call in asked for place, number in call.items()} == {
        place: min(number, AT_ONCE) for place, number in wanted.items()
    }
    assert [bool(place.topic) for call in asked for place in call] == sorted(
        (bool(place.topic) for place in wanted), reverse=True
    )


def test_the_first_calls_reach_all_sections():
    asked = calls(places(300, (), {}, 0))
    sections = [{place.section for place in call} for call in asked]
    assert set().union(*sections[:21]) == {each.section for each in divisions().values()}
    assert len(asked) <= 300 / AT_ONCE * 1.6
