"""What is learnt from: the paper's three filters, each on its own and together."""

import random

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from trainer.config import Algorithm  # noqa: E402
from trainer.rewards.filters import homogeneous, select  # noqa: E402
from trainer.sequence import Group, TokenSequence  # noqa: E402

from .chance import rollout, sequence  # noqa: E402

ENDINGS = st.sampled_from(["done", "done", "done", "turn_limit", "length_limit", "malformed", "environment_error"])
ROLLOUTS = st.tuples(ENDINGS, st.sampled_from([None, None, "not JSON"]), st.sampled_from([0.0, 0.0, 0.2, 1.0]))


def by_the_paper(drawn, drop_malformed):
    """Place of each rollout that is kept -> its advantage; written without looking at the trainer's code."""
    played = [place for place, (ending, _, _) in enumerate(drawn) if ending != "environment_error"]
    rewards = np.array([drawn[place][2] for place in played])
    if not len(rewards) or rewards.std() < 0.1:
        return {}
    advantages = (rewards - rewards.mean()) / rewards.std()
    return {
        place: advantage
        for place, advantage in zip(played, advantages, strict=True)
        if not drop_malformed or (drawn[place][0] == "done" and drawn[place][1] is None)
    }


@given(st.lists(st.lists(ROLLOUTS, max_size=8), max_size=3), st.booleans())
@settings(deadline=None)
def test_examples_are_those_of_a_plain_reading_of_the_paper(batch, drop_malformed):
    groups, rewards, expected = [], [], []
    for number, drawn in enumerate(batch):
        members = [
            rollout(sequence(random.Random(f"{number} {place}"), [1, 2]), ending, fault)
            for place, (ending, fault, _) in enumerate(drawn)
        ]
        groups.append(Group(f"task-{number}", tuple(members)))
        rewards.append([reward for _, _, reward in drawn])
        kept = by_the_paper(drawn, drop_malformed)
        expected += [(members[place].sequence, advantage) for place, advantage in kept.items()]
    selection = select(groups, rewards, Algorithm(drop_malformed=drop_malformed))
    assert [example.sequence for example in selection.examples] == [kept for kept, _ in expected]
    found = [example.advantage for example in selection.examples]
    np.testing.assert_allclose(found, [advantage for _, advantage in expected], atol=1e-6)


@pytest.mark.parametrize(("rewards", "dropped"), [([], True), ([1.0], True), ([0.5] * 8, True), ([0, 1], False)])
def test_a_group_whose_rewards_hardly_differ_is_dropped(rewards, dropped):
    assert homogeneous(torch.tensor(rewards, dtype=torch.float64), 0.1) is dropped


def test_the_bound_of_homogeneity_is_not_itself_homogeneous():
    assert not homogeneous(torch.tensor([0.0, 0.25], dtype=torch.float64), 0.125)
    assert homogeneous(torch.tensor([0.0, 0.25], dtype=torch.float64), 0.1251)


def test_a_malformed_rollout_still_stands_in_its_groups_mean():
    members = [rollout(sequence(random.Random(place), [1])) for place in range(3)]
    spoiled = rollout(sequence(random.Random(3), [1]), "malformed", "no closing tag")
    filtered = Algorithm(drop_malformed=True)
    selection = select([Group("task", (*members, spoiled))], [[1.0, 1.0, 1.0, 0.0]], filtered)
    assert [example.advantage for example in selection.examples] == pytest.approx([3**-0.5] * 3)
    assert selection.counts["malformed"] == 1


@pytest.mark.parametrize("ending", ["turn_limit", "length_limit", "malformed"])
def test_what_the_policy_spoiled_is_learnt_from_unless_it_is_filtered(ending):
    members = [rollout(sequence(random.Random(place), [1])) for place in range(3)]
    spoiled = rollout(sequence(random.Random(3), [1]), ending)
    selection = select([Group("task", (*members, spoiled))], [[1.0, 1.0, 1.0, 0.0]], Algorithm())
    assert [example.advantage for example in selection.examples] == pytest.approx([*[3**-0.5] * 3, -(3**0.5)])


def test_a_rollout_that_the_environment_broke_is_in_no_mean():
    members = [rollout(sequence(random.Random(place), [1])) for place in range(2)]
    broken = rollout(sequence(random.Random(3), [1]), "environment_error")
    selection = select([Group("task", (*members, broken))], [[1.0, 0.0, 0.0]], Algorithm(drop_malformed=False))
    assert [example.advantage for example in selection.examples] == pytest.approx([1.0, -1.0])
    assert selection.counts["environment_error"] == 1


@pytest.mark.parametrize("others", ["environment_error", "user_error"])
def test_what_is_left_of_a_broken_group_is_left_out_since_nothing_normalizes_it(others):
    left = rollout(sequence(random.Random(0), [1]))
    broken = [rollout(sequence(random.Random(place), [1]), others) for place in range(1, 3)]
    of_ppo = Algorithm(least_std=0.0, rollouts_per_task=3)
    selection = select([Group("task", (left, *broken))], [[0.0, 0.0, 0.0]], of_ppo)
    assert not selection.examples
    assert selection.counts == {others: 2, "broken_groups": 1}
    once = Algorithm(least_std=0.0, rollouts_per_task=1)
    assert len(select([Group("task", (left,))], [[1.0]], once).examples) == 1, "one that was to be alone"
    assert select([Group("task", tuple(broken[:1]))], [[0.0]], once).counts == {others: 1, "broken_groups": 1}


def test_a_rollout_that_sampled_nothing_teaches_nothing():
    silent = rollout(TokenSequence.of_prompt([1, 2]), "length_limit")
    spoke = rollout(sequence(random.Random(0), [1, 2]))
    chosen = select([Group("task", (silent, spoke))], [[0.0, 1.0]], Algorithm(drop_malformed=False))
    assert [example.sequence for example in chosen.examples] == [spoke.sequence]


def test_rewards_that_do_not_fit_their_groups_are_an_error():
    group = Group("task", (rollout(sequence(random.Random(0), [1])),))
    with pytest.raises(ValueError, match="zip"):
        select([group], [[1.0, 0.0]], Algorithm())
