"""Programs that look over what is booked: what it costs, and which train comes next."""

from toolscale.reference.kit import clock, latest_first, must
from toolscale.reference.program import Facts, Solution, choose, do
from toolscale.reference.railway.programs.common import TRAINSET, an_account, closing, several
from toolscale.reference.words import words

WORDS = words(__file__)


def _spend(facts: Facts) -> Solution:
    listed = yield do("list_bookings", passenger_id=facts["passenger_id"], status=facts.get("status", "confirmed"))
    must(len(listed) >= 2, "nothing to add up")
    bookings = []
    for each in listed:
        bookings.append((yield do("get_booking", booking_id=each["booking_id"])))
    dearest = yield choose(bookings, key=lambda each: -each["price_total"])
    total = f"{sum(each['price_total'] for each in bookings):.2f}"
    text = f"They come to {total} EUR; the dearest is {dearest['booking_id']}."
    return (yield from closing(facts, text, (total, dearest["booking_id"]), dearest["service_id"]))


SPEND = WORDS.program(
    "sum_upcoming",
    an_account,
    _spend,
    (
        WORDS.twist("past journeys instead", "change_of_mind", sets={"status": "travelled"}),
        TRAINSET,
    ),
)


def _next_trip(facts: Facts) -> Solution:
    listed = yield do("list_bookings", passenger_id=facts["passenger_id"])
    if facts.get("last_one"):
        booking = yield choose(several(listed), key=lambda each: latest_first(each["departure"]))
    else:
        booking = yield choose(listed, key=lambda each: each["departure"])
    full = yield do("get_booking", booking_id=booking["booking_id"])
    service = yield do("get_service", service_id=full["service_id"])
    codes = [call["station_code"] for call in service["calls"]]
    between = service["calls"][codes.index(full["origin"]) + 1 : codes.index(full["destination"])]
    leaves = clock(full["departure"])
    stops = f"stops at {', '.join(call['station'] for call in between)}" if between else "does not stop on the way"
    text = f"It is {full['service_id']} at {leaves} from {full['origin_name']}; it {stops}."
    tell = (full["service_id"], leaves, *(call["station"] for call in between))
    return (yield from closing(facts, text, tell, full["service_id"]))


NEXT_TRIP = WORDS.program(
    "next_trip",
    an_account,
    _next_trip,
    (
        WORDS.twist("the last trip instead", "change_of_mind", sets={"last_one": True}),
        TRAINSET,
    ),
)

OVERVIEW = (SPEND, NEXT_TRIP)
