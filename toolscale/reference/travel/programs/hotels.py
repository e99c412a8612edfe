"""Programs about booking hotels: by stars, rating, distance, the same again, and together with a flight."""

from random import Random

from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Reply, Twist, World, choose, do, pick
from toolscale.reference.sums import limit_near, shown
from toolscale.reference.travel.lodging import HOTELS as LODGING
from toolscale.reference.travel.programs.common import (
    Record,
    Step,
    city,
    clock,
    known,
    on_sale,
    one_of,
    place,
    shifted,
    stays_of,
)

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


def _booked(facts: Facts, room: Record) -> Policy:
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


SAVER = Twist(
    "at the saver rate",
    "constraint",
    {
        "plain": "Take the saver rate; [our dates are fixed|I know that it cannot be cancelled].",
        "terse": "saver rate.",
        "chatty": "And do use that saver rate, [we are coming no matter what|I never cancel anything anyway]!",
        "formal": "The saver rate is to be applied, its conditions being known to me.",
        "non_native": "With the saver rate please, I know is not possible to cancel.",
    },
    sets={"rate": "saver"},
)
BREAKFAST = Twist(
    "with breakfast",
    "constraint",
    {
        "plain": "Book it with breakfast.",
        "terse": "incl. breakfast.",
        "chatty": "I am nobody before my coffee, so breakfast has to be included!",
        "formal": "Breakfast is to be included.",
        "non_native": "The breakfast must be inside.",
    },
    sets={"board": "breakfast"},
)
HALF_BOARD = Twist(
    "half board after all",
    "change_of_mind",
    {
        "plain": "We have talked it over: make that half board.",
        "terse": "half board after all.",
        "chatty": "Oh, and who wants to look for dinner at night, let us have half board after all!",
        "formal": "We have resolved upon half board after all.",
    },
    sets={"board": "half_board"},
)
MAX_TOTAL = Twist(
    "a limit on the stay's price",
    "condition",
    {
        "plain": "If the room costs more than {max_total:money} EUR for the whole stay, do not book it; tell me the "
        "hotel and the price instead.",
        "terse": "room max {max_total:money} EUR for the stay, else only hotel + price.",
        "chatty": "But if the room costs over {max_total:money} EUR for the stay, hands off, and only tell me which "
        "hotel it was and the price!",
        "formal": "The room is to be booked at no more than {max_total:money} EUR for the stay; otherwise kindly "
        "limit yourself to naming the hotel and its price.",
    },
    draw=lambda world, rng, facts: {"max_total": float(rng.choice((180, 320, 450, 700, 1100)))},
)
DOUBLE = Twist(
    "a double room",
    "constraint",
    {
        "plain": "It should be a double room.",
        "terse": "double room only.",
        "chatty": "And a proper double room, mind you, not just any room!",
        "formal": "A double room is stipulated.",
    },
    sets={"kind": "double"},
)
ROOM_TWISTS = (SAVER, BREAKFAST, HALF_BOARD, MAX_TOTAL, DOUBLE)


def _cheapest(facts: Facts) -> Policy:
    there = yield from place(facts["city"])
    rooms = yield from _rooms(facts, there["destination_code"])
    room = yield choose(rooms, key=lambda each: each["total"])
    return (yield from _booked(facts, room))


CHEAPEST_ROOM = Program(
    "book_cheapest_room",
    "Book the cheapest room in a city with so many stars",
    {
        "plain": "I need a hotel room in {city} from {check_in:date} to {check_out:date} for {guests:count}. Please "
        "book the cheapest one with at least {stars:count} stars. Which hotel is it, and what does it cost?",
        "terse": "room in {city}, {check_in:date} to {check_out:date}, {guests:count} pax, min {stars:count} stars, "
        "cheapest. book. hotel + price?",
        "chatty": "[A city break at last|My niece graduates there|I have never been]! A room in {city} from "
        "{check_in:date} to {check_out:date} for {guests:count} of us, at least {stars:count} stars but as cheap as "
        "can be, and tell me where we stay and for how much!",
        "formal": "Please reserve in {city}, from {check_in:date} to {check_out:date} and for {guests:count} in "
        "number, the least expensive room of no fewer than {stars:count} stars, naming hotel and price.",
        "non_native": "In {city} I search a room from {check_in:date} until {check_out:date}, we are {guests:count}, "
        "with minimum {stars:count} stars and most cheap; please book and say me which hotel and price.",
    },
    lambda world, rng: {**_draw(world, rng), "stars": rng.choice((3, 3, 4, 4, 5))},
    _cheapest,
    ROOM_TWISTS,
)


