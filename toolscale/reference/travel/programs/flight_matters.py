"""Programs about booked flights: cancelling them, and learning about them."""

from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Reply, Twist, choose, do
from toolscale.reference.sums import shown
from toolscale.reference.travel.programs.common import AS_VOUCHER, AT_LEAST, a_flight_booking, an_account, clock


def _given_back(facts: Facts, booking_id: str, refund: float) -> Policy:
    """Cancel a flight booking, unless it brings less than the user wants."""
    back = shown(refund)
    if refund < facts.get("least", 0):
        return Reply(f"{booking_id} stays as it is: only {back} EUR would come back.", (back,))
    done = yield do("cancel_flight", booking_id=booking_id, refund_to=facts.get("refund_to", "card"))
    way = f"as voucher {done['voucher_id']}" if done["voucher_id"] else "to your card"
    return Reply(f"{booking_id} is cancelled; {back} EUR come back {way}.", (back,))


def _cancel(facts: Facts) -> Policy:
    booking = yield do("get_flight_booking", booking_id=facts["booking_id"])
    if not booking["refund_now"]:
        raise DeadEnd("nothing comes back")
    return (yield from _given_back(facts, facts["booking_id"], booking["refund_now"]))


CANCEL = Program(
    "cancel_flight",
    "Cancel a booked flight and learn what comes back",
    {
        "plain": "Please cancel {booking_id}[, I cannot travel|, the event was called off|] and refund what is due to "
        "my card. How much is it?",
        "terse": "cancel {booking_id}, refund to card. how much back?",
        "chatty": "[The wedding is off, can you imagine|My knee has given up on me], so I must cancel {booking_id}! "
        "Send whatever is due back to my card and tell me how much that is!",
        "formal": "I regret that I must withdraw from {booking_id}; kindly cancel it, reimburse my card, and state the "
        "amount.",
        "hurried": "Cancel {booking_id}, money to my card, how much do I get?",
        "non_native": "I can not fly with {booking_id}, please make cancel and give money on my card. How much it will "
        "be?",
    },
    a_flight_booking(suits=lambda booking, flight: booking["fare_id"] != "FR-LIGHT"),
    _cancel,
    (AS_VOUCHER, AT_LEAST),
    again="booking_id",
)


def _cancel_best(facts: Facts) -> Policy:
    listed = yield do("list_flight_bookings", traveller_id=facts["traveller_id"])
    if len(listed) < 2:
        raise DeadEnd("nothing to compare")
    bookings = []
    for each in listed:
        bookings.append((yield do("get_flight_booking", booking_id=each["booking_id"])))
    best = yield choose(bookings, key=lambda each: -each["refund_now"])
    if not best["refund_now"]:
        raise DeadEnd("none brings anything back")
    done = yield from _given_back(facts, best["booking_id"], best["refund_now"])
    return Reply(done.text, (best["booking_id"], *done.tell))


CANCEL_BEST = Program(
    "cancel_flight_with_most_back",
    "Cancel whichever coming flight brings back most money",
    {
        "plain": "I have to give up one of my coming flights. Cancel the one that brings back most money now, refund "
        "it to my card, and tell me [which one and how much|its booking number and the sum].",
        "terse": "drop one of my upcoming flights: the one with the biggest refund, to card. which, how much?",
        "chatty": "I have been booking flights like a madwoman and one has to go! Whichever gives me most money back, "
        "cancel that one, on my card please, and tell me which and how much!",
        "formal": "Of my forthcoming flights one is to be relinquished, namely that with the highest refund at "
        "present; please cancel it in favour of my card and name it and the amount.",
        "non_native": "One of my next flights I must give up, please cancel this one which returns the most of money "
        "to my card. Tell me which and how much.",
    },
    an_account,
    _cancel_best,
    (AS_VOUCHER, AT_LEAST),
    unknown="[I do not know which of them that is.|I have not looked at the conditions of each.]",
)


