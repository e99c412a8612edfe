"""Rules of a policy are tried before anything is held against them, and their author is told precisely what fails."""

import asyncio
import json

import pytest

from tests.synthesis.shop import DOMAIN, READ, SCHEMA, WRITE, entries, environment
from toolscale.environment import Sandbox, not_checkable_in, rules_in
from toolscale.synthesis.assembly import assemble
from toolscale.synthesis.plan import PlanAnswer
from toolscale.synthesis.rules import ROUNDS, write_rules
from toolscale.synthesis.sources import rules_module

POLICY = """# Desk
- Orders of 50 or more are cancelled by a person.
- Act only for the customer of the order that was looked up first.
- **Be patient** with customers.
"""
PATIENT = "Be patient with customers."
PLAN = PlanAnswer(policy=POLICY, functions=[READ.spec(), WRITE.spec()])
FUNCTIONS = [READ, WRITE.model_copy(update={"examples": [{"order_id": "O-1"}, {"order_id": "no such order"}]})]

SOURCE = '''
import math


def _cancelled(before, after):
    return [order for key, order in after["orders"].items()
            if order["status"] == "cancelled" and before["orders"].get(key, {}).get("status") == "open"]


def small_orders_only(before, call, after):
    """Orders of 50 or more are cancelled by a person."""
    for order in _cancelled(before, after):
        if order["amount"] >= LIMIT:
            return f"{order['order_id']} costs {math.floor(order['amount'])}"
    return None


def own_orders_only(before, call, after, earlier):
    """Act only for the customer of the order that was looked up first."""
    users = [each["result"]["customer_id"] for each in earlier if each["name"] == "get_order"]
    for order in _cancelled(before, after):
        if users and order["customer_id"] != users[0]:
            return f"{order['order_id']} is not {users[0]}'s"
    return None


LIMIT = 50
'''


def call(name, order):
    return {"name": name, "arguments": {"order_id": order}}


def cancelled(*orders):
    return {"calls": [call("cancel_order", order) for order in orders]}


SMALL = {"rule": "small_orders_only", "breaks": cancelled("O-5"), "keeps": cancelled("O-3")}
OWN = {
    "rule": "own_orders_only",
    "breaks": {"calls": [call("get_order", "O-3"), call("cancel_order", "O-1")]},
    "keeps": {"calls": [call("get_order", "O-3"), call("cancel_order", "O-3")]},
}
RIGHT = {"source": SOURCE, "examples": [SMALL, OWN], "not_checkable": [PATIENT]}


def replaced(old, new):
    assert old in SOURCE
    return {**RIGHT, "source": SOURCE.replace(old, new)}


def by_name(what):
    """A rule that goes by the function's name."""
    condition = f'call["name"] == "cancel_order" and {what}'
    body = f"    if {condition}:\n        return 'too dear'\n    return None\n"
    rule = f'def small_orders_only(before, call, after):\n    """Orders of 50 or more."""\n{body}'
    return {"source": rule, "examples": [SMALL], "not_checkable": []}


AMOUNT = 'before["orders"][call["arguments"]["order_id"]]["amount"] >= 50'
CONDITION = '        if order["amount"] >= LIMIT:'
TWICE = (
    f'{CONDITION}\n            return \'dear\'\n        if not order["amount"] < LIMIT and LIMIT <= order["amount"]:'
)
ALONE = '\n\ndef small_orders_only(before, call, after):\n    """Orders."""\n    return _dear(before, call, after)\n'
WRONG = {
    "does not compile": (
        replaced("def _cancelled(before, after):", "def _cancelled(before, after"),
        "was never closed",
    ),
    "imports what is not there": (replaced("import math", "import os, math"), "`os` cannot be imported in the sandbox"),
    "is no rule": (replaced("def _cancelled(", "def cancelled("), "rule `cancelled` must be `def cancelled(before,"),
    "fires on an accepted example": (
        {
            **replaced("LIMIT = 50", "LIMIT = 10"),
            "examples": [{**SMALL, "keeps": {"calls": [call("get_order", "O-1")]}}, OWN],
        },
        "`small_orders_only` fires on cancel_order({'order_id': 'O-1'}), an example of the function's own",
    ),
    "fires on what keeps it": (replaced("LIMIT = 50", "LIMIT = 30"), "fires on its own keeping example"),
    "fires on what keeps another": (
        replaced('order["amount"] >= LIMIT', 'order["amount"] >= LIMIT or order["order_id"] == "O-6"')
        | {"examples": [SMALL, {**OWN, "keeps": {"calls": [call("get_order", "O-6"), call("cancel_order", "O-6")]}}]},
        "`small_orders_only` fires on the keeping example of `own_orders_only`",
    ),
    "does not fire": (
        replaced("LIMIT = 50", "LIMIT = 500"),
        "`small_orders_only` does not fire on the last call of its own breaking example",
    ),
    "fires too early": (
        {**RIGHT, "examples": [{**SMALL, "breaks": cancelled("O-5", "O-1")}, OWN]},
        "does not fire on the last call of its own breaking example (only on its call 0)",
    ),
    "fails": (
        replaced('order["amount"] >= LIMIT', 'order["amont"] >= LIMIT'),
        "on its own breaking example, the rule itself failed with KeyError: 'amont'",
    ),
    "its keeping example notices no mutation": (
        by_name(AMOUNT) | {"examples": [{**SMALL, "keeps": {"calls": [call("get_order", "O-1")]}}]},
        "no mutation of `small_orders_only` is noticed by its keeping example",
    ),
    "its breaking example notices no mutation": (
        {**RIGHT, "source": SOURCE.replace(CONDITION, TWICE)},
        "no mutation of `small_orders_only` is noticed by its breaking example",
    ),
    "compares nothing itself": (
        {
            **RIGHT,
            "source": SOURCE.replace("def small_orders_only(", "def _dear(") + ALONE,
        },
        "`small_orders_only` has no condition of its own",
    ),
    "has an example that is refused": (
        {**RIGHT, "examples": [{**SMALL, "breaks": cancelled("O-4")}, OWN]},
        "`breaks` of `small_orders_only`: `cancel_order` is refused (no open order O-4)",
    ),
    "has no example": ({**RIGHT, "examples": [OWN]}, "`small_orders_only` has no pairs of examples"),
    "has an example of nothing": (
        {**RIGHT, "examples": [SMALL, OWN, {**SMALL, "rule": "big_orders"}]},
        "`examples`: there is no rule `big_orders`",
    ),
    "supposes without changes": (
        {
            **RIGHT,
            "examples": [
                {**SMALL, "breaks": {**cancelled("O-5"), "suppose": {"orders": {"O-5": {"amount": 90}}}}},
                OWN,
            ],
        },
        "what is supposed is not in the database",
    ),
    "changes a table that is not there": (
        {**RIGHT, "examples": [{**SMALL, "breaks": {**cancelled("O-5"), "changes": {"order": {"O-5": None}}}}, OWN]},
        "there is no table `order`",
    ),
    "names a sentence that the policy does not have": (
        {**RIGHT, "not_checkable": ["Be friendly."]},
        "`not_checkable`: 'Be friendly.' does not stand in the policy",
    ),
    "says nothing": ({"source": ""}, "there is neither a rule nor a sentence"),
}


