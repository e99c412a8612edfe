"""M says what a trajectory did, every call of it; more is better in each of its elements."""

import numpy as np
import pytest

from tests.rewards.made import trajectory, vector
from toolscale.artifacts import CallOutcome, Trajectory
from toolscale.errors import UserError
from toolscale.rewards import RewardVector, preference_vector, stacked

SPENT = {"solved": True, "dollars": 0.25, "seconds": 12.5}


def test_elements_are_calls_of_each_tool_then_outcome_compute_latency():
    played = trajectory("search", "book", "search")
    made = RewardVector.of(played, ["book", "cancel", "search"], **SPENT)
    assert made.as_array().tolist() == [1, 0, 2, 1, -0.25, -12.5]
    assert made.as_array().dtype == np.float64


def test_every_call_of_a_turn_counts_and_not_only_its_first():
    """The official code counts one call a turn; an agent that calls three tools at once would look frugal."""
    tool_calls = [
        {"id": name, "type": "function", "function": {"name": name, "arguments": "{}"}} for name in ("a", "b", "b")
    ]
    one_turn = trajectory("a", "b", "b", messages=[{"role": "assistant", "content": None, "tool_calls": tool_calls}])
    assert RewardVector.of(one_turn, ["a", "b"], **SPENT).calls == (1, 2)


def test_a_call_that_failed_was_made():
    failed = CallOutcome(name="a", error="no such order", error_type="ValueError")
    assert RewardVector.of(Trajectory(task_id="t", calls=[failed]), ["a"], **SPENT).calls == (1,)


def test_a_tool_that_was_not_offered_has_no_element():
    assert RewardVector.of(trajectory("a", "made_up"), ["a"], **SPENT).as_array().shape == (4,)


def test_without_tools_outcome_compute_and_latency_are_left():
    made = RewardVector.of(trajectory(), [], solved=False, dollars=0, seconds=0)
    assert made.as_array().tolist() == [0, 0, 0]


@pytest.mark.parametrize("spent", [-0.5, float("nan"), float("inf")])
@pytest.mark.parametrize("element", ["dollars", "seconds"])
def test_amounts_are_given_unsigned_and_finite(element, spent):
    with pytest.raises(UserError, match=f"{element} of a trajectory are 0 or more"):
        vector(1, **{element: spent})


def test_a_tool_cannot_be_offered_twice():
    with pytest.raises(UserError, match="search is offered twice"):
        RewardVector.of(trajectory(), ["search", "book", "search"], **SPENT)


def test_each_tool_has_one_number_of_calls():
    with pytest.raises(UserError, match="2 tools cannot have the calls"):
        vector(1, tools="a b")
    with pytest.raises(UserError, match="1 tools cannot have the calls"):
        vector(-1)


def test_a_group_is_stacked_row_by_row():
    rows = stacked([vector(1, 2, dollars=3), vector(0, 0, solved=False, seconds=4)])
    assert rows.tolist() == [[1, 2, 1, -3, 0], [0, 0, 0, 0, -4]]


@pytest.mark.parametrize("other", ["b a", "a", "a b c"])
def test_a_group_shares_its_tools_and_their_order(other):
    strange = vector(*[1] * len(other.split()), tools=other)
    with pytest.raises(UserError, match="trajectory 1"):
        stacked([vector(1, 1), strange])


def test_an_empty_group_has_no_vectors():
    with pytest.raises(UserError, match="without trajectories"):
        stacked([])


def test_no_preference_is_the_outcome_alone():
    assert preference_vector(None, ["a", "b"]).tolist() == [0, 0, 1, 0, 0]


def test_a_preference_is_named_where_it_lies_outside_0_to_1():
    with pytest.raises(UserError, match="for compute is -1"):
        preference_vector([0, 1, -1, 0], ["a"])
    with pytest.raises(UserError, match=r"for a is 1\.5"):
        preference_vector([1.5, 1, 0, 0], ["a"])
    with pytest.raises(UserError, match="for latency is nan"):
        preference_vector([1, 1, 0, float("nan")], ["a"])


@pytest.mark.parametrize("values", [[], [1, 0, 0], [0, 0, 1, 0, 0], [[0, 0, 1, 0]]])
def test_a_preference_has_one_value_for_each_element(values):
    with pytest.raises(UserError, match="4 are needed, for a, outcome, compute, latency"):
        preference_vector(values, ["a"])
