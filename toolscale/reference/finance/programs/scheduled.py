"""Programs about transfers that wait for their day."""

from random import Random

from toolscale.reference.finance.programs.shared import later_day, limit_on, owner
from toolscale.reference.kit import must
from toolscale.reference.program import Facts, Record, Reply, Solution, Steps, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


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


def _bring_forward(facts: Facts) -> Solution:
    transfer = yield from _planned(facts)
    quote = yield do(
        "quote_transfer", account_id=transfer["account_id"], payee_id=transfer["payee_id"], amount=transfer["amount"]
    )
    must(quote["available"] >= quote["total"], "there is not enough on the account")
    if "keep_all" in facts and quote["available"] - quote["total"] < facts["keep_all"]:
        left = shown(quote["available"])
        return Reply(f"It stays where it is: only {left} are available.", (left,))
    yield do("cancel_transfer", transfer_id=facts["transfer_id"])
    done = yield do(
        "send_transfer", account_id=transfer["account_id"], payee_id=transfer["payee_id"], amount=transfer["amount"]
    )
    balance = shown(done["balance"])
    return Reply(f"{done['transfer_id']} is sent; the balance is {balance}.", (done["transfer_id"], balance))


BRING_FORWARD = WORDS.program(
    "bring_transfer_forward",
    _draw_scheduled,
    _bring_forward,
    (
        WORDS.twist(
            "what must be left",
            "condition",
            draw=limit_on("transfers", "transfer_id", "amount", "keep_all", (1.0, 2.0, 4.0, 8.0)),
        ),
    ),
)


def _cancel(facts: Facts) -> Solution:
    transfer = yield from _planned(facts)
    amount = shown(transfer["amount"])
    payee = transfer["payee"]
    if facts.get("until") and transfer["execute_on"] > facts["until"]:
        when = transfer["execute_on"]
        return Reply(f"It stays: it goes to {payee} on {when} only.", (payee, when))
    yield do("cancel_transfer", transfer_id=facts["transfer_id"])
    return Reply(f"It is cancelled: {amount} to {payee}.", (amount, payee))


CANCEL_TRANSFER = WORDS.program(
    "cancel_scheduled_transfer",
    _draw_scheduled,
    _cancel,
    (WORDS.twist("only if it is soon", "condition", draw=later_day(8, 36, "until")),),
    again="transfer_id",
)


def _cancel_largest(facts: Facts) -> Solution:
    transfers = yield do("list_transfers", customer_id=facts["customer_id"], status="scheduled")
    due = [each for each in transfers if each["execute_on"] <= facts.get("by", "9999")]
    must(len(transfers) >= 2, "nothing to choose between")
    sign = 1 if facts.get("smallest") else -1
    chosen = yield choose(due, key=lambda each: sign * each["amount"])
    yield do("cancel_transfer", transfer_id=chosen["transfer_id"])
    amount = shown(chosen["amount"])
    text = f"{chosen['transfer_id']} is cancelled, {amount} to {chosen['payee']}."
    return Reply(text, (chosen["transfer_id"], amount, chosen["payee"]))


CANCEL_LARGEST = WORDS.program(
    "cancel_largest_scheduled",
    lambda world, rng: owner(pick(rng, _scheduled(world))),
    _cancel_largest,
    (
        WORDS.twist("of those due soon", "constraint", draw=later_day(12, 38, "by")),
        WORDS.twist("the smallest instead", "change_of_mind", sets={"smallest": True}),
    ),
)

SCHEDULED = (BRING_FORWARD, CANCEL_TRANSFER, CANCEL_LARGEST)
