"""Attempts to learn from: no exact doubles, a few that differ of each task, and failures that are the agent's own."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.dataset.small import BROKEN_CALLS, KEPT, SPOKEN, contents, spoken, write_small
from tests.openai_server import tool_call
from toolscale.artifacts import Attempt, CallOutcome, Trajectory, Verdict
from toolscale.dataset import write_dataset
from toolscale.dataset.folder import read_trajectories
from toolscale.dataset.lessons import lessons, recovered, user_turns, varied

ORDERS = ("O-1", "O-2", "O-3")
WORDS = ("Done.", "It is cancelled.", "Cancelled, as you wished, and nothing else was changed.")


def played(attempt, orders=("O-1",), said=WORDS[0], turns=1, failing=(), ids="call"):
    """An attempt at shop-1 that looks at some orders, of which some calls fail, and says something in the end."""
    messages = [{"role": "system", "content": "Policy."}, {"role": "user", "content": "Cancel it."}]
    for turn in range(1, turns):
        messages += [{"role": "assistant", "content": f"{turn}?"}, {"role": "user", "content": "Yes."}]
    calls = []
    for place, order in enumerate(orders):
        made = tool_call("get_order", json.dumps({"order_id": order}), f"{ids}_{place}")
        messages.append({"role": "assistant", "content": None, "tool_calls": [made]})
        messages.append({"role": "tool", "tool_call_id": f"{ids}_{place}", "content": "{}"})
        wrong = {"error": "no", "error_type": "ValueError"} if place in failing else {}
        calls.append(CallOutcome(name="get_order", arguments={"order_id": order}, **wrong))
    messages.append({"role": "assistant", "content": said})
    return Trajectory(task_id="shop-1", attempt=attempt, messages=messages, calls=calls, agent_messages=[said])


PLAYED = st.builds(
    played,
    attempt=st.just(0),
    orders=st.lists(st.sampled_from(ORDERS), max_size=3),
    said=st.sampled_from(WORDS),
    turns=st.integers(1, 2),
)
MANY = st.lists(PLAYED, max_size=8).map(
    lambda found: [one.model_copy(update={"attempt": place}) for place, one in enumerate(found)]
)


def content(one):
    """What an attempt is, without the number that it has."""
    return one.model_dump_json(exclude={"attempt"})


@given(MANY, st.integers(1, 4), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_no_two_are_the_same_there_are_at_most_k_and_their_order_is_nothing(attempts, most, rng):
    chosen = varied(attempts, most)
    assert len({content(one) for one in chosen}) == len(chosen) == min(most, len({content(one) for one in attempts}))
    assert varied(rng.sample(attempts, len(attempts)), most) == chosen
    assert [one.attempt for one in chosen] == sorted(one.attempt for one in chosen)


def test_ids_of_calls_and_spaces_in_their_arguments_make_no_difference_and_a_word_does():
    first, again = played(0, ids="call"), played(1, ids="toolu")
    (spaced,) = [call["tool_calls"] for call in again.messages if call.get("tool_calls")]
    spaced[0]["function"]["arguments"] = '{ "order_id":"O-1" }'
    assert varied([first, again], 3) == [first]
    assert len(varied([first, played(1, said=WORDS[1])], 3)) == 2


def test_results_that_answer_other_calls_are_another_attempt():
    first = played(0, orders=("O-1", "O-2"))
    other = played(1, orders=("O-1", "O-2"))
    other.messages[3]["tool_call_id"], other.messages[5]["tool_call_id"] = "call_1", "call_0"
    assert len(varied([first, other], 3)) == 2


def test_a_recovery_is_kept_first_then_a_talk_and_the_rest_by_how_they_differ():
    usual = [played(place, said=f"{WORDS[0]} {place}") for place in range(5)]
    recovery = played(5, orders=("O-2", "O-1"), failing={0})
    assert varied([*usual, recovery], 1) == [recovery]
    talk = played(6, turns=2)
    assert varied([*usual, talk], 1) == [talk]
    apart = played(7, orders=("O-3", "O-2", "O-1"), said=WORDS[2])
    assert varied([*usual, apart], 2) == [usual[0], apart]


@pytest.mark.parametrize(("failing", "is_one"), [((), False), ({0}, True), ({1}, False), ({0, 1}, False)])
def test_a_recovery_is_an_error_with_a_success_after_it(failing, is_one):
    assert recovered(played(0, orders=("O-1", "O-2"), failing=failing)) == is_one
    assert user_turns(played(0, turns=3)) == 3


def verdict(solved):
    return Verdict(execution=solved, fidelity=True, completeness=True, reasons=[] if solved else ["not cancelled"])


def test_what_the_user_or_an_endpoint_spoiled_is_neither_a_success_nor_a_failure_of_the_agents():
    ends = ("done", "turn_limit", "agent_error", "user_error", "environment_error")
    attempts = [
        Attempt(index=place, verdict=verdict(place % 2), user_fault=ends[place // 2] == "user_error")
        for place in range(10)
    ]
    made = [played(place, said=f"{place}").model_copy(update={"termination": ends[place // 2]}) for place in range(10)]
    task = KEPT[0].model_copy(update={"attempts": attempts})
    found = lessons([task], made, most=9)
    assert [one.attempt for one in found.failed] == [0, 2]
    assert {one.attempt for one in found.solved} == {1, 3, 5, 9}


def test_an_attempt_of_which_nobody_gave_a_verdict_was_chosen_by_somebody():
    task = KEPT[0].model_copy(update={"attempts": []})
    assert lessons([task], [SPOKEN]).solved == [SPOKEN]
    assert lessons([task], BROKEN_CALLS).solved == []


def test_failures_have_their_verdicts_reasons_and_their_tasks_split(tmp_path):
    attempts = [Attempt(index=place, verdict=verdict(place == 0)) for place in range(6)]
    tasks = [task.model_copy(update={"attempts": attempts}) for task in KEPT]
    made = [spoken(task.id, place) for task in tasks for place in range(6)]
    write_dataset(tmp_path / "d", **contents(tasks=tasks, trajectories=random.Random(0).sample(made, len(made))))
    solved = list(read_trajectories(tmp_path / "d"))
    failed = list(read_trajectories(tmp_path / "d", "failed_attempts"))
    assert sorted(row["task_id"] for _, row in solved) == sorted(task.id for task in tasks)
    assert len(failed) == 3 * len(tasks)
    assert all(row["reasons"] == ["not cancelled"] and not row["execution"] and row["fidelity"] for _, row in failed)
    where = {row["task_id"]: split for split, row in solved}
    assert {where[row["task_id"]] for split, row in failed if split == "eval"} == {"eval"}
    assert {split for split, _ in failed} == {"train", "eval"}


def test_a_chat_comes_back_whole_and_its_prompt_is_stored_once(tmp_path):
    write_small(tmp_path / "d")
    rows = [row for _, row in read_trajectories(tmp_path / "d")]
    assert {row["messages"][0]["content"] for row in rows} == {"Policy."}
    assert {row["messages"][1]["role"] for row in rows} == {"user"}
    assert len({row["prompt_id"] for row in rows}) == 1
    assert all(json.loads(row["tools"]) for row in rows)
