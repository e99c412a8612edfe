"""Programs about booked flights: cancelling them, and learning about them."""

from toolscale.reference.kit import clock, must
from toolscale.reference.program import Facts, Reply, Solution, choose, do
from toolscale.reference.sums import shown
from toolscale.reference.travel.programs.common import AS_VOUCHER, AT_LEAST, a_flight_booking, an_account
from toolscale.reference.words import words

WORDS = words(__file__)


def _given_back(facts: Facts, booking_id: str, refund: float) -> Solution:
    """Cancel a flight booking, unless it brings less than the user wants."""
    back = shown(refund)
    if refund < facts.get("least", 0):
        return Reply(f"{booking_id} stays as it is: only {back} EUR would come back.", (back,))
    done = yield do("cancel_flight", booking_id=booking_id, refund_to=facts.get("refund_to", "card"))
    way = f"as voucher {done['voucher_id']}" if done["voucher_id"] else "to your card"
    return Reply(f"{booking_id} is cancelled; {back} EUR come back {way}.", (back,))


def _cancel(facts: Facts) -> Solution:
    booking = yield do("get_flight_booking", booking_id=facts["booking_id"])
    must(booking["refund_now"], "nothing comes back")
    return (yield from _given_back(facts, facts["booking_id"], booking["refund_now"]))


CANCEL = WORDS.program(
    "cancel_flight",
    a_flight_booking(suits=lambda booking, flight: booking["fare_id"] != "FR-LIGHT"),
    _cancel,
    (AS_VOUCHER, AT_LEAST),
    again="booking_id",
)


def _cancel_best(facts: Facts) -> Solution:
    listed = yield do("list_flight_bookings", traveller_id=facts["traveller_id"])
    must(len(listed) >= 2, "nothing to compare")
    bookings = []
    for each in listed:
        bookings.append((yield do("get_flight_booking", booking_id=each["booking_id"])))
    best = yield choose(bookings, key=lambda each: -each["refund_now"])
    must(best["refund_now"], "none brings anything back")
    done = yield from _given_back(facts, best["booking_id"], best["refund_now"])
    return Reply(done.text, (best["booking_id"], *done.tell))


CANCEL_BEST = WORDS.program("cancel_flight_with_most_back", an_account, _cancel_best, (AS_VOUCHER, AT_LEAST))


def _status(facts: Facts) -> Solution:
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


STATUS = WORDS.program(
    "flight_times",
    a_flight_booking(suits=lambda booking, flight: flight["status"] != "cancelled"),
    _status,
    (
        WORDS.twist("who operates it", "lookup", sets={"airline": True}),
        WORDS.twist("how many bags", "lookup", sets={"bags": True}),
    ),
    again="booking_id",
)


def _sum(facts: Facts) -> Solution:
    listed = yield do("list_flight_bookings", traveller_id=facts["traveller_id"], status=facts.get("status"))
    must(len(listed) >= 2, "nothing to add up")
    bookings = []
    for each in listed:
        bookings.append((yield do("get_flight_booking", booking_id=each["booking_id"])))
    dearest = yield choose(bookings, key=lambda each: -each["price_total"])
    total, name = shown(sum(each["price_total"] for each in bookings)), dearest["booking_id"]
    return Reply(f"They come to {total} EUR; the dearest is {name}.", (total, name))


SUM = WORDS.program(
    "sum_of_flights",
    an_account,
    _sum,
    (WORDS.twist("the flown ones instead", "change_of_mind", sets={"status": "flown"}),),
)


FLIGHT_MATTERS = (CANCEL, CANCEL_BEST, STATUS, SUM)
