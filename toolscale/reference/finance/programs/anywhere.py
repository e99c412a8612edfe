"""What can be added to any request."""

from random import Random

from toolscale.reference.finance.catalogue import SCALE
from toolscale.reference.finance.programs.shared import available, current_accounts, distractor, near, says, theirs
from toolscale.reference.program import (
    DeadEnd,
    Facts,
    Policy,
    Reply,
    Steps,
    Twist,
    World,
    choose,
    do,
    pick,
)
from toolscale.reference.sums import shown


def _tell_next_payment(facts: Facts) -> Policy:
    orders = yield do("list_standing_orders", customer_id=facts["customer_id"])
    first = yield choose(orders, key=lambda each: each["next_on"])
    amount, day = shown(first["amount"]), first["next_on"]
    return Reply(f"Your next standing order pays {amount} to {first['payee']} on {day}.", (amount, day))


NEXT_PAYMENT = Twist(
    "next standing order",
    "lookup",
    says(
        "I would also like to know [which of my standing orders is paid next, on what day, and how much|the day and "
        "amount of my next standing order].",
        "plus: day + amount of my next standing order?",
        "And [while you have it all on the screen|since I never remember], on what day is my next standing order paid, "
        "and how much is it?",
        "Kindly also state the day and amount of my next standing order.",
        non_native="Also tell me please my next standing order, which day and how much.",
    ),
    after=_tell_next_payment,
)


def _tell_last(facts: Facts) -> Policy:
    found = yield do("search_transactions", customer_id=facts["customer_id"], counterparty=facts["payer"])
    last = yield choose(found, key=lambda each: [-int(part) for part in each["booked_on"].split("-")])
    amount, day = shown(last["amount"]), last["booked_on"]
    return Reply(f"{facts['payer']} last took {amount} {last['currency']} on {day}.", (amount, day))


LAST_PAYMENT = Twist(
    "last payment to somebody",
    "lookup",
    says(
        "And when did {payer} last take money from me, and how much?",
        "and {payer}: last payment date + amount?",
        "And one thing my sister wants to know, when did {payer} last get money from me, and how much was that?",
        "Please also state when and in what amount {payer} was last paid by me.",
        confused="And there was {payer} on my statement, when was the last time, and how much?",
    ),
    draw=lambda world, rng, facts: {
        "payer": pick(rng, [each["counterparty"] for each in theirs(world, "transactions", facts["customer_id"])])
    },
    after=_tell_last,
)


def _tell_plan(facts: Facts) -> Policy:
    customer = yield do("get_customer", customer_id=facts["customer_id"])
    plan, since = f"{customer['plan']['name']} plan", customer["customer_since"]
    return Reply(f"You are on the {plan}, and a customer since {since}.", (plan, since))


MY_PLAN = Twist(
    "my plan",
    "lookup",
    says(
        "Could you also tell me [which plan I am on|the name of my plan] and since what day I have been a customer?",
        "which plan am i on + customer since when?",
        "And since we are talking, which plan am I on, and how long have I been with you, since what day exactly?",
        "Kindly confirm also the name of my plan and the date since which I have been a customer.",
    ),
    after=_tell_plan,
)


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


IF_RESERVE = Twist(
    "only with a reserve",
    "condition",
    says(
        "But only do what I just asked you to do if {reserve:money} or more is available on my account "
        "{reserve_account}; otherwise leave it and tell me how much there is.",
        "do that only if my account {reserve_account} has {reserve:money} or more available, else leave it, tell me "
        "what's there.",
        "Only, peek at my account {reserve_account} before you do what I just asked, and if it has less than "
        "{reserve:money} available, then leave it be and just tell me how much there is!",
        "What I have just asked you to do is conditional on at least {reserve:money} being available on my account "
        "{reserve_account}; otherwise refrain from it and state the sum available.",
    ),
    draw=_draw_reserve,
    suits=r"move_between|open_|send_|pay_new|create_|change_standing|repay_|settle_",
    before=_has_reserve,
)


def _no_loan_behind(facts: Facts) -> Steps:
    loans = yield do("list_loans", customer_id=facts["customer_id"])
    owed = sum(loan["outstanding"] for loan in loans)
    if owed <= facts["most_owed"]:
        return None
    if len({loan["currency"] for loan in loans}) > 1:
        raise DeadEnd("the loans are in several currencies")
    text = shown(owed)
    return Reply(f"I changed nothing: you owe {text} on your loans.", (text,))


IF_DEBTS = Twist(
    "only with few debts",
    "condition",
    says(
        "But only do what I just asked you to do if I owe no more than {most_owed:money} on all my loans together; if "
        "it is more, leave it and tell me how much I owe.",
        "do that only if my loans total {most_owed:money} owed or less. else leave it, tell me the total.",
        "But I swore to be careful, so if I owe more than {most_owed:money} on my loans, all of them together, then do "
        "not do what I just asked and tell me how much it is!",
        "What I have just asked you to do is subject to the sum owed on my loans not exceeding {most_owed:money} in "
        "all; otherwise refrain from it and state that sum.",
    ),
    draw=lambda world, rng, facts: {
        "most_owed": rng.choice((6000.0, 12000.0, 18000.0, 25000.0)) * _scale(world, facts["customer_id"])
    },
    suits=r"open_|set_overdraft|set_card_limit|send_|pay_new|create_|change_standing|defer_|prepare_card",
    before=_no_loan_behind,
)


def _scale(world: World, customer_id: str) -> int:
    return SCALE[pick(Random(customer_id), theirs(world, "accounts", customer_id))["currency"]]


BRANCH = distractor(
    "a branch that closed",
    "[I used to do this at the branch in town, but it has closed.|The branch in our street has closed, by the way, so "
    "I write.]",
    "(used to do this at the branch, it's closed now.)",
    "I do miss the branch by the church, they always had sweets for the children!",
    "I note with regret that the branch in my street has been closed.",
)
STATEMENT = distractor(
    "paper is fine",
    "I still get my statements on paper, and that can stay as it is.",
    "paper statements: leave as they are.",
    "And leave my paper statements alone, I like to file them!",
    "My statements shall continue to be sent on paper; nothing need be done about that.",
)

TWISTS = (NEXT_PAYMENT, LAST_PAYMENT, MY_PLAN, IF_RESERVE, IF_DEBTS, BRANCH, STATEMENT)
