"""Programs about loans: paying back early, settling, and putting a payment off."""

from random import Random

from toolscale.reference.finance.catalogue import SCALE
from toolscale.reference.finance.programs.shared import (
    KEEP,
    MAX_FEE,
    OTHER_AMOUNT,
    a_record,
    available,
    currency_of,
    current_accounts,
    days_ago,
    limit_on,
    owner,
    says,
    short_of,
    theirs,
)
from toolscale.reference.program import (
    DeadEnd,
    Facts,
    Policy,
    Program,
    Record,
    Reply,
    Steps,
    Twist,
    World,
    choose,
    do,
    pick,
)
from toolscale.reference.sums import shown


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


def _repay(facts: Facts) -> Policy:
    text, tell = yield from _repay_from(facts, facts["loan_id"], facts["amount"])
    return Reply(text, tell)


REPAY = Program(
    "repay_part_of_loan",
    "Repay a part of a loan ahead of time",
    says(
        "I would like to repay {amount:money} {currency} of my loan {loan_id} ahead of time, from my account "
        "{account_id}. [What is the fee, if any, and what do I still owe then?|Tell me what I owe after that and the "
        "fee, if there is one.]",
        "extra repayment {amount:money} {currency} on my loan {loan_id}, from my account {account_id}. still owed? fee "
        "if any?",
        "[There was a small inheritance|The bonus has come in], so I want to throw {amount:money} {currency} at my "
        "loan {loan_id}, out of my account {account_id}! What remains of it then, and do you take a fee?",
        "I wish to make an extra repayment of {amount:money} {currency} on my loan {loan_id}, charged to my account "
        "{account_id}; kindly state the sum still owed and the fee, if any.",
        non_native="I like to pay before time {amount:money} {currency} of my loan {loan_id} from my account "
        "{account_id}; how much I must still pay after, and is there a fee?",
    ),
    _draw_repay,
    _repay,
    (KEEP, MAX_FEE, OTHER_AMOUNT),
)


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


def _repay_dearest(facts: Facts) -> Policy:
    loans = yield do("list_loans", customer_id=facts["customer_id"])
    if len(loans) < 2:
        raise DeadEnd("nothing to compare")
    if facts.get("smallest"):
        loan = yield choose(loans, key=lambda each: each["outstanding"])
    else:
        loan = yield choose(loans, key=lambda each: -each["interest_percent"])
    if loan["outstanding"] < facts["amount"]:
        raise DeadEnd("less than that is owed")
    text, tell = yield from _repay_from(facts, loan["loan_id"], facts["amount"])
    return Reply(f"It is {loan['loan_id']}. {text}", (loan["loan_id"], *tell))


