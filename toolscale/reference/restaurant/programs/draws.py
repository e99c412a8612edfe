"""What the programs share: how requests are drawn from an excerpt, and the first steps of many a policy."""

from collections.abc import Generator, Iterable
from datetime import date, time, timedelta
from random import Random
from typing import Any

from toolscale.artifacts import PRESENT, Call
from toolscale.reference.program import Choice, DeadEnd, Facts, Record, Twist, World, choose, do, pick
from toolscale.reference.restaurant.schema import ALLERGENS, AREAS, DIETS, WEEKDAYS

Steps = Generator[Call | Choice, Any, Any]
"""A part of a policy that returns what it found out."""


def upcoming(world: World) -> list[Record]:
    """Confirmed reservations in the excerpt."""
    return [row for row in world.rows("reservations") if row["status"] == "confirmed"]


def open_orders(world: World) -> list[Record]:
    """Orders in the excerpt that the kitchen has not begun."""
    return [row for row in world.rows("orders") if row["status"] == "placed"]


def some_reservation(world: World, rng: Random) -> Facts:
    """A reservation that is still to come."""
    reservation = pick(rng, upcoming(world))
    return {"guest_id": reservation["guest_id"], "reservation": reservation["reservation_id"]}


def someone_with_two(world: World, rng: Random) -> Facts:
    """A guest with at least two upcoming reservations, as far as the excerpt says."""
    guests = [row["guest_id"] for row in upcoming(world)]
    return {"guest_id": pick(rng, sorted({each for each in guests if guests.count(each) > 1} or set(guests)))}


def some_feature(world: World, rng: Random, facts: Facts) -> Facts:
    """A feature that some house of the country offers."""
    houses = [row for row in world.rows("restaurants") if row["country"] == facts["country"]]
    return {"feature": pick(rng, sorted({feature for house in houses for feature in house["features"]}))}


def another(world: World, rng: Random, rows: Iterable[Record], key: str, facts: Facts) -> str:
    """The key of another row of the same guest's than the one that the facts name."""
    theirs = [row[key] for row in rows if row["guest_id"] == facts["guest_id"]]
    return str(pick(rng, [each for each in theirs if each not in facts.values()]))


def open_day(rng: Random, restaurant: Record, first: int = 2, last: int = 25) -> str:
    """A day on which the house is open, so many days ahead."""
    days = [PRESENT.date() + timedelta(days=offset) for offset in range(first, last + 1)]
    return rng.choice([day for day in days if WEEKDAYS[day.weekday()] not in restaurant["closed_on"]]).isoformat()


