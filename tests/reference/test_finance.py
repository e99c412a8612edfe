"""What is special about the bank: its world adds up, its functions keep the books, its rules and refusals bite."""

from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.reference.rehearsal import Stage, whole_database
from toolscale.artifacts import Call, CallOutcome, Database
from toolscale.environment import ABSENT
from toolscale.reference import teacher
from toolscale.reference.domain import reference_domain
from toolscale.reference.finance.ibans import iban, remainder
from toolscale.reference.finance.plausibility import blemish, implausible
from toolscale.reference.finance.schema import COUNTRIES
from toolscale.reference.program import Program

FINANCE = reference_domain("finance")


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    stage = Stage("finance", seed=5)
    yield stage
    stage.sandbox.close()


def _rows(stage: Stage, table: str, **fields: Any) -> list[Any]:
    rows: Any = stage.database[table].values()
    return [row for row in rows if all(row[field] == value for field, value in fields.items())]


def _run(stage: Stage, *calls: tuple[str, dict[str, Any]]) -> list[CallOutcome]:
    return list(stage.sandbox.run([Call(name=name, arguments=arguments) for name, arguments in calls]).outcomes)


def _current(stage: Stage) -> Any:
    """A well-filled current account and a payee in its currency who is known for long."""
    for account in _rows(stage, "accounts", product_id="PR-CURRENT", status="active", label="Everyday"):
        for payee in _rows(stage, "payees", customer_id=account["customer_id"], currency=account["currency"]):
            if account["balance"] > 2000 and payee["added_at"] < "2026-11-20":
                return account, payee
    raise AssertionError("the world has no such account")


@pytest.mark.parametrize("seed", range(5))
def test_the_whole_world_is_plausible_and_valid(seed: int) -> None:
    database = whole_database(FINANCE, seed)
    assert implausible(database) == []
    assert not list(Draft202012Validator(FINANCE.schema).iter_errors(database))
    assert sum(map(len, database.values())) >= 700


@pytest.mark.parametrize("seed", range(40))
def test_a_blemish_is_valid_by_the_schema_and_always_noticed(seed: int) -> None:
    rng = Random(seed)
    entries: Database = rng.choice(list(FINANCE.world(seed % 3).values()))
    blemish(entries, rng)
    assert implausible(entries)
    for table, records in entries.items():
        rules: Any = FINANCE.schema["properties"][table]
        assert not list(Draft202012Validator(rules).iter_errors(records))


@pytest.mark.parametrize("country", COUNTRIES)
def test_account_numbers_pass_their_check_and_a_mistyped_one_does_not(stage: Stage, country: str) -> None:
    number = iban(Random(country), country)
    assert remainder(number[4:] + number[:4]) == 1
    customer = next(iter(stage.database["customers"]))
    mistyped = number[:-1] + str((int(number[-1]) + 1) % 10)
    good, bad = (
        _run(stage, ("add_payee", {"customer_id": customer, "name": "Ada Quill", "iban": text}))[0]
        for text in (number, mistyped)
    )
    assert good.ok
    assert "check digits" in (bad.error or "")


def test_a_transfer_takes_amount_and_fee_and_a_scheduled_one_takes_nothing_yet(stage: Stage) -> None:
    account, payee = _current(stage)
    order = {"account_id": account["account_id"], "payee_id": payee["payee_id"], "amount": 100.0, "speed": "express"}
    quote, sent, scheduled, read = _run(
        stage,
        ("quote_transfer", order),
        ("send_transfer", order),
        ("send_transfer", {**order, "execute_on": "2026-12-10"}),
        ("get_account", {"account_id": account["account_id"]}),
    )
    results: Any = [each.result for each in (quote, sent, scheduled, read)]
    assert results[0]["total"] == pytest.approx(100 + results[0]["fee"])
    assert (results[1]["status"], results[2]["status"]) == ("sent", "scheduled")
    assert results[3]["balance"] == pytest.approx(account["balance"] - results[0]["total"])


def test_only_a_scheduled_transfer_can_be_cancelled_and_only_once(stage: Stage) -> None:
    scheduled, sent = (_rows(stage, "transfers", status=each)[0]["transfer_id"] for each in ("scheduled", "sent"))
    cancel = ("cancel_transfer", {"transfer_id": scheduled})
    first, again, late = _run(stage, cancel, cancel, ("cancel_transfer", {"transfer_id": sent}))
    assert (first.ok, again.ok, late.ok) == (True, False, False)


def test_an_account_pays_down_to_its_overdraft_limit_and_not_a_cent_further(stage: Stage) -> None:
    account, payee = _current(stage)
    everything = round(account["balance"] + account["overdraft_limit"], 2)
    order = {"account_id": account["account_id"], "payee_id": payee["payee_id"]}
    too_much, all_of_it, one_more = _run(
        stage,
        ("send_transfer", {**order, "amount": round(everything + 0.01, 2)}),
        ("send_transfer", {**order, "amount": everything}),
        ("send_transfer", {**order, "amount": 0.01}),
    )
    assert (too_much.ok, all_of_it.ok, one_more.ok) == (False, True, False)


