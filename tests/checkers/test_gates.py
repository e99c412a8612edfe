"""Each gate passes and fails for its own reason."""

import json
import shutil
from pathlib import Path

import pytest

from tests.checkers.conftest import LIBRARY, RENEWAL, call, task_of
from toolscale.artifacts import GATES, Attempt, FunctionSpec, GateOutcome, Task, Verdict
from toolscale.checkers import GateContext, examine, pass_at_8, run_gates, was_evaluated
from toolscale.checkers.agents import hand_over_function, read_only
from toolscale.checkers.gates import answered, consistent, grounded, no_leak, replay
from toolscale.environment import Sandbox, load_environment

PROGRAM_GATES = [*GATES[: GATES.index("pass_at_8")]]


def with_calls(*calls, says=RENEWAL.instruction, info=("12.50",)) -> Task:  # type: ignore[no-untyped-def]
    return task_of(*calls, says=says, info=info)


def test_a_good_task_passes_every_program_gate(context: GateContext) -> None:
    outcomes = run_gates(RENEWAL, context)
    assert [outcome.gate for outcome in outcomes] == PROGRAM_GATES
    assert all(outcome.passed for outcome in outcomes)
    assert [outcome.gate for outcome in outcomes if not was_evaluated(outcome)] == ["policy"]


# replay


def test_replay_fails_without_golden_calls(context: GateContext) -> None:
    assert "no golden calls" in only_reason(replay(with_calls(), context))


def test_replay_fails_on_an_error_and_names_the_call(context: GateContext) -> None:
    outcome = replay(with_calls(call("get_member", member_id="M-1"), call("pay_fine", member_id="M-1")), context)
    assert only_reason(outcome).startswith("golden_calls[1] `pay_fine` failed with TypeError")


def test_replay_fails_on_a_function_that_is_not_offered(context: GateContext) -> None:
    assert "UnknownFunction" in only_reason(replay(with_calls(call("_entry")), context))


def test_replay_fails_where_a_fact_can_never_be_said(context: GateContext) -> None:
    outcome = replay(with_calls(call("get_member", member_id="M-1"), info=("",)), context)
    assert "communicate_info[0]" in only_reason(outcome)


def test_replay_really_runs_the_calls_a_second_time(context: GateContext) -> None:
    class MoodySandbox(Sandbox):
        """Stands in for an environment that answers differently each time."""

        runs = 0

        def run(self, calls, start=(), *, fresh=False):  # type: ignore[no-untyped-def]
            self.runs += 1
            done = super().run(calls, start, fresh=fresh)
            first = done.outcomes[0].model_copy(update={"result": f"run {self.runs}"})
            return type(done)((first, *done.outcomes[1:]), done.changes)

    with MoodySandbox(context.sandbox.spec) as sandbox:
        outcome = replay(with_calls(call("get_member", member_id="M-1")), GateContext(sandbox))
    assert only_reason(outcome) == "golden_calls[0] `get_member` did not do the same twice"


def test_without_a_replay_the_later_gates_say_that_they_were_not_evaluated(context: GateContext) -> None:
    outcomes = {outcome.gate: outcome for outcome in run_gates(with_calls(call("get_member")), context)}
    assert list(outcomes) == PROGRAM_GATES
    for gate in ("grounded", "acts", "discriminates", "policy", "consistent"):
        assert not outcomes[gate].passed
        assert not was_evaluated(outcomes[gate])
    assert outcomes["no_leak"].passed
    assert was_evaluated(outcomes["no_leak"])


# grounded

GROUNDED = [
    ("in the instruction", "Renew L-12 until 2026-12-24.", [call("renew_loan", loan_id="L-12", due="2026-12-24")]),
    ("worded as a date", "Renew L-12 until tomorrow.", [call("renew_loan", loan_id="L-12", due="2026-11-21")]),
    (
        "in an earlier result",
        "I am M-2. Renew what I have until 24 December.",
        [call("list_loans", member_id="M-2"), call("renew_loan", loan_id="L-12", due="2026-12-24")],
    ),
    (
        "a number from an earlier result",
        "I am M-1 and pay everything.",
        [call("get_member", member_id="M-1"), call("pay_fine", member_id="M-1", amount=12.5, receipt=True)],
    ),
    (
        "enumerated",
        "I am M-1, add the branch in the oldest part of town to mine.",
        [call("set_branches", member_id="M-1", branches=["North", "Harbour", "Old Town"])],
    ),
    ("a default", "Renew L-12 until today", [call("renew_loan", loan_id="L-12", due="2026-11-20", reminder="none")]),
    (
        "a quotation",
        "Note on L-12: please mind the torn cover",
        [call("add_note", loan_id="L-12", note="Please mind the torn cover")],
    ),
]

