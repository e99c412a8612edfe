"""Programs that buy more than a ticket: there and back, with a seat, with a bicycle, with a rail card."""

from itertools import combinations
from random import Random

from toolscale.reference.kit import clock, latest_first, must
from toolscale.reference.program import Facts, Solution, World, choose, do, pick
from toolscale.reference.railway.catalogue import ROUTES
from toolscale.reference.railway.programs.choosing import (
    ARRIVE_BY,
    FIRST_CLASS,
    LEAVE_AFTER,
    OTHER_FARE,
    PARTY,
    buy,
    journey_with,
    suits,
    trains_between,
)
from toolscale.reference.railway.programs.common import (
    DAYS,
    FLYING,
    NOW,
    TRAINSET,
    a_passenger,
    closing,
    several,
    station_name,
)
from toolscale.reference.words import words

WORDS = words(__file__)

_LEGS = {leg for route in ROUTES for leg in combinations((stop.station for stop in route.stops), 2)}
_BOTH_WAYS = {(start, end) for start, end in _LEGS if (end, start) in _LEGS}


def _draw_return(world: World, rng: Random) -> Facts:
    legs = [
        (service["travel_date"], begin, end)
        for service in world.rows("services")
        if service["departures"][0] > NOW and service["status"] != "cancelled"
        for begin, end in combinations(service["stops"], 2)
        if (begin, end) in _BOTH_WAYS
    ]
    day, begin, end = pick(rng, legs)
    return {
        "passenger_id": a_passenger(world, rng),
        "origin": station_name(world, begin),
        "destination": station_name(world, end),
        "date": day,
        "back_date": pick(rng, [each for each in DAYS if each > day]),
        "fare": rng.choice(("saver", "standard", "flex")),
    }


def _there_and_back(facts: Facts) -> Solution:
    between, out = yield from trains_between(facts, facts["date"])
    around = {"origin": between["destination"], "destination": between["origin"]}
    found = yield do(
        "search_trains",
        **around,
        travel_date=facts["back_date"],
        fare=facts["fare"],
        travel_class=facts.get("travel_class"),
    )
    home = [train for train in found if suits(train, facts, facts["back_date"])]
    there = yield choose(out, key=lambda each: each["price"])
    if facts.get("late_back"):
        back = yield choose(several(home), key=lambda each: latest_first(each["departure"]))
    else:
        back = yield choose(home, key=lambda each: each["price"])
    texts: list[str] = []
    tell: tuple[str, ...] = ()
    for train, leg in ((there, between), (back, around)):
        booking = yield from buy(facts, leg, train)
        price = f"{booking['price_total']:.2f}"
        texts.append(f"{booking['booking_id']}: {train['service_id']}, departure {clock(train['departure'])}, {price}.")
        tell += (booking["booking_id"], price)
    return (yield from closing(facts, " ".join(texts), tell, there["service_id"]))


RETURN = WORDS.program(
    "book_there_and_back",
    _draw_return,
    _there_and_back,
    (
        WORDS.twist("the last train back", "change_of_mind", sets={"late_back": True}),
        FIRST_CLASS,
        OTHER_FARE,
        PARTY,
        FLYING,
    ),
)


def _with_seat(facts: Facts) -> Solution:
    between, trains = yield from trains_between(facts, facts["date"])
    train = yield choose(trains, key=lambda each: each["price"])
    booking = yield from buy(facts, between, train)
    free = yield do("find_free_seats", booking_id=booking["booking_id"], position=facts["position"], zone=facts["zone"])
    seat = yield choose(free, key=lambda each: (each["coach"], each["seat"]))
    done = yield do("reserve_seat", booking_id=booking["booking_id"], coach=seat["coach"], seat=seat["seat"])
    price = f"{booking['price_total']:.2f}"
    text = f"{booking['booking_id']} on {train['service_id']} for {price} EUR, coach {done['coach']}, seat "
    text = f"{text}{done['seat']} ({done['reservation_id']})."
    return (yield from closing(facts, text, (price, done["reservation_id"]), train["service_id"]))


WITH_SEAT = WORDS.program(
    "book_with_seat",
    journey_with(
        fare=("saver", "standard", "flex"), position=("window", "aisle"), zone=("quiet", "standard", "family")
    ),
    _with_seat,
    (ARRIVE_BY, LEAVE_AFTER, FIRST_CLASS, OTHER_FARE, FLYING, TRAINSET),
)


def _with_bicycle(facts: Facts) -> Solution:
    between, found = yield from trains_between(facts, facts["date"])
    trains = [train for train in found if train["bicycle_places_left"] >= facts["bicycles"]]
    train = yield choose(trains, key=lambda each: each["departure"])
    booking = yield from buy(facts, between, train)
    done = yield do("add_bicycles", booking_id=booking["booking_id"], bicycles=facts["bicycles"])
    total, leaves = f"{done['total']:.2f}", clock(train["departure"])
    text = f"{booking['booking_id']} leaves at {leaves}, {total} EUR with the bicycle."
    return (yield from closing(facts, text, (booking["booking_id"], leaves, total), train["service_id"]))


WITH_BICYCLE = WORDS.program(
    "book_with_bicycle",
    journey_with(fare=("standard", "flex", "saver"), bicycles=(1,)),
    _with_bicycle,
    (ARRIVE_BY, LEAVE_AFTER, FIRST_CLASS, OTHER_FARE, TRAINSET),
)


def _card_and_train(facts: Facts) -> Solution:
    products = yield do("list_card_products", passenger_id=facts["passenger_id"])
    suitable = [each for each in products if each["discount_percent"] >= facts["percent"]]
    product = yield choose(suitable, key=lambda each: each["price"])
    between, trains = yield from trains_between(facts, facts["date"])
    train = yield choose(trains, key=lambda each: each["price"])
    card = yield do(
        "buy_rail_card",
        passenger_id=facts["passenger_id"],
        product_id=product["product_id"],
        valid_from=facts["date"],
    )
    booking = yield from buy(facts, between, train)
    price = f"{booking['price_total']:.2f}"
    must(booking["discount_percent"], "the card is of no use")
    text = f"You have a {product['name']} ({card['card_id']}), and with it {booking['booking_id']} costs {price} EUR."
    return (yield from closing(facts, text, (product["name"], price), train["service_id"]))


CARD_AND_TRAIN = WORDS.program(
    "buy_card_and_book",
    journey_with(percent=(20, 25, 30, 40), fare=("saver", "standard", "flex"), travel_class=("second",)),
    _card_and_train,
    (ARRIVE_BY, LEAVE_AFTER, OTHER_FARE, TRAINSET),
)

JOURNEYS = (RETURN, WITH_SEAT, WITH_BICYCLE, CARD_AND_TRAIN)