def written(run):
    """What the stage gives."""
    work = write_rules(run, SCHEMA, entries(), FUNCTIONS, PLAN)
    return asyncio.run(work)


def answering(*answers):
    """A teacher with these answers, the last of them again and again."""
    left = list(answers)
    return lambda request: json.dumps(left.pop(0) if len(left) > 1 else left[0])


def names(found):
    return [rule.name for rule in found.kept if rule.by == "program"]


def sentences(found):
    return [rule.sentence for rule in found.kept if rule.by == "judge"]


def test_rules_that_stand_their_trial_become_a_module_and_the_rest_is_left_to_a_judge(run_on):
    run, server = run_on(answering(RIGHT))
    found = written(run)
    assert (names(found), sentences(found), found.rejects) == (["small_orders_only", "own_orders_only"], [PATIENT], [])
    assert len(server.requests) == 1
    made = assemble(DOMAIN, SCHEMA, entries(), FUNCTIONS, PLAN, found.kept)
    assert list(rules_in(made.rules)) == names(found)
    assert not_checkable_in(made.rules) == (PATIENT,)


def test_a_rule_knows_the_user_by_the_calls_that_came_before(run_on):
    run, _ = run_on(answering(RIGHT))
    rules = rules_module(written(run).kept)
    with Sandbox(environment().model_copy(update={"rules": rules})) as sandbox:

        def broken(*calls):
            from toolscale.artifacts import Call

            made = sandbox.run([Call(name=name, arguments={"order_id": order}) for name, order in calls])
            return [(each.position, each.rule, each.reason) for each in sandbox.broken_rules(made)]

        assert broken(("get_order", "O-3"), ("cancel_order", "O-3"), ("cancel_order", "O-1")) == [
            (2, "own_orders_only", "O-1 is not C-1's")
        ]
        assert broken(("get_order", "O-3"), ("cancel_order", "O-3")) == []


@pytest.mark.parametrize(("answer", "said"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_with_rules_goes_back_and_is_mended(run_on, answer, said):
    run, server = run_on(answering(answer, RIGHT))
    found = written(run)
    (reject,) = found.rejects
    assert any(said in reason for reason in reject.reasons), reject.reasons
    assert said[:200] in server.requests[1]["messages"][-1]["content"]
    assert names(found) == ["small_orders_only", "own_orders_only"]


@pytest.mark.slow
def test_a_rule_that_never_ends_goes_back_too(run_on):
    endless = replaced("    users = [", "    while call:\n        pass\n    users = [")
    run, _ = run_on(answering(endless, RIGHT))
    (reject,) = written(run).rejects
    assert [reason for reason in reject.reasons if "never came to an end: Timeout" in reason]


def test_an_example_may_tell_what_the_functions_would_refuse(run_on):
    told = {
        **cancelled("O-4"),
        "suppose": {"orders": {"O-4": {"status": "open", "amount": 80}}},
        "changes": {"orders": {"O-4": {"status": "cancelled"}}},
    }
    run, _ = run_on(answering({**RIGHT, "examples": [{**SMALL, "breaks": told}, OWN]}))
    assert written(run).rejects == []


def test_a_rule_that_is_never_right_is_left_to_the_judge_and_the_others_stand(run_on):
    run, server = run_on(answering(replaced("LIMIT = 50", "LIMIT = 500")))
    found = written(run)
    assert names(found) == ["own_orders_only"]
    assert sentences(found) == [PATIENT, "Orders of 50 or more are cancelled by a person."]
    assert len(found.rejects) == len(server.requests) == ROUNDS


def test_a_policy_without_any_usable_answer_is_left_to_the_judge_whole(run_on):
    run, _ = run_on(lambda request: "I would rather not.")
    found = written(run)
    assert names(found) == []
    assert [sentence.lstrip("- ") for sentence in sentences(found)] == [
        line.lstrip("- ") for line in POLICY.splitlines()[1:]
    ]
