"""Programs about what follows a flight: compensation for late ones, and transfers into the city."""

from random import Random

from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Reply, Twist, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.travel.programs.common import Record, a_flight_booking, clock, flight_bookings, one_of, runs


def _late(booking: Record, flight: Record) -> bool:
    extraordinary = flight["cause"] in ("severe_weather", "air_traffic_control_strike")
    return bool(flight["delay_minutes"] >= 180 and not extraordinary)


def _claim(facts: Facts) -> Policy:
    found = yield do("check_compensation", booking_id=facts["booking_id"])
    if not found["due"]:
        raise DeadEnd("nothing is due")
    if facts.get("least_due", 0) > found["amount"]:
        amount = shown(found["amount"])
        return Reply(f"I did not claim: {amount} EUR are due.", (amount,))
    return (yield from _claimed(facts, facts["booking_id"]))


def _claimed(facts: Facts, booking_id: str) -> Policy:
    done = yield do("claim_compensation", booking_id=booking_id, payout=facts.get("payout", "bank_transfer"))
    amount, claim = shown(done["voucher_amount"] or done["amount"]), done["claim_id"]
    return Reply(f"Claim {claim} for {booking_id}: {amount} EUR.", (claim, amount))


CLAIM_AS_VOUCHER = Twist(
    "as a voucher",
    "change_of_mind",
    {
        "plain": "I have just read that a voucher is worth more, so let me have a voucher rather than a transfer.",
        "terse": "voucher, not transfer.",
        "chatty": "Wait, is the voucher not worth more? Then the voucher it is, forget the bank!",
        "formal": "Having considered the matter, I elect to be compensated by voucher rather than by transfer.",
    },
    sets={"payout": "voucher"},
)

CLAIM = Program(
    "claim_compensation",
    "Claim compensation for a flight that landed late",
    {
        "plain": "On {booking_id} I arrived hours late. Please claim the compensation by bank transfer, and tell me "
        "the number of the claim and the amount.",
        "terse": "{booking_id} was hours late. claim compensation, bank transfer. claim no. + amount?",
        "chatty": "[We sat on the ground for ages|The children were in tears] with {booking_id}, and I hear one gets "
        "compensation for that! By bank transfer please, and what is the claim number and how much is it?",
        "formal": "On account of the considerable delay of {booking_id} I assert my right to compensation by bank "
        "transfer, and ask for the number of the claim and the amount.",
        "non_native": "With {booking_id} I arrived much hours late, I want the compensation on my bank; which number "
        "has the claim and how much I get?",
    },
    a_flight_booking("flown", _late),
    _claim,
    (
        CLAIM_AS_VOUCHER,
        Twist(
            "only if it is worth it",
            "condition",
            {
                "plain": "If less than {least_due:money} EUR is due, do not bother to claim and only tell me the "
                "amount.",
                "terse": "under {least_due:money} EUR don't claim, tell me the amount.",
                "chatty": "For less than {least_due:money} EUR I will not start a war, so then just tell me the "
                "amount!",
                "formal": "Where the sum due is below {least_due:money} EUR, I waive the claim and ask only for the "
                "amount.",
            },
            draw=one_of("least_due", (200.0, 260.0, 320.0, 500.0, 700.0)),
        ),
    ),
)


def _claim_all(facts: Facts) -> Policy:
    flown = yield do("list_flight_bookings", traveller_id=facts["traveller_id"], status="flown")
    due = []
    for each in flown:
        found = yield do("check_compensation", booking_id=each["booking_id"])
        if found["due"]:
            due.append(each["booking_id"])
    if not due:
        raise DeadEnd("nothing is due")
    replies = []
    for booking_id in due:
        replies.append((yield from _claimed(facts, booking_id)))
    return Reply(" ".join(each.text for each in replies), tuple(fact for each in replies for fact in each.tell))


def _draw_late_one(world: World, rng: Random) -> Facts:
    claimed = {each["booking_id"] for each in world.rows("claims")}
    late = [each for each in flight_bookings(world, "flown", _late) if each["booking_id"] not in claimed]
    return {"traveller_id": pick(rng, late)["traveller_id"]}


CLAIM_ALL = Program(
    "claim_whatever_is_due",
    "Claim whatever compensation is due for the flights of the past months",
    {
        "plain": "Please check all the flights that I have flown and claim compensation by bank transfer wherever "
        "some is due. [Give me the claim numbers and amounts.|Which claims did you file, and for how much?]",
        "terse": "check all my flown flights, claim any compensation due, bank transfer. claim nos. + amounts.",
        "chatty": "My neighbour got hundreds for a late flight! So go through all my flown flights and claim whatever "
        "is due to my bank account, and tell me the claim numbers and sums!",
        "formal": "I ask you to examine every flight that I have flown and to claim, by bank transfer, all "
        "compensation due, stating the numbers of the claims and the amounts.",
        "non_native": "Please you look all my flights which I flew, and if compensation is possible make the claim to "
        "my bank. Tell me numbers of claims and money.",
    },
    _draw_late_one,
    _claim_all,
    (CLAIM_AS_VOUCHER,),
    unknown="I do not remember which of them were late.",
)


def _transfer(facts: Facts) -> Policy:
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


TRANSFER = Program(
    "book_airport_transfer",
    "Book a transfer from the airport into the city after a booked flight",
    {
        "plain": "Please book the cheapest transfer that seats all of us from the airport into the city after "
        "{booking_id}. [At what time is the pick-up, and what does it cost?|Tell me the time of pick-up and the "
        "price.]",
        "terse": "cheapest airport transfer into town after {booking_id}, for everybody on it. pick-up time, price?",
        "chatty": "We shall be dead tired after {booking_id}, so could somebody drive us all into the city, as "
        "cheaply as possible? When do they pick us up, and for how much?",
        "formal": "Following the arrival of {booking_id}, please arrange the least expensive transfer into the city "
        "for the whole party and advise me of the time of pick-up and the price.",
        "non_native": "After {booking_id} we need a transfer from airport to the city for all persons, the cheapest. "
        "What hour is pick-up and which price?",
    },
    _draw_transfer,
    _transfer,
    (
        Twist(
            "a private car",
            "constraint",
            {
                "plain": "It has to be a private car, no shared ride.",
                "terse": "private car only.",
                "chatty": "No buses and no strangers please, a private car it must be!",
                "formal": "Only a private car is acceptable.",
            },
            sets={"vehicle": "private_car"},
        ),
        Twist(
            "to the airport instead",
            "change_of_mind",
            {
                "plain": "Sorry, I got that wrong: we need the ride to the airport, before the flight, not the one "
                "after.",
                "terse": "correction: to the airport before departure, not after landing.",
                "chatty": "Oh dear, I mixed it up, somebody meets us over there, it is the ride to the airport before "
                "the flight that we need instead!",
                "formal": "I must correct my request: the transfer is needed to the airport prior to departure "
                "instead.",
            },
            sets={"direction": "to_airport"},
        ),
        Twist(
            "a limit on the ride",
            "condition",
            {
                "plain": "If the ride costs more than {most:money} EUR, skip it and tell me the price.",
                "terse": "ride above {most:money} EUR: skip, tell me the price.",
                "chatty": "Above {most:money} EUR we would rather take the underground, so skip it then and tell me "
                "the price!",
                "formal": "A fare above {most:money} EUR I would decline; in that case merely state it.",
            },
            draw=one_of("most", (22.0, 35.0, 50.0, 80.0)),
        ),
    ),
)

ARRIVALS = (CLAIM, CLAIM_ALL, TRANSFER)
