"""Requests that the bank's policy forbids: what proves it is looked up and told."""

from random import Random

from toolscale.reference.finance.catalogue import CURRENCIES, SCALE
from toolscale.reference.finance.programs.shared import (
    a_record,
    a_sum,
    available,
    current_accounts,
    days_ago,
    owner,
    savings_accounts,
    says,
    theirs,
)
from toolscale.reference.finance.programs.transfers import is_new
from toolscale.reference.finance.schema import GOODS
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Refusal, Reply, Steps, World, do, pick
from toolscale.reference.sums import shown


def _blocked(facts: Facts) -> Policy:
    card = yield do("get_card", card_id=facts["card_id"])
    if card["status"] not in ("lost", "stolen"):
        raise DeadEnd("it can be unfrozen")
    state, expires = card["status"], card["expires_on"]
    text = f"It was blocked as {state} and stays so, although it was good until {expires}."
    return Reply(text, (f"blocked as {state}", expires))


def _unfreeze_all_the_same(facts: Facts) -> Steps:
    yield do("unfreeze_card", card_id=facts["card_id"])


UNBLOCK = Program(
    "refuse_to_unblock_card",
    "Ask for a card that was blocked for good to work again",
    says(
        "I have my card {card_id} back in my hands, so please [unblock it|let it work again]. If you cannot, tell me "
        "as what it was blocked, and until when it would have been valid.",
        "have card {card_id} back, unblock it. if impossible: blocked as what + expiry date?",
        "You will laugh, my card {card_id} was in the freezer with the peas! Could it work again now? And if it really "
        "cannot, what did we block it as, and until when would it have been good?",
        "My card {card_id} having been recovered, I ask that it be unblocked; should that be impossible, kindly state "
        "the ground on which it was blocked and its date of expiry.",
        non_native="My card {card_id} is with me again, please make it open. If is not possible, for what reason it "
        "was blocked and until which date was it good?",
    ),
    a_record("cards", "card_id", lambda card: card["status"] in ("lost", "stolen")),
    _blocked,
    refusal=Refusal("a_blocked_card_stays_blocked", _unfreeze_all_the_same),
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


def _too_new(facts: Facts) -> Policy:
    quote = yield do(
        "quote_transfer", account_id=facts["account_id"], payee_id=facts["payee_id"], amount=facts["amount"]
    )
    if quote["payee_limit"] is None or facts["amount"] <= quote["payee_limit"]:
        raise DeadEnd("it can be sent")
    most = shown(quote["payee_limit"])
    text = f"This payee was added less than 24 hours ago and can be sent {most} {quote['currency']} at most today."
    return Reply(text, (most,))


def _send_all_the_same(facts: Facts) -> Steps:
    yield do("send_transfer", account_id=facts["account_id"], payee_id=facts["payee_id"], amount=facts["amount"])


NEW_PAYEE = Program(
    "refuse_large_sum_to_new_payee",
    "Ask for a large transfer to a payee that was added just now",
    says(
        "I added my payee {payee_id} yesterday and have to pay them {amount:money} {currency} right now, in one sum, "
        "from my account {account_id}. If that does not work, send nothing and tell me the most that you could send "
        "them now.",
        "my new payee {payee_id}: {amount:money} {currency} now from my account {account_id}, one sum. not possible? "
        "then nothing, what's the most now?",
        "The builder wants his money before he lifts a finger! He is my new payee {payee_id}, and {amount:money} "
        "{currency} should go to him this minute, all at once, from my account {account_id}. If it cannot be, leave it "
        "and tell me how much could go at most!",
        "To my recently added payee {payee_id} I wish to remit {amount:money} {currency} immediately and in one sum "
        "from my account {account_id}; should this not be permitted, remit nothing and state the highest sum possible "
        "now.",
    ),
    _draw_new_payee,
    _too_new,
    refusal=Refusal("new_payees_get_little", _send_all_the_same),
)


def _too_late(facts: Facts) -> Policy:
    debit = yield do("get_transaction", transaction_id=facts["transaction_id"])
    if days_ago(debit["last_day"]) <= 0:
        raise DeadEnd("it is not too late")
    amount, day = shown(debit["amount"]), debit["last_day"]
    text = f"The {amount} {debit['currency']} could be taken back until {day}; that is past."
    return Reply(text, (day, amount))


def _refund_all_the_same(facts: Facts) -> Steps:
    yield do("refund_direct_debit", transaction_id=facts["transaction_id"])


OLD_DEBIT = Program(
    "refuse_late_refund",
    "Ask for a direct debit back when it is too late",
    says(
        "I have only now seen the old direct debit {transaction_id} on my statement and want it back. [If that is no "
        "longer possible|Should it be too late], tell me until when it was, and how much it was.",
        "old direct debit {transaction_id}, want it back. too late? then deadline + amount.",
        "I was going through a whole drawer of statements, and there is this old direct debit {transaction_id}! Can I "
        "have it back, pretty please? If I slept too long, until when could I have asked, and how much was it?",
        "I request the return of the direct debit {transaction_id} of some time ago; should the period have lapsed, "
        "kindly state when it ended, and the sum.",
        non_native="I saw only today the old direct debit {transaction_id}, I want the money back. If it is too late, "
        "until which day was possible and how much it was?",
    ),
    a_record(
        "transactions",
        "transaction_id",
        lambda each: each["kind"] == "direct_debit" and days_ago(each["booked_on"]) > 57,
    ),
    _too_late,
    refusal=Refusal("direct_debits_come_back_for_56_days", _refund_all_the_same),
)


def _dispute_all_the_same(facts: Facts) -> Steps:
    yield do("open_dispute", transaction_id=facts["transaction_id"], reason="not_received")


OLD_DISPUTE = Program(
    "refuse_late_dispute",
    "Ask to dispute a card payment when it is too late",
    says(
        "What I bought with the card payment {transaction_id} back in summer never arrived, so please dispute it. If "
        "it is too late for that, I want to know until when it was possible, [and the amount|and the sum that I lose].",
        "card payment {transaction_id} from summer, goods never came: dispute. too late? then deadline + amount.",
        "I have been far too trusting with that shop since the summer! Nothing has come for the card payment "
        "{transaction_id}, so do dispute it, and if I have missed the boat, until when could one, and how much is it?",
        "As the goods paid for in the summer by card payment {transaction_id} were never delivered, I request a "
        "dispute; should this be out of time, kindly state the last day for it, and the sum.",
    ),
    a_record(
        "transactions", "transaction_id", lambda each: each["category"] in GOODS and days_ago(each["booked_on"]) > 121
    ),
    _too_late,
    refusal=Refusal("card_payments_are_disputed_for_120_days", _dispute_all_the_same),
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


def _used_up(facts: Facts) -> Policy:
    account = yield do("get_account", account_id=facts["account_id"])
    if account["withdrawals_left"] != 0:
        raise DeadEnd("a withdrawal is left")
    balance, product = shown(account["balance"]), account["product"]
    text = f"Your {product} has no withdrawal left this month; {balance} {account['currency']} stay on it."
    return Reply(text, (balance, product))


def _move_all_the_same(facts: Facts) -> Steps:
    yield do(
        "move_money",
        from_account_id=facts["account_id"],
        to_account_id=facts["to_account"],
        amount=facts["amount"],
    )


USED_UP = Program(
    "refuse_further_withdrawal",
    "Ask for money from a savings account that has no withdrawal left this month",
    says(
        "I need {amount:money} {currency} out of my savings account {account_id} today, paid to my account "
        "{to_account}. If that account does not allow it, tell me what kind of account it is and [its balance|what is "
        "on it].",
        "{amount:money} {currency} out of my savings account {account_id} to my account {to_account} today. not "
        "allowed? kind of account + balance.",
        "Only this once more, I promise: {amount:money} {currency} out of my savings account {account_id}, over to my "
        "account {to_account}! And if it will not let me, what kind of account is it again, and what is on it?",
        "I request a withdrawal of {amount:money} {currency} from my savings account {account_id} in favour of my "
        "account {to_account}; should the account's terms preclude it, kindly name its kind and its balance.",
    ),
    _draw_used_up,
    _used_up,
    refusal=Refusal("savings_withdrawals_are_counted", _move_all_the_same),
)


def _deferred(facts: Facts) -> Policy:
    loan = yield do("get_loan", loan_id=facts["loan_id"])
    if not loan["can_defer_from"] or days_ago(loan["can_defer_from"]) >= 0:
        raise DeadEnd("it can be put off")
    since, again = loan["deferred_on"], loan["can_defer_from"]
    return Reply(f"A payment was put off on {since}; the next can be from {again}.", (again, since))


def _defer_all_the_same(facts: Facts) -> Steps:
    yield do("defer_payment", loan_id=facts["loan_id"])


DEFER_AGAIN = Program(
    "refuse_second_deferral",
    "Ask to put a loan's payment off for the second time in a year",
    says(
        "I put off a payment of my loan {loan_id} some time ago and have to skip one more. Please do that; if it is "
        "too early, tell me from when it is possible again, and when the last one was.",
        "my loan {loan_id}: skip one more payment. too early? from when again + date of the last one.",
        "It is embarrassing to ask a second time, but could I skip one more payment of my loan {loan_id}? If it is too "
        "soon, from what day may I, and when was the last time?",
        "I ask to skip a further payment of my loan {loan_id}; should it be too soon for that, kindly state the day "
        "from which it is permitted, and the day of the last occasion.",
        confused="One can skip a payment, that I know, as I did it with my loan {loan_id}, so please once more? If "
        "that is too early, from when, and when did I do it?",
    ),
    a_record("loans", "loan_id", lambda each: bool(each["deferred_on"])),
    _deferred,
    refusal=Refusal("a_payment_is_put_off_once_a_year", _defer_all_the_same),
)


def _too_early(facts: Facts) -> Policy:
    deposit = yield do("get_deposit", deposit_id=facts["deposit_id"])
    if days_ago(deposit["breakable_from"]) >= 0:
        raise DeadEnd("it can be broken")
    day, interest = deposit["breakable_from"], shown(deposit["interest_at_maturity"])
    text = f"It can be broken from {day} at the earliest; kept to the end, it brings {interest}."
    return Reply(text, (day, interest))


def _break_all_the_same(facts: Facts) -> Steps:
    yield do("break_deposit", deposit_id=facts["deposit_id"])


EARLY_BREAK = Program(
    "refuse_early_break",
    "Ask to break a fixed deposit in its first month",
    says(
        "I opened my fixed deposit {deposit_id} this month and already regret it: please break it. If it is too early, "
        "[tell me from what day it can be done|from when can it be done], and what interest I get if I keep it to the "
        "end.",
        "opened my fixed deposit {deposit_id} this month, break it. too early? from when + interest if kept to the "
        "end.",
        "I was too quick with my fixed deposit {deposit_id} this month, my brother says, so could you break it? If it "
        "is too early for that, from what day, and what would it bring if I just left it?",
        "I wish to break my fixed deposit {deposit_id}, opened this month; should it be too early, kindly state from "
        "which day this is possible, and the interest if held to maturity.",
    ),
    a_record("deposits", "deposit_id", lambda each: days_ago(each["started_on"]) < 29),
    _too_early,
    refusal=Refusal("deposits_hold_for_30_days", _break_all_the_same),
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


def _too_much(facts: Facts) -> Policy:
    account = yield do("get_account", account_id=facts["account_id"])
    if facts["limit"] <= account["highest_overdraft"]:
        raise DeadEnd("it can be set")
    most, now = shown(account["highest_overdraft"]), shown(account["available"])
    return Reply(f"{most} {account['currency']} is the highest; you have {now} available.", (most, now))


def _set_all_the_same(facts: Facts) -> Steps:
    yield do("set_overdraft", account_id=facts["account_id"], limit=facts["limit"])


TOO_MUCH = Program(
    "refuse_high_overdraft",
    "Ask for a higher overdraft than there is",
    says(
        "I want my account {account_id} to go down as far as {limit:money} {currency} below zero. If that is more than "
        "you allow, leave it as it is, and tell me the most that you would allow and what I have available now.",
        "my account {account_id} should go {limit:money} {currency} below zero. over your max? leave it: max + what's "
        "available now.",
        "I have a shop to open and no money yet, so my account {account_id} ought to go {limit:money} {currency} into "
        "the red! If that is too bold, leave it, but what would be the most, and what have I available now?",
        "I should like to be permitted to overdraw my account {account_id} by {limit:money} {currency}; if this "
        "exceeds what is granted, leave it, and state the highest sum granted and what is available at present.",
    ),
    _draw_too_much,
    _too_much,
    refusal=Refusal("overdrafts_have_a_limit", _set_all_the_same),
)

REFUSED = (UNBLOCK, NEW_PAYEE, OLD_DEBIT, OLD_DISPUTE, USED_UP, DEFER_AGAIN, EARLY_BREAK, TOO_MUCH)
