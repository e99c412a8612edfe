"""What the programs share: how requests are drawn from an excerpt, and the first steps of many a policy."""

from collections.abc import Callable, Sequence
from datetime import time, timedelta
from random import Random
from typing import Any

from toolscale.reference.kit import known, must
from toolscale.reference.moments import NOW, TODAY, at, shifted
from toolscale.reference.program import Facts, Record, Steps, World, choose, do, pick
from toolscale.reference.restaurant.diary import suits
from toolscale.reference.restaurant.functions._shared import ALLERGENS, WEEKDAYS
from toolscale.reference.restaurant.functions.menus import DIETS
from toolscale.reference.restaurant.schema import AREAS
from toolscale.reference.sums import shown

MOSTLY_ENOUGH = (0.75, 1.15, 1.3, 1.6)
"""Shares of an amount at which users draw a line that it should not pass: three of four let it pass."""
MOSTLY_LESS = (0.5, 0.7, 0.85, 1.25)
"""Shares of an amount that users ask for at least."""
OF_SEVERAL_HOUSES = ("France", "Germany", "Italy", "Poland", "Spain", "United Kingdom")
WITH_ARTICLE = {"United Kingdom": "the United Kingdom"}


def line_at(rng: Random, amount: float, shares: Sequence[float] = MOSTLY_ENOUGH) -> float:
    """A limit near an amount, as round as people name sums of that size."""
    wanted = amount * rng.choice(shares)
    step = 0.5 if wanted < 20 else 1 if wanted < 60 else 5 if wanted < 400 else 50
    return float(max(round(wanted / step) * step, step))


def is_upcoming(reservation: Record) -> bool:
    """Whether the reservation is confirmed."""
    return bool(reservation["status"] == "confirmed")


def upcoming(world: World) -> list[Record]:
    """Confirmed reservations."""
    return [row for row in world.rows("reservations") if is_upcoming(row)]


def still_free(world: World, reservation: Record) -> bool:
    """Whether cancelling costs nothing yet; a dead end where the house is out of sight."""
    house = known(world, "restaurants", reservation["restaurant_id"])
    return shifted(NOW, 60 * house["free_cancel_hours"]) <= at(reservation["date"], reservation["time"])


def a_reservation(suits: Callable[[World, Record], bool] = lambda world, row: True) -> Callable[[World, Random], Facts]:
    """A draw of an upcoming reservation and its guest."""

    def draw(world: World, rng: Random) -> Facts:
        row = pick(rng, [row for row in upcoming(world) if suits(world, row)])
        return {"guest_id": row["guest_id"], "reservation": row["reservation_id"]}

    return draw


def changeable(world: World, row: Record) -> bool:
    """Whether the reservation may still be changed."""
    return row["changed_at"] is None and still_free(world, row)


def is_open(order: Record) -> bool:
    """Whether the kitchen has not begun with the order."""
    return bool(order["status"] == "placed")


def open_orders(world: World) -> list[Record]:
    """Orders that the kitchen has not begun."""
    return [row for row in world.rows("orders") if is_open(row)]


def an_order(suits: Callable[[World, Record], bool] = lambda world, row: True) -> Callable[[World, Random], Facts]:
    """A draw of an order that the kitchen has not begun, and its guest."""

    def draw(world: World, rng: Random) -> Facts:
        row = pick(rng, [row for row in open_orders(world) if suits(world, row)])
        return {"guest_id": row["guest_id"], "order": row["order_id"]}

    return draw


def total_limit(world: World, rng: Random, facts: Facts) -> Facts:
    """A limit near what the order comes to, mostly less."""
    return {"limit": line_at(rng, known(world, "orders", facts["order"])["total"], MOSTLY_LESS)}


def lines_of(world: World, order: Record) -> list[Record]:
    """The order's lines."""
    return [line for line in world.rows("order_lines") if line["order_id"] == order["order_id"]]


def dishes_to_go(world: World, restaurant_id: str, guest_id: str) -> list[Record]:
    """Dishes of the house that the guest may have, to take away."""
    guest = known(world, "guests", guest_id)
    rows = world.rows("dishes")
    return [row for row in rows if row["restaurant_id"] == restaurant_id and row["takeaway"] and suits(row, guest)]


def someone_with_two(world: World, rng: Random) -> Facts:
    """A guest with at least two upcoming reservations."""
    guests = [row["guest_id"] for row in upcoming(world)]
    return {"guest_id": pick(rng, sorted({each for each in guests if guests.count(each) > 1}))}


def open_day(rng: Random, restaurant: Record, first: int = 2, last: int = 25) -> str:
    """A day on which the house is open, so many days ahead."""
    days = [TODAY + timedelta(days=offset) for offset in range(first, last + 1)]
    return rng.choice([day for day in days if WEEKDAYS[day.weekday()] not in restaurant["closed_on"]]).isoformat()


