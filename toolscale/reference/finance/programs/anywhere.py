"""What can be added to any request."""

from random import Random

from toolscale.reference.finance.catalogue import SCALE
from toolscale.reference.finance.programs.shared import available, current_accounts, near
from toolscale.reference.kit import must, theirs
from toolscale.reference.program import Facts, Reply, Solution, Steps, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


def _tell_next_payment(facts: Facts) -> Solution:
    orders = yield do("list_standing_orders", customer_id=facts["customer_id"])
    first = yield choose(orders, key=lambda each: each["next_on"])
    amount, day = shown(first["amount"]), first["next_on"]
    return Reply(f"Your next standing order pays {amount} to {first['payee']} on {day}.", (amount, day))


NEXT_PAYMENT = WORDS.twist("next standing order", "lookup", after=_tell_next_payment)


def _tell_last(facts: Facts) -> Solution:
    found = yield do("search_transactions", customer_id=facts["customer_id"], counterparty=facts["payer"])
    last = yield choose(found, key=lambda each: [-int(part) for part in each["booked_on"].split("-")])
    amount, day = shown(last["amount"]), last["booked_on"]
    return Reply(f"{facts['payer']} last took {amount} {last['currency']} on {day}.", (amount, day))


LAST_PAYMENT = WORDS.twist(
    "last payment to somebody",
    "lookup",
    draw=lambda world, rng, facts: {
        "payer": pick(rng, [each["counterparty"] for each in theirs(world, "transactions", facts["customer_id"])])
    },
    after=_tell_last,
)


def _tell_plan(facts: Facts) -> Solution:
    customer = yield do("get_customer", customer_id=facts["customer_id"])
    plan, since = f"{customer['plan']['name']} plan", customer["customer_since"]
    return Reply(f"You are on the {plan}, and a customer since {since}.", (plan, since))


MY_PLAN = WORDS.twist("my plan", "lookup", after=_tell_plan)


def _draw_reserve(world: World, rng: Random, facts: Facts) -> Facts:
    accounts = [each for each in current_accounts(world) if each["customer_id"] == facts["customer_id"]]
    account = pick(rng, [each for each in accounts if available(each) > 50])
    reserve = near(rng, available(account), (0.4, 0.6, 0.8, 1.3))
    return {"reserve_account": account["account_id"], "reserve": reserve}


def _has_reserve(facts: Facts) -> Steps:
    accounts = yield do("list_accounts", customer_id=facts["customer_id"])
    named = [each for each in accounts if each["account_id"] == facts["reserve_account"]]
    account = yield choose(named, key=lambda each: each["account_id"])
    if account["available"] >= facts["reserve"]:
        return None
    left = shown(account["available"])
    return Reply(f"I changed nothing: {left} {account['currency']} are available there.", (left,))


IF_RESERVE = WORDS.twist(
    "only with a reserve",
    "condition",
    draw=_draw_reserve,
    suits=r"move_between|open_|send_|pay_new|create_|change_standing|repay_|settle_",
    before=_has_reserve,
)


def _no_loan_behind(facts: Facts) -> Steps:
    loans = yield do("list_loans", customer_id=facts["customer_id"])
    owed = sum(loan["outstanding"] for loan in loans)
    if owed <= facts["most_owed"]:
        return None
    must(len({loan["currency"] for loan in loans}) <= 1, "the loans are in several currencies")
    text = shown(owed)
    return Reply(f"I changed nothing: you owe {text} on your loans.", (text,))


IF_DEBTS = WORDS.twist(
    "only with few debts",
    "condition",
    draw=lambda world, rng, facts: {
        "most_owed": rng.choice((6000.0, 12000.0, 18000.0, 25000.0)) * _scale(world, facts["customer_id"])
    },
    suits=r"open_|set_overdraft|set_card_limit|send_|pay_new|create_|change_standing|defer_|prepare_card",
    before=_no_loan_behind,
)


def _scale(world: World, customer_id: str) -> int:
    return SCALE[pick(Random(customer_id), theirs(world, "accounts", customer_id))["currency"]]


BRANCH = WORDS.twist("a branch that closed", "distractor")
STATEMENT = WORDS.twist("paper is fine", "distractor")

TWISTS = (NEXT_PAYMENT, LAST_PAYMENT, MY_PLAN, IF_RESERVE, IF_DEBTS, BRANCH, STATEMENT)
