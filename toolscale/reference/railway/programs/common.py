"""What the railway's programs share: drawing a journey, finding a station, limits, and closing a reply."""

from collections.abc import Callable, Generator, Iterable
from datetime import datetime, timedelta
from itertools import combinations
from random import Random
from typing import Any

from toolscale.artifacts import PRESENT, Call
from toolscale.reference.kit import known, must, somebody
from toolscale.reference.program import Choice, DeadEnd, Facts, Reply, Solution, World, choose, do, pick
from toolscale.reference.sums import limit_near
from toolscale.reference.words import words

WORDS = words(__file__)

Record = dict[str, Any]
Step = Generator[Call | Choice, Any, Any]

NOW = PRESENT.strftime("%Y-%m-%dT%H:%M")
DAYS = tuple(f"2026-11-{day}" for day in range(24, 28))
"""Days ahead on which trains can be booked, beside today."""

_FACTORS = {"saver": 0.68, "standard": 1.0, "flex": 1.34}
_MOSTLY_ENOUGH = (0.8, 1.15, 1.3, 1.6)
_MOSTLY_MORE = (0.5, 0.7, 0.85, 1.2)


def a_passenger(world: World, rng: Random) -> str:
    """Any account holder."""
    return str(pick(rng, world.rows("passengers"))["passenger_id"])


an_account = somebody("passengers")
"""Any account holder, for requests that say no more than that."""


def a_journey(world: World, rng: Random) -> Facts:
    """A passenger with a leg and a day on which some train runs it and they have booked none.

    Not today: "the first train of the day" has left already.
    """
    passenger_id = a_passenger(world, rng)
    taken = booked_days(world, passenger_id)
    running = [each for each in world.rows("services") if each["status"] != "cancelled"]
    service = pick(rng, [each for each in running if each["travel_date"] in DAYS and each["travel_date"] not in taken])
    legs = list(combinations(range(len(service["stops"])), 2))
    begin, end = rng.choices(legs, [(j - i) ** 2 for i, j in legs])[0]
    return {
        "passenger_id": passenger_id,
        "origin": station_name(world, service["stops"][begin]),
        "destination": station_name(world, service["stops"][end]),
        "date": service["travel_date"],
    }


def booked_days(world: World, passenger_id: str) -> list[str]:
    """The days on which somebody travels already, as far as in sight: the number of a service ends in its day."""
    return [
        f"2026-{each['service_id'][-4:-2]}-{each['service_id'][-2:]}"
        for each in world.rows("bookings")
        if each["passenger_id"] == passenger_id and each["status"] in ("confirmed", "held")
    ]


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


def departure(booking: Record, service: Record) -> str:
    """When the booked train leaves the station where the passengers get on."""
    return str(service["departures"][service["stops"].index(booking["origin"])])


def day_after(moment: str) -> str:
    """The same time, 24 hours later."""
    return (datetime.fromisoformat(moment) + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M")


def runs(booking: Record, service: Record) -> bool:
    """The booked train is not cancelled."""
    return bool(service["status"] != "cancelled")


def station_name(world: World, code: str) -> str:
    """The name by which a user calls a station."""
    station = known(world, "stations", code)
    return str(station["name"])


def station(name: str) -> Step:
    """Find a station by its full name."""
    found = yield do("find_station", name=name)
    return (yield choose([each for each in found if each["name"] == name], key=lambda each: each["station_code"]))


def money(amount: float, *more: str) -> tuple[str, ...]:
    """What must be heard of a sum: nothing where there is nothing to pay, for that can be said in many ways."""
    return (*more, f"{amount:.2f}") if amount else more


def closing(facts: Facts, text: str, tell: tuple[str, ...], service_id: str = "") -> Solution:
    """The reply, with the type of trainset looked up where the user wanted to know it."""
    if facts.get("wants_trainset"):
        service = yield do("get_service", service_id=service_id)
        text, tell = f"{text} The train is a {service['trainset']}.", (*tell, service["trainset"])
    return Reply(text, tuple(dict.fromkeys(tell)))


def a_limit(world: World, rng: Random, facts: Facts) -> Facts:
    """A sum above which the user would rather not buy: near what the journey costs, and met three times in four."""
    names = {each["name"]: each["station_code"] for each in world.rows("stations")}
    leg = [names.get(facts.get(name, "")) for name in ("origin", "destination")]
    factor = _FACTORS[facts.get("fare", "standard")] * (1.56 if facts.get("travel_class") == "first" else 1)
    for service in world.rows("services"):
        stops, kilometres = service["stops"], service["kilometres"]
        if service["travel_date"] == facts.get("date") and all(code in stops for code in leg):
            begin, end = (stops.index(code) for code in leg)
            each = (7.90 + abs(kilometres[end] - kilometres[begin]) * service["rate_per_km"]) * factor
            return {"max_price": limit_near(rng, each * facts.get("travellers", 1), _MOSTLY_ENOUGH)}
    raise DeadEnd("no train in sight to judge a price by")


def a_limit_by_booking(share: float) -> Callable[[World, Random, Facts], Facts]:
    """A limit near a share of the price of the booking that is spoken of."""

    def draw(world: World, rng: Random, facts: Facts) -> Facts:
        booking = known(world, "bookings", facts.get("booking_id", ""))
        return {"max_price": limit_near(rng, booking["price_total"] * share, _MOSTLY_ENOUGH)}

    return draw


def a_least(share: float) -> Callable[[World, Random, Facts], Facts]:
    """The least sum that is worth it, near a share of the booking's price; of any booking where none is named."""

    def draw(world: World, rng: Random, facts: Facts) -> Facts:
        named = world.get("bookings", facts.get("booking_id", ""))
        prices = [each["price_total"] for each in world.rows("bookings")]
        return {"least": limit_near(rng, share * (named["price_total"] if named else pick(rng, prices)), _MOSTLY_MORE)}

    return draw


def several(candidates: Iterable[Any]) -> list[Any]:
    """The candidates, or a dead end if there is but one: "rather the other" would change nothing."""
    found = list(candidates)
    must(len(found) >= 2, "there is no other")
    return found


TRAINSET = WORDS.twist("what kind of train it is", "lookup", sets={"wants_trainset": True})
FLYING = WORDS.twist("a colleague who flies", "distractor")