def _best_rated(facts: Facts) -> Policy:
    there = yield from place(facts["city"])
    rooms = yield from _rooms(facts, there["destination_code"])
    within = [each for each in rooms if each["total"] <= facts["budget"]]
    room = yield choose(within, key=lambda each: (-each["rating"], each["total"]))
    return (yield from _booked(facts, room))


def _draw_budget(world: World, rng: Random) -> Facts:
    facts = _draw(world, rng)
    nights = int(facts["check_out"][8:]) - int(facts["check_in"][8:])
    if nights < 1:
        raise DeadEnd("over the end of a month")
    return {**facts, "budget": limit_near(rng, 170.0 * nights, (0.8, 1.0, 1.4))}


BEST_RATED = Program(
    "book_best_rated_room",
    "Book the best rated hotel room that a budget allows",
    {
        "plain": "My budget for a room in {city} from {check_in:date} to {check_out:date} is {budget:money} EUR in "
        "all, for {guests:count}. Book the best rated hotel within it, in its cheapest room. [Which one is it?|Where "
        "do I stay, and what do I pay?]",
        "terse": "{city} {check_in:date} to {check_out:date}, {guests:count} pax, budget {budget:money} EUR all in: "
        "best rated hotel, its cheapest room. book, tell me which.",
        "chatty": "I have scraped together {budget:money} EUR for a room in {city} from {check_in:date} to "
        "{check_out:date}, for {guests:count}, so get me the best rated hotel that money can buy, in its cheapest "
        "room, and tell me all about it!",
        "formal": "With a budget of {budget:money} EUR for a stay of {guests:count} in {city} from {check_in:date} to "
        "{check_out:date}, please book the highest rated hotel attainable, in its least expensive room, and name it.",
        "hurried": "Best rated hotel in {city}, {check_in:date} to {check_out:date}, for {guests:count}, "
        "{budget:money} EUR is all I have, cheapest room of it! Which?",
    },
    _draw_budget,
    _best_rated,
    (SAVER, DOUBLE),
)


def _most_central(facts: Facts) -> Policy:
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


CENTRAL = Program(
    "book_central_room_with_amenity",
    "Book the most central hotel that offers something special",
    {
        "plain": "From {check_in:date} to {check_out:date} I would like to stay in {city} in a hotel with {amenity}, "
        "for {guests:count}. Book the most central one that has it, in the cheapest room. [In which district is "
        "it?|Tell me hotel, district and price.]",
        "terse": "{city}, {check_in:date} to {check_out:date}, {guests:count} pax, hotel with {amenity}, most "
        "central, cheapest room there. book. district?",
        "chatty": "What is a holiday without {amenity}? For {guests:count} in {city}, {check_in:date} to "
        "{check_out:date}, the most central hotel that has it, the cheapest room will do, and what part of town is "
        "that?",
        "formal": "I require accommodation for {guests:count} in {city} from {check_in:date} to {check_out:date} in "
        "the most central hotel offering {amenity}, in the least expensive room; kindly state hotel and district.",
        "non_native": "The hotel in {city} must have {amenity}, from {check_in:date} until {check_out:date} for "
        "{guests:count}, please that which is most near the centre and there the cheap room. Which district?",
    },
    _draw_amenity,
    _most_central,
    (SAVER, BREAKFAST, MAX_TOTAL),
)


