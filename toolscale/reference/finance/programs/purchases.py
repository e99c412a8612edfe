"""Programs about what was bought by card: disputes, fraud, double charges, and what was spent on what."""

from random import Random

from toolscale.reference.finance.programs.shared import a_record, days_ago, limit_on, owner, says, theirs
from toolscale.reference.finance.schema import CATEGORIES, GOODS
from toolscale.reference.moments import some_day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, Reply, Twist, World, choose, do, pick
from toolscale.reference.sums import shown

COMPLAINTS = {
    "what I ordered never came": "not_received",
    "they charged the wrong amount": "wrong_amount",
    "I had paid for it before": "duplicate",
}


def _disputable(world: World) -> list[Record]:
    disputed = {each["transaction_id"] for each in world.rows("disputes")}
    return [
        each
        for each in world.rows("transactions")
        if each["kind"] == "card"
        and each["status"] == "booked"
        and days_ago(each["booked_on"]) <= 118
        and each["transaction_id"] not in disputed
    ]


def _draw_dispute(world: World, rng: Random) -> Facts:
    payment = pick(rng, _disputable(world))
    complaints = [
        each for each, reason in COMPLAINTS.items() if reason != "not_received" or payment["category"] in GOODS
    ]
    complaint = rng.choice(sorted(complaints))
    return {**owner(payment), "transaction_id": payment["transaction_id"], "complaint": complaint}


def _check(payment: Record) -> None:
    late = days_ago(payment["last_day"]) > 0
    if payment["kind"] != "card" or payment["status"] != "booked" or payment["disputes"] or late:
        raise DeadEnd("it cannot be disputed")


def _dispute(facts: Facts) -> Policy:
    payment = yield do("get_transaction", transaction_id=facts["transaction_id"])
    _check(payment)
    amount, day = shown(payment["amount"]), payment["last_day"]
    if payment["amount"] < facts.get("at_least", 0):
        return Reply(f"I opened none: it was {amount} {payment['currency']}; you have until {day}.", (amount, day))
    done = yield do("open_dispute", transaction_id=facts["transaction_id"], reason=COMPLAINTS[facts["complaint"]])
    text = f"Dispute {done['dispute_id']} over {amount} {payment['currency']} is open."
    return Reply(text, (done["dispute_id"], amount))


DISPUTE = Program(
    "dispute_card_payment",
    "Dispute a payment by card",
    says(
        "There is something wrong with the card payment {transaction_id}: {complaint}. Please open a dispute and tell "
        "me its number and [the amount in question|how much it is about].",
        "dispute card payment {transaction_id}: {complaint}. dispute no. + amount?",
        "I have written to that shop four times! It is about the card payment {transaction_id}: {complaint}. Could you "
        "open a dispute, and what are its number and the amount?",
        "I wish to dispute the card payment {transaction_id} on the following ground: {complaint}. Kindly confirm the "
        "number of the dispute and the sum.",
        non_native="With the card payment {transaction_id} is a problem: {complaint}. Please make a dispute, which "
        "number has it and how much money is it?",
    ),
    _draw_dispute,
    _dispute,
    (
        Twist(
            "if it is worth a dispute",
            "condition",
            says(
                "If it was less than {at_least:money}, do not bother, only tell me the amount and until when I could "
                "still dispute it.",
                "below {at_least:money} don't bother, just amount + last day to dispute.",
                "For less than {at_least:money} I would not want to trouble anybody, then just tell me the amount and "
                "how long I may still change my mind!",
                "Should it concern less than {at_least:money}, no dispute is desired; then state the sum and the last "
                "day for one.",
            ),
            draw=limit_on("transactions", "transaction_id", "amount", "at_least"),
        ),
    ),
    again="transaction_id",
)


def _draw_fraud(world: World, rng: Random) -> Facts:
    fitting = [
        each
        for each in _disputable(world)
        if (world.get("cards", each["card_id"]) or {"status": ""})["status"] in ("active", "frozen")
    ]
    payment = pick(rng, fitting)
    return {
        **owner(payment),
        "transaction_id": payment["transaction_id"],
        "fate": rng.choice(("lost", "stolen")),
        "delivery": rng.choice(("post", "courier")),
    }