def test_money_moved_between_currencies_and_back_is_never_more_than_before(stage: Stage) -> None:
    tried = 0
    for abroad in _rows(stage, "accounts", label="Travel money", status="active"):
        home = _rows(stage, "accounts", customer_id=abroad["customer_id"], label="Everyday")[0]
        if home["balance"] < 200:
            continue
        there = {"from_account_id": home["account_id"], "to_account_id": abroad["account_id"], "amount": 100.0}
        moved: Any = _run(stage, ("move_money", there))[0].result
        back = {"from_account_id": abroad["account_id"], "to_account_id": home["account_id"]}
        both = _run(stage, ("move_money", there), ("move_money", {**back, "amount": moved["received"]}))
        result: Any = both[1].result
        assert result["received"] < 100
        tried += 1
    assert tried > 3


def test_the_last_withdrawal_of_a_month_can_be_made_and_no_further_one(stage: Stage) -> None:
    savings = next(
        each for each in _rows(stage, "accounts", product_id="PR-BONUS", status="active") if each["balance"] > 100
    )
    target = _rows(stage, "accounts", customer_id=savings["customer_id"], label="Everyday")[0]
    move = (
        "move_money",
        {"from_account_id": savings["account_id"], "to_account_id": target["account_id"], "amount": 5},
    )
    outcomes = _run(stage, move, move, move)
    assert sum(each.ok for each in outcomes) == 2 - savings["withdrawals_this_month"]
    assert "no withdrawal left" in (outcomes[-1].error or "")


def test_fraud_is_disputed_only_after_the_card_is_blocked_and_the_card_never_works_again(stage: Stage) -> None:
    disputed = {each["transaction_id"] for each in _rows(stage, "disputes")}
    payment = next(
        each
        for each in _rows(stage, "transactions", kind="card", status="booked")
        if each["transaction_id"] not in disputed
        and each["booked_on"] > "2026-09-01"
        and _rows(stage, "cards", card_id=each["card_id"])[0]["status"] == "active"
    )
    dispute = ("open_dispute", {"transaction_id": payment["transaction_id"], "reason": "unauthorised"})
    block = ("block_card", {"card_id": payment["card_id"], "reason": "stolen"})
    unfreeze = ("unfreeze_card", {"card_id": payment["card_id"]})
    early, blocked, opened, again, revived = _run(stage, dispute, block, dispute, dispute, unfreeze)
    assert [each.ok for each in (early, blocked, opened, again, revived)] == [False, True, True, False, False]


def test_settling_a_loan_takes_what_was_quoted_and_ends_it(stage: Stage) -> None:
    for loan in _rows(stage, "loans"):
        account = _rows(stage, "accounts", account_id=loan["account_id"])[0]
        if account["balance"] > 500:
            break
    quote: Any = _run(stage, ("quote_repayment", {"loan_id": loan["loan_id"], "amount": 100.0}))[0].result
    repay = ("repay_loan", {"loan_id": loan["loan_id"], "account_id": loan["account_id"], "amount": 100.0})
    done: Any = _run(stage, repay)[0].result
    assert quote["fee"] == (1.0 if loan["rate_type"] == "fixed" else 0.0)
    assert done["balance"] == pytest.approx(account["balance"] - quote["total"])
    assert done["outstanding"] + done["arrears"] == pytest.approx(loan["outstanding"] + loan["arrears"] - 100)


def test_breaking_a_deposit_costs_half_of_the_interest_so_far_and_works_once(stage: Stage) -> None:
    deposit = next(each for each in _rows(stage, "deposits") if each["started_on"] < "2026-10-01")
    call = {"deposit_id": deposit["deposit_id"]}
    read, broken, again = _run(stage, ("get_deposit", call), ("break_deposit", call), ("break_deposit", call))
    shown, done = (each.result for each in (read, broken))
    assert isinstance(shown, dict)
    assert isinstance(done, dict)
    assert done["paid_out"] == pytest.approx(deposit["amount"] + shown["interest_so_far"] / 2, abs=0.011)
    assert not again.ok


def test_an_account_on_which_something_hangs_is_not_closed(stage: Stage) -> None:
    account, _ = _current(stage)
    other = next(
        each
        for each in _rows(stage, "accounts", customer_id=account["customer_id"], currency=account["currency"])
        if each["account_id"] != account["account_id"]
    )
    close = {"account_id": account["account_id"], "pay_out_to": other["account_id"]}
    assert "still needed for" in (_run(stage, ("close_account", close))[0].error or "")


@pytest.mark.parametrize("program", FINANCE.programs, ids=lambda program: program.name)
def test_what_a_task_leaves_behind_is_valid_and_plausible(program: Program, stage: Stage) -> None:
    world = stage.world(program.name, 500)
    drafts = (
        stage.enact(lambda seed=seed: teacher.propose(stage.domain, program, world, Random(seed), error_rate=0))
        for seed in range(12)
    )
    draft = next(draft for draft in drafts if "infeasible" not in draft)
    after: Any = deepcopy(stage.database)
    for ref, record in stage.sandbox.run([Call(**call) for call in draft["golden_calls"]]).changes.items():
        if record is ABSENT:
            del after[ref.table][ref.key]
        else:
            after[ref.table][ref.key] = record
    assert not list(Draft202012Validator(FINANCE.schema).iter_errors(after))
    assert implausible(after) == []