UNGROUNDED = [
    ("`loan_id`", "Renew my loan until 24 December.", [call("renew_loan", loan_id="L-12", due="2026-12-24")]),
    ("`amount`", "I am M-10 and pay 120.", [call("pay_fine", member_id="M-10", amount=12)]),
    ("`member_id`", "I am M-10 and pay 12.", [call("pay_fine", member_id="M-1", amount=12)]),
    (
        "free text",
        "Note on L-12 that the cover is torn",
        [call("add_note", loan_id="L-12", note="The cover of this book is torn.")],
    ),
    (
        "`loan_id`",
        "I am M-2, renew until 24 December",
        [call("renew_loan", loan_id="L-12", due="2026-12-24"), call("list_loans", member_id="M-2")],
    ),
]


@pytest.mark.parametrize(("source", "says", "calls"), GROUNDED, ids=[case[0] for case in GROUNDED])
def test_grounded_passes_an_argument_that_has_a_source(context, source, says, calls) -> None:  # type: ignore[no-untyped-def]
    assert grounded(with_calls(*calls, says=says), context).reasons == []


def test_grounded_names_an_id_to_tell_that_no_golden_call_shows(context: GateContext) -> None:
    reads = (call("get_member", member_id="M-1"),)
    assert "the id 'RC-793CB4'" in only_reason(grounded(with_calls(*reads, info=("RC-793CB4",)), context))
    assert grounded(with_calls(*reads, info=("M-1", "37.25")), context).passed


@pytest.mark.parametrize(("named", "says", "calls"), UNGROUNDED)
def test_grounded_names_an_argument_without_a_source(context, named, says, calls) -> None:  # type: ignore[no-untyped-def]
    assert named in only_reason(grounded(with_calls(*calls, says=says), context))


def test_gates_that_read_the_instruction_say_so_when_there_is_none(context: GateContext) -> None:
    for gate in (grounded, no_leak, answered, consistent):
        outcome = gate(task_of(*RENEWAL.golden_calls), context)
        assert outcome.passed
        assert not was_evaluated(outcome)


# acts

READ = call("get_member", member_id="M-1")

IDLE_SOLVED = [
    ("read_only", task_of(READ, says="Look me up")),
    ("null", task_of(READ, says="Look me up")),
    ("hand_over", task_of(call("transfer_to_human_agents", summary="The user wants a person"), says="A person!")),
    ("recite", task_of(call("find_books", title="solaris"), says="Who wrote Solaris?", info=("Stanislaw Lem",))),
    ("recite", task_of(call("find_books", title="solaris"), says="How much?", info=("1,234.00",))),
    ("null", task_of(call("find_books", title="solaris"), says="Look it up")),
]


@pytest.mark.parametrize(("agent", "task"), IDLE_SOLVED)
def test_acts_fails_a_task_that_an_idle_agent_solves(context: GateContext, agent: str, task: Task) -> None:
    assert agent in examine(task, context).idle_solvers
    assert any(f"({agent})" in reason for reason in gate("acts", task, context).reasons)


def test_acts_passes_a_task_whose_looking_up_cannot_be_skipped(context: GateContext) -> None:
    assert gate("acts", task_of(READ, info=("12.50",)), context).passed


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("transfer_to_human_agents", True),
        ("hand_over", True),
        ("handoff_to_clerk", True),
        ("escalate_to_supervisor", True),
        ("escalate", True),
        ("transfer_to_agent", True),
        ("transfer_money", False),
        ("refer_to_specialist", False),
        ("renew_loan", False),
    ],
)
def test_the_hand_over_function_is_known_by_its_name(name: str, expected: bool) -> None:
    function = FunctionSpec(name=name, description="-", parameters={"type": "object"}, kind="read")
    assert (hand_over_function([function]) is function) == expected


def test_what_a_call_did_decides_where_no_kind_is_declared(tmp_path: Path) -> None:
    environment = tmp_path / "library"
    shutil.copytree(LIBRARY, environment)
    listed = json.loads((environment / "functions.json").read_text())
    (environment / "functions.json").write_text(
        json.dumps([{name: value for name, value in function.items() if name != "kind"} for function in listed])
    )
    with Sandbox(load_environment(environment)) as sandbox:
        undeclared = GateContext(sandbox)
        assert [outcome.reasons for outcome in run_gates(RENEWAL, undeclared)][:5] == [[]] * 5
        # The agent that only reads must not be given the write, and must be given the look-up.
        golden = undeclared.golden(with_calls(READ, call("pay_fine", member_id="M-1", amount=1)))
        assert read_only(golden, undeclared.facts).calls == [READ]