REPAY_DEAREST = Program(
    "repay_dearest_loan",
    "Make an extra repayment on the loan with the highest interest",
    says(
        "Please put {amount:money} {currency} from my account {account_id} towards whichever of my loans has the "
        "highest interest, as an extra repayment, and tell me [which one that is, what I still owe on it|its number, "
        "what is still owed on it] and the fee, if any.",
        "extra repayment {amount:money} {currency} from my account {account_id} on my loan w/ highest interest. which, "
        "still owed, fee if any?",
        "Somebody on the radio said to begin with the dearest one! So take {amount:money} {currency} from my account "
        "{account_id} and put it towards my loan with the highest interest; which is it, what do I still owe on it, "
        "and do you take a fee?",
        "Kindly apply {amount:money} {currency} from my account {account_id} as an extra repayment to that of my loans "
        "which bears the highest interest, stating its number, the sum still owed and the fee, if any.",
    ),
    _draw_dearest,
    _repay_dearest,
    (
        KEEP,
        MAX_FEE,
        Twist(
            "the smallest loan instead",
            "change_of_mind",
            says(
                "Or rather, no: take the loan on which I owe the least, whatever its interest.",
                "correction: the loan w/ least owed, not highest interest.",
                "Hm, but I would so love to be rid of one, so take the loan on which the least is owed instead!",
                "I have reconsidered: the loan on which the least is owed shall receive it instead.",
            ),
            sets={"smallest": True},
        ),
    ),
    unknown="I do not have the numbers of my loans at hand.",
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


def _settle(facts: Facts) -> Policy:
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


SETTLE = Program(
    "settle_loan",
    "Settle a loan altogether if the money is there",
    says(
        "Can I be rid of my loan {loan_id} today? If my account {account_id} has enough available for all of it, fee "
        "included, please settle it from there and tell me the total and the balance; if not, tell me the total and "
        "what is available.",
        "settle my loan {loan_id} in full from my account {account_id} if enough is available incl. fee. total + "
        "balance; else total + what's available.",
        "I would love to wake up without a debt tomorrow! If there is enough available on my account {account_id}, fee "
        "and all, then settle my loan {loan_id} completely, and tell me the total and what is left; if not, tell me "
        "what it would take and what is available there!",
        "I intend to settle my loan {loan_id} in full from my account {account_id}, provided that the sum available "
        "there covers it with the fee. Kindly state the total and the resulting balance, or, failing that, the total "
        "and the sum available.",
    ),
    _draw_settle,
    _settle,
    (
        MAX_FEE,
        Twist(
            "if not, wait a month",
            "condition",
            says(
                "In case the money is not enough but I may put a payment off, put off the next one and tell me its new "
                "day.",
                "not enough money? then put off my next payment if allowed, new day?",
                "And if the money does not stretch, put my next payment off if I am allowed to, and tell me the new "
                "day!",
                "Should the funds not suffice, put off the next payment where permitted, and state its new date.",
            ),
            sets={"defer": True},
        ),
    ),
)


def _may_defer(loan: Record) -> bool:
    return not loan["arrears"] and loan["payments_made"] >= 6 and not loan["deferred_on"]


def _defer(facts: Facts) -> Policy:
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


DEFER = Program(
    "defer_loan_payment",
    "Put the next payment of a loan off by a month",
    says(
        "[Money is tight this month|I was off work for two weeks], so please put off the next payment of my loan "
        "{loan_id}. When is it due then, and [how much is it|what is the amount]?",
        "put off next payment of my loan {loan_id}. new due date + amount?",
        "The washing machine and the cat fell ill in the same week! Could the next payment of my loan {loan_id} be put "
        "off, please, and when is it due then, and how much is it?",
        "I request that the next payment of my loan {loan_id} be put off; kindly state the new due date and the sum.",
        hurried="Next payment of my loan {loan_id}, put it off please, new date and amount!",
        non_native="Please can you put later the next payment of my loan {loan_id}? Which day must I pay then and how "
        "much?",
        confused="I cannot pay this month, I think it is my loan {loan_id}, somebody said that one can put a payment "
        "off? When would it be due, and how much was it?",
    ),
    a_record("loans", "loan_id", _may_defer),
    _defer,
    (
        Twist(
            "only a large payment",
            "condition",
            says(
                "If it is less than {at_least:money}, I can manage: then leave it and tell me amount and day.",
                "if < {at_least:money} leave it, amount + date only.",
                "But if it is under {at_least:money} I shall scrape it together, then leave it and tell me how much "
                "and when!",
                "Should it amount to less than {at_least:money}, leave it as it is and state sum and date.",
            ),
            draw=limit_on("loans", "loan_id", "monthly_payment", "at_least"),
        ),
    ),
)


def _compare(facts: Facts) -> Policy:
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


COMPARE = Program(
    "compare_settlements",
    "Compare what it takes to settle each loan",
    says(
        "What would it take, fees included, to settle all my loans today, and which one [could be settled with the "
        "least money|takes the least]? I only want the figures: the total, and number and sum of that one.",
        "figures only: total to settle all my loans today incl. fees; which takes least + its sum?",
        "Just for the dream of it: what would it take to settle all my loans today, fees and all, and which one would "
        "need the least, and how much? Do not settle any, the figures will do!",
        "For my information only, kindly state what is needed today to settle all my loans with fees, and which of "
        "them requires the least, with its number and sum.",
    ),
    _somebody_with_two,
    _compare,
)

LOANS = (REPAY, REPAY_DEAREST, SETTLE, DEFER, COMPARE)
