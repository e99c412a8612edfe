"""What no program can check a judge reads, once a task; its word is the outcome of `policy`, and stays what it was."""

import asyncio
import json

import pytest

from tests.synthesis.shop import environment
from tests.synthesis.test_filtering import LOOK_UP, TASK
from toolscale.checkers import GateContext, run_gates, was_evaluated, with_recorded_judgement
from toolscale.environment import Sandbox
from toolscale.synthesis.filtering import verify_tasks
from toolscale.synthesis.judgement import judged

SENTENCES = ["Cancel nothing for people in a hurry.", "Be patient."]
LEFT = f"NOT_CHECKABLE = {SENTENCES!r}\n"
REFUSED = {"broken": [{"sentence": 1, "call": 0, "reason": "the user is in a hurry"}]}
JUDGE = "judged by openai/teacher: "


def policy_of(gates):
    return next(gate for gate in gates if gate.gate == "policy")


def judged_by(run_on, answer, rules=LEFT, task=TASK):
    """The outcome of `policy` where the judge says this, and what it was asked."""
    run, server = run_on(lambda request: answer if isinstance(answer, str) else json.dumps(answer))
    with Sandbox(environment().model_copy(update={"rules": rules})) as sandbox:
        context = GateContext(sandbox)
        gates = run_gates(task, context)
        return policy_of(asyncio.run(judged(gates, task, context, run))), server.requests


def test_the_judge_refuses_and_its_reason_stands_in_the_outcome(run_on):
    outcome, requests = judged_by(run_on, REFUSED)
    assert not outcome.passed
    assert outcome.reasons == [f'{JUDGE}golden_calls[0] `cancel_order` breaks "{SENTENCES[0]}": the user is in a hurry']
    assert len(requests) == 1
    asked = requests[0]["messages"][-1]["content"]
    assert all(
        each in asked for each in (*SENTENCES, TASK.instruction, 'cancel_order({"order_id": "O-1"}) -> "cancelled"')
    )


def test_what_the_judge_lets_pass_is_evaluated_and_says_by_whom(run_on):
    outcome, _ = judged_by(run_on, {"broken": []})
    assert outcome.passed
    assert was_evaluated(outcome)
    assert outcome.reasons == [f"{JUDGE}it keeps the 2 sentences that no program can check"]


def test_a_judge_that_gives_no_judgement_lets_nothing_pass(run_on):
    outcome, _ = judged_by(run_on, {"broken": [{"sentence": 3, "call": 0, "reason": "x"}]})
    assert not outcome.passed
    assert "it gave no judgement" in outcome.reasons[0]
    assert "there is no sentence 3" in outcome.reasons[0]


def test_no_judge_is_asked_where_programs_check_all(run_on):
    rules = 'def kept(before, call, after):\n    """Orders stay."""\n    return None\n'
    outcome, requests = judged_by(run_on, "nobody asks", rules)
    assert (outcome.passed, outcome.reasons, requests) == (True, [], [])


def test_a_task_that_the_judge_refuses_is_not_put_before_an_agent(run_on):
    run, server = run_on(lambda request: json.dumps(REFUSED), attempts=2)
    world = environment().model_copy(update={"rules": LEFT})
    found = asyncio.run(verify_tasks(run, world, [TASK, LOOK_UP]))
    by_id = {task.id: task for task in found.rejected}
    assert by_id[TASK.id].rejected_by == "policy"
    assert by_id[TASK.id].attempts == []
    assert len(server.requests) == 1, "a task that a program gate refused is not judged either"


@pytest.mark.parametrize(
    ("recorded", "passed", "said"),
    [
        ({"passed": True, "reasons": [f"{JUDGE}it keeps the 2 sentences"]}, True, JUDGE),
        ({"passed": True, "reasons": []}, True, "judged by a model when the task was made, not again"),
        ({"passed": False, "reasons": [f"{JUDGE}golden_calls[0] breaks it"]}, False, JUDGE),
    ],
    ids=["with its words", "of a dataset, which has none", "against it"],
)
def test_an_audit_leaves_the_word_of_a_judge_as_it_was_recorded_and_says_so(recorded, passed, said):
    task = TASK.model_copy(update={"gates": [{"gate": "policy", **recorded}]})
    task = type(task).model_validate(task.model_dump(warnings=False))
    with Sandbox(environment().model_copy(update={"rules": LEFT})) as sandbox:
        context = GateContext(sandbox)
        outcome = with_recorded_judgement(policy_of(run_gates(task, context)), task, context)
    assert outcome.passed == passed
    assert outcome.reasons[0].startswith(said)
    assert was_evaluated(outcome)


def test_a_task_that_was_never_judged_says_so():
    with Sandbox(environment().model_copy(update={"rules": LEFT})) as sandbox:
        context = GateContext(sandbox)
        outcome = with_recorded_judgement(policy_of(run_gates(TASK, context)), TASK, context)
    assert outcome.reasons == [
        "not evaluated: a judge reads the 2 sentences that no program can check, when tasks are made"
    ]
