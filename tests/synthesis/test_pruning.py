"""Golden calls are pruned of reads that nothing needs, and of nothing else."""

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.checkers.conftest import LIBRARY, RENEWAL, call, task_of
from toolscale.artifacts import GoldenCall, StatedLimit, Task
from toolscale.checkers import GateContext, run_gates
from toolscale.environment import Sandbox, load_environment
from toolscale.synthesis.pruning import pruned

MEMBER, LOANS = call("get_member", member_id="M-1"), call("list_loans", member_id="M-1")
BOOKS = call("find_books", title="solaris")
PAY = call("pay_fine", member_id="M-1", amount=4)
RENEW = call("renew_loan", loan_id="L-10", due="2026-12-04", reminder="email")
SAYS = "I am M-1. Please pay 4 euros off my fine."


@pytest.fixture(scope="module")
def context() -> Iterator[GateContext]:
    with Sandbox(load_environment(LIBRARY)) as sandbox:
        yield GateContext(sandbox)


def names(task: Task) -> list[str]:
    return [each.name for each in task.golden_calls]


def test_a_read_that_nothing_needs_is_dropped_and_logged(context: GateContext) -> None:
    task = task_of(BOOKS, MEMBER, PAY, says=SAYS)
    short = pruned(task, context)
    assert names(short) == ["pay_fine"]
    assert short.lineage.pruned == ['find_books({"title":"solaris"})', 'get_member({"member_id":"M-1"})']
    assert short.id != task.id


def test_what_a_fact_or_a_later_argument_may_come_from_stays(context: GateContext) -> None:
    says = "I am member M-1. Please renew my loan of the Garden of Forking Paths until 4 December, remind me by mail."
    assert names(pruned(task_of(LOANS, RENEW, says=says), context)) == ["list_loans", "renew_loan"]
    told = task_of(
        MEMBER,
        RENEW,
        says="Renew L-10 until 4 December. To which address goes the mail?",
        info=("anna.keller@example.com",),
    )
    assert names(pruned(told, context)) == ["get_member", "renew_loan"]


@pytest.mark.parametrize("says", [f"{SAYS} But not if I owe less than 10.", f"{SAYS} That of the cheapest book first."])
def test_where_the_outcome_hangs_on_a_condition_or_a_choice_every_read_stays(context: GateContext, says: str) -> None:
    task = task_of(MEMBER, PAY, says=says)
    assert pruned(task, context) is task


def test_where_nothing_is_written_the_reads_are_the_evidence_and_stay(context: GateContext) -> None:
    refused = task_of(MEMBER, LOANS, says="I am M-1, renew Middlemarch for me.")
    assert pruned(refused, context) is refused


def test_where_a_fact_was_worked_out_every_read_stays(context: GateContext) -> None:
    task = task_of(MEMBER, PAY, says=f"{SAYS} How many months is that?", info=("33 months",))
    assert pruned(task, context) is task


def test_a_limit_keeps_its_call(context: GateContext) -> None:
    limit = StatedLimit(says="4 euros", call=1, field="amount", at_most=4)
    task = task_of(BOOKS, PAY, says=SAYS).model_copy(update={"limits": [limit]})
    (moved,) = pruned(task, context).limits
    assert moved.call == 0


@settings(max_examples=12, deadline=None)
@given(st.lists(st.sampled_from([MEMBER, LOANS, BOOKS, PAY, RENEW]), min_size=1, max_size=5))
def test_pruning_fails_no_gate_and_changes_no_verdict(context: GateContext, calls: list[GoldenCall]) -> None:
    task = task_of(
        *calls, says=f"{SAYS} Renew L-10 until 4 December, remind me by mail. What do I owe?", info=("12.50",)
    )
    short = pruned(task, context)
    before, after = run_gates(task, context), run_gates(short, context)
    assert {gate.gate for gate in before if gate.passed} <= {gate.gate for gate in after if gate.passed}
    for tried in (calls, short.golden_calls, calls[1:], calls[:-1]):
        verdicts = [context.judge(each, tried, each.communicate_info).solved for each in (task, short)]
        assert verdicts[0] == verdicts[1]
    assert pruned(short, context) is short


def test_a_task_of_the_right_size_is_left_as_it_is(context: GateContext) -> None:
    assert pruned(RENEWAL, context) is RENEWAL
