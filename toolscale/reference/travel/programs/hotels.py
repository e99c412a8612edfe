"""Programs about booking hotels: by stars, rating, distance, the same again, and together with a flight."""

from random import Random

from toolscale.reference.kit import clock, known, must, one_of
from toolscale.reference.moments import day
from toolscale.reference.program import Facts, Reply, Solution, World, choose, do, pick
from toolscale.reference.sums import limit_near, shown
from toolscale.reference.travel.catalogue import HOTELS as LODGING
from toolscale.reference.travel.programs.common import Record, Step, city, on_sale, place, shifted, stays_of
from toolscale.reference.words import words

WORDS = words(__file__)

AMENITIES = {
    "a pool": "pool",
    "a spa": "spa",
    "a gym": "gym",
    "parking": "parking",
    "a rooftop bar": "rooftop_bar",
    "a kitchenette": "kitchenette",
    "a view of the sea": "sea_view",
}


def _dates(rng: Random) -> dict[str, str]:
    first = rng.randint(9, 100)
    return {"check_in": day(first), "check_out": day(first + rng.randint(2, 6))}


def _draw(world: World, rng: Random) -> Facts:
    hotel = pick(rng, world.rows("hotels"))
    return {
        "traveller_id": pick(rng, world.rows("travellers"))["traveller_id"],
        "city": city(world, hotel["destination_code"]),
        "guests": rng.choice((1, 2, 2, 2, 3)),
        **_dates(rng),
    }


def _rooms(facts: Facts, destination_code: str) -> Step:
    """Free rooms that keep to what the user wants."""
    found = yield do(
        "search_rooms",
        destination_code=destination_code,
        check_in=facts["check_in"],
        check_out=facts["check_out"],
        guests=facts["guests"],
        rate=facts.get("rate"),
    )
    return [
        each
        for each in found
        if each["stars"] >= facts.get("stars", 0)
        and facts.get("kind") in (None, each["kind"])
        and ("amenity" not in facts or AMENITIES[facts["amenity"]] in each["amenities"])
    ]


def _booked(facts: Facts, room: Record) -> Solution:
    """Book the room, unless it costs more than the user's limit."""
    hotel, total = room["name"], shown(room["total"])
    if room["total"] > facts.get("max_total", room["total"]):
        return Reply(f"I booked nothing: {hotel} would cost {total} EUR for the stay.", (hotel, total))
    stay = yield do(
        "book_room",
        traveller_id=facts["traveller_id"],
        room_id=room["room_id"],
        check_in=facts["check_in"],
        check_out=facts["check_out"],
        guests=facts["guests"],
        rate=facts.get("rate"),
        board=facts.get("board"),
    )
    paid = shown(stay["price_total"])
    return Reply(f"Booked at {hotel} as {stay['stay_id']}, {paid} EUR.", (hotel, stay["stay_id"], paid))


SAVER = WORDS.twist("at the saver rate", "constraint", sets={"rate": "saver"})
BREAKFAST = WORDS.twist("with breakfast", "constraint", sets={"board": "breakfast"})
HALF_BOARD = WORDS.twist("half board after all", "change_of_mind", sets={"board": "half_board"})
MAX_TOTAL = WORDS.twist(
    "a limit on the stay's price",
    "condition",
    draw=lambda world, rng, facts: {"max_total": float(rng.choice((180, 320, 450, 700, 1100)))},
)
DOUBLE = WORDS.twist("a double room", "constraint", sets={"kind": "double"})
ROOM_TWISTS = (SAVER, BREAKFAST, HALF_BOARD, MAX_TOTAL, DOUBLE)


def _cheapest(facts: Facts) -> Solution:
    there = yield from place(facts["city"])
    rooms = yield from _rooms(facts, there["destination_code"])
    room = yield choose(rooms, key=lambda each: each["total"])
    return (yield from _booked(facts, room))


CHEAPEST_ROOM = WORDS.program(
    "book_cheapest_room",
    lambda world, rng: {**_draw(world, rng), "stars": rng.choice((3, 3, 4, 4, 5))},
    _cheapest,
    ROOM_TWISTS,
)


def _best_rated(facts: Facts) -> Solution:
    there = yield from place(facts["city"])
    rooms = yield from _rooms(facts, there["destination_code"])
    within = [each for each in rooms if each["total"] <= facts["budget"]]
    room = yield choose(within, key=lambda each: (-each["rating"], each["total"]))
    return (yield from _booked(facts, room))