def _same_again(facts: Facts) -> Policy:
    old = yield do("get_stay", stay_id=facts["stay_id"])
    guests = facts.get("guests", old["guests"])
    wanted = {"check_in": facts["check_in"], "check_out": facts["check_out"], "guests": guests}
    rooms = yield from _rooms({**wanted, **facts, "guests": guests}, old["destination_code"])
    room = yield choose([each for each in rooms if each["room_id"] == old["room_id"]], key=lambda each: each["total"])
    return (yield from _booked({**facts, **wanted}, room))


def _draw_again(world: World, rng: Random) -> Facts:
    stay = pick(rng, stays_of(world, "completed", lambda each: True))
    return {"traveller_id": stay["traveller_id"], "stay_id": stay["stay_id"], **_dates(rng)}


SAME_AGAIN = Program(
    "book_same_room_again",
    "Book the same hotel room once more for other dates",
    {
        "plain": "I liked the room of {stay_id}. Please book the same one again from {check_in:date} to "
        "{check_out:date}, for as many guests, without meals. What does it cost this time?",
        "terse": "same room as {stay_id} again, {check_in:date} to {check_out:date}, same guests, no meals. price?",
        "chatty": "We still dream of that room we had with {stay_id}! The very same one again please, {check_in:date} "
        "to {check_out:date}, same people, no meals, and what do you charge us this time?",
        "formal": "I wish to occupy the room of {stay_id} once more, from {check_in:date} to {check_out:date}, with "
        "the same number of guests and without meals, and ask for the price.",
        "non_native": "The room like {stay_id} was very good, I want again the same from {check_in:date} until "
        "{check_out:date}, same persons, no food. Which price?",
    },
    _draw_again,
    _same_again,
    (SAVER, BREAKFAST, MAX_TOTAL),
)


def _flight_and_room(facts: Facts) -> Policy:
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


ROOM_FOR_FLIGHT = Program(
    "book_room_for_flight",
    "Book a hotel for everybody on a booked flight, from the day it lands",
    {
        "plain": "I have a flight, {booking_id}, but no hotel yet. Please book the best rated hotel where it lands, "
        "from the day of arrival until {check_out:date}, one room for all of us, the cheapest that they have. [Which "
        "hotel is it, and when do we land?|Tell me hotel, price and landing time.]",
        "terse": "hotel to go with {booking_id}: arrival day until {check_out:date}, best rated, cheapest room for "
        "all on it. hotel, price, landing time?",
        "chatty": "Flights I have, {booking_id}, but where shall we sleep? The best rated hotel over there from the "
        "day we land until {check_out:date}, all of us in one room, cheapest they have, and when do we get in again?",
        "formal": "To accompany {booking_id}, please book the highest rated hotel at the destination, from the day of "
        "landing until {check_out:date}, in the least expensive room that accommodates the whole party, and state the "
        "hotel and the time of landing.",
        "non_native": "For {booking_id} I have no hotel. Book please which has best rating in that city, since "
        "arrival until {check_out:date}, one cheap room for all persons, and say when we land.",
    },
    _draw_flight,
    _flight_and_room,
    (
        SAVER,
        BREAKFAST,
        MAX_TOTAL,
        Twist(
            "central rather than well rated",
            "change_of_mind",
            {
                "plain": "Come to think of it, never mind the rating: the most central hotel instead.",
                "terse": "forget rating: most central.",
                "chatty": "Oh, what do ratings know, I want to stumble out of bed into the middle of it all, so the "
                "most central one instead!",
                "formal": "On reflection a central position matters more to me than the rating, and the most central "
                "hotel is to be taken.",
            },
            sets={"central": True},
        ),
        Twist(
            "one guest more",
            "constraint",
            {
                "plain": "Somebody joins us there, so the room has to be for {guests:count}.",
                "terse": "room for {guests:count}.",
                "chatty": "Ah, and an old friend of ours will join us there, so we are {guests:count} in the room!",
                "formal": "As we shall be joined there, the room must accommodate {guests:count}.",
            },
            draw=one_of("guests", (3, 4)),
        ),
    ),
)

HOTELS = (CHEAPEST_ROOM, BEST_RATED, CENTRAL, SAME_AGAIN, ROOM_FOR_FLIGHT)
