"""Programs that buy more than a ticket: there and back, with a seat, with a bicycle, with a rail card."""

from itertools import combinations
from random import Random

from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Twist, World, choose, do, pick
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
    clock,
    closing,
    later_first,
    several,
    station_name,
)

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


def _there_and_back(facts: Facts) -> Policy:
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
        back = yield choose(several(home), key=lambda each: later_first(each["departure"]))
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


RETURN = Program(
    "book_there_and_back",
    "Book the cheapest trains there and back on two days",
    {
        "plain": "[Please book|I would like you to book|I need] the cheapest train from {origin} to {destination} on "
        "{date:date} and the cheapest one back on {back_date:date}, both at the {fare} fare. [Which booking numbers "
        "do they have, and what does each cost?|Tell me the number and the price of each booking.]",
        "terse": "return trip {origin} to {destination}, out {date:date}, back {back_date:date}, {fare}, cheapest "
        "each way. booking nos + prices?",
        "chatty": "[A weekend of sorts for me|I am visiting my cousin|A little escape at last], from {origin} to "
        "{destination} on {date:date} and home again on {back_date:date}, cheapest {fare} ticket each way! Book it "
        "and tell me both booking numbers and prices.",
        "formal": "Kindly book the outward journey from {origin} to {destination} on {date:date} and the return on "
        "{back_date:date}, in both directions by the least expensive train at the {fare} fare, and state number and "
        "price of each booking.",
        "hurried": "{origin} to {destination} {date:date}, back {back_date:date}, cheapest {fare} both ways, numbers "
        "and prices!",
        "non_native": "I go from {origin} to {destination} on {date:date} and come back on {back_date:date}, please "
        "book two times the cheapest train, fare {fare}, and say me both numbers and prices.",
    },
    _draw_return,
    _there_and_back,
    (
        Twist(
            "the last train back",
            "change_of_mind",
            {
                "plain": "For the way back, though, I would rather have the last train of the day, whatever it costs.",
                "terse": "way back: last train of the day instead, price irrelevant.",
                "chatty": "Oh, but let me stay as long as I can, so for the way back take the last train of the day!",
                "formal": "For the return journey, the last service of the day is to be chosen instead, irrespective "
                "of price.",
            },
            sets={"late_back": True},
        ),
        FIRST_CLASS,
        OTHER_FARE,
        PARTY,
        FLYING,
    ),
    unknown="[I do not know which trains run then.|]",
)


def _with_seat(facts: Facts) -> Policy:
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


WITH_SEAT = Program(
    "book_with_seat",
    "Book the cheapest train of a day and reserve a seat on it",
    {
        "plain": "[Please book|Book] me the cheapest train from {origin} to {destination} on {date:date}, {fare} "
        "fare, and reserve a seat by the {position} in the {zone} zone on it, with the lowest coach and then the "
        "lowest seat number. [Tell me the price and the number of the reservation.|What does it cost, and what is the "
        "reservation number?]",
        "terse": "cheapest {fare} {origin} to {destination} {date:date} plus {position} seat, {zone} zone, lowest "
        "coach then seat no. price + reservation no.?",
        "chatty": "[I am off to see my cousins|I have a wedding to go to|A change of air for me], from {origin} "
        "to {destination} on {date:date}! The cheapest {fare} ticket will do, but I want a seat by the {position} in "
        "the {zone} zone, lowest coach and seat number, so what is the price and the reservation number?",
        "formal": "I should like the least expensive {fare} ticket from {origin} to {destination} on {date:date}, "
        "together with the {position} seat of the {zone} zone that has the lowest coach number and therein the lowest "
        "seat number; kindly state the price and the number of the reservation.",
        "hurried": "Cheapest {fare} {origin} to {destination}, {date:date}, and a seat by the {position} in the "
        "{zone} zone, lowest coach and number! Price and reservation number?",
        "non_native": "I want cheapest train {origin} to {destination} on {date:date} with {fare} fare, and on it one "
        "seat at {position} in {zone} zone, lowest coach and then lowest number. Which price and which number of "
        "reservation?",
    },
    journey_with(
        fare=("saver", "standard", "flex"), position=("window", "aisle"), zone=("quiet", "standard", "family")
    ),
    _with_seat,
    (ARRIVE_BY, LEAVE_AFTER, FIRST_CLASS, OTHER_FARE, FLYING, TRAINSET),
)


