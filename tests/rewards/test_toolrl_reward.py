"""R_final is format plus correctness, of one output or of all calls and messages of an episode."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.rewards.made import call
from tests.rewards.test_correctness import BY_HAND, calls
from tests.rewards.test_toolrl_fields import CALL, SAID, THINK, chat, outputs
from toolscale.artifacts import CallOutcome, GoldenCall, Task, Trajectory
from toolscale.rewards.toolrl import Design, TrainingProgress, episode_reward, output_reward

GOLDEN = [call("f", a=1)]


@pytest.mark.parametrize(
    ("output", "golden", "responds", "of_format", "of_correctness"),
    [
        (f"{THINK}{CALL}", GOLDEN, False, 1, 3),
        (f"{THINK}{CALL}{SAID}", GOLDEN, True, 1, 3),
        (f"{THINK}{CALL}{SAID}", GOLDEN, False, 0, 3),
        (CALL, GOLDEN, False, 0, 3),
        (f"{THINK}{CALL.replace('1', '2')}", GOLDEN, False, 1, 6 * 2 / 3 - 3),
        (f"{THINK}{SAID}", GOLDEN, False, 0, -3),
        (f"{THINK}{SAID}", [], True, 1, 3),
        (f"{THINK}{CALL}{SAID}", [], True, 0, -3),
        (f"{THINK}<tool_call>f(a=1)</tool_call>", GOLDEN, False, 1, -3),
        (f"{THINK}<tool_call>f(a=1)</tool_call>{SAID}", [], True, 0, -3),
        ("", GOLDEN, True, 0, -3),
    ],
)
def test_one_output_against_the_calls_of_its_step(output, golden, responds, of_format, of_correctness):
    reward = output_reward(output, golden, responds=responds)
    assert (reward.format, reward.correctness) == pytest.approx((of_format, of_correctness))
    assert reward.final == pytest.approx(of_format + of_correctness)


def test_who_need_not_think_may():
    design = Design(thinks=False)
    assert [output_reward(each, [], responds=True, design=design).final for each in (SAID, THINK + SAID)] == [4, 4]
    assert output_reward(SAID, [], responds=True).final == 3


@given(outputs, calls, st.booleans())
def test_the_final_reward_lies_between_minus_3_and_4(output, golden, responds):
    reward = output_reward(output, golden, responds=responds)
    assert -3 <= reward.final <= 4
    assert reward.format in (0, 1)


@given(outputs, calls, st.integers(0, 100))
def test_the_dynamic_reward_lies_between_minus_4_and_4(output, golden, step):
    reward = output_reward(
        output, golden, responds=True, design=Design(schedule="dynamic"), progress=TrainingProgress(step, 100)
    )
    assert -4 <= reward.final <= 4


def test_the_length_reward_counts_the_words_of_the_thoughts():
    design = Design(length="dynamic")
    output = f"<think>{'so ' * 384}</think>{SAID}"
    assert output_reward(output, [], responds=True, design=design).length == pytest.approx(384 / 512)
    late = output_reward(output, [], responds=True, design=design, progress=TrainingProgress(50, 100))
    assert late.length == pytest.approx(384 / 768)
    assert late.final == pytest.approx(4 + 0.5)


def episode(*messages, calls=()):
    outcomes = [CallOutcome(name=each.name, arguments=each.arguments) for each in calls]
    return Trajectory(task_id="t", messages=[{"role": "user", "content": "Hello."}, *messages], calls=outcomes)


def task(*calls):
    return Task(id="t", golden_calls=[GoldenCall(name=each.name, arguments=each.arguments) for each in calls])


@pytest.mark.parametrize(("predicted", "golden", "reached", "possible"), BY_HAND)
def test_the_correctness_of_an_episode_is_over_all_its_calls(predicted, golden, reached, possible):
    """Each call in a turn of its own: matched turn by turn, another order of the same calls would earn nothing."""
    turns = [chat(each, content=None) for each in predicted]
    reward = episode_reward(episode(*turns, calls=predicted), task(*golden))
    assert reward.correctness == pytest.approx(6 * reached / possible - 3)


def test_every_call_of_one_turn_counts():
    both = [call("f", a=1), call("g", b=2)]
    at_once = episode(chat(*both, content=None), calls=both)
    assert episode_reward(at_once, task(*both)).correctness == 3


THOUGHT = {"reasoning_content": "It is late."}


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        ([chat(call("f"), content=None, **THOUGHT), chat(content="Done.", **THOUGHT)], 1),
        ([chat(content=f"{THINK}Done.")], 1),
        ([chat(call("f"), content=f"{THINK}I look.")], 1),
        ([chat(call("f"), content=None, **THOUGHT), chat(content="Done.")], 0),  # without a thought
        ([chat(content=None, **THOUGHT)], 0),  # neither call nor response
        ([chat(content=f"{THINK}<tool_call>f(</tool_call>")], 0),  # no parser could read it
        ([], 0),
    ],
)
def test_the_format_of_an_episode_is_right_where_every_messages_is(messages, expected):
    assert episode_reward(episode(*messages), task()).format == expected


def test_a_model_without_thoughts_can_keep_the_format():
    plain = episode(chat(call("f"), content=None), chat(content="Done."), calls=[call("f")])
    assert episode_reward(plain, task(call("f"))).final == 3
    assert episode_reward(plain, task(call("f")), Design(thinks=False)).final == 4


def test_a_design_moves_both_parts_of_an_episodes_reward():
    wrong = episode(chat(call("f", a=2), content=f"<think>{'so ' * 512}</think>"), calls=[call("f", a=2)])
    design = Design(schedule="two_stage", granularity="intermediate", length="fixed")
    early, late = (episode_reward(wrong, task(*GOLDEN), design, TrainingProgress(step, 60)) for step in (0, 30))
    assert (early.format, early.correctness, early.length) == (1, 0, 1)
    assert (late.format, late.correctness, late.length) == (0.5, 0, 1)


def test_the_length_of_an_episode_is_the_mean_of_its_messages():
    two = episode(chat(content=f"<think>{'so ' * 512}</think>Well."), chat(content="<think></think>Done."))
    assert episode_reward(two, task(), Design(length="fixed")).length == 0.5


def test_a_design_of_another_name_is_refused():
    with pytest.raises(ValidationError, match="schedule"):
        Design.model_validate_json(json.dumps({"schedule": "linear"}))
