"""The verdict: the paper's three criteria, and reasons that a person can act on."""

import pytest
from pydantic import ValidationError

from tests.checkers.conftest import RENEWAL, call, task_of
from toolscale.artifacts import GoldenCall, Task
from toolscale.checkers import GateContext, GoldenReplay, judge, solves
from toolscale.environment import Sandbox

READS = RENEWAL.golden_calls[:2]
SAID = ["You owe EUR 12.50."]


def test_the_golden_calls_solve_their_task(sandbox: Sandbox) -> None:
    verdict = judge(sandbox, RENEWAL, RENEWAL.golden_calls, SAID)
    assert verdict.solved
    assert verdict.reasons == []


def test_a_wrong_value_is_named_with_its_entry_and_field(sandbox: Sandbox) -> None:
    calls = [*READS, call("renew_loan", loan_id="L-10", due="2026-12-05", reminder="email")]
    verdict = judge(sandbox, RENEWAL, calls, SAID)
    assert (verdict.execution, verdict.fidelity, verdict.completeness) == (False, True, True)
    assert verdict.reasons == ["loans/L-10 `due`: expected '2026-12-04', found '2026-12-05'"]


def test_a_side_effect_beyond_the_golden_state_is_no_correct_execution(sandbox: Sandbox) -> None:
    verdict = judge(sandbox, RENEWAL, [*RENEWAL.golden_calls, call("add_note", loan_id="L-12", note="hi")], SAID)
    assert not verdict.execution
    assert verdict.reasons == ["loans/L-12 `note`: expected nothing, found 'hi'"]


def test_another_way_to_the_same_state_is_solved(sandbox: Sandbox) -> None:
    detour = [
        *READS,
        call("set_branches", member_id="M-2", branches=[]),
        *RENEWAL.golden_calls[2:],
        call("set_branches", member_id="M-2", branches=["North"]),
    ]
    assert judge(sandbox, RENEWAL, detour, SAID).solved


def test_an_entry_that_was_never_looked_up_is_named(sandbox: Sandbox) -> None:
    verdict = judge(sandbox, RENEWAL, RENEWAL.golden_calls[2:], SAID)
    assert (verdict.execution, verdict.fidelity, verdict.completeness) == (True, True, False)
    assert verdict.reasons == ["did not look up members/M-1"]


def test_a_fact_has_to_stand_in_one_message(sandbox: Sandbox) -> None:
    task = RENEWAL.model_copy(update={"communicate_info": ["Anna Keller", "12.50"]})
    assert judge(sandbox, task, task.golden_calls, ["Anna Keller,", "you owe 12.50"]).solved
    verdict = judge(sandbox, task, task.golden_calls, ["Dear Anna", "Keller owes 12.50"])
    assert verdict.reasons == ["never said 'Anna Keller'"]


def test_a_fact_that_nothing_can_say_is_the_tasks_error(sandbox: Sandbox) -> None:
    task = RENEWAL.model_copy(update={"communicate_info": [" "]})
    verdict = judge(sandbox, task, task.golden_calls, [" "])
    assert not verdict.fidelity
    assert "communicate_info[0]" in verdict.reasons[0]


def test_a_golden_call_that_fails_leaves_nothing_to_solve(sandbox: Sandbox) -> None:
    task = task_of(call("get_member", member_id="M-9"))
    verdict = judge(sandbox, task, task.golden_calls, [])
    assert not verdict.execution
    assert not verdict.completeness
    assert verdict.reasons[0] == "golden_calls[0] `get_member` failed with ValueError: no entry 'M-9' in members"


def test_a_call_that_hangs_loses_the_trajectory_and_says_so(sandbox: Sandbox) -> None:
    task = task_of(call("get_member", member_id="M-1"))
    verdict = judge(sandbox, task, [*task.golden_calls, call("hang"), *task.golden_calls], [])
    assert not verdict.execution
    assert verdict.reasons[0].startswith("calls[1] `hang` failed with Timeout")


