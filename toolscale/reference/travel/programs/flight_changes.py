"""Programs about booked flights: another day or time, a better cabin, more bags, disruptions."""

from random import Random

from toolscale.reference.kit import clock, known, latest_first, must, one_of
from toolscale.reference.program import DeadEnd, Facts, Reply, Solution, World, choose, do
from toolscale.reference.sums import shown
from toolscale.reference.travel.programs.common import AS_VOUCHER, Record, Step, a_flight_booking, runs, shifted
from toolscale.reference.words import words

WORDS = words(__file__)


def _others(booking: Record, day: str) -> Step:
    """Other flights of a booking's route on a day that have seats for its party."""
    found = yield do(
        "search_flights",
        origin=booking["origin"],
        destination=booking["destination"],
        travel_date=day,
        fare=booking["fare"],
        cabin=booking["cabin"],
        travellers=booking["travellers"],
    )
    return [each for each in found if each["flight_id"] != booking["flight_id"]]


def _moved(facts: Facts, flight_id: str, quote: Record) -> Solution:
    """Move the booking, unless that costs more than the user's limit."""
    total, leaves = shown(quote["total"]), clock(quote["departure"])
    if quote["total"] > facts.get("most", quote["total"]):
        return Reply(f"I changed nothing: {flight_id} at {leaves} would cost {total} EUR more.", (total,))
    yield do("change_flight", booking_id=facts["booking_id"], new_flight_id=flight_id)
    text = f"{facts['booking_id']} is moved to {flight_id}, which leaves at {leaves}, for {total} EUR."
    return Reply(text, (flight_id, leaves, *((total,) if quote["total"] else ())))


MOST = WORDS.twist(
    "a limit on the cost of the change", "condition", draw=one_of("most", 20.0, 75.0, 140.0, 180.0, 300.0)
)


def _movable(booking: Record, flight: Record) -> bool:
    return booking["fare_id"] != "FR-LIGHT" and runs(booking, flight)


def _draw_other_day(world: World, rng: Random) -> Facts:
    facts = a_flight_booking(suits=_movable)(world, rng)
    return {**facts, "date": shifted(_day_of(world, facts), rng.choice((-1, 1)))}


def _day_of(world: World, facts: Facts) -> str:
    booking = known(world, "flight_bookings", facts["booking_id"])
    return str(known(world, "flights", booking["flight_id"])["departure"][:10])


def _other_day(facts: Facts) -> Solution:
    booking = yield do("get_flight_booking", booking_id=facts["booking_id"])
    flights = yield from _others(booking, facts["date"])
    quotes = []
    for flight in flights:
        quote = yield do("quote_flight_change", booking_id=facts["booking_id"], new_flight_id=flight["flight_id"])
        quotes.append((flight["flight_id"], quote))
    flight_id, quote = yield choose(quotes, key=lambda each: (each[1]["total"], each[1]["departure"]))
    return (yield from _moved(facts, flight_id, quote))


CHANGE_DAY = WORDS.program("move_flight_to_another_day", _draw_other_day, _other_day, (MOST,))


def _last_of_the_day(facts: Facts) -> Solution:
    booking = yield do("get_flight_booking", booking_id=facts["booking_id"])
    flights = yield from _others(booking, booking["departure"][:10])
    later = [each for each in flights if each["departure"] > booking["departure"]]
    flight = yield choose(later, key=lambda each: latest_first(each["departure"]))
    quote = yield do("quote_flight_change", booking_id=facts["booking_id"], new_flight_id=flight["flight_id"])
    return (yield from _moved(facts, flight["flight_id"], quote))


SAME_DAY = WORDS.program(
    "move_flight_to_the_last_of_the_day", a_flight_booking(suits=_movable), _last_of_the_day, (MOST,)
)


def _upgraded(facts: Facts) -> Solution:
    booking = yield do("get_flight_booking", booking_id=facts["booking_id"])
    if booking["upgrade_price"] is None:
        raise DeadEnd("it cannot be upgraded")
    price = shown(booking["upgrade_price"])
    if booking["upgrade_price"] > facts.get("most_for_it", booking["upgrade_price"]):
        return Reply(f"I left {facts['booking_id']} in economy: business class costs {price} EUR more.", (price,))
    yield do("upgrade_cabin", booking_id=facts["booking_id"], payment=facts["payment"])
    return Reply(f"{facts['booking_id']} is in business class now, for {price} EUR more.", (price,))


