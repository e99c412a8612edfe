"""Programs about compensation for journeys that arrived late."""

from random import Random

from toolscale.reference.kit import must, unless
from toolscale.reference.moments import day
from toolscale.reference.program import Facts, Solution, World, choose, do
from toolscale.reference.railway.programs.common import FLYING, Record, Step, a_booking, a_least, closing, several
from toolscale.reference.words import words

WORDS = words(__file__)

PAYOUTS = {"bank transfer": "bank_transfer", "voucher": "voucher"}


def _file(facts: Facts, due: Record) -> Step:
    """File a claim for what is due, unless the user finds it too little."""
    amount = f"{due['amount']:.2f}"
    if due["amount"] < facts.get("least", 0):
        return f"I filed nothing for {due['booking_id']}: you would get {amount} EUR.", (amount,)
    claim = yield do(
        "file_compensation_claim",
        booking_id=due["booking_id"],
        payout=facts.get("payout") or PAYOUTS[facts["way"]],
    )
    text = f"Claim {claim['claim_id']} is filed for {amount} EUR."
    if claim["voucher_id"]:
        text = f"{text} Your voucher is {claim['voucher_id']}."
    return text, (claim["claim_id"], amount)


def _claim(facts: Facts) -> Solution:
    due = yield do("check_compensation", booking_id=facts["booking_id"])
    must(due["eligible"], "nothing is due")
    text, tell = yield from _file(facts, due)
    return (yield from closing(facts, text, tell))


_TOO_OLD = day(-89)
"""Claims for journeys of that day or before come too late."""


def _draw_claim(world: World, rng: Random) -> Facts:
    claimed = {each["booking_id"] for each in world.rows("claims")}
    excused = {each["service_id"] for each in world.rows("disruptions") if each["extraordinary"]}

    def due(booking: Record, service: Record) -> bool:
        excluded = booking["booking_id"] in claimed or service["service_id"] in excused
        return service["delay_minutes"] >= 60 and service["travel_date"] > _TOO_OLD and not excluded

    return {**a_booking(world, rng, "travelled", due), "way": rng.choice(sorted(PAYOUTS))}


def _draw_claimant(world: World, rng: Random) -> Facts:
    return {"passenger_id": _draw_claim(world, rng)["passenger_id"]}


LEAST = WORDS.twist("a least compensation", "condition", draw=a_least(0.25))
PAID_AS_VOUCHER = WORDS.twist(
    "a voucher rather than money", "change_of_mind", draw=unless("way", "voucher"), sets={"payout": "voucher"}
)

CLAIM = WORDS.program(
    "claim_compensation",
    _draw_claim,
    _claim,
    (
        PAID_AS_VOUCHER,
        LEAST,
    ),
    again="booking_id",
)


def _all_due(facts: Facts) -> Step:
    """What is due for each journey made."""
    travelled = yield do("list_bookings", passenger_id=facts["passenger_id"], status="travelled")
    found = []
    for booking in travelled:
        found.append((yield do("check_compensation", booking_id=booking["booking_id"])))
    return [due for due in found if due["eligible"]]


def _claim_largest(facts: Facts) -> Solution:
    due = yield from _all_due(facts)
    must(due, "nothing is due")
    if facts.get("longest_delay"):
        best = yield choose(several(due), key=lambda each: -each["delay_minutes"])
    else:
        best = yield choose(due, key=lambda each: -each["amount"])
    text, heard = yield from _file({"way": "bank transfer", **facts}, best)
    return (yield from closing(facts, f"It is {best['booking_id']}. {text}", (best["booking_id"], heard[0])))


CLAIM_LARGEST = WORDS.program(
    "claim_largest",
    _draw_claimant,
    _claim_largest,
    (
        WORDS.twist("the longest delay instead", "change_of_mind", sets={"longest_delay": True}),
        PAID_AS_VOUCHER,
        LEAST,
        FLYING,
    ),
)


def _claim_all(facts: Facts) -> Solution:
    due = yield from _all_due(facts)
    worthwhile = [each for each in due if each["amount"] >= facts.get("least", 0)]
    must(worthwhile, "nothing is due")
    texts: list[str] = []
    tell: tuple[str, ...] = ()
    for each in worthwhile:
        text, heard = yield from _file(facts, each)
        texts.append(f"{each['booking_id']}: {text}")
        tell += (each["booking_id"], *heard)
    return (yield from closing(facts, " ".join(texts), tell))


CLAIM_ALL = WORDS.program(
    "claim_all",
    lambda world, rng: {**_draw_claimant(world, rng), "way": rng.choice(sorted(PAYOUTS))},
    _claim_all,
    (
        PAID_AS_VOUCHER,
        WORDS.twist(
            "only what is worth it",
            "condition",
            draw=lambda world, rng, facts: {"least": rng.choice((8.0, 10.0, 15.0, 20.0, 25.0))},
        ),
        FLYING,
    ),
)


def _sum_due(facts: Facts) -> Solution:
    due = yield from _all_due(facts)
    if facts.get("two_hours"):
        due = [each for each in due if each["delay_minutes"] >= 120]
    must(due, "nothing is due")
    total = f"{sum(each['amount'] for each in due):.2f}"
    worst = yield choose(due, key=lambda each: -each["delay_minutes"])
    text = f"{total} EUR are due in all; the longest delay was on {worst['booking_id']}."
    return (yield from closing(facts, text, (total, worst["booking_id"])))


SUM_DUE = WORDS.program(
    "total_compensation",
    _draw_claimant,
    _sum_due,
    (WORDS.twist("only the very late ones", "constraint", sets={"two_hours": True}),),
)


COMPENSATION = (CLAIM, CLAIM_LARGEST, CLAIM_ALL, SUM_DUE)