def test_calls_of_unknown_functions_and_bad_arguments_only_err(sandbox: Sandbox) -> None:
    stray = [call("get_membre", member_id="M-1"), call("get_member", nobody=1), call("renew_loan", loan_id="L-10")]
    assert judge(sandbox, RENEWAL, [*stray, *RENEWAL.golden_calls], SAID).solved


def test_thousands_of_differences_are_shortened(sandbox: Sandbox) -> None:
    task = task_of(call("get_member", member_id="M-1"), info=tuple(str(number) for number in range(100)))
    reasons = judge(sandbox, task, task.golden_calls, []).reasons
    assert len(reasons) == 21
    assert reasons[-1] == "and 80 more of this kind"


@pytest.mark.parametrize(
    ("calls", "said"),
    [
        (RENEWAL.golden_calls, SAID),
        (RENEWAL.golden_calls, []),
        (READS, SAID),
        (RENEWAL.golden_calls[2:], SAID),
        ([*RENEWAL.golden_calls, call("add_note", loan_id="L-12", note="hi")], SAID),
        ([*RENEWAL.golden_calls, call("get_membre", member_id="M-1")], SAID),
        ([*RENEWAL.golden_calls, call("hang")], SAID),
    ],
    ids=["golden", "silent", "no write", "no look-up", "a write too many", "a stray call", "a hang"],
)
def test_the_short_answer_is_the_verdicts(sandbox: Sandbox, calls: list[GoldenCall], said: list[str]) -> None:
    for task in (RENEWAL, task_of(call("get_member", member_id="M-9"), info=("12.50",))):
        golden = GoldenReplay.of(sandbox, task)
        assert solves(sandbox, golden, calls, said) == judge(sandbox, task, calls, said, golden).solved


class CountingSandbox(Sandbox):
    runs = 0

    def run(self, calls, start=(), *, fresh=False):  # type: ignore[no-untyped-def]
        self.runs += 1
        return super().run(calls, start, fresh=fresh)


def test_eight_attempts_replay_the_golden_calls_once(context: GateContext) -> None:
    with CountingSandbox(context.sandbox.spec) as sandbox:
        golden = GoldenReplay.of(sandbox, RENEWAL)
        for _ in range(8):
            assert judge(sandbox, RENEWAL, RENEWAL.golden_calls, SAID, golden).solved
        assert sandbox.runs == 9
        shared = GateContext(sandbox)
        other = Task(id="another", golden_calls=RENEWAL.golden_calls)
        for task in (RENEWAL, RENEWAL, other):
            shared.judge(task, [], [])
        assert sandbox.runs == 9 + 2 + 3


def test_a_task_that_only_says_something_is_judged_on_what_it_says(sandbox: Sandbox) -> None:
    task = Task(id="t", communicate_info=["12.50"], database_judged=False)
    golden = GoldenReplay.of(sandbox, task)
    changing = [call("add_note", loan_id="L-12", note="hi"), call("get_member", member_id="nobody")]
    for calls in ([], changing):
        for said, solved in ((SAID, True), (["Nothing is owed."], False)):
            verdict = judge(sandbox, task, calls, said, golden)
            assert (verdict.execution, verdict.fidelity, verdict.completeness) == (True, solved, True)
            assert solves(sandbox, golden, calls, said) == solved


def test_without_golden_calls_nothing_may_change_unless_the_database_is_not_judged(sandbox: Sandbox) -> None:
    calls = [call("add_note", loan_id="L-12", note="hi")]
    assert not judge(sandbox, Task(id="t"), calls, []).solved
    assert judge(sandbox, Task(id="t", database_judged=False), calls, []).solved


def test_golden_calls_say_how_the_database_ends() -> None:
    with pytest.raises(ValidationError, match="judged by the database"):
        Task(id="t", golden_calls=READS, database_judged=False)