def _in_economy(booking: Record, flight: Record) -> bool:
    return bool(
        booking["cabin"] == "economy"
        and booking["fare_id"] != "FR-LIGHT"
        and runs(booking, flight)
        and flight["seats_business"] >= booking["travellers"]
    )


UPGRADE = WORDS.program(
    "upgrade_to_business",
    a_flight_booking(suits=_in_economy, payment=("card", "card", "points")),
    _upgraded,
    (
        WORDS.twist("by card after all", "change_of_mind", sets={"payment": "card"}),
        WORDS.twist(
            "a limit on the upgrade", "condition", draw=one_of("most_for_it", 250.0, 480.0, 900.0, 1600.0, 2800.0)
        ),
    ),
)


def _bags_added(facts: Facts) -> Solution:
    booking = yield do("get_flight_booking", booking_id=facts["booking_id"])
    each = shown(booking["extra_bag_fee"])
    if booking["extra_bag_fee"] > facts.get("bag_limit", 1e9):
        return Reply(f"I added no bag: one costs {each} EUR.", (each,))
    done = yield do("add_bags", booking_id=facts["booking_id"], bags=facts["bags"])
    charged = shown(done["charged"])
    return Reply(f"{facts['booking_id']} has more bags now; {charged} EUR were charged.", (charged,))


BAGS = WORDS.program(
    "add_checked_bags",
    a_flight_booking(suits=runs, bags=(2, 2, 3)),
    _bags_added,
    (WORDS.twist("a limit on a bag", "condition", draw=one_of("bag_limit", 33.0, 37.0, 40.0, 44.0, 50.0)),),
    again="booking_id",
)


def _rebooked(facts: Facts) -> Solution:
    booking = yield do("get_flight_booking", booking_id=facts["booking_id"])
    must(booking["flight_status"] == "cancelled", "the flight runs")
    flights = yield from _others(booking, booking["departure"][:10])
    flights = flights + (yield from _others(booking, facts["date"]))
    flight = yield choose(
        flights, key=lambda each: latest_first(each["arrival"]) if facts.get("latest") else each["arrival"]
    )
    quote = yield do("quote_flight_change", booking_id=facts["booking_id"], new_flight_id=flight["flight_id"])
    must(not quote["total"], "it is not free of charge")
    done = yield from _moved(facts, flight["flight_id"], quote)
    cause = booking["cause"].replace("_", " ")
    return Reply(f"{done.text} The cause of the cancellation was {cause}.", (*done.tell, cause))


def _draw_cancelled(world: World, rng: Random) -> Facts:
    facts = a_flight_booking(suits=lambda booking, flight: flight["status"] == "cancelled")(world, rng)
    return {**facts, "date": shifted(_day_of(world, facts), 1)}


REBOOK = WORDS.program(
    "rebook_cancelled_flight",
    _draw_cancelled,
    _rebooked,
    (WORDS.twist("the latest after all", "change_of_mind", sets={"latest": True}),),
)


def _refund_or_arrival(facts: Facts) -> Solution:
    booking = yield do("get_flight_booking", booking_id=facts["booking_id"])
    if booking["flight_status"] != "cancelled":
        lands = clock(booking["expected_arrival"])
        return Reply(f"{facts['booking_id']} is not cancelled; it is expected to land at {lands}.", (lands,))
    cause, refund = booking["cause"].replace("_", " "), shown(booking["refund_now"])
    yield do("cancel_flight", booking_id=facts["booking_id"], refund_to=facts.get("refund_to", "card"))
    return Reply(f"The flight was cancelled ({cause}); {refund} EUR come back.", (refund, cause))


REFUND_IF_CANCELLED = WORDS.program(
    "refund_if_cancelled",
    a_flight_booking(suits=lambda booking, flight: flight["status"] != "scheduled"),
    _refund_or_arrival,
    (AS_VOUCHER,),
    again="booking_id",
)

FLIGHT_CHANGES = (CHANGE_DAY, SAME_DAY, UPGRADE, BAGS, REBOOK, REFUND_IF_CANCELLED)