def _status(facts: Facts) -> Policy:
    booking = yield do("get_flight_booking", booking_id=facts["booking_id"])
    flight = yield do("get_flight", flight_id=booking["flight_id"])
    closes, lands = clock(flight["check_in_closes"]), clock(booking["expected_arrival"])
    text = f"It is {booking['flight_id']}; check-in closes at {closes}, and it is expected to land at {lands}."
    tell: tuple[str, ...] = (booking["flight_id"], closes, lands)
    if facts.get("airline"):
        text, tell = f"{text} {flight['airline']} operates it.", (*tell, flight["airline"])
    if facts.get("bags"):
        bags = f"{booking['bags_in_all']} checked bags"
        text, tell = f"{text} You may check in {bags} in all.", (*tell, bags)
    return Reply(text, tell)


STATUS = Program(
    "flight_times",
    "Learn a booked flight's number, when check-in closes and when it is expected to land",
    {
        "plain": "For {booking_id} I need the flight number, the time at which check-in closes, and when it is "
        "expected to land, any delay included.",
        "terse": "{booking_id}: flight no., check-in closing, expected landing incl. delay?",
        "chatty": "My brother is picking me up, so for {booking_id}, what is the flight number, until when can I check "
        "in, and when will it really land, delay and all?",
        "formal": "Please indicate in respect of {booking_id} the flight number, the close of check-in and the "
        "expected time of landing, delays included.",
        "non_native": "About {booking_id}, I ask the number of flight, until which hour is check-in and when it "
        "arrives with the delay.",
        "confused": "I cannot find it on the paper, for {booking_id}, what flight is that, until when must I check in, "
        "and when do we land, if it is late I mean?",
    },
    a_flight_booking(suits=lambda booking, flight: flight["status"] != "cancelled"),
    _status,
    (
        Twist(
            "who operates it",
            "lookup",
            {
                "plain": "Which airline operates it?",
                "terse": "airline too.",
                "chatty": "And which airline will it be, I do hope the one with the good coffee!",
                "formal": "The name of the operating airline would be appreciated too.",
            },
            sets={"airline": True},
        ),
        Twist(
            "how many bags",
            "lookup",
            {
                "plain": "How many checked bags are included in all?",
                "terse": "checked bags in all?",
                "chatty": "Oh, and how many checked bags may we bring in all?",
                "formal": "The number of checked bags to which we are entitled in all is also of interest.",
            },
            sets={"bags": True},
        ),
    ),
    again="booking_id",
)


def _sum(facts: Facts) -> Policy:
    listed = yield do("list_flight_bookings", traveller_id=facts["traveller_id"], status=facts.get("status"))
    if len(listed) < 2:
        raise DeadEnd("nothing to add up")
    bookings = []
    for each in listed:
        bookings.append((yield do("get_flight_booking", booking_id=each["booking_id"])))
    dearest = yield choose(bookings, key=lambda each: -each["price_total"])
    total, name = shown(sum(each["price_total"] for each in bookings)), dearest["booking_id"]
    return Reply(f"They come to {total} EUR; the dearest is {name}.", (total, name))


SUM = Program(
    "sum_of_flights",
    "Add up what the coming flights cost and name the dearest",
    {
        "plain": "What do my confirmed flights cost altogether, and which booking is the dearest?",
        "terse": "total of my confirmed flights + dearest booking?",
        "chatty": "I dare not add it up myself! What do all my confirmed flights come to, and which booking is the "
        "dearest of them?",
        "formal": "For my accounts I require the total price of my confirmed flights and the number of the most "
        "expensive booking.",
        "hurried": "My confirmed flights, total price and the dearest booking, quick!",
        "non_native": "All my flights which are confirmed, how much together, and which booking costs the most?",
    },
    an_account,
    _sum,
    (
        Twist(
            "the flown ones instead",
            "change_of_mind",
            {
                "plain": "Sorry, I meant the flights that I have flown already, not the coming ones.",
                "terse": "no, the flown ones.",
                "chatty": "Oh wait, it is for the tax people, so I mean the flights already flown!",
                "formal": "I should correct myself: the flights already flown are meant.",
            },
            sets={"status": "flown"},
        ),
    ),
    unknown="I do not have the booking numbers here.",
)


FLIGHT_MATTERS = (CANCEL, CANCEL_BEST, STATUS, SUM)
