"""Requests about evenings that are full: waiting lists, and tables that come free."""

from random import Random

from toolscale.reference.kit import known, told
from toolscale.reference.program import Facts, Record, Solution, Steps, World, choose, do, pick
from toolscale.reference.restaurant.programs.booking import booked
from toolscale.reference.restaurant.programs.common import (
    house_called,
    house_of,
    line_at,
    open_day,
    smallest_table,
    sum_of,
    upcoming,
)
from toolscale.reference.restaurant.programs.twists import OTHER_PARTY, STEP_FREE
from toolscale.reference.words import words

WORDS = words(__file__)


def _draw_full(world: World, rng: Random) -> Facts:
    """An hour at which somebody else holds the only table of that size, or nearly."""
    theirs = pick(rng, upcoming(world))
    table = known(world, "dining_tables", theirs["table_id"])
    guest = pick(rng, [row for row in world.rows("guests") if row["guest_id"] != theirs["guest_id"]])
    return {
        "guest_id": guest["guest_id"],
        "restaurant": known(world, "restaurants", theirs["restaurant_id"])["name"],
        "date": theirs["date"],
        "time": theirs["time"],
        "party": table["seats"],
    }


def _book_or_wait(facts: Facts) -> Solution:
    house = yield from house_called(facts["restaurant"])
    when = {"date": facts["date"], "time": facts["time"], "party_size": facts["party"]}
    step_free = facts.get("step_free")
    free = yield do("list_free_tables", restaurant_id=house["restaurant_id"], step_free=step_free, **when)
    if free:
        table = yield choose(free, key=lambda table: table["seats"])
        return booked((yield do("book_table", guest_id=facts["guest_id"], table_id=table["table_id"], **when)))
    wait = yield do("join_waitlist", guest_id=facts["guest_id"], restaurant_id=house["restaurant_id"], **when)
    return told(f"The house is full; you are on the waiting list: {wait['entry_id']}.", wait["entry_id"])


BOOK_OR_WAIT = WORDS.program("book_or_wait", _draw_full, _book_or_wait, (OTHER_PARTY,))


def _waiting(world: World) -> list[Record]:
    return [row for row in world.rows("waitlist") if row["status"] == "waiting"]


def _draw_wait(world: World, rng: Random) -> Facts:
    entry = pick(rng, _waiting(world))
    house = known(world, "restaurants", entry["restaurant_id"])
    return {"guest_id": entry["guest_id"], "restaurant": house["name"]}


def _my_place(facts: Facts) -> Steps:
    places = yield do("list_waitlist", guest_id=facts["guest_id"])
    return (yield choose([each for each in places if each["restaurant"] == facts["restaurant"]], key=lambda each: 0))


def _take_what_is_free(facts: Facts) -> Solution:
    place = yield from _my_place(facts)
    number = place["entry_id"]
    when = {"date": place["date"], "time": place["time"], "party_size": facts.get("party", place["party_size"])}
    step_free = facts.get("step_free")
    free = yield do("list_free_tables", restaurant_id=place["restaurant_id"], step_free=step_free, **when)
    if not free:
        return told(f"Nothing has come free yet; you stay on the list as {number}.", number)
    if "limit" in facts:
        house = yield do("get_restaurant", restaurant_id=place["restaurant_id"])
        if house["deposit_per_head"] > facts["limit"]:
            deposit, shown = sum_of(house, "deposit_per_head")
            return told(f"A table is free, but the deposit is {shown} a head; you stay on the list.", deposit)
    table = yield choose(free, key=lambda table: table["seats"])
    reservation = yield do("book_table", guest_id=facts["guest_id"], table_id=table["table_id"], **when)
    yield do("leave_waitlist", entry_id=number)
    return booked(reservation)


TAKE_WHAT_IS_FREE = WORDS.program(
    "take_freed_table",
    _draw_wait,
    _take_what_is_free,
    (
        STEP_FREE,
        OTHER_PARTY,
        WORDS.twist(
            "only without a high deposit",
            "condition",
            draw=lambda world, rng, facts: {"limit": line_at(rng, house_of(world, facts)["deposit_per_head"])},
        ),
    ),
)


def _give_up_place(facts: Facts) -> Solution:
    place = yield from _my_place(facts)
    wanted = {"date": facts["date"], "party_size": place["party_size"]}
    times = yield do("list_free_times", restaurant_id=place["restaurant_id"], **wanted)
    order = sorted(times, reverse="latest" in facts)
    when = {**wanted, "time": (yield choose(times, key=order.index))}
    table = yield from smallest_table(place["restaurant_id"], facts, **when)
    reservation = yield do("book_table", guest_id=facts["guest_id"], table_id=table["table_id"], **when)
    yield do("leave_waitlist", entry_id=place["entry_id"])
    at, number = reservation["time"], reservation["reservation_id"]
    return told(f"You are off the list and have a table at {at}: {number}.", at, number)


def _draw_other_day(world: World, rng: Random) -> Facts:
    entry = pick(rng, _waiting(world))
    house = known(world, "restaurants", entry["restaurant_id"])
    day = open_day(rng, house, 13, 30)
    return {"guest_id": entry["guest_id"], "restaurant": house["name"], "date": day}


OTHER_DAY_INSTEAD = WORDS.program(
    "other_day_instead_of_waiting",
    _draw_other_day,
    _give_up_place,
    (
        STEP_FREE,
        WORDS.twist("the last time instead", "change_of_mind", sets={"latest": True}),
    ),
)

PROGRAMS = (BOOK_OR_WAIT, TAKE_WHAT_IS_FREE, OTHER_DAY_INSTEAD)