def dinner_time(rng: Random, restaurant: Record, latest: str = "21:00") -> str:
    """A time in the evening at which the house seats guests."""
    opens, last = (time.fromisoformat(restaurant[field]) for field in ("opens", "last_seating"))
    halves = range(max(opens.hour * 2 + opens.minute // 30, 35), last.hour * 2 + last.minute // 30 + 1)
    return rng.choice([clock for half in halves if (clock := f"{half // 2:02}:{half % 2 * 30:02}") <= latest])


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
    restaurant = house_in(world, facts["restaurant"])
    return {**facts, "date": open_day(rng, restaurant, 1, 13)}


def house_in(world: World, name: str) -> Record:
    """The house of that name in the excerpt."""
    found = [row for row in world.rows("restaurants") if row["name"] == name]
    if not found:
        raise DeadEnd("the house is not in the excerpt")
    return found[0]


def another_day(world: World, rng: Random, facts: Facts) -> Facts:
    """Another day for the same visit."""
    day = open_day(rng, house_in(world, facts["restaurant"]), 3, 13)
    if day == facts["date"]:
        raise DeadEnd("the same day")
    return {"date": day}


def another_party(world: World, rng: Random, facts: Facts) -> Facts:
    """Another number of people."""
    return {"party": pick(rng, [size for size in range(2, 8) if size != facts["party"]])}


def some_area(world: World, rng: Random, facts: Facts) -> Facts:
    return {"area": rng.choice(AREAS)}


def some_diet(world: World, rng: Random, facts: Facts) -> Facts:
    return {"diet": rng.choice((*DIETS, "vegetarian"))}


def some_allergen(world: World, rng: Random, facts: Facts) -> Facts:
    return {"allergen": rng.choice([each for each in ALLERGENS if each != "lupin"])}


def some_limit(low: float, high: float) -> Any:
    """A draw of an amount that people name as a limit, between two amounts."""

    def draw(world: World, rng: Random, facts: Facts) -> Facts:
        return {"limit": round(rng.randint(int(low * 2), int(high * 2)) / 2 + rng.choice((0.0, 0.25, 0.4)), 2)}

    return draw


def day_after(text: str, days: int) -> str:
    """The date so many days later."""
    return (date.fromisoformat(text) + timedelta(days=days)).isoformat()


def house_called(name: str) -> Steps:
    """Step: look a house up by its name."""
    found = yield do("search_restaurants", name=name)
    return (yield choose(found, key=lambda house: house["name"]))


def smallest_table(restaurant_id: str, facts: Facts, **wanted: Any) -> Steps:
    """Step: the smallest free table for a party, by the house rule; `wanted` are the call's other arguments."""
    free = yield do(
        "list_free_tables",
        restaurant_id=restaurant_id,
        area=facts.get("area"),
        step_free=facts.get("step_free"),
        **wanted,
    )
    return (yield choose(free, key=lambda table: table["seats"]))


def head_count(facts: Facts, named: str = "party") -> Steps:
    """Step: how many people are meant, looked up where the user only says: as many as at another reservation."""
    if "like" not in facts:
        return facts[named]
    reservation = yield do("get_reservation", reservation_id=facts["like"])
    return reservation["party_size"]


def _like_another(world: World, rng: Random, facts: Facts) -> Facts:
    said = facts.get("party", facts.get("seats"))
    theirs = [row for row in upcoming(world) if row["party_size"] not in (1, said)]
    return {"like": another(world, rng, theirs, "reservation_id", facts)}


def safe_dishes(restaurant_id: str, guest: Record, facts: Facts, course: str) -> Steps:
    """Step: dishes of a course to take away that the guest may have."""
    avoided = [*guest["allergies"], *([facts["allergen"]] if "allergen" in facts else [])]
    return (
        yield do(
            "search_dishes",
            restaurant_id=restaurant_id,
            course=course,
            diet=facts.get("diet"),
            without=sorted(set(avoided)) or None,
            takeaway=True,
        )
    )


def cheapest_dish(restaurant_id: str, guest: Record, facts: Facts, course: str) -> Steps:
    """Step: the cheapest of them."""
    dishes = yield from safe_dishes(restaurant_id, guest, facts, course)
    return (yield choose(dishes, key=lambda dish: dish["price"]))


AS_MANY_AS = Twist(
    name="as_many_as",
    operator="lookup",
    voices={
        "plain": "No, that number was wrong: we will be exactly as many as at my reservation {like}.",
        "terse": "head count: same as {like}, not what i wrote.",
        "chatty": "Oh, I always mix up the numbers, it is the same people as for {like}, however many those were.",
        "formal": "I stand corrected as to the number: it equals that of my reservation {like}.",
        "hurried": "Forget that number, same crowd as {like}.",
    },
    draw=_like_another,
)

IN_AREA = Twist(
    name="in_area",
    operator="constraint",
    voices={
        "plain": "The table has to be in this part of the house: {area}.",
        "terse": "seat us here only: {area}.",
        "chatty": "We would be so happy if we could sit in our favourite spot, which is the {area}, and nowhere else.",
        "formal": "Kindly restrict the choice of table to the following area: {area}.",
        "hurried": "Must be the {area}, nothing else.",
    },
    draw=some_area,
)

STEP_FREE = Twist(
    name="step_free",
    operator="constraint",
    voices={
        "plain": "One of us uses a wheelchair, so the table must be reached without a step.",
        "terse": "step-free table required.",
        "chatty": "My mother comes in her wheelchair, bless her, so there must not be a single step to the table.",
        "formal": "As one guest uses a wheelchair, a table with step-free access is required.",
    },
    sets={"step_free": True},
)

OTHER_PARTY = Twist(
    name="other_party",
    operator="change_of_mind",
    voices={
        "plain": "Sorry, I counted wrong: we will be {party:int}.",
        "terse": "correction: party of {party:int}.",
        "chatty": "Oh wait, my cousins just texted, so in fact there are {party:int} of us, not what I said before.",
        "formal": "I must correct myself: the party comprises {party:int} persons.",
    },
    draw=another_party,
)

LOST_UMBRELLA = Twist(
    name="lost_umbrella",
    operator="distractor",
    voices={
        "plain": "I left an umbrella with you last spring, but you need not look for it.",
        "terse": "(old umbrella at yours: ignore, not needed.)",
        "chatty": "By the way, my blue umbrella must still be in your cloakroom from last spring, but keep it, really!",
        "formal": "I may have left an umbrella with you last spring; no action on your part is required.",
    },
)
