"""Requests that the bank's policy forbids: what proves it is looked up and told."""

from random import Random

from toolscale.reference.finance.catalogue import CURRENCIES, SCALE
from toolscale.reference.finance.programs.shared import (
    a_sum,
    available,
    current_accounts,
    days_ago,
    owner,
    savings_accounts,
)
from toolscale.reference.finance.programs.transfers import is_new
from toolscale.reference.finance.schema import GOODS
from toolscale.reference.kit import a_record, just, must, theirs
from toolscale.reference.program import DeadEnd, Facts, Refusal, Reply, Solution, World, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


def _blocked(facts: Facts) -> Solution:
    card = yield do("get_card", card_id=facts["card_id"])
    must(card["status"] in ("lost", "stolen"), "it can be unfrozen")
    state, expires = card["status"], card["expires_on"]
    text = f"It was blocked as {state} and stays so, although it was good until {expires}."
    return Reply(text, (f"blocked as {state}", expires))


UNBLOCK = WORDS.program(
    "refuse_to_unblock_card",
    a_record("cards", "card_id", lambda card: card["status"] in ("lost", "stolen")),
    _blocked,
    refusal=Refusal("a_blocked_card_stays_blocked", just("unfreeze_card", "card_id")),
)


def _draw_new_payee(world: World, rng: Random) -> Facts:
    pairs = [
        (account, payee)
        for account in current_accounts(world)
        for payee in theirs(world, "payees", account["customer_id"])
        if is_new(payee) and available(account) > CURRENCIES[account["currency"]]["new_payee_limit"] * 1.5
    ]
    account, payee = pick(rng, pairs)
    limit = CURRENCIES[account["currency"]]["new_payee_limit"]
    return {
        **owner(account),
        "account_id": account["account_id"],
        "payee_id": payee["payee_id"],
        "amount": float(round(limit * rng.choice((1.1, 1.2, 1.3, 1.4)))),
        "currency": account["currency"],
    }


def _too_new(facts: Facts) -> Solution:
    quote = yield do(
        "quote_transfer", account_id=facts["account_id"], payee_id=facts["payee_id"], amount=facts["amount"]
    )
    if quote["payee_limit"] is None or facts["amount"] <= quote["payee_limit"]:
        raise DeadEnd("it can be sent")
    most = shown(quote["payee_limit"])
    text = f"This payee was added less than 24 hours ago and can be sent {most} {quote['currency']} at most today."
    return Reply(text, (most,))


NEW_PAYEE = WORDS.program(
    "refuse_large_sum_to_new_payee",
    _draw_new_payee,
    _too_new,
    refusal=Refusal("new_payees_get_little", just("send_transfer", "account_id", "payee_id", "amount")),
)


def _too_late(facts: Facts) -> Solution:
    debit = yield do("get_transaction", transaction_id=facts["transaction_id"])
    must(days_ago(debit["last_day"]) > 0, "it is not too late")
    amount, day = shown(debit["amount"]), debit["last_day"]
    text = f"The {amount} {debit['currency']} could be taken back until {day}; that is past."
    return Reply(text, (day, amount))


OLD_DEBIT = WORDS.program(
    "refuse_late_refund",
    a_record(
        "transactions",
        "transaction_id",
        lambda each: each["kind"] == "direct_debit" and days_ago(each["booked_on"]) > 57,
    ),
    _too_late,
    refusal=Refusal("direct_debits_come_back_for_56_days", just("refund_direct_debit", "transaction_id")),
)


OLD_DISPUTE = WORDS.program(
    "refuse_late_dispute",
    a_record(
        "transactions", "transaction_id", lambda each: each["category"] in GOODS and days_ago(each["booked_on"]) > 121
    ),
    _too_late,
    refusal=Refusal(
        "card_payments_are_disputed_for_120_days",
        just("open_dispute", "transaction_id", where={"reason": "not_received"}),
    ),
)


