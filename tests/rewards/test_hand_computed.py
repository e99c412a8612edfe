"""Rewards and the preference metric on cases small enough to be reckoned with pen and paper."""

import pytest

from tests.rewards.made import vector
from toolscale.rewards import evaluation_reward, final_rewards


def run(*calls, solved=True, dollars=0.0, seconds=0.0):
    return vector(*calls, solved=solved, dollars=dollars, seconds=seconds)


LOST = {"solved": False}

GROUPS = {
    # Elements of P: the tools, then outcome, compute, latency.
    "all solved, the outcome tells nobody apart": ([run(), run()], [1, 0, 0], [0, 0]),
    "one solved": ([run(), run(**LOST)], [1, 0, 0], [1, 0]),
    "nobody solved": ([run(dollars=1, **LOST), run(dollars=2, **LOST)], [1, 1, 1], [0, 0]),
    "one rollout alone": ([run(3, dollars=2)], [1, 1, 1, 1], [0]),
    # -1, -2, -5: (-2 + 5) / 4
    "cost": ([run(dollars=1), run(dollars=2), run(dollars=5)], [0, 1, 0], [1, 0.75, 0]),
    # half of 1, of (-20 + 40) / 30, of 0
    "half a weight on time": ([run(seconds=10), run(seconds=20), run(seconds=40)], [0, 0, 0.5], [0.5, 1 / 3, 0]),
    # compute: 0, 1, 1/2
    "a free failure sets the scale and earns nothing": (
        [run(dollars=4), run(**LOST), run(dollars=2)],
        [1, 1, 0],
        [1, 0, 1.5],
    ),
    "a dear failure makes the success cheap": ([run(dollars=1), run(dollars=5, **LOST)], [0, 1, 0], [1, 0]),
    "a tool that is wanted": ([run(0), run(1), run(4)], [1, 0, 0, 0], [0, 0.25, 1]),
    # a: 1, 0, 1/2 by 0.5; b: 0, 1, 1/3 by 1
    "two tools": ([run(2, 0), run(0, 3), run(1, 1)], [0.5, 1, 0, 0, 0], [0.5, 1, 0.25 + 1 / 3]),
    # a: 0, 1; outcome: 1, 1 against the third's 0; compute: 1, 1/2; latency: 1, 0
    "everything at once": (
        [run(1, dollars=0.02, seconds=10), run(3, dollars=0.06, seconds=30), run(2, dollars=0.1, seconds=20, **LOST)],
        [0.2, 1, 0.5, 0.3],
        [0 + 1 + 0.5 + 0.3, 0.2 + 1 + 0.25 + 0, 0],
    ),
}

AGAINST_A_BASELINE = {
    # (this run, the baseline, P, R); dollars are told in cents, and one cent or second is the least that counts.
    "as good": (run(), run(), [1, 0, 0], 1),
    "not solved": (run(9, **LOST), run(1), [1, 1, 1, 1], 0),
    "solved what the baseline did not": (run(), run(**LOST), [1, 0, 0], 1),
    "half the cost": (run(dollars=0.04), run(dollars=0.08), [0, 1, 0], 2),
    "less than a cent counts as a cent": (run(dollars=0.005), run(dollars=0.08), [0, 1, 0], 8),
    "twice the time at half a weight": (run(seconds=60), run(seconds=30), [0, 0, 0.5], 0.25),
    "more calls": (run(6), run(4), [1, 0, 0, 0], 1.5),
    "calls of what the baseline left alone": (run(3), run(0), [1, 0, 0, 0], 3),
    # 2/4, half of 3/1, 1/1, 10/20, a quarter of 90/45
    "everything at once": (
        run(2, 3, dollars=0.2, seconds=45),
        run(4, 1, dollars=0.1, seconds=90, **LOST),
        [1, 0.5, 1, 1, 0.25],
        0.5 + 1.5 + 1 + 0.5 + 0.5,
    ),
    # web search, local search, Qwen3-235B, Llama-3.3-70B, o3-mini, o3: what runs at home is wanted. 3/1 + 2/1 + 1/1
    "the paper's example": (
        run(0, 3, 2, 1, 0, 0, dollars=3, seconds=400),
        run(2, 1, 0, 0, 1, 3, dollars=1, seconds=100),
        [0, 1, 1, 1, 0, 0, 0, 0, 0],
        6,
    ),
}


def test_there_are_twenty_cases():
    assert len(GROUPS) + len(AGAINST_A_BASELINE) >= 20


@pytest.mark.parametrize("case", GROUPS)
def test_the_reward_of_each_rollout_of_a_group(case):
    group, preference, expected = GROUPS[case]
    assert final_rewards(group, preference) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("case", AGAINST_A_BASELINE)
def test_the_preference_metric_of_one_task(case):
    current, baseline, preference, expected = AGAINST_A_BASELINE[case]
    assert evaluation_reward(current, baseline, preference) == pytest.approx(expected, abs=1e-12)
