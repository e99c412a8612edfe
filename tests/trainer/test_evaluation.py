"""The figures of an evaluation, held against what others have computed."""

from dataclasses import replace
from itertools import combinations

import pytest

from trainer.rollout.decoding import Decoding
from trainer.rollout.evaluation import Evaluated, pass_at_k, wilson


@pytest.mark.parametrize(
    ("solved", "tasks", "low", "high"),
    [  # Newcombe 1998, table I (method 3)
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilsons_interval_is_newcombes_table(solved, tasks, low, high):
    assert wilson(solved, tasks) == pytest.approx((low, high), abs=5e-5)


def test_where_nothing_was_tried_any_pass_rate_may_be():
    assert wilson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("attempts", "solved", "k"), [(8, 3, 1), (8, 3, 2), (8, 3, 4), (8, 0, 8), (8, 8, 1), (5, 4, 2)]
)
def test_pass_at_k_counts_the_subsets_that_hold_a_success(attempts, solved, k):
    subsets = list(combinations(range(attempts), k))
    assert pass_at_k(attempts, solved, k) == pytest.approx(sum(min(each) < solved for each in subsets) / len(subsets))


def test_figures_are_read_back_as_they_were():
    found = Evaluated(10, 4, 0.1, 0.7, {1: 0.4, 2: 0.5}, 2.5, 31.0, 0.02, {"search": 1.5}, 3, 2)
    assert Evaluated.read(found.as_figures()) == found
    sampled = replace(found, decoding=Decoding(0.6, 0.95, 20))
    assert Evaluated.read(sampled.as_figures()) == sampled
    parts = {"easy": Evaluated(6, 4, 0.3, 0.9, {}, 2.0, 30.0), "hard": Evaluated(4, 0, 0.0, 0.6, {}, 3.0, 32.0)}
    for names in (("easy", "hard"), ("pass_at_night", "calls_at_noon")):
        mixed = replace(found, by_dataset=dict(zip(names, parts.values(), strict=True)))
        assert Evaluated.read(mixed.as_figures()) == mixed, "whatever the datasets' folders are called"