def _draw_used_up(world: World, rng: Random) -> Facts:
    most = {"PR-BONUS": 2, "PR-YOUNG": 3}
    savings = pick(
        rng,
        [each for each in savings_accounts(world) if each["withdrawals_this_month"] == most.get(each["product_id"])],
    )
    others = [each for each in theirs(world, "accounts", savings["customer_id"]) if each is not savings]
    return {
        **owner(savings),
        "account_id": savings["account_id"],
        "to_account": pick(rng, others)["account_id"],
        "amount": a_sum(rng, savings["currency"]),
        "currency": savings["currency"],
    }


def _used_up(facts: Facts) -> Solution:
    account = yield do("get_account", account_id=facts["account_id"])
    must(account["withdrawals_left"] == 0, "a withdrawal is left")
    balance, product = shown(account["balance"]), account["product"]
    text = f"Your {product} has no withdrawal left this month; {balance} {account['currency']} stay on it."
    return Reply(text, (balance, product))


USED_UP = WORDS.program(
    "refuse_further_withdrawal",
    _draw_used_up,
    _used_up,
    refusal=Refusal(
        "savings_withdrawals_are_counted",
        just("move_money", from_account_id="account_id", to_account_id="to_account", amount="amount"),
    ),
)


def _deferred(facts: Facts) -> Solution:
    loan = yield do("get_loan", loan_id=facts["loan_id"])
    if not loan["can_defer_from"] or days_ago(loan["can_defer_from"]) >= 0:
        raise DeadEnd("it can be put off")
    since, again = loan["deferred_on"], loan["can_defer_from"]
    return Reply(f"A payment was put off on {since}; the next can be from {again}.", (again, since))


DEFER_AGAIN = WORDS.program(
    "refuse_second_deferral",
    a_record("loans", "loan_id", lambda each: bool(each["deferred_on"])),
    _deferred,
    refusal=Refusal("a_payment_is_put_off_once_a_year", just("defer_payment", "loan_id")),
)


def _too_early(facts: Facts) -> Solution:
    deposit = yield do("get_deposit", deposit_id=facts["deposit_id"])
    must(days_ago(deposit["breakable_from"]) < 0, "it can be broken")
    day, interest = deposit["breakable_from"], shown(deposit["interest_at_maturity"])
    text = f"It can be broken from {day} at the earliest; kept to the end, it brings {interest}."
    return Reply(text, (day, interest))


EARLY_BREAK = WORDS.program(
    "refuse_early_break",
    a_record("deposits", "deposit_id", lambda each: days_ago(each["started_on"]) < 29),
    _too_early,
    refusal=Refusal("deposits_hold_for_30_days", just("break_deposit", "deposit_id")),
)


def _draw_too_much(world: World, rng: Random) -> Facts:
    account = pick(rng, current_accounts(world))
    highest = CURRENCIES[account["currency"]]["highest_overdraft"]
    more = float(rng.choice((500, 1000, 2000)) * SCALE[account["currency"]])
    return {
        **owner(account),
        "account_id": account["account_id"],
        "limit": highest + more,
        "currency": account["currency"],
    }


def _too_much(facts: Facts) -> Solution:
    account = yield do("get_account", account_id=facts["account_id"])
    must(facts["limit"] > account["highest_overdraft"], "it can be set")
    most, now = shown(account["highest_overdraft"]), shown(account["available"])
    return Reply(f"{most} {account['currency']} is the highest; you have {now} available.", (most, now))


TOO_MUCH = WORDS.program(
    "refuse_high_overdraft",
    _draw_too_much,
    _too_much,
    refusal=Refusal("overdrafts_have_a_limit", just("set_overdraft", "account_id", "limit")),
)

REFUSED = (UNBLOCK, NEW_PAYEE, OLD_DEBIT, OLD_DISPUTE, USED_UP, DEFER_AGAIN, EARLY_BREAK, TOO_MUCH)