def _fraud(facts: Facts) -> Policy:
    payment = yield do("get_transaction", transaction_id=facts["transaction_id"])
    _check(payment)
    card = yield do("get_card", card_id=payment["card_id"])
    if card["status"] not in ("active", "frozen") or card["replaced_by"]:
        raise DeadEnd("the card is blocked already")
    yield do("block_card", card_id=card["card_id"], reason=facts["fate"])
    done = yield do("open_dispute", transaction_id=facts["transaction_id"], reason="unauthorised")
    told: tuple[str, ...] = (done["dispute_id"], card["last4"])
    text = f"Card ending {card['last4']} is blocked, and dispute {done['dispute_id']} is open."
    if not facts.get("no_card"):
        new = yield do("replace_card", card_id=card["card_id"], delivery=facts["delivery"])
        text, told = f"{text} The new one arrives on {new['arrives_on']}.", (*told, new["arrives_on"])
    return Reply(text, told)


FRAUD = Program(
    "report_card_fraud",
    "Report a payment that somebody else made with one's card",
    says(
        "I did not make the card payment {transaction_id}. The card it was made with must have been {fate}: please "
        "block it as {fate}, dispute the payment, and send me a new card by {delivery}. I need the number of the "
        "dispute, [the last four digits of the blocked card|the blocked card's last four digits] and the new one's day "
        "of arrival.",
        "card payment {transaction_id} wasn't me, card {fate}. block it as {fate}, dispute the payment, new card by "
        "{delivery}. dispute no., last 4 of blocked card, arrival?",
        "My heart stopped when I saw the card payment {transaction_id}, that was not me! The card must have been "
        "{fate}, so block it as {fate}, dispute that payment, and send a new card by {delivery}; what is the number of "
        "the dispute, which last four digits are blocked now, and when does the new card come?",
        "The card payment {transaction_id} was not authorised by me, the card having evidently been {fate}. Kindly "
        "block it as {fate}, dispute the payment, and dispatch a new card by {delivery}, stating the number of the "
        "dispute, the last four digits of the blocked card and the day of arrival.",
        hurried="Fraud, card payment {transaction_id} is not mine, card {fate}! Block it as {fate}, dispute the "
        "payment, new card by {delivery}! Dispute number, last four digits of the blocked card, arrival day!",
    ),
    _draw_fraud,
    _fraud,
    (
        Twist(
            "no new card",
            "change_of_mind",
            says(
                "Actually, I have another card, so do not send a new one.",
                "skip the new card after all.",
                "Oh, and now that I think of it, I still have my other card, so no new one for me!",
                "On reflection, I renounce the new card.",
            ),
            sets={"no_card": True},
        ),
    ),
)


def _draw_twice(world: World, rng: Random) -> Facts:
    payments = _disputable(world)
    twice = [
        one
        for one in payments
        for other in payments
        if one is not other
        and (one["counterparty"], one["amount"], one["card_id"])
        == (other["counterparty"], other["amount"], other["card_id"])
    ]
    payment = pick(rng, twice or payments)
    return {**owner(payment), "shop": payment["counterparty"]}


def _twice(facts: Facts) -> Policy:
    found = yield do("search_transactions", customer_id=facts["customer_id"], counterparty=facts["shop"], kind="card")
    booked = [each for each in found if each["status"] == "booked"]
    doubles = [each for each in booked if [other["amount"] for other in booked].count(each["amount"]) == 2]
    if len(doubles) != 2:
        raise DeadEnd("nothing was charged twice")
    later = yield choose(doubles, key=lambda each: days_ago(each["booked_on"]))
    payment = yield do("get_transaction", transaction_id=later["transaction_id"])
    _check(payment)
    yield do("open_dispute", transaction_id=later["transaction_id"], reason="duplicate")
    amount = shown(later["amount"])
    text = f"I disputed {later['transaction_id']} of {later['booked_on']}, {amount} {later['currency']}."
    return Reply(text, (later["transaction_id"], amount))


