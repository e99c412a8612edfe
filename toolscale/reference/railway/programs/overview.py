"""Programs that look over what is booked: what it costs, and which train comes next."""

from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Twist, choose, do
from toolscale.reference.railway.programs.common import (
    TRAINSET,
    an_account,
    clock,
    closing,
    later_first,
    several,
)


def _spend(facts: Facts) -> Policy:
    listed = yield do("list_bookings", passenger_id=facts["passenger_id"], status=facts.get("status", "confirmed"))
    if len(listed) < 2:
        raise DeadEnd("nothing to add up")
    bookings = []
    for each in listed:
        bookings.append((yield do("get_booking", booking_id=each["booking_id"])))
    dearest = yield choose(bookings, key=lambda each: -each["price_total"])
    total = f"{sum(each['price_total'] for each in bookings):.2f}"
    text = f"They come to {total} EUR; the dearest is {dearest['booking_id']}."
    return (yield from closing(facts, text, (total, dearest["booking_id"]), dearest["service_id"]))


SPEND = Program(
    "sum_upcoming",
    "Add up what the upcoming journeys cost and name the dearest",
    {
        "plain": "What do my confirmed upcoming bookings cost altogether, and which of them is the dearest?",
        "terse": "sum of my confirmed bookings, and the dearest one?",
        "chatty": "I dare not add it up myself: what do all my confirmed bookings come to, and which one is the "
        "dearest?",
        "formal": "Please state the sum of my confirmed bookings and identify the most expensive among them.",
        "hurried": "Total of my confirmed bookings and the dearest one, fast!",
        "non_native": "How much cost all my bookings confirmed together, and which from them is most expensive?",
        "confused": "I booked a few things and have lost the overview, so what do all my confirmed bookings cost "
        "together, and which is the dearest?",
    },
    an_account,
    _spend,
    (
        Twist(
            "past journeys instead",
            "change_of_mind",
            {
                "plain": "Sorry, I meant the journeys I have already made, not the coming ones.",
                "terse": "no, the travelled ones.",
                "chatty": "Oh wait, it is for last month's expenses, so I mean the trips already travelled!",
                "formal": "Rather, I refer to the journeys already travelled.",
            },
            sets={"status": "travelled"},
        ),
        TRAINSET,
    ),
    unknown="I do not have the booking numbers here.",
)


def _next_trip(facts: Facts) -> Policy:
    listed = yield do("list_bookings", passenger_id=facts["passenger_id"])
    if facts.get("last_one"):
        booking = yield choose(several(listed), key=lambda each: later_first(each["departure"]))
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


NEXT_TRIP = Program(
    "next_trip",
    "Find out with which train the next journey is, when it leaves and where it stops",
    {
        "plain": "Which train is my next trip on, when does it leave, and at which stations does it stop on my way?",
        "terse": "my next trip: train, departure, intermediate stops?",
        "chatty": "I have lost my notes again! Which train is my next trip on, when do I leave, and where do we stop "
        "on the way?",
        "formal": "Please inform me of the service and departure of my next journey and of its intermediate stops.",
        "hurried": "My next trip: which train, when, which stops on my way?",
        "non_native": "My next travel, which train is it, at which hour it goes, and where it makes stop before I "
        "arrive?",
        "confused": "I cannot find my ticket anywhere, so which train is my next trip on, when do I leave, and where "
        "does it stop before I get off?",
    },
    an_account,
    _next_trip,
    (
        Twist(
            "the last trip instead",
            "change_of_mind",
            {
                "plain": "I mean not the next one but the last one I have booked, the furthest ahead.",
                "terse": "no, the one furthest ahead.",
                "chatty": "Oh, not that one, I meant the one that is furthest ahead!",
                "formal": "To be precise, the journey furthest in the future is meant.",
            },
            sets={"last_one": True},
        ),
        TRAINSET,
    ),
    unknown="I have no booking number at hand.",
)

OVERVIEW = (SPEND, NEXT_TRIP)
