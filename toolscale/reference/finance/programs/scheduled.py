"""Programs about transfers that wait for their day."""

from random import Random

from toolscale.reference.finance.programs.shared import (
    later_day,
    limit_on,
    owner,
    says,
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


def _scheduled(world: World) -> list[Record]:
    return [each for each in world.rows("transfers") if each["status"] == "scheduled"]


def _draw_scheduled(world: World, rng: Random) -> Facts:
    transfer = pick(rng, _scheduled(world))
    return {**owner(transfer), "transfer_id": transfer["transfer_id"]}


def _planned(facts: Facts) -> Steps:
    """Step: the scheduled transfer that the facts name."""
    transfers = yield do("list_transfers", customer_id=facts["customer_id"], status="scheduled")
    named = [each for each in transfers if each["transfer_id"] == facts["transfer_id"]]
    return (yield choose(named, key=lambda each: each["transfer_id"]))


def _bring_forward(facts: Facts) -> Policy:
    transfer = yield from _planned(facts)
    quote = yield do(
        "quote_transfer", account_id=transfer["account_id"], payee_id=transfer["payee_id"], amount=transfer["amount"]
    )
    if quote["available"] < quote["total"]:
        raise DeadEnd("there is not enough on the account")
    if "keep_all" in facts and quote["available"] - quote["total"] < facts["keep_all"]:
        left = shown(quote["available"])
        return Reply(f"It stays where it is: only {left} are available.", (left,))
    yield do("cancel_transfer", transfer_id=facts["transfer_id"])
    done = yield do(
        "send_transfer", account_id=transfer["account_id"], payee_id=transfer["payee_id"], amount=transfer["amount"]
    )
    balance = shown(done["balance"])
    return Reply(f"{done['transfer_id']} is sent; the balance is {balance}.", (done["transfer_id"], balance))


BRING_FORWARD = Program(
    "bring_transfer_forward",
    "Send a scheduled transfer today instead",
    says(
        "I do not want to wait with my scheduled transfer {transfer_id}. Please cancel it and send the same sum to the "
        "same payee today, from the same account, and tell me the new number and [my balance afterwards|what is on "
        "that account then].",
        "cancel my scheduled transfer {transfer_id}, send the same today instead (same account, payee, sum). new "
        "number + balance?",
        "The landlord has rung twice! So cancel my scheduled transfer {transfer_id} and send the same amount to the "
        "same payee from the same account this very day; what is the new number, and my balance after that?",
        "Kindly replace my scheduled transfer {transfer_id} by one of the same sum from the same account to the same "
        "payee, executed today, and state its number and the resulting balance.",
        non_native="My scheduled transfer {transfer_id} is too late, please cancel this and make today a new one, same "
        "account, same person, same money; which number is new and how much stays?",
    ),
    _draw_scheduled,
    _bring_forward,
    (
        Twist(
            "what must be left",
            "condition",
            says(
                "But if less than {keep_all:money} would then be available on the account, leave everything as it is "
                "and tell me what is available now.",
                "if < {keep_all:money} would be left available: leave it, tell me what's available.",
                "Unless that leaves me with less than {keep_all:money} to spend there, then let it be and tell me what "
                "is available now!",
                "Should less than {keep_all:money} then be available there, the original is to stand and I ask to be "
                "told the sum available.",
            ),
            draw=limit_on("transfers", "transfer_id", "amount", "keep_all", (1.0, 2.0, 4.0, 8.0)),
        ),
    ),
)


def _cancel(facts: Facts) -> Policy:
    transfer = yield from _planned(facts)
    amount = shown(transfer["amount"])
    payee = transfer["payee"]
    if facts.get("until") and transfer["execute_on"] > facts["until"]:
        when = transfer["execute_on"]
        return Reply(f"It stays: it goes to {payee} on {when} only.", (payee, when))
    yield do("cancel_transfer", transfer_id=facts["transfer_id"])
    return Reply(f"It is cancelled: {amount} to {payee}.", (amount, payee))


CANCEL_TRANSFER = Program(
    "cancel_scheduled_transfer",
    "Cancel a transfer that is scheduled for a later day",
    says(
        "Please cancel my scheduled transfer {transfer_id}. [Whom was it for, and how much was it?|And tell me the sum "
        "and the payee's name.]",
        "cancel my scheduled transfer {transfer_id}. to whom, how much was it?",
        "We have sorted it out between us over coffee, so my scheduled transfer {transfer_id} can be cancelled, and "
        "who would have got how much again?",
        "I withdraw my scheduled transfer {transfer_id}; kindly confirm the payee's name and the sum.",
        hurried="Stop my scheduled transfer {transfer_id}, who and how much was that?",
    ),
    _draw_scheduled,
    _cancel,
    (
        Twist(
            "only if it is soon",
            "condition",
            says(
                "Only if it is due by {until:date}, though; if it is later than that, keep it and tell me the payee "
                "and the day.",
                "only if due by {until:date}, else keep it, payee + day?",
                "But if it only goes out after {until:date}, there is time, then keep it and tell me for whom it is "
                "and on what day!",
                "This concerns it only if execution falls on {until:date} or before; otherwise keep it and state payee "
                "and date.",
            ),
            draw=later_day(8, 36, "until"),
        ),
    ),
    again="transfer_id",
)


def _cancel_largest(facts: Facts) -> Policy:
    transfers = yield do("list_transfers", customer_id=facts["customer_id"], status="scheduled")
    due = [each for each in transfers if each["execute_on"] <= facts.get("by", "9999")]
    if len(transfers) < 2:
        raise DeadEnd("nothing to choose between")
    sign = 1 if facts.get("smallest") else -1
    chosen = yield choose(due, key=lambda each: sign * each["amount"])
    yield do("cancel_transfer", transfer_id=chosen["transfer_id"])
    amount = shown(chosen["amount"])
    text = f"{chosen['transfer_id']} is cancelled, {amount} to {chosen['payee']}."
    return Reply(text, (chosen["transfer_id"], amount, chosen["payee"]))


CANCEL_LARGEST = Program(
    "cancel_largest_scheduled",
    "Cancel the largest of the scheduled transfers",
    says(
        "Money is short: please cancel the largest of my scheduled transfers, and tell me its number, the sum and whom "
        "it was for.",
        "cancel the largest of my scheduled transfers. number, sum, payee?",
        "[The boiler has broken down|My bonus is late], so something has to give: cancel whichever of my scheduled "
        "transfers is the largest! Which was it, how much, and who will be disappointed?",
        "Kindly cancel the largest of my scheduled transfers, naming its number, the sum and the payee.",
        non_native="Please cancel from my scheduled transfers this one with the most money, and tell number, how much "
        "and for who.",
    ),
    lambda world, rng: owner(pick(rng, _scheduled(world))),
    _cancel_largest,
    (
        Twist(
            "of those due soon",
            "constraint",
            says(
                "I am talking about those that go out by {by:date} only.",
                "only those due by {by:date}.",
                "Those after {by:date} do not worry me yet, so only look at what goes out by then!",
                "Only transfers due on or before {by:date} are meant.",
            ),
            draw=later_day(12, 38, "by"),
        ),
        Twist(
            "the smallest instead",
            "change_of_mind",
            says(
                "Or no, [I would rather drop the smallest|cancel the smallest instead].",
                "no: the smallest instead.",
                "Oh, that one is for my mother, I fear, so let the smallest go instead!",
                "Upon reflection, it is the smallest that shall be cancelled.",
            ),
            sets={"smallest": True},
        ),
    ),
    unknown="I do not have the numbers of my transfers.",
)

SCHEDULED = (BRING_FORWARD, CANCEL_TRANSFER, CANCEL_LARGEST)