TWICE = Program(
    "dispute_double_charge",
    "Dispute the second of two equal charges by one shop",
    says(
        "{shop} charged my card twice for the same purchase. Please find the two payments, dispute the later one as a "
        "duplicate, and tell me its number and [the amount|how much it was].",
        "charged twice by {shop}. dispute the later payment as duplicate. its number + amount?",
        "I was only in there once, I swear, but {shop} took the same money twice! Could you look that up, dispute the "
        "later of the two as a duplicate, and tell me its number and the amount?",
        "It appears that {shop} charged one purchase to my card twice. Kindly dispute the later payment as a duplicate "
        "and state its number and sum.",
        confused="I am sure that I bought nothing twice, yet {shop} is there two times with the same money; can you "
        "dispute the later one as a duplicate, and what number and amount is that?",
    ),
    _draw_twice,
    _twice,
    unknown="I do not have the numbers of the payments.",
)


def _withdraw(facts: Facts) -> Policy:
    dispute = yield do("withdraw_dispute", dispute_id=facts["dispute_id"])
    amount, shop = shown(dispute["amount"]), dispute["counterparty"]
    return Reply(f"Withdrawn: it was about {amount} paid to {shop}.", (amount, shop))


WITHDRAW = Program(
    "withdraw_dispute",
    "Withdraw a dispute that has sorted itself out",
    says(
        "[The shop has paid me back|The shop and I agree now], so please withdraw my dispute {dispute_id}. Which "
        "shop was that about, and what amount?",
        "withdraw dispute {dispute_id}, settled. shop + amount?",
        "Good news for once, it has all been cleared up! You can withdraw my dispute {dispute_id}, and just so that I "
        "cross out the right line: which shop and how much was it?",
        "The matter having been settled, I withdraw my dispute {dispute_id}; kindly confirm the shop and the sum "
        "concerned.",
    ),
    a_record("disputes", "dispute_id", lambda each: each["status"] == "under_review"),
    _withdraw,
)


def _draw_spent(world: World, rng: Random) -> Facts:
    customer = pick(rng, world.rows("customers"))
    bought = [each["category"] for each in theirs(world, "transactions", customer["customer_id"]) if each["category"]]
    return {
        **owner(customer),
        "category": pick(rng, sorted(set(bought)) or CATEGORIES),
        "since": some_day(rng, -110, -45),
    }


def _spent(facts: Facts) -> Policy:
    found = yield do(
        "search_transactions", customer_id=facts["customer_id"], category=facts["category"], since=facts["since"]
    )
    if not found or len({each["currency"] for each in found}) > 1 or any(each["status"] != "booked" for each in found):
        raise DeadEnd("nothing to add up")
    largest = yield choose(found, key=lambda each: (-each["amount"], each["booked_on"]))
    cards = yield do("list_cards", customer_id=facts["customer_id"])
    used = [each for each in cards if each["card_id"] == largest["card_id"]]
    card = yield choose(used, key=lambda each: each["card_id"])
    total = shown(sum(each["amount"] for each in found))
    text = f"{total} {largest['currency']}; the largest, at {largest['counterparty']}, with card {card['last4']}."
    if facts.get("off") and card["status"] == "active" and card["online"]:
        yield do("set_card_use", card_id=card["card_id"], use="online", allowed=False)
    return Reply(text, (total, largest["counterparty"], card["last4"]))


SPENT = Program(
    "spending_by_category",
    "Add up what was spent by card on something since a day",
    says(
        "How much have I spent by card on {category} since {since:date}? And [where was the largest of those payments, "
        "and with which card|which shop and which card was the largest of those payments]? The card's last four digits "
        "are enough.",
        "card spending on {category} since {since:date}: total? largest payment: shop + card's last 4?",
        "I hardly dare to ask: what have I spent by card on {category} since {since:date}, and where was the biggest "
        "of those, and with which card, just the last four digits?",
        "Kindly state what I have spent by card on {category} since {since:date}, where the largest of those payments "
        "was made, and the last four digits of the card used for it.",
    ),
    _draw_spent,
    _spent,
    (
        Twist(
            "no more shopping online",
            "condition",
            says(
                "If that card still works for online payments, switch those off.",
                "if online payments are on for that card: off.",
                "And should that very card still allow online payments, take them away from me!",
                "Should online payments be enabled on that card, disable them.",
            ),
            sets={"off": True},
        ),
    ),
)

PURCHASES = (DISPUTE, FRAUD, TWICE, WITHDRAW, SPENT)
