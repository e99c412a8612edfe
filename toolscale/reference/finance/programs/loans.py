"""Programs about loans: paying back early, settling, and putting a payment off."""

from random import Random

from toolscale.reference.finance.catalogue import SCALE
from toolscale.reference.finance.programs.shared import (
    KEEP,
    MAX_FEE,
    OTHER_AMOUNT,
    available,
    currency_of,
    current_accounts,
    days_ago,
    limit_on,
    owner,
    short_of,
)
from toolscale.reference.kit import a_record, must, theirs
from toolscale.reference.program import DeadEnd, Facts, Record, Reply, Solution, Steps, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


def _payer(world: World, rng: Random, loan: Record, least: float = 300) -> Record:
    """A current account from which some of the loan can be paid."""
    currency = currency_of(world, loan)
    least *= SCALE[currency]
    fitting = [each for each in current_accounts(world) if each["currency"] == currency and available(each) > least]
    return pick(rng, [each for each in fitting if each["customer_id"] == loan["customer_id"]])


def _draw_repay(world: World, rng: Random) -> Facts:
    loan = pick(rng, world.rows("loans"))
    account = _payer(world, rng, loan, 600)
    currency = account["currency"]
    sums = [each * SCALE[currency] for each in (200, 300, 350, 500, 750, 900)]
    amount = pick(rng, [each for each in sums if each < min(available(account) * 0.9, loan["outstanding"])])
    return {
        **owner(loan),
        "loan_id": loan["loan_id"],
        "account_id": account["account_id"],
        "amount": float(amount),
        "currency": currency,
    }


def _repay_from(facts: Facts, loan_id: str, amount: float | None) -> Steps:
    """Step: repay so much of a loan, or all of it, unless a condition stands against it."""
    quote = yield do("quote_repayment", loan_id=loan_id, amount=amount)
    account = yield do("get_account", account_id=facts["account_id"])
    if account["available"] < quote["total"] or account["currency"] != quote["currency"]:
        raise DeadEnd("it cannot be paid from there")
    fee, left = shown(quote["fee"]), shown(account["available"])
    if quote["fee"] > facts.get("max_fee", 1e9):
        return f"I repaid nothing: the fee would be {fee}.", (fee,)
    if short_of(facts, account, quote["total"]):
        return f"I repaid nothing: {left} are available.", (left,)
    done = yield do("repay_loan", loan_id=loan_id, account_id=facts["account_id"], amount=quote["amount"])
    owed, paid, balance = shown(done["outstanding"]), shown(done["paid"]), shown(done["balance"])
    if done["status"] == "repaid":
        return f"{loan_id} is repaid; {paid} were charged, fee {fee}; the balance is {balance}.", (paid, balance)
    heard = (owed, *((fee,) if quote["fee"] else ()))
    return f"{owed} are still owed on {loan_id}; {paid} were charged, with a fee of {fee}.", heard


def _repay(facts: Facts) -> Solution:
    text, tell = yield from _repay_from(facts, facts["loan_id"], facts["amount"])
    return Reply(text, tell)


REPAY = WORDS.program("repay_part_of_loan", _draw_repay, _repay, (KEEP, MAX_FEE, OTHER_AMOUNT))


def _with_two(world: World, rng: Random) -> Record:
    """A loan of somebody who has another one, as far as the excerpt says."""
    loans = world.rows("loans")
    return pick(rng, [each for each in loans if len(theirs(world, "loans", each["customer_id"])) > 1] or loans)


def _somebody_with_two(world: World, rng: Random) -> Facts:
    return owner(_with_two(world, rng))


def _draw_dearest(world: World, rng: Random) -> Facts:
    loan = _with_two(world, rng)
    account = _payer(world, rng, loan, 600)
    amount = float(pick(rng, [each * SCALE[account["currency"]] for each in (150, 300, 450, 500)]))
    return {**owner(loan), "account_id": account["account_id"], "amount": amount, "currency": account["currency"]}


def _repay_dearest(facts: Facts) -> Solution:
    loans = yield do("list_loans", customer_id=facts["customer_id"])
    must(len(loans) >= 2, "nothing to compare")
    if facts.get("smallest"):
        loan = yield choose(loans, key=lambda each: each["outstanding"])
    else:
        loan = yield choose(loans, key=lambda each: -each["interest_percent"])
    must(loan["outstanding"] >= facts["amount"], "less than that is owed")
    text, tell = yield from _repay_from(facts, loan["loan_id"], facts["amount"])
    return Reply(f"It is {loan['loan_id']}. {text}", (loan["loan_id"], *tell))


