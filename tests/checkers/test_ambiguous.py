"""A task is ambiguous if attempts with which nothing is wrong agree on another end; failing alike proves nothing."""

import pytest

from tests.checkers.conftest import LIBRARY, call, task_of
from toolscale.artifacts import Attempt, Call, GoldenCall, Task
from toolscale.checkers import GateContext, JudgedAttempt, ambiguous
from toolscale.environment import Sandbox, load_environment

LOOK = call("list_loans", member_id="M-1")
TASK = task_of(
    LOOK,
    call("renew_loan", loan_id="L-10", due="2026-12-04", reminder="email"),
    says="I am member M-1. Please renew my loan L-10 until 4 December, with a reminder.",
)
"""How to remind is left open."""
GOLDEN = TASK.golden_calls
BY_PHONE = [LOOK, call("renew_loan", loan_id="L-10", due="2026-12-04", reminder="phone")]
NO_REMINDER = [LOOK, call("renew_loan", loan_id="L-10", due="2026-12-04")]
LATER = [LOOK, call("renew_loan", loan_id="L-10", due="2026-12-11", reminder="email")]
NOTED = [*GOLDEN, call("add_note", loan_id="L-10", note="as agreed")]
IDLE = [LOOK]


def made(
    context: GateContext, task: Task, *attempts: list[GoldenCall], said: str = "Done.", user_fault: bool = False
) -> list[JudgedAttempt]:
    """Attempts as filtering judges them."""
    return [
        JudgedAttempt(
            Attempt(index=index, verdict=context.judge(task, calls, [said]), user_fault=user_fault, termination="done"),
            [Call(name=each.name, arguments=each.arguments) for each in calls],
        )
        for index, calls in enumerate(attempts)
    ]


def test_two_attempts_that_agree_on_another_end_reject_the_task_and_both_ends_are_shown(context: GateContext) -> None:
    outcome = ambiguous(TASK, made(context, TASK, BY_PHONE, GOLDEN, IDLE, BY_PHONE), context)
    assert not outcome.passed
    (reason,) = outcome.reasons
    assert "attempts 0, 3" in reason
    assert "loans/L-10 `reminder`: 'email' or 'phone'" in reason


@pytest.mark.parametrize(
    "attempts",
    [
        [GOLDEN] * 3,
        [GOLDEN, BY_PHONE, GOLDEN],
        [GOLDEN, GOLDEN, GOLDEN, BY_PHONE, BY_PHONE],
        [BY_PHONE, NO_REMINDER],
    ],
    ids=["all agree with the golden calls", "one alone", "fewer than solved it", "two that do not agree"],
)
def test_without_agreement_that_outweighs_the_golden_calls_it_passes(
    context: GateContext, attempts: list[list[GoldenCall]]
) -> None:
    assert ambiguous(TASK, made(context, TASK, *attempts), context).passed


@pytest.mark.parametrize(
    "alike",
    [IDLE, LATER, NOTED, [*BY_PHONE, call("get_member", member_id="M-99")]],
    ids=["too few writes", "against what the user said", "too many writes", "a call failed"],
)
def test_failing_alike_is_no_evidence(context: GateContext, alike: list[GoldenCall]) -> None:
    attempts = made(context, TASK, *[alike] * 8)
    assert not any(each.attempt.verdict.execution for each in attempts)
    assert ambiguous(TASK, attempts, context).passed


def test_attempts_that_the_user_spoiled_or_that_broke_off_are_no_evidence(context: GateContext) -> None:
    assert ambiguous(TASK, made(context, TASK, BY_PHONE, BY_PHONE, user_fault=True), context).passed
    cut_off = [
        JudgedAttempt(each.attempt.model_copy(update={"termination": "turn_limit"}), each.calls)
        for each in made(context, TASK, BY_PHONE, BY_PHONE)
    ]
    assert ambiguous(TASK, cut_off, context).passed


def test_attempts_that_leave_out_what_must_be_said_are_no_evidence(context: GateContext) -> None:
    task = TASK.model_copy(update={"communicate_info": ["12.50"]})
    assert ambiguous(task, made(context, task, BY_PHONE, BY_PHONE), context).passed
    assert not ambiguous(task, made(context, task, BY_PHONE, BY_PHONE, said="You owe 12.50."), context).passed


def test_attempts_that_break_the_policy_are_no_evidence() -> None:
    rules = (
        "def by_mail(before, call, after):\n"
        '    """Reminders go by mail."""\n'
        "    if call['arguments'].get('reminder') == 'phone':\n"
        "        return 'a reminder by phone'\n"
    )
    spec = load_environment(LIBRARY).model_copy(update={"rules": rules})
    with Sandbox(spec) as sandbox:
        context = GateContext(sandbox)
        assert ambiguous(TASK, made(context, TASK, BY_PHONE, BY_PHONE), context).passed
        assert not ambiguous(TASK, made(context, TASK, NO_REMINDER, NO_REMINDER), context).passed
