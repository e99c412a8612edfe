"""Programs about what was bought by card: disputes, fraud, double charges, and what was spent on what."""

from random import Random

from toolscale.reference.finance.programs.shared import days_ago, limit_on, owner
from toolscale.reference.finance.schema import CATEGORIES, GOODS
from toolscale.reference.kit import a_record, must, theirs
from toolscale.reference.moments import some_day
from toolscale.reference.program import DeadEnd, Facts, Record, Reply, Solution, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)

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


def _dispute(facts: Facts) -> Solution:
    payment = yield do("get_transaction", transaction_id=facts["transaction_id"])
    _check(payment)
    amount, day = shown(payment["amount"]), payment["last_day"]
    if payment["amount"] < facts.get("at_least", 0):
        return Reply(f"I opened none: it was {amount} {payment['currency']}; you have until {day}.", (amount, day))
    done = yield do("open_dispute", transaction_id=facts["transaction_id"], reason=COMPLAINTS[facts["complaint"]])
    text = f"Dispute {done['dispute_id']} over {amount} {payment['currency']} is open."
    return Reply(text, (done["dispute_id"], amount))


DISPUTE = WORDS.program(
    "dispute_card_payment",
    _draw_dispute,
    _dispute,
    (
        WORDS.twist(
            "if it is worth a dispute",
            "condition",
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


def _fraud(facts: Facts) -> Solution:
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


FRAUD = WORDS.program(
    "report_card_fraud", _draw_fraud, _fraud, (WORDS.twist("no new card", "change_of_mind", sets={"no_card": True}),)
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


def _twice(facts: Facts) -> Solution:
    found = yield do("search_transactions", customer_id=facts["customer_id"], counterparty=facts["shop"], kind="card")
    booked = [each for each in found if each["status"] == "booked"]
    doubles = [each for each in booked if [other["amount"] for other in booked].count(each["amount"]) == 2]
    must(len(doubles) == 2, "nothing was charged twice")
    later = yield choose(doubles, key=lambda each: days_ago(each["booked_on"]))
    payment = yield do("get_transaction", transaction_id=later["transaction_id"])
    _check(payment)
    yield do("open_dispute", transaction_id=later["transaction_id"], reason="duplicate")
    amount = shown(later["amount"])
    text = f"I disputed {later['transaction_id']} of {later['booked_on']}, {amount} {later['currency']}."
    return Reply(text, (later["transaction_id"], amount))


TWICE = WORDS.program("dispute_double_charge", _draw_twice, _twice)


def _withdraw(facts: Facts) -> Solution:
    dispute = yield do("withdraw_dispute", dispute_id=facts["dispute_id"])
    amount, shop = shown(dispute["amount"]), dispute["counterparty"]
    return Reply(f"Withdrawn: it was about {amount} paid to {shop}.", (amount, shop))


WITHDRAW = WORDS.program(
    "withdraw_dispute", a_record("disputes", "dispute_id", lambda each: each["status"] == "under_review"), _withdraw
)


def _draw_spent(world: World, rng: Random) -> Facts:
    customer = pick(rng, world.rows("customers"))
    bought = [each["category"] for each in theirs(world, "transactions", customer["customer_id"]) if each["category"]]
    return {
        **owner(customer),
        "category": pick(rng, sorted(set(bought)) or CATEGORIES),
        "since": some_day(rng, -110, -45),
    }


def _spent(facts: Facts) -> Solution:
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


SPENT = WORDS.program(
    "spending_by_category",
    _draw_spent,
    _spent,
    (WORDS.twist("no more shopping online", "condition", sets={"off": True}),),
)

PURCHASES = (DISPUTE, FRAUD, TWICE, WITHDRAW, SPENT)
