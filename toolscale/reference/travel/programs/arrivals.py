"""Programs about what follows a flight: compensation for late ones, and transfers into the city."""

from random import Random

from toolscale.reference.kit import clock, must, one_of
from toolscale.reference.program import Facts, Reply, Solution, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.travel.programs.common import Record, a_flight_booking, flight_bookings, runs
from toolscale.reference.words import words

WORDS = words(__file__)


def _late(booking: Record, flight: Record) -> bool:
    extraordinary = flight["cause"] in ("severe_weather", "air_traffic_control_strike")
    return bool(flight["delay_minutes"] >= 180 and not extraordinary)


def _claim(facts: Facts) -> Solution:
    found = yield do("check_compensation", booking_id=facts["booking_id"])
    must(found["due"], "nothing is due")
    if facts.get("least_due", 0) > found["amount"]:
        amount = shown(found["amount"])
        return Reply(f"I did not claim: {amount} EUR are due.", (amount,))
    return (yield from _claimed(facts, facts["booking_id"]))


def _claimed(facts: Facts, booking_id: str) -> Solution:
    done = yield do("claim_compensation", booking_id=booking_id, payout=facts.get("payout", "bank_transfer"))
    amount, claim = shown(done["voucher_amount"] or done["amount"]), done["claim_id"]
    return Reply(f"Claim {claim} for {booking_id}: {amount} EUR.", (claim, amount))


CLAIM_AS_VOUCHER = WORDS.twist("as a voucher", "change_of_mind", sets={"payout": "voucher"})

CLAIM = WORDS.program(
    "claim_compensation",
    a_flight_booking("flown", _late),
    _claim,
    (
        CLAIM_AS_VOUCHER,
        WORDS.twist("only if it is worth it", "condition", draw=one_of("least_due", 200.0, 260.0, 320.0, 500.0, 700.0)),
    ),
)


def _claim_all(facts: Facts) -> Solution:
    flown = yield do("list_flight_bookings", traveller_id=facts["traveller_id"], status="flown")
    due = []
    for each in flown:
        found = yield do("check_compensation", booking_id=each["booking_id"])
        if found["due"]:
            due.append(each["booking_id"])
    must(due, "nothing is due")
    replies = []
    for booking_id in due:
        replies.append((yield from _claimed(facts, booking_id)))
    return Reply(" ".join(each.text for each in replies), tuple(fact for each in replies for fact in each.tell))


def _draw_late_one(world: World, rng: Random) -> Facts:
    claimed = {each["booking_id"] for each in world.rows("claims")}
    late = [each for each in flight_bookings(world, "flown", _late) if each["booking_id"] not in claimed]
    return {"traveller_id": pick(rng, late)["traveller_id"]}


CLAIM_ALL = WORDS.program("claim_whatever_is_due", _draw_late_one, _claim_all, (CLAIM_AS_VOUCHER,))


def _transfer(facts: Facts) -> Solution:
    direction = facts.get("direction", "from_airport")
    options = yield do("list_transfers", booking_id=facts["booking_id"], direction=direction)
    wanted = [each for each in options if facts.get("vehicle") in (None, each["vehicle"])]
    option = yield choose(wanted, key=lambda each: each["minutes"] if facts.get("fastest") else each["price"])
    price = shown(option["price"])
    if option["price"] > facts.get("most", option["price"]):
        return Reply(f"I booked no transfer: it would cost {price} EUR.", (price,))
    done = yield do("book_transfer", booking_id=facts["booking_id"], vehicle=option["vehicle"], direction=direction)
    at = clock(done["pick_up"])
    vehicle = option["vehicle"].replace("_", " ")
    return Reply(f"A {vehicle} picks you up at {at} ({done['transfer_id']}), for {price} EUR.", (at, price))


def _draw_transfer(world: World, rng: Random) -> Facts:
    booked = {each["booking_id"] for each in world.rows("transfers")}
    fitting = [
        each
        for each in flight_bookings(world, "confirmed", runs)
        if each["booking_id"] not in booked and each["travellers"] > 1
    ]
    booking = pick(rng, fitting)
    return {"traveller_id": booking["traveller_id"], "booking_id": booking["booking_id"]}


TRANSFER = WORDS.program(
    "book_airport_transfer",
    _draw_transfer,
    _transfer,
    (
        WORDS.twist("a private car", "constraint", sets={"vehicle": "private_car"}),
        WORDS.twist("to the airport instead", "change_of_mind", sets={"direction": "to_airport"}),
        WORDS.twist("a limit on the ride", "condition", draw=one_of("most", 22.0, 35.0, 50.0, 80.0)),
    ),
)

ARRIVALS = (CLAIM, CLAIM_ALL, TRANSFER)
