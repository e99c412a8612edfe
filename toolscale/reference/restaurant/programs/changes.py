"""Requests that change what is reserved."""

from random import Random

from toolscale.reference.kit import known, must, told
from toolscale.reference.program import Facts, Record, Solution, World, choose, do, pick
from toolscale.reference.restaurant.programs.common import (
    a_reservation,
    another_day,
    another_time,
    changeable,
    house_of,
    line_at,
    open_day,
    smallest_table,
    sum_of,
    upcoming,
)
from toolscale.reference.restaurant.programs.twists import IN_AREA, STEP_FREE
from toolscale.reference.words import words

WORDS = words(__file__)


def _change(reservation: Record, facts: Facts, date: str, time: str, party: int) -> Solution:
    """The reservation as wanted, at the smallest table that suits."""
    moving = reservation["reservation_id"]
    when = {"date": date, "time": time, "party_size": party}
    table = yield from smallest_table(reservation["restaurant_id"], facts, moving=moving, **when)
    changed = yield do("change_reservation", reservation_id=moving, table_id=table["table_id"], **when)
    text, number = f"Done: you have table {changed['table_id']} in the {table['area']}.", changed["table_id"]
    deposit, shown = sum_of(changed, "deposit")
    return told(f"{text} The deposit is now {shown}.", number, deposit)


def _draw_new_day(world: World, rng: Random) -> Facts:
    facts = a_reservation(changeable)(world, rng)
    day = open_day(rng, house_of(world, facts), 3, 40)
    must(day != known(world, "reservations", facts["reservation"])["date"], "the same day")
    return {**facts, "date": day}


def _move_day(facts: Facts) -> Solution:
    reservation = yield do("get_reservation", reservation_id=facts["reservation"])
    time = facts.get("time", reservation["time"])
    return (yield from _change(reservation, facts, facts["date"], time, reservation["party_size"]))


MOVE_DAY = WORDS.program(
    "move_to_day",
    _draw_new_day,
    _move_day,
    (
        IN_AREA,
        STEP_FREE,
        WORDS.twist("yet another day", "change_of_mind", draw=another_day(3, 40)),
        WORDS.twist("another hour as well", "change_of_mind", draw=another_time),
    ),
)


def _move_within_day(facts: Facts) -> Solution:
    reservation = yield do("get_reservation", reservation_id=facts["reservation"])
    wanted = {field: reservation[field] for field in ("restaurant_id", "date", "party_size")}
    times = yield do("list_free_times", area=facts.get("area"), **wanted)
    order = sorted(times, reverse=facts.get("which") != "first")
    time = yield choose(times, key=order.index)
    return (yield from _change(reservation, facts, reservation["date"], time, reservation["party_size"]))


MOVE_WITHIN_DAY = WORDS.program(
    "move_within_day",
    a_reservation(changeable),
    _move_within_day,
    (
        IN_AREA,
        WORDS.twist("the earliest instead", "change_of_mind", sets={"which": "first"}),
    ),
    again="reservation",
)


def _draw_resize(world: World, rng: Random) -> Facts:
    reservation = pick(rng, [row for row in upcoming(world) if changeable(world, row)])
    size = pick(rng, [each for each in range(2, 9) if abs(each - reservation["party_size"]) in (1, 2, 3)])
    return {"guest_id": reservation["guest_id"], "reservation": reservation["reservation_id"], "party": size}


def _other_size(world: World, rng: Random, facts: Facts) -> Facts:
    now = known(world, "reservations", facts["reservation"])["party_size"]
    return {"party": pick(rng, [size for size in range(2, 9) if size not in (now, facts["party"])])}


def _resize(facts: Facts) -> Solution:
    reservation = yield do("get_reservation", reservation_id=facts["reservation"])
    if "limit" in facts:
        house = yield do("get_restaurant", restaurant_id=reservation["restaurant_id"])
        if house["deposit_per_head"] > facts["limit"]:
            deposit, shown = sum_of(house, "deposit_per_head")
            return told(f"I changed nothing: {house['name']} asks for {shown} each.", deposit)
    return (yield from _change(reservation, facts, reservation["date"], reservation["time"], facts["party"]))


RESIZE = WORDS.program(
    "resize_party",
    _draw_resize,
    _resize,
    (
        STEP_FREE,
        IN_AREA,
        WORDS.twist("another size", "change_of_mind", draw=_other_size),
        WORDS.twist(
            "only with a low deposit each",
            "condition",
            draw=lambda world, rng, facts: {"limit": line_at(rng, house_of(world, facts)["deposit_per_head"])},
        ),
    ),
)

PROGRAMS = (MOVE_DAY, MOVE_WITHIN_DAY, RESIZE)
