"""A checkpoint's reward beside its baseline: more of what is preferred, fewer cents and seconds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rewards.made import vector
from toolscale.errors import UserError
from toolscale.rewards import Units, benchmark_score, evaluation_reward, relative_to_baseline

BASELINE = vector(2, 0, solved=False, dollars=0.05, seconds=60)
CURRENT = vector(1, 3, solved=True, dollars=0.10, seconds=30)
WANTED = [1, 0.5, 1, 1, 0.5]


def test_an_example_in_cents_and_seconds():
    # 1/max(1, 2), 3/max(1, 0), 1/max(1, 0), then 5/max(1, 10) cents and 60/max(1, 30) seconds
    assert evaluation_reward(CURRENT, BASELINE, WANTED) == pytest.approx(0.5 + 1.5 + 1 + 0.5 + 0.5 * 2)


def test_the_unit_matters_since_amounts_below_one_count_as_one():
    # 0.05/max(1, 0.1) dollars and 1/max(1, 0.5) minutes
    coarse = evaluation_reward(CURRENT, BASELINE, WANTED, Units("dollars", "minutes"))
    assert coarse == pytest.approx(0.5 + 1.5 + 1 + 0.05 + 0.5)


def test_the_baseline_beside_itself_earns_one_for_each_element_that_it_has():
    itself = vector(3, 1, dollars=0.5, seconds=90)
    assert evaluation_reward(itself, itself, [1, 1, 1, 1, 1]) == pytest.approx(5)


def test_who_does_not_solve_the_example_earns_nothing():
    assert evaluation_reward(BASELINE, CURRENT, WANTED) == 0


def test_without_a_preference_the_outcome_alone_counts():
    assert evaluation_reward(CURRENT, BASELINE) == 1


def test_read_literally_compute_and_latency_are_the_baselines_whatever_the_checkpoint_does():
    """The paper puts r_compute = -$ and r_latency = -Clock into M_0 / max(1, M_s): the maximum is then always 1.

    That is why the metric takes amounts. This is the literal reading, on the signed vectors.
    """
    thrifty, lavish = vector(1, 1, dollars=0.001, seconds=1), vector(1, 1, dollars=80, seconds=9000)
    for checkpoint in (thrifty, lavish):
        literal = relative_to_baseline(checkpoint.as_array(), BASELINE.as_array())
        assert literal[-2:].tolist() == [-0.05, -60]
    spent_little, spent_much = (evaluation_reward(each, BASELINE, [0, 0, 0, 1, 1]) for each in (thrifty, lavish))
    assert spent_little > 60 > spent_much


def test_a_benchmark_is_the_sum_of_its_examples():
    current, baseline = {"x": CURRENT, "y": BASELINE, "z": CURRENT}, {"z": CURRENT, "y": CURRENT, "x": BASELINE}
    expected = evaluation_reward(CURRENT, BASELINE, WANTED) + 0 + evaluation_reward(CURRENT, CURRENT, WANTED)
    assert benchmark_score(current, baseline, dict.fromkeys("xyz", WANTED)) == pytest.approx(expected)


def test_a_benchmarks_examples_have_each_a_baseline_and_a_preference():
    with pytest.raises(UserError, match="those of the baseline: y"):
        benchmark_score({"x": CURRENT, "y": CURRENT}, {"x": BASELINE}, dict.fromkeys("xy", WANTED))
    with pytest.raises(UserError, match="those of the preferences: y"):
        benchmark_score({"x": CURRENT}, {"x": BASELINE}, dict.fromkeys("xy", WANTED))


def test_a_baseline_had_the_same_tools():
    with pytest.raises(UserError, match="same tools"):
        evaluation_reward(CURRENT, vector(1, 1, tools="a c"), WANTED)


@given(st.floats(0, 100), st.floats(0, 100), st.floats(0, 1000), st.floats(0, 1000))
def test_spending_less_never_earns_less(one, other, seconds, more_seconds):
    less, more = sorted([one, other])
    fast, slow = sorted([seconds, more_seconds])
    frugal, lavish = vector(1, 1, dollars=less, seconds=fast), vector(1, 1, dollars=more, seconds=slow)
    rewards = [evaluation_reward(each, BASELINE, np.ones(5)) for each in (frugal, lavish)]
    assert rewards[0] >= rewards[1]
