"""What the railway's programs share: drawing a journey, finding a station, closing a reply, and twists for any "
"request."""

from collections.abc import Callable, Generator
from datetime import datetime
from itertools import combinations
from random import Random
from typing import Any

from toolscale.artifacts import PRESENT, Call
from toolscale.reference.program import Choice, DeadEnd, Facts, Policy, Reply, Twist, World, choose, do, pick

Record = dict[str, Any]
Step = Generator[Call | Choice, Any, Any]

NOW = PRESENT.strftime("%Y-%m-%dT%H:%M")
BUDGETS = (24.90, 39.50, 48.00, 62.50, 79.00, 95.50, 118.00, 149.50, 187.00)


def clock(moment: str) -> str:
    """The time of day in a moment: 2026-11-24T07:48 is 07:48."""
    return moment[11:]


def later_first(moment: str) -> float:
    """A key that puts later moments before earlier ones."""
    return -datetime.fromisoformat(moment).timestamp()


def a_passenger(world: World, rng: Random) -> str:
    """Any account holder."""
    return str(pick(rng, world.rows("passengers"))["passenger_id"])


def an_account(world: World, rng: Random) -> Facts:
    """Any account holder, for requests that say no more than that."""
    return {"passenger_id": a_passenger(world, rng)}


def a_journey(world: World, rng: Random) -> Facts:
    """A passenger with a leg and a day on which some train runs it."""
    running = [each for each in world.rows("services") if each["departures"][0] > NOW and each["status"] != "cancelled"]
    service = pick(rng, running)
    legs = list(combinations(range(len(service["stops"])), 2))
    begin, end = rng.choices(legs, [(j - i) ** 2 for i, j in legs])[0]
    return {
        "passenger_id": a_passenger(world, rng),
        "origin": station_name(world, service["stops"][begin]),
        "destination": station_name(world, service["stops"][end]),
        "date": service["travel_date"],
    }


def a_booking(
    world: World, rng: Random, status: str = "confirmed", suits: Callable[[Record, Record], bool] = lambda b, s: True
) -> Facts:
    """A booking of that status, and whose it is; ``suits`` sees the booking and its service."""
    booking = pick(rng, bookings_in(world, status, suits))
    return {"passenger_id": booking["passenger_id"], "booking_id": booking["booking_id"]}


def bookings_in(world: World, status: str, suits: Callable[[Record, Record], bool]) -> list[Record]:
    """The excerpt's bookings of a status that suit; upcoming ones must still lie ahead."""
    found = []
    for booking in world.rows("bookings"):
        service = world.get("services", booking["service_id"])
        ahead = service is not None and service["departures"][0] > NOW
        if service and booking["status"] == status and (ahead or status == "travelled") and suits(booking, service):
            found.append(booking)
    return found


def runs(booking: Record, service: Record) -> bool:
    """The booked train is not cancelled."""
    return bool(service["status"] != "cancelled")


def another_booking(world: World, rng: Random, facts: Facts) -> Facts:
    """Another booking of the same passenger and status, one that was not yet spoken of."""
    first = world.get("bookings", facts["booking_id"])
    if first is None:
        raise DeadEnd("the first booking is out of sight")
    others = [
        booking
        for booking in bookings_in(world, first["status"], lambda b, s: True)
        if booking["passenger_id"] == facts["passenger_id"] and booking["booking_id"] not in facts.values()
    ]
    return {"other_booking": pick(rng, others)["booking_id"]}


def station_name(world: World, code: str) -> str:
    """The name by which a user calls a station."""
    station = world.get("stations", code)
    if station is None:
        raise DeadEnd("the station is out of sight")
    return str(station["name"])


def station(name: str) -> Step:
    """Find a station by its full name."""
    found = yield do("find_station", name=name)
    return (yield choose([each for each in found if each["name"] == name], key=lambda each: each["station_code"]))


def money(amount: float, *more: str) -> tuple[str, ...]:
    """What must be heard of a sum: nothing where there is nothing to pay, for that can be said in many ways."""
    return (*more, f"{amount:.2f}") if amount else more


