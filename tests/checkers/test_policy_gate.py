"""The gate `policy`: a golden call that breaks a rule of the environment rejects its task."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.checkers.conftest import LIBRARY, RENEWAL, call, task_of
from toolscale.artifacts import Task
from toolscale.checkers import GateContext, examine
from toolscale.checkers.gates import policy, was_evaluated
from toolscale.environment import Sandbox, load_environment

AT_MOST_ONE_RENEWAL = '''
from datetime import date

def _loan(call, state):
    return state["loans"][call["arguments"]["loan_id"]]

def a_loan_gets_longer(before, call, after):
    """A renewal moves the due date on."""
    if call["name"] == "renew_loan" and _loan(call, after)["due"] <= _loan(call, before)["due"]:
        return f"{_loan(call, before)['due']} became {_loan(call, after)['due']}"

def fines_are_paid_as_they_stand(before, call, after):
    """A fine is paid in full."""
    if call["name"] == "pay_fine" and call["result"] != 0:
        return f"{call['result']} is left"
'''


@contextmanager
def library(rules: str) -> Iterator[GateContext]:
    with Sandbox(load_environment(LIBRARY).model_copy(update={"rules": rules})) as sandbox:
        yield GateContext(sandbox)


def renewed_until(*days: str) -> Task:
    return task_of(*(call("renew_loan", loan_id="L-10", due=day) for day in days))


def test_calls_that_keep_the_rules_pass() -> None:
    with library(AT_MOST_ONE_RENEWAL) as context:
        outcome = policy(RENEWAL, context)
        assert outcome.passed
        assert was_evaluated(outcome)


def test_a_broken_rule_names_the_call_the_rule_and_why() -> None:
    with library(AT_MOST_ONE_RENEWAL) as context:
        (reason,) = policy(renewed_until("2026-12-24", "2026-12-04"), context).reasons
    assert reason == "golden_calls[1] `renew_loan` breaks `a_loan_gets_longer`: 2026-12-24 became 2026-12-04"


def test_a_rule_sees_the_state_between_calls_and_not_only_the_last() -> None:
    with library(AT_MOST_ONE_RENEWAL) as context:
        assert policy(renewed_until("2026-12-04", "2026-12-24"), context).passed
        assert len(policy(renewed_until("2026-12-24", "2026-12-04", "2026-12-03"), context).reasons) == 2


def test_a_rule_sees_what_a_call_returned() -> None:
    with library(AT_MOST_ONE_RENEWAL) as context:
        (reason,) = policy(task_of(call("pay_fine", member_id="M-1", amount=1)), context).reasons
    assert "11.5 is left" in reason


def test_added_and_removed_entries_are_told_apart() -> None:
    rules = '''
def grows(before, call, after):
    """Nothing is removed."""
    gone = [key for table in before for key in before[table] if key not in after[table]]
    new = [key for table in after for key in after[table] if key not in before[table]]
    return f"{gone} {new}"
'''
    source = load_environment(LIBRARY).source
    swap = (
        '\n\ndef pay_fine(db, member_id):\n    del db["loans"]["L-10"]\n    db["loans"]["L-99"] = {"loan_id": "L-99"}\n'
    )
    spec = load_environment(LIBRARY).model_copy(update={"rules": rules, "source": source + swap})
    with Sandbox(spec) as sandbox:
        replay = sandbox.run([call("pay_fine", member_id="M-1"), call("get_member", member_id="M-1")])
        broken = sandbox.broken_rules(replay)
    assert [(each.position, each.reason) for each in broken] == [(0, "['L-10'] ['L-99']"), (1, "[] []")]


@pytest.mark.parametrize(
    ("body", "complaint"),
    [("return before['nothing']", "KeyError"), ("while True: pass", "Timeout"), ("import os", "No module named 'os'")],
)
def test_a_rule_that_fails_rejects_the_task(body: str, complaint: str) -> None:
    with library(f'def rule(before, call, after):\n    """Never."""\n    {body}\n') as context:
        outcome = policy(RENEWAL, context)
    assert not outcome.passed
    assert complaint in outcome.reasons[0]


def test_without_rules_nothing_is_said() -> None:
    with library("") as context:
        outcome = policy(RENEWAL, context)
        assert outcome.passed
        assert not was_evaluated(outcome)


def test_what_does_not_replay_is_not_held_against_the_rules() -> None:
    with library(AT_MOST_ONE_RENEWAL) as context:
        outcomes = {
            each.gate: each for each in examine(task_of(call("pay_fine", member_id="nobody")), context).outcomes
        }
        assert not outcomes["policy"].passed
        assert not was_evaluated(outcomes["policy"])


def test_no_agent_can_call_the_check() -> None:
    with library(AT_MOST_ONE_RENEWAL) as context:
        (outcome,) = context.sandbox.run([call("(check rules)", steps=[])]).outcomes
    assert outcome.error_type == "UnknownFunction"