def dinner_time(rng: Random, restaurant: Record, latest: str = "21:00") -> str:
    """A time in the evening at which the house seats guests."""
    opens, last = (time.fromisoformat(restaurant[field]) for field in ("opens", "last_seating"))
    halves = range(max(opens.hour * 2 + opens.minute // 30, 35), last.hour * 2 + last.minute // 30 + 1)
    return rng.choice([clock for half in halves if (clock := f"{half // 2:02}:{half % 2 * 30:02}") <= latest])


def house_of(world: World, facts: Facts) -> Record:
    """The house that the request names, or at which its reservation or order is."""
    for slot, table in (("reservation", "reservations"), ("order", "orders")):
        if slot in facts:
            return known(world, "restaurants", known(world, table, facts[slot])["restaurant_id"])
    return pick(Random(0), [row for row in world.rows("restaurants") if row["name"] == facts["restaurant"]])


def visit(world: World, rng: Random) -> dict[str, Any]:
    """A guest, a house, and an evening on which the house is open."""
    guest, restaurant = pick(rng, world.rows("guests")), pick(rng, world.rows("restaurants"))
    return {
        "guest_id": guest["guest_id"],
        "restaurant": restaurant["name"],
        "date": open_day(rng, restaurant),
        "time": dinner_time(rng, restaurant),
        "party": rng.randint(2, 6),
    }


def pickup(world: World, rng: Random) -> dict[str, Any]:
    """A guest, a house, and a time within two weeks to fetch something from there."""
    facts = visit(world, rng)
    del facts["party"]
    return {**facts, "date": open_day(rng, house_of(world, facts), 1, 13)}


def with_allergies(draw: Callable[[World, Random], Facts]) -> Callable[[World, Random], Facts]:
    """The same draw for guests who have an allergy on their profile, as the words say that they do."""

    def drawn(world: World, rng: Random) -> Facts:
        facts = draw(world, rng)
        must(known(world, "guests", facts["guest_id"])["allergies"], "the guest can eat everything")
        return facts

    return drawn


def some_country(world: World, rng: Random) -> str:
    """A country with several houses, as it stands in a sentence."""
    houses = [row for row in world.rows("restaurants") if row["country"] in OF_SEVERAL_HOUSES]
    country = str(pick(rng, houses)["country"])
    return WITH_ARTICLE.get(country, country)


def country_in(facts: Facts) -> str:
    """The country as the functions name it."""
    return str(facts["country"]).removeprefix("the ")


def another_day(first: int, last: int) -> Callable[[World, Random, Facts], Facts]:
    """A draw of another day for the same, on which the house is open."""

    def draw(world: World, rng: Random, facts: Facts) -> Facts:
        day = open_day(rng, house_of(world, facts), first, last)
        must(day != facts.get("date"), "the same day")
        return {"date": day}

    return draw


def another_time(world: World, rng: Random, facts: Facts) -> Facts:
    """Another time of the evening."""
    clock = dinner_time(rng, house_of(world, facts))
    must(clock != facts.get("time"), "the same time")
    return {"time": clock}


def another_count(slot: str, most: int) -> Callable[[World, Random, Facts], Facts]:
    """A draw of another number of people, seats or portions."""
    return lambda world, rng, facts: {slot: pick(rng, [size for size in range(2, most + 1) if size != facts.get(slot)])}


def spoken(course: str) -> str:
    """The course as people call it."""
    return "main course" if course == "main" else course


def some_area(world: World, rng: Random, facts: Facts) -> Facts:
    """A part of a house."""
    return {"area": rng.choice(AREAS[:4])}


def some_diet(world: World, rng: Random, facts: Facts) -> Facts:
    """A diet, vegetarian more often than others."""
    return {"diet": rng.choice((*DIETS, "vegetarian"))}


def some_allergen(world: World, rng: Random, facts: Facts) -> Facts:
    """An allergen that is no news to the guest's profile."""
    guest = known(world, "guests", facts["guest_id"])
    return {"allergen": pick(rng, [each for each in ALLERGENS if each not in ("lupin", *guest["allergies"])])}


def house_called(name: str) -> Steps:
    """Step: look a house up by its name."""
    found = yield do("search_restaurants", name=name)
    return (yield choose(found, key=lambda house: 0))


def smallest_table(restaurant_id: str, facts: Facts, **wanted: Any) -> Steps:
    """Step: the smallest free table for a party, by the house rule; `wanted` are the call's other arguments."""
    area, step_free = facts.get("area"), facts.get("step_free")
    free = yield do("list_free_tables", restaurant_id=restaurant_id, area=area, step_free=step_free, **wanted)
    return (yield choose(free, key=lambda table: table["seats"]))


def head_count(facts: Facts, named: str = "party") -> Steps:
    """Step: how many people are meant, looked up where the user only says: as many as at another reservation."""
    if "like" not in facts:
        return facts[named]
    reservation = yield do("get_reservation", reservation_id=facts["like"])
    return reservation["party_size"]


def safe_dishes(restaurant_id: str, guest: Record, facts: Facts, course: str, *, takeaway: bool = True) -> Steps:
    """Step: dishes of a course that the guest may have."""
    avoided = sorted({*guest["allergies"], *([facts["allergen"]] if "allergen" in facts else [])})
    return (
        yield do(
            "search_dishes",
            restaurant_id=restaurant_id,
            course=course.removesuffix(" course"),
            diet=facts.get("diet"),
            without=avoided or None,
            takeaway=takeaway or None,
        )
    )


def cheapest_dish(restaurant_id: str, guest: Record, facts: Facts, course: str) -> Steps:
    """Step: the cheapest of those that can be taken away."""
    dishes = yield from safe_dishes(restaurant_id, guest, facts, course)
    return (yield choose(dishes, key=lambda dish: dish["price"]))


def dish_called(restaurant_id: str, name: str) -> Steps:
    """Step: look a dish up by its name."""
    found = yield do("search_dishes", restaurant_id=restaurant_id, name=name)
    return (yield choose([dish for dish in found if dish["name"] == name], key=lambda dish: 0))


def sum_of(record: Record, field: str) -> tuple[str, str]:
    """An amount of a record as it is shown, and the same with its currency."""
    amount = shown(record[field])
    return amount, f"{amount} {record['currency']}"