def closing(facts: Facts, text: str, tell: tuple[str, ...], service_id: str = "") -> Policy:
    """The reply, with whatever else the user wanted to know looked up."""
    if facts.get("wants_points"):
        passenger = yield do("get_passenger", passenger_id=facts["passenger_id"])
        points = str(passenger["points"])
        text = f"{text} Your account stands at {points} points."
        tell = (*tell, points if len(points) > 2 else f"{points} points")
    if facts.get("wants_card"):
        passenger = yield do("get_passenger", passenger_id=facts["passenger_id"])
        card = yield choose(passenger["cards"], key=lambda each: each["valid_until"])
        text = f"{text} Your {card['name']} {card['card_id']} runs out on {card['valid_until']}."
        tell = (*tell, card["card_id"])
    if facts.get("wants_trainset"):
        service = yield do("get_service", service_id=service_id)
        text, tell = f"{text} The train is a {service['trainset']}.", (*tell, service["trainset"])
    return Reply(text, tuple(dict.fromkeys(tell)))


def a_budget(world: World, rng: Random, facts: Facts) -> Facts:
    """A sum above which the user would rather not."""
    return {"max_price": rng.choice(BUDGETS)}


def _holder_of_a_card(world: World, rng: Random, facts: Facts) -> Facts:
    """No facts, but a dead end unless the passenger holds a rail card."""
    pick(rng, [card for card in world.rows("cards") if card["passenger_id"] == facts["passenger_id"]])
    return {}


POINTS = Twist(
    "points on the account",
    "lookup",
    {
        "plain": "Please also tell me how many points are on my account afterwards.",
        "terse": "also need my points balance after that.",
        "chatty": "And while you are in there, could you peek at how many points I have left once that is done?",
        "formal": "I should also be obliged if you would state the resulting points balance of my account.",
        "hurried": "Quick, also my points balance once done?",
        "non_native": "Please say me also how much points I have on account after this.",
    },
    sets={"wants_points": True},
)
CARD = Twist(
    "which rail card runs out first",
    "lookup",
    {
        "plain": "I also want to know the number of my rail card; if I have several, of the one that runs out first.",
        "terse": "plus: number of my rail card (the one expiring first).",
        "chatty": "Oh, and I keep forgetting the number of my rail card, the one that runs out first if there are "
        "two, so do tell me!",
        "formal": "Kindly inform me, moreover, of the number of the rail card of mine that expires first.",
        "non_native": "I need to know too the number of my rail card, the one which finishes first if are more.",
    },
    draw=_holder_of_a_card,
    sets={"wants_card": True},
)
TRAINSET = Twist(
    "what kind of train it is",
    "lookup",
    {
        "plain": "Tell me as well what type of trainset runs on it.",
        "terse": "also tell me the trainset type.",
        "chatty": "My son is mad about trains, so could you also find out what kind of trainset it will be?",
        "formal": "Please also state the type of trainset with which the service is operated.",
        "hurried": "And which trainset type is it?",
    },
    sets={"wants_trainset": True},
)
COFFEE = Twist(
    "a remark on the bar coach",
    "distractor",
    {
        "plain": "By the way, the coffee in the bar coach was very good last time.",
        "terse": "btw good coffee on board last time.",
        "chatty": "I must say the espresso in your bar coach was a lovely surprise last month, my wife still talks "
        "about it!",
        "formal": "Permit me to add that the catering on my previous journey was excellent.",
        "non_native": "Also the coffee in the train was very good the last time, I say thank you.",
    },
)
FLYING = Twist(
    "a colleague who flies",
    "distractor",
    {
        "plain": "A colleague of mine always flies first class on that trip, but I prefer the train.",
        "terse": "colleague flies first class, I don't.",
        "chatty": "My colleague thinks I am mad for not flying, he even had his flight upgraded, but I love the view "
        "from a train!",
        "formal": "Colleagues have recommended that I cancel and fly instead, a suggestion I do not intend to follow.",
        "hurried": "Everybody says fly, never mind that.",
    },
)
OTHER_BOOKING = Twist(
    "another booking that stays as it is",
    "distractor",
    {
        "plain": "My other booking {untouched} is fine and must stay exactly as it is.",
        "terse": "leave {untouched} alone.",
        "chatty": "You will see {untouched} on my account as well, that one is perfect, so please do not touch it!",
        "formal": "Please note that booking {untouched} is not concerned and is to remain unchanged.",
        "non_native": "My other booking {untouched} is good, please not change this one.",
    },
    draw=lambda world, rng, facts: {"untouched": another_booking(world, rng, facts)["other_booking"]},
)