REPAY_DEAREST = WORDS.program(
    "repay_dearest_loan",
    _draw_dearest,
    _repay_dearest,
    (
        KEEP,
        MAX_FEE,
        WORDS.twist("the smallest loan instead", "change_of_mind", sets={"smallest": True}),
    ),
)


def _draw_settle(world: World, rng: Random) -> Facts:
    fitting = []
    for loan in world.rows("loans"):
        accounts = [each for each in current_accounts(world) if each["customer_id"] == loan["customer_id"]]
        fitting += [
            (loan, each)
            for each in accounts
            if each["currency"] == currency_of(world, loan) and available(each) > loan["outstanding"] * 0.4
        ]
    loan, account = pick(rng, fitting)
    return {**owner(loan), "loan_id": loan["loan_id"], "account_id": account["account_id"]}


def _settle(facts: Facts) -> Solution:
    quote = yield do("quote_repayment", loan_id=facts["loan_id"])
    account = yield do("get_account", account_id=facts["account_id"])
    if account["currency"] != quote["currency"] or account["status"] != "active":
        raise DeadEnd("it cannot be paid from there")
    total, fee, left = shown(quote["total"]), shown(quote["fee"]), shown(account["available"])
    if quote["fee"] > facts.get("max_fee", 1e9):
        return Reply(f"I settled nothing: the fee would be {fee}.", (fee,))
    if account["available"] < quote["total"]:
        loan = yield do("get_loan", loan_id=facts["loan_id"])
        if not facts.get("defer") or loan["arrears"] or loan["payments_made"] < 6 or loan["deferred_on"]:
            return Reply(f"It would take {total}, and {left} are available.", (total, left))
        done = yield do("defer_payment", loan_id=facts["loan_id"])
        day = done["next_payment_on"]
        return Reply(f"It would take {total}; I put the next payment off to {day}.", (total, day))
    done = yield do("repay_loan", loan_id=facts["loan_id"], account_id=facts["account_id"], amount=quote["amount"])
    balance = shown(done["balance"])
    return Reply(f"It is settled with {total}; the balance is {balance}.", (total, balance))


SETTLE = WORDS.program(
    "settle_loan",
    _draw_settle,
    _settle,
    (
        MAX_FEE,
        WORDS.twist("if not, wait a month", "condition", sets={"defer": True}),
    ),
)


def _may_defer(loan: Record) -> bool:
    return not loan["arrears"] and loan["payments_made"] >= 6 and not loan["deferred_on"]


def _defer(facts: Facts) -> Solution:
    loan = yield do("get_loan", loan_id=facts["loan_id"])
    if loan["arrears"] or loan["payments_made"] < 6 or (loan["deferred_on"] and days_ago(loan["deferred_on"]) < 365):
        raise DeadEnd("no payment can be put off")
    payment = shown(loan["monthly_payment"])
    if loan["monthly_payment"] < facts.get("at_least", 0):
        day = loan["next_payment_on"]
        return Reply(f"I left it: the payment is {payment}, due on {day}.", (payment, day))
    done = yield do("defer_payment", loan_id=facts["loan_id"])
    day = done["next_payment_on"]
    return Reply(f"The next payment of {payment} is due on {day} now.", (payment, day))


DEFER = WORDS.program(
    "defer_loan_payment",
    a_record("loans", "loan_id", _may_defer),
    _defer,
    (
        WORDS.twist(
            "only a large payment", "condition", draw=limit_on("loans", "loan_id", "monthly_payment", "at_least")
        ),
    ),
)


def _compare(facts: Facts) -> Solution:
    loans = yield do("list_loans", customer_id=facts["customer_id"])
    if len(loans) < 2 or len({each["currency"] for each in loans}) > 1:
        raise DeadEnd("nothing to compare")
    quotes = []
    for loan in loans:
        quotes.append((yield do("quote_repayment", loan_id=loan["loan_id"])))
    best = yield choose(quotes, key=lambda each: each["total"])
    total, everything = shown(best["total"]), shown(sum(each["total"] for each in quotes))
    text = f"{best['loan_id']} takes least, {total}; all of them {everything} {best['currency']}."
    return Reply(text, (best["loan_id"], total, everything))


COMPARE = WORDS.program("compare_settlements", _somebody_with_two, _compare)

LOANS = (REPAY, REPAY_DEAREST, SETTLE, DEFER, COMPARE)