def _with_bicycle(facts: Facts) -> Policy:
    between, found = yield from trains_between(facts, facts["date"])
    trains = [train for train in found if train["bicycle_places_left"] >= facts["bicycles"]]
    train = yield choose(trains, key=lambda each: each["departure"])
    booking = yield from buy(facts, between, train)
    done = yield do("add_bicycles", booking_id=booking["booking_id"], bicycles=facts["bicycles"])
    total, leaves = f"{done['total']:.2f}", clock(train["departure"])
    text = f"{booking['booking_id']} leaves at {leaves}, {total} EUR with the bicycle."
    return (yield from closing(facts, text, (booking["booking_id"], leaves, total), train["service_id"]))


WITH_BICYCLE = Program(
    "book_with_bicycle",
    "Book the first train of a day that takes a bicycle, and the bicycle on it",
    {
        "plain": "[I am going on a cycling tour|I want to cycle there], so please book me the first train from "
        "{origin} to {destination} on {date:date} that still has a place for {bicycles:count} bicycle, {fare} fare, "
        "and add the bicycle. [When does it leave, and what does it all cost?|Tell me the departure and the total.]",
        "terse": "{origin} to {destination} {date:date}, {fare}, first train with room for {bicycles:count} bike; "
        "book me + the bike. departure, total?",
        "chatty": "My [old racing bike|dear bicycle|new gravel bike] is coming along from {origin} to {destination} "
        "on {date:date}! Would you book the first train that still takes {bicycles:count} bicycle, on the {fare} "
        "fare, add it for me, and tell me when we leave and what it all comes to?",
        "formal": "Please book the earliest service of {date:date} from {origin} to {destination} on which "
        "{bicycles:count} bicycle can still be carried, at the {fare} fare and bicycle included, and advise me of "
        "departure and total.",
        "hurried": "{bicycles:count} bike and me, {origin} to {destination}, {date:date}, first train that takes it, "
        "{fare}! Departure, total?",
        "non_native": "I travel with {bicycles:count} bicycle from {origin} to {destination} on {date:date}; book "
        "please the first train where bicycle has place, {fare} fare, and put also the bicycle. At which hour and how "
        "much in all?",
    },
    journey_with(fare=("standard", "flex", "saver"), bicycles=(1,)),
    _with_bicycle,
    (ARRIVE_BY, LEAVE_AFTER, FIRST_CLASS, OTHER_FARE, TRAINSET),
)


def _card_and_train(facts: Facts) -> Policy:
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
    if not booking["discount_percent"]:
        raise DeadEnd("the card is of no use")
    text = f"You have a {product['name']} ({card['card_id']}), and with it {booking['booking_id']} costs {price} EUR."
    return (yield from closing(facts, text, (product["name"], price), train["service_id"]))


CARD_AND_TRAIN = Program(
    "buy_card_and_book",
    "Buy a rail card and, with its discount, the cheapest train of a day",
    {
        "plain": "[Please sell me|I want|I would like to buy] the cheapest rail card with at least {percent:int} "
        "percent off that I can have, valid from {date:date}, and then book me, with it, the cheapest train of that "
        "day from {origin} to {destination}, {fare} fare, second class. Which card is it, and what does the train "
        "cost?",
        "terse": "1) cheapest rail card {percent:int} percent or more from {date:date} 2) with it cheapest {fare} 2nd "
        "class {origin} to {destination} that day. card + ticket price?",
        "chatty": "[My sister has one and raves about it|I should have done this years ago], so sell me the cheapest "
        "rail card that takes {percent:int} percent off or more, from {date:date}, and with it book the cheapest "
        "train that day from {origin} to {destination}, second class, {fare} fare! What is the card called, and how "
        "much is the train?",
        "formal": "I wish to acquire, as of {date:date}, the least expensive rail card granting {percent:int} percent "
        "or more, and to travel on it that day in second class from {origin} to {destination} by the least expensive "
        "train at the {fare} fare; please name the card and the price of the ticket.",
        "non_native": "First I buy cheapest card with {percent:int} percent minimum from {date:date}; second with "
        "this card the cheapest train of this day {origin} to {destination}, fare {fare}, second class. Which card "
        "is, and how much the train?",
    },
    journey_with(percent=(20, 25, 30, 40), fare=("saver", "standard", "flex"), travel_class=("second",)),
    _card_and_train,
    (ARRIVE_BY, LEAVE_AFTER, OTHER_FARE, TRAINSET),
)

JOURNEYS = (RETURN, WITH_SEAT, WITH_BICYCLE, CARD_AND_TRAIN)
