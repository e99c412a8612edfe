"""R: each element normalized over the group, weighted by P, and nothing for who did not solve the task."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.rewards.made import vector
from toolscale.errors import UserError
from toolscale.rewards import final_rewards, normalized, stacked

GROUP = [
    vector(1, solved=True, dollars=0.01, seconds=10),
    vector(3, solved=True, dollars=0.03, seconds=30),
    vector(2, solved=False, dollars=0.02, seconds=20),
]


@st.composite
def groups(draw):
    """A group of one to eight trajectories with up to four tools, and a preference vector for it."""
    tools = draw(st.integers(0, 4))
    amounts = st.floats(0, 1e6)
    numbers = st.tuples(*[st.integers(0, 50)] * tools)
    one = st.builds(
        lambda calls, solved, dollars, seconds: vector(*calls, solved=solved, dollars=dollars, seconds=seconds),
        *(numbers, st.booleans(), amounts, amounts),
    )
    size = tools + 3
    return draw(st.lists(one, min_size=1, max_size=8)), draw(st.lists(st.floats(0, 1), min_size=size, max_size=size))


def read_plainly(group, preference):
    """The paper's formulas, one number at a time."""
    rows = [[*each.calls, float(each.solved), -each.dollars, -each.seconds] for each in group]
    rewards = []
    for row in rows:
        gained = 0.0
        for k, wanted in enumerate(preference):
            column = [other[k] for other in rows]
            if max(column) != min(column):
                gained += wanted * (row[k] - min(column)) / (max(column) - min(column))
        rewards.append(gained if row[-3] else 0.0)
    return rewards


def test_normalized_spans_0_to_1_in_each_column():
    assert np.allclose(normalized(stacked(GROUP)), [[0, 1, 1, 1], [1, 1, 0, 0], [0.5, 0, 0.5, 0.5]], atol=1e-12)


def test_a_column_in_which_all_are_alike_is_disregarded():
    alike = [vector(2, dollars=0.5, seconds=1), vector(2, dollars=0.5, seconds=3)]
    assert normalized(stacked(alike)).tolist() == [[0, 0, 0, 1], [0, 0, 0, 0]]


def test_the_reward_is_the_sum_of_what_is_preferred():
    assert final_rewards(GROUP, [0.5, 1, 0.25, 0.75]) == pytest.approx([2, 1.5, 0], abs=1e-12)


def test_the_papers_preference_for_what_runs_at_home():
    """Tools and vector of the appendix with the preference example: no API calls, GPUs and confidential data."""
    tools = "web_search local_search Qwen3-235B-A22B Llama-3.3-70B o3-mini o3"
    group = [
        vector(0, 2, 1, 0, 0, 0, tools=tools, dollars=0.2, seconds=90),
        vector(3, 0, 0, 0, 0, 1, tools=tools, dollars=0.1, seconds=20),
        vector(0, 1, 0, 2, 0, 0, tools=tools, dollars=0.3, seconds=70),
        vector(0, 4, 0, 0, 0, 0, tools=tools, dollars=0.0, seconds=10, solved=False),
    ]
    # local search over the group: 2/4, 0, 1/4; Qwen: 1, 0, 0; Llama: 0, 0, 1. Outcome, cost and latency weigh nothing.
    assert final_rewards(group, [0, 1, 1, 1, 0, 0, 0, 0, 0]) == pytest.approx([1.5, 0, 1.25, 0], abs=1e-12)


def test_without_a_preference_solving_alone_counts():
    assert final_rewards(GROUP).tolist() == [1, 1, 0]
    assert final_rewards(GROUP[:2]).tolist() == [0, 0]  # all solved it: nothing to tell them apart by


@pytest.mark.parametrize("spent", ["dollars", "seconds"])
def test_of_two_successes_the_cheaper_and_the_faster_earns_more(spent):
    """The official code has the sign the other way round: the dearer and slower success earns more."""
    little, much = vector(1, **{spent: 1.0}), vector(1, **{spent: 9.0})
    wanted = [0, 1, float(spent == "dollars"), float(spent == "seconds")]
    assert final_rewards([little, much], wanted).tolist() == [1, 0]
    assert little.as_array().sum() > much.as_array().sum()


def test_spending_nothing_does_not_pay_for_who_fails():
    idle = vector(0, solved=False)
    assert final_rewards([idle, vector(9, dollars=5, seconds=5)], [1, 1, 1, 1]).tolist() == [0, 2]


def test_a_group_without_trajectories_has_no_rewards():
    assert final_rewards([]).shape == (0,)


def test_one_trajectory_alone_earns_nothing():
    assert final_rewards([vector(3, dollars=2)], [1, 1, 1, 1]).tolist() == [0]


def test_a_preference_for_other_tools_is_refused():
    with pytest.raises(UserError, match="4 are needed"):
        final_rewards(GROUP, [1, 1, 1])


@given(groups())
def test_rewards_are_those_of_a_plain_reading(drawn):
    group, preference = drawn
    assert final_rewards(group, preference) == pytest.approx(read_plainly(group, preference), abs=1e-9)


@given(groups())
def test_rewards_lie_between_0_and_the_sum_of_p(drawn):
    group, preference = drawn
    rewards = final_rewards(group, preference)
    assert rewards.dtype == np.float64
    assert rewards.shape == (len(group),)
    assert np.all((rewards >= 0) & (rewards <= sum(preference) + 1e-12))
    assert all(reward == 0 for reward, each in zip(rewards, group, strict=True) if not each.solved)


@given(groups(), st.randoms(use_true_random=False))
def test_the_order_of_the_group_changes_nothing(drawn, random):
    group, preference = drawn
    order = list(range(len(group)))
    random.shuffle(order)
    shuffled = final_rewards([group[at] for at in order], preference)
    assert shuffled.tolist() == final_rewards(group, preference)[order].tolist()


@given(groups(), st.sampled_from([0.25, 2.0, 64.0]), st.integers(-1000, 1000))
def test_units_and_offsets_of_an_element_change_nothing(drawn, factor, offset):
    whole = np.round(stacked(drawn[0]))  # whole numbers and powers of two: exact in floating point
    assert np.array_equal(normalized(whole * factor + offset), normalized(whole))


@given(groups())
def test_with_the_outcome_alone_a_mixed_group_earns_its_outcomes(drawn):
    group, _ = drawn
    mixed = [*group, vector(*group[0].calls), vector(*group[0].calls, solved=False)]
    assert final_rewards(mixed).tolist() == [float(each.solved) for each in mixed]