# discriminates


def test_discriminates_fails_where_an_argument_does_not_count(context: GateContext) -> None:
    outcome = gate("discriminates", task_of(call("touch_member", member_id="M-1", channel="phone")), context)
    assert outcome.reasons
    assert all("`channel`" in reason for reason in outcome.reasons)


def test_discriminates_fails_where_a_write_changes_nothing(context: GateContext) -> None:
    unchanged = call("set_branches", member_id="M-1", branches=["North", "Harbour"])
    outcome = gate("discriminates", task_of(READ, unchanged), context)
    assert "solved just as well without golden_calls[1] `set_branches` (which changed nothing)" in outcome.reasons


def test_discriminates_counts_the_mutants(context: GateContext) -> None:
    score = examine(RENEWAL, context).mutation
    assert score.total == score.killed >= 8


# no_leak


def test_no_leak_fails_where_the_user_says_the_fact(context: GateContext) -> None:
    task = task_of(READ, says="I owe EUR 12.50, do I not?", info=("12.50",))
    assert "12.50" in only_reason(no_leak(task, context))


def test_no_leak_passes_where_the_fact_only_looks_alike(context: GateContext) -> None:
    assert no_leak(task_of(READ, says="I am member M-12 since 2012.", info=("12",)), context).passed


# answered


def test_answered_fails_where_the_user_asks_what_no_fact_answers(context: GateContext) -> None:
    task = task_of(*RENEWAL.golden_calls, says=RENEWAL.instruction)
    assert "'what i owe'" in only_reason(answered(task, context))


def test_answered_takes_one_fact_for_two_things_that_the_results_know_by_two_names(context: GateContext) -> None:
    says = "I am M-3. How many points do I have, and what do I owe?"
    both = with_calls(call("get_member", member_id="M-3"), says=says, info=("1234.00",))
    assert not answered(both, context).passed

    class Doubling(Sandbox):
        def run(self, calls, start=(), *, fresh=False):  # type: ignore[no-untyped-def]
            done = super().run(calls, start, fresh=fresh)
            first = done.outcomes[0].model_copy(update={"result": {"points": 1234, "fine": 1234.0}})
            return type(done)((first, *done.outcomes[1:]), done.changes)

    with Doubling(context.sandbox.spec) as sandbox:
        assert answered(both, GateContext(sandbox)).passed


# what is judged on its words alone


@pytest.mark.parametrize(
    ("info", "solvers"),
    [((), ["null", "read_only", "hand_over", "recite"]), (("12.50",), ["recite"]), (("13.37",), [])],
)
def test_of_a_task_judged_on_its_words_only_what_concerns_them_is_evaluated(
    context: GateContext, info: tuple[str, ...], solvers: list[str]
) -> None:
    task = task_of(says="What do I owe?", info=info).model_copy(update={"database_judged": False})
    examination = examine(task, context)
    assert examination.idle_solvers == solvers
    outcomes = {outcome.gate: outcome for outcome in examination.outcomes}
    assert list(outcomes) == PROGRAM_GATES
    assert [name for name, outcome in outcomes.items() if was_evaluated(outcome)] == ["acts", "no_leak", "answered"]
    failed = [name for name, outcome in outcomes.items() if not outcome.passed]
    assert failed == ["acts"] * bool(solvers) + ["answered"] * (not info)


# pass_at_8


def attempt(index: int, solved: bool, user_fault: bool = False) -> Attempt:
    verdict = Verdict(execution=solved, fidelity=True, completeness=True)
    return Attempt(index=index, verdict=verdict, user_fault=user_fault)


def test_pass_at_8_needs_one_solved_attempt() -> None:
    assert pass_at_8([attempt(0, False), attempt(1, True)]).passed
    assert only_reason(pass_at_8([attempt(0, False), attempt(1, False)])) == "no agent solved it in 2 attempts"


def test_pass_at_8_does_not_count_what_the_user_spoiled() -> None:
    assert "1 attempts" in only_reason(pass_at_8([attempt(0, False), attempt(1, True, user_fault=True)]))
    assert "no attempt counts" in only_reason(pass_at_8([attempt(0, True, user_fault=True)]))


def gate(name: str, task: Task, context: GateContext) -> GateOutcome:
    (outcome,) = (outcome for outcome in run_gates(task, context) if outcome.gate == name)
    assert was_evaluated(outcome)
    return outcome


def only_reason(outcome: GateOutcome) -> str:
    assert not outcome.passed
    assert len(outcome.reasons) == 1
    return outcome.reasons[0]
