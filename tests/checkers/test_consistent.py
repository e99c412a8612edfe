"""Limits are kept, facts are told as they are in the end, and the user is who the records say."""

import json
from pathlib import Path

import pytest

from tests.checkers.conftest import call, task_of
from toolscale.artifacts import Instructions, StatedLimit, Task, UserScenario
from toolscale.checkers import GateContext
from toolscale.checkers.gates import consistent
from toolscale.checkers.persona import contradictions

LOOK, PAY = call("get_member", member_id="M-1"), call("pay_fine", member_id="M-1", amount=4)
RENEW = call("renew_loan", loan_id="L-10", due="2026-12-04")
PERSONAS = [json.loads(line) for line in (Path(__file__).parent / "personas.jsonl").read_text().splitlines()]


def limited(instruction: str, *calls: object, **limit: object) -> Task:
    stated = StatedLimit.model_validate({"says": "at most 5 euros", "call": 0, "field": "amount", **limit})
    return task_of(*calls, says=instruction).model_copy(update={"limits": [stated]})  # type: ignore[arg-type]


# limits

PAYS = "I am M-1. Pay 4 euros off my fine, at most 5 euros in any case."


def test_a_limit_that_a_golden_call_breaks_is_a_fault(context: GateContext) -> None:
    assert consistent(limited(PAYS, PAY, at_most=5), context).passed
    dear = call("pay_fine", member_id="M-1", amount=6)
    (reason,) = consistent(limited(PAYS, dear, at_most=5), context).reasons
    assert reason.endswith("`amount` of golden_calls[0] `pay_fine` is 6")


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ({"says": "no more than 5 euros", "at_most": 5}, "the user does not say so"),
        ({"at_most": 7}, "do not say 7"),
        ({"at_most": 5, "call": 3}, "no golden call 3"),
        ({"at_most": 5, "field": "price"}, "is no number"),
        ({}, "bounds nothing"),
        ({"at_least": 5}, "is 4"),
    ],
)
def test_a_limit_is_as_its_author_says(context: GateContext, limit: dict[str, object], said: str) -> None:
    (reason,) = consistent(limited(PAYS, PAY, **limit), context).reasons
    assert said in reason


def test_where_limits_are_said_each_amount_that_the_user_bounds_has_one(context: GateContext) -> None:
    says = f"{PAYS} And book me a course for under 80 euros."
    (reason,) = consistent(limited(says, PAY, at_most=5), context).reasons
    assert "80" in reason
    assert consistent(task_of(PAY, says=says), context).passed  # nobody says which value is meant


# facts that a write outdates


def stale(context: GateContext, *calls: object, says: str = "I am M-1. Tell me what I owe.", fact: str) -> list[str]:
    return consistent(task_of(*calls, says=says, info=(fact,)), context).reasons  # type: ignore[arg-type]


def test_a_fact_that_a_later_write_changes_is_stale(context: GateContext) -> None:
    (reason,) = stale(context, LOOK, PAY, fact="12.50")
    assert reason == "'12.50' is stale: golden_calls[1] `pay_fine` changes `fine` of members/M-1 after it was read"


def test_a_fact_that_is_shown_after_the_write_is_not_stale(context: GateContext) -> None:
    assert stale(context, LOOK, PAY, fact="8.50") == []
    assert stale(context, PAY, LOOK, fact="8.50") == []


def test_a_fact_that_no_write_changes_is_not_stale(context: GateContext) -> None:
    assert stale(context, LOOK, RENEW, fact="12.50") == []
    assert stale(context, LOOK, PAY, fact="anna.keller@example.com") == []


def test_a_fact_that_is_changed_and_changed_back_is_not_stale(context: GateContext) -> None:
    back = call("pay_fine", member_id="M-1", amount=-4)
    assert stale(context, LOOK, PAY, back, fact="12.50") == []


@pytest.mark.parametrize(
    "asks",
    [
        ". Tell me what I owed before.",
        ". What was my fine?",
        ". How much would it have been?",
        ", stating the sum originally due.",
    ],
)
def test_a_user_may_ask_for_what_was(context: GateContext, asks: str) -> None:
    assert stale(context, LOOK, PAY, says=f"I am M-1. Pay 4 euros off my fine{asks}", fact="12.50") == []


def test_a_value_that_another_entry_shows_too_is_not_called_stale(context: GateContext) -> None:
    renewed = call("renew_loan", loan_id="L-12", due="2026-11-24")  # the due date of L-10
    moved = call("renew_loan", loan_id="L-12", due="2026-12-11")
    loans = [call("list_loans", member_id="M-1"), call("list_loans", member_id="M-2")]
    assert stale(context, *loans, renewed, moved, says="Tell me when it is due.", fact="2026-11-24") == []


# personas


@pytest.mark.parametrize("row", PERSONAS, ids=lambda row: row["persona"][:40])
def test_who_the_user_is_said_to_be_goes_with_their_record(context: GateContext, row: dict[str, object]) -> None:
    spec = context.sandbox.spec.model_copy(
        update={
            "database": {
                "people": {
                    "P-1": row["record"],
                    "P-2": {"city": "Ghent", "country": "Belgium"},
                    "P-3": {"city": "Porto", "country": "Portugal"},
                }
            }
        }
    )
    words = Instructions(domain="library", reason_for_call=str(row.get("says", "Renew it.")), known_info="I am P-1.")
    task = Task(id="-", user_scenario=UserScenario(persona=str(row["persona"]), instructions=words))
    assert bool(list(contradictions(task, spec))) == row["contradicts"]


def test_a_record_that_the_user_does_not_name_says_nothing_of_them(context: GateContext) -> None:
    spec = context.sandbox.spec.model_copy(update={"database": {"people": {"P-1": {"birth_date": "2015-01-01"}}}})
    words = Instructions(domain="library", reason_for_call="Renew it.", known_info="I am P-12.")
    task = Task(id="-", user_scenario=UserScenario(persona="A pensioner.", instructions=words))
    assert list(contradictions(task, spec)) == []
