"""Predicted calls earn what they share with the golden ones, in the best matching of the two."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rewards.made import call
from toolscale.environment import equal
from toolscale.rewards.toolrl import match_share

F, G, H = call("f"), call("g"), call("h")
F1, F2, G1, G2 = call("f", a=1), call("f", a=2), call("g", a=1), call("g", b=2)
F12 = call("f", a=1, b=2)

BY_HAND = [
    # predicted, golden, R_max (names + parameters of each pair), S_max
    ([], [], 1, 1),
    ([F], [], 0, 1),
    ([], [F1], 0, 3),
    ([F1], [F1], 1 + (1 + 1), 3),
    ([F2], [F1], 1 + (1 + 0), 3),  # another value
    ([G1], [F1], 0 + (1 + 1), 3),  # another function
    ([F1], [F12], 1 + (1 / 2 + 1), 4),  # a parameter is missing
    ([F12], [F1], 1 + (1 / 2 + 1), 3),  # a parameter too many
    ([F], [F], 1 + 1, 2),  # nothing to name and nothing named
    ([G], [F], 0 + 1, 2),
    ([F1], [F], 1 + 0, 2),
    ([G2, F1], [F1, G2], 1 + 2 + 2, 5),  # another order
    ([F1], [F1, G2], 1 / 2 + 2 + 0, 5),  # one of two
    ([F1, H], [F1], 1 / 2 + 2, 3),  # one of another name too many
    ([F1, F1], [F1], 1 + 2, 3),  # the same once more
    # Who gives the first golden call its best partner spoils the second: f(a=1, b=9) is worth 3 there and 2 here.
    ([call("f", a=1, b=9), F1], [F12, call("f", a=1, b=9)], 1 + (1 / 2 + 1) + 3, 7),
    ([call("f", a=1.0)], [F1], 1 + (1 + 1), 3),  # 1.0 is 1
    ([call("f", a=True)], [F1], 1 + (1 + 0), 3),  # true is not
    ([call("f", a="1")], [F1], 1 + (1 + 0), 3),
    ([call("f", a={"x": [2, 1]})], [call("f", a={"x": [1, 2]})], 1 + (1 + 0), 3),
    ([F, F, call("k")], [F, G, H], 1 / 4 + 3, 4),
    ([F, F1, G1], [F12, G1, H], 2 / 3 + (1 / 2 + 1) + (1 + 1) + 1, 1 + 3 + 3),
]


@pytest.mark.parametrize(("predicted", "golden", "reached", "possible"), BY_HAND)
def test_the_share_is_what_one_reckons_by_hand(predicted, golden, reached, possible):
    assert match_share(predicted, golden) == pytest.approx(reached / possible, abs=1e-12)


@pytest.mark.parametrize(
    ("granularity", "predicted", "golden", "expected"),
    [
        ("finegrained", [F1], [F12], (1 + 0 + 1) / 4),
        ("finegrained", [F12], [F1], (1 + 0 + 1) / 3),
        ("finegrained", [F1, H], [F1], (0 + 1 + 1) / 3),
        ("finegrained", [F2], [F1], (1 + 1 + 0) / 3),
        ("finegrained", [G2, F1], [F1, G2], 1),
        ("intermediate", [F2], [F1], (1 + 0) / 2),
        ("intermediate", [F12], [F1], (1 + 0) / 2),
        ("intermediate", [F1], [F1, G2], (1 / 2 + 1) / 3),
        ("intermediate", [G2, F1], [F1, G2], 1),
        ("coarse", [G2, F1], [F1, G2], 1),
        ("coarse", [call("f", a=1.0)], [F1], 1),
        ("coarse", [F1, F1], [F1], 0),
        ("coarse", [F1], [F1, F1], 0),
        ("coarse", [F2], [F1], 0),
        ("coarse", [F1], [F1, G2], 0),
        *[(granularity, [], [], 1) for granularity in ("finegrained", "intermediate", "coarse")],
        *[(granularity, [F1], [], 0) for granularity in ("finegrained", "intermediate", "coarse")],
        *[(granularity, [], [F1], 0) for granularity in ("finegrained", "intermediate", "coarse")],
    ],
)
def test_coarser_granularities_take_more_as_a_whole(granularity, predicted, golden, expected):
    assert match_share(predicted, golden, granularity) == pytest.approx(expected, abs=1e-12)


values = st.sampled_from([0, 1, 1.0, True, "1", None, [1], {"x": 1}])
calls = st.lists(
    st.builds(
        lambda name, arguments: call(name, **arguments),
        st.sampled_from(["f", "g", "h"]),
        st.dictionaries(st.sampled_from(["a", "b", "c"]), values, max_size=3),
    ),
    max_size=4,
)
granularities = st.sampled_from(["original", "finegrained", "intermediate", "coarse"])


def by_trying_every_matching(predicted, golden):
    """R_max / S_max as the paper has it, over all ways to give each golden call a predicted one or none."""

    def jaccard(one, other):
        return len(one & other) / len(one | other) if one | other else 1

    def pair(gold, given):
        if given is None:
            return 0
        values = sum(
            key in given.arguments and equal(value, given.arguments[key]) for key, value in gold.arguments.items()
        )
        return jaccard(set(gold.arguments), set(given.arguments)) + values

    names = jaccard({each.name for each in golden}, {each.name for each in predicted})
    partners = [*predicted, *[None] * len(golden)]
    best = max(sum(map(pair, golden, chosen)) for chosen in permutations(partners, len(golden)))
    return (names + best) / (1 + len(golden) + sum(len(each.arguments) for each in golden))


@given(calls, calls)
def test_the_matching_is_the_best_there_is(predicted, golden):
    assert match_share(predicted, golden) == pytest.approx(by_trying_every_matching(predicted, golden), abs=1e-12)


@given(calls, calls, granularities)
def test_a_share_lies_between_nothing_and_all(predicted, golden, granularity):
    assert 0 <= match_share(predicted, golden, granularity) <= 1


@given(calls, granularities, st.randoms(use_true_random=False))
def test_the_golden_calls_in_any_order_have_all_of_it(golden, granularity, random):
    shuffled = list(golden)
    random.shuffle(shuffled)
    assert match_share(shuffled, golden, granularity) == pytest.approx(1, abs=1e-12)


@given(calls, calls)
def test_what_is_right_as_a_whole_is_right_in_all_its_parts(predicted, golden):
    coarse, intermediate, finegrained, original = (
        match_share(predicted, golden, granularity)
        for granularity in ("coarse", "intermediate", "finegrained", "original")
    )
    assert finegrained <= original + 1e-12
    if coarse == 1:
        assert min(intermediate, finegrained, original) == pytest.approx(1, abs=1e-12)