def _draw_budget(world: World, rng: Random) -> Facts:
    facts = _draw(world, rng)
    nights = int(facts["check_out"][8:]) - int(facts["check_in"][8:])
    must(nights >= 1, "over the end of a month")
    return {**facts, "budget": limit_near(rng, 170.0 * nights, (0.8, 1.0, 1.4))}


BEST_RATED = WORDS.program("book_best_rated_room", _draw_budget, _best_rated, (SAVER, DOUBLE))


def _most_central(facts: Facts) -> Solution:
    there = yield from place(facts["city"])
    rooms = yield from _rooms(facts, there["destination_code"])
    room = yield choose(rooms, key=lambda each: (each["centre_km"], each["total"]))
    done = yield from _booked(facts, room)
    return Reply(f"{done.text} It is in {room['district']}.", (*done.tell, room["district"]))


def _draw_amenity(world: World, rng: Random) -> Facts:
    facts = _draw(world, rng)
    offered = {
        name
        for hotel in world.rows("hotels")
        if city(world, hotel["destination_code"]) == facts["city"]
        for name, amenity in AMENITIES.items()
        if amenity in hotel["amenities"]
    }
    return {**facts, "amenity": pick(rng, sorted(offered))}


CENTRAL = WORDS.program("book_central_room_with_amenity", _draw_amenity, _most_central, (SAVER, BREAKFAST, MAX_TOTAL))


def _same_again(facts: Facts) -> Solution:
    old = yield do("get_stay", stay_id=facts["stay_id"])
    guests = facts.get("guests", old["guests"])
    wanted = {"check_in": facts["check_in"], "check_out": facts["check_out"], "guests": guests}
    rooms = yield from _rooms({**wanted, **facts, "guests": guests}, old["destination_code"])
    room = yield choose([each for each in rooms if each["room_id"] == old["room_id"]], key=lambda each: each["total"])
    return (yield from _booked({**facts, **wanted}, room))


def _draw_again(world: World, rng: Random) -> Facts:
    stay = pick(rng, stays_of(world, "completed", lambda each: True))
    return {"traveller_id": stay["traveller_id"], "stay_id": stay["stay_id"], **_dates(rng)}


SAME_AGAIN = WORDS.program("book_same_room_again", _draw_again, _same_again, (SAVER, BREAKFAST, MAX_TOTAL))


def _flight_and_room(facts: Facts) -> Solution:
    booking = yield do("get_flight_booking", booking_id=facts["booking_id"])
    wanted = {**facts, "guests": facts.get("guests", booking["travellers"]), "check_in": booking["arrival"][:10]}
    rooms = yield from _rooms(wanted, booking["destination"])
    if facts.get("central"):
        room = yield choose(rooms, key=lambda each: (each["centre_km"], each["total"]))
    else:
        room = yield choose(rooms, key=lambda each: (-each["rating"], each["total"]))
    done = yield from _booked(wanted, room)
    lands = clock(booking["arrival"])
    return Reply(f"{done.text} You land at {lands}.", (*done.tell, lands))


def _draw_flight(world: World, rng: Random) -> Facts:
    hotels = {place for place, *_ in LODGING}
    fitting = []
    for booking in world.rows("flight_bookings"):
        flight = known(world, "flights", booking["flight_id"])
        if (
            booking["status"] == "confirmed"
            and booking["travellers"] > 1
            and flight in on_sale(world)
            and flight["destination"] in hotels
        ):
            fitting.append((booking, flight))
    booking, flight = pick(rng, fitting)
    return {
        "traveller_id": booking["traveller_id"],
        "booking_id": booking["booking_id"],
        "check_out": shifted(flight["arrival"][:10], rng.randint(2, 6)),
    }


ROOM_FOR_FLIGHT = WORDS.program(
    "book_room_for_flight",
    _draw_flight,
    _flight_and_room,
    (
        SAVER,
        BREAKFAST,
        MAX_TOTAL,
        WORDS.twist("central rather than well rated", "change_of_mind", sets={"central": True}),
        WORDS.twist("one guest more", "constraint", draw=one_of("guests", 3, 4)),
    ),
)

HOTELS = (CHEAPEST_ROOM, BEST_RATED, CENTRAL, SAME_AGAIN, ROOM_FOR_FLIGHT)
