"""Requests that change or cancel what is reserved."""

from random import Random

from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, Reply, Twist, World, choose, do, pick
from toolscale.reference.restaurant.programs.draws import (
    IN_AREA,
    LOST_UMBRELLA,
    STEP_FREE,
    dinner_time,
    open_day,
    smallest_table,
    some_limit,
    some_reservation,
    upcoming,
)


def _house(world: World, reservation: Record) -> Record:
    house = world.get("restaurants", reservation["restaurant_id"])
    if not house:
        raise DeadEnd("the house is not in the excerpt")
    return house


def _draw_new_day(world: World, rng: Random) -> Facts:
    reservation = pick(rng, upcoming(world))
    day = open_day(rng, _house(world, reservation), 3, 40)
    if day == reservation["date"]:
        raise DeadEnd("the same day")
    return {"guest_id": reservation["guest_id"], "reservation": reservation["reservation_id"], "date": day}


def _reserved(world: World, facts: Facts) -> Record:
    reservation = world.get("reservations", facts["reservation"])
    if not reservation:
        raise DeadEnd("the reservation is not in the excerpt")
    return reservation


def _yet_another_day(world: World, rng: Random, facts: Facts) -> Facts:
    reservation = _reserved(world, facts)
    day = open_day(rng, _house(world, reservation), 3, 40)
    if day in (reservation["date"], facts["date"]):
        raise DeadEnd("the same day")
    return {"date": day}


def _other_time(world: World, rng: Random, facts: Facts) -> Facts:
    reservation = _reserved(world, facts)
    clock = dinner_time(rng, _house(world, reservation))
    if clock == reservation["time"]:
        raise DeadEnd("the same time")
    return {"time": clock}


def _change(reservation: Record, facts: Facts, date: str, time: str, party: int) -> Policy:
    """The reservation as wanted, at the smallest table that suits."""
    moving = reservation["reservation_id"]
    when = {"date": date, "time": time, "party_size": party}
    table = yield from smallest_table(reservation["restaurant_id"], facts, moving=moving, **when)
    changed = yield do("change_reservation", reservation_id=moving, table_id=table["table_id"], **when)
    text, tell = f"Done: you have table {changed['table_id']} in the {table['area']}.", (changed["table_id"],)
    if not changed["deposit"]:
        return Reply(f"{text} There is no deposit.", tell)
    deposit = f"{changed['deposit']:.2f}"
    return Reply(f"{text} The deposit is now {deposit} {changed['currency']}.", (*tell, deposit))


def _move_day(facts: Facts) -> Policy:
    reservation = yield do("get_reservation", reservation_id=facts["reservation"])
    time = facts.get("time", reservation["time"])
    return (yield from _change(reservation, facts, facts["date"], time, reservation["party_size"]))


MOVE_DAY = Program(
    name="move_to_day",
    intent="Move a reservation to another day",
    voices={
        "plain": "Please move my reservation {reservation} to {date:date} at the same hour and tell me the table.",
        "terse": "{reservation} -> {date:date}, same hour. which table?",
        "chatty": "Something came up, as it always does, so could {reservation} be shifted to {date:date} at the same "
        "hour, and which table will we get?",
        "formal": "I request that reservation {reservation} be transferred to {date:date} at an unchanged hour, and to "
        "be told the table.",
        "hurried": "Need {reservation} on {date:date} instead, time stays, tell me the table.",
        "non_native": "Please to change day of {reservation}, new day is {date:date}, the hour not change, say me "
        "which table.",
    },
    draw=_draw_new_day,
    policy=_move_day,
    twists=(
        IN_AREA,
        STEP_FREE,
        Twist(
            name="yet_another_day",
            operator="change_of_mind",
            voices={
                "plain": "No, wait, I looked at my diary again: {date:date} is the right day.",
                "terse": "scratch that, {date:date}.",
                "chatty": "Oh dear, my wife says we have the theatre that evening, so it has to be {date:date} for us.",
            },
            draw=_yet_another_day,
        ),
        Twist(
            name="other_time",
            operator="change_of_mind",
            voices={
                "plain": "The hour cannot stay after all, we need {time}.",
                "terse": "and new hour: {time}.",
                "chatty": "And since we are at it, the hour does not suit us any more either, {time} would be perfect.",
            },
            draw=_other_time,
        ),
    ),
)


def _move_within_day(facts: Facts) -> Policy:
    reservation = yield do("get_reservation", reservation_id=facts["reservation"])
    times = yield do(
        "list_free_times",
        restaurant_id=reservation["restaurant_id"],
        date=reservation["date"],
        party_size=reservation["party_size"],
        area=facts.get("area"),
    )
    order = sorted(times, reverse=facts.get("which") != "first")
    time = yield choose(times, key=order.index)
    return (yield from _change(reservation, facts, reservation["date"], time, reservation["party_size"]))


MOVE_WITHIN_DAY = Program(
    name="move_within_day",
    intent="Move a reservation to the last sitting that is still free on its day",
    voices={
        "plain": "We will be late: put {reservation} at the latest time that is still free that day, and say which "
        "table we have then.",
        "terse": "{reservation}: latest free time same day pls, + table.",
        "chatty": "Our train gets in at an ungodly hour, so slide {reservation} as far into the evening as it will go, "
        "and what table would that be?",
        "formal": "Kindly postpone {reservation} to the last sitting still available on the same day and state the "
        "table.",
        "hurried": "Running late, {reservation} to the last free slot of the day, which table?",
    },
    draw=some_reservation,
    policy=_move_within_day,
    twists=(
        IN_AREA,
        LOST_UMBRELLA,
        Twist(
            name="earliest_instead",
            operator="change_of_mind",
            voices={
                "plain": "No, the other way round: I want the earliest free time of that day.",
                "terse": "correction: earliest free time.",
                "chatty": "Silly me, I mixed it up, it is the early train, so make it the very first free time!",
            },
            sets={"which": "first"},
        ),
    ),
)


def _draw_resize(world: World, rng: Random) -> Facts:
    reservation = pick(rng, upcoming(world))
    size = pick(rng, [each for each in range(2, 9) if abs(each - reservation["party_size"]) in (1, 2, 3)])
    return {"guest_id": reservation["guest_id"], "reservation": reservation["reservation_id"], "party": size}


def _other_size(world: World, rng: Random, facts: Facts) -> Facts:
    now = _reserved(world, facts)["party_size"]
    return {"party": pick(rng, [size for size in range(2, 9) if size not in (now, facts["party"])])}


def _resize(facts: Facts) -> Policy:
    reservation = yield do("get_reservation", reservation_id=facts["reservation"])
    if "limit" in facts:
        house = yield do("get_restaurant", restaurant_id=reservation["restaurant_id"])
        if house["deposit_per_head"] > facts["limit"]:
            deposit = f"{house['deposit_per_head']:.2f}"
            return Reply(f"I changed nothing: {house['name']} asks for {deposit} {house['currency']} each.", (deposit,))
    return (yield from _change(reservation, facts, reservation["date"], reservation["time"], facts["party"]))


RESIZE = Program(
    name="resize_party",
    intent="Change the number of people of a reservation",
    voices={
        "plain": "There will be {party:int} of us at {reservation}; please change it and tell me which table we get.",
        "terse": "{reservation}: now {party:int} people. table no.?",
        "chatty": "You know how it is with friends, now we are {party:int} for {reservation}, can you manage that, and "
        "where do we sit?",
        "formal": "Please amend {reservation} to {party:int} persons and advise me of the table assigned.",
        "non_native": "For {reservation} we are now {party:int} persons, please change and tell me number of table.",
    },
    draw=_draw_resize,
    policy=_resize,
    twists=(
        STEP_FREE,
        IN_AREA,
        Twist(
            name="other_size",
            operator="change_of_mind",
            voices={
                "plain": "Now somebody else has called: the right number is {party:int}.",
                "terse": "update: {party:int}.",
                "chatty": "Hang on, the phone rings... all right, the final head count is {party:int}, I promise.",
            },
            draw=_other_size,
        ),
        Twist(
            name="deposit_each",
            operator="condition",
            voices={
                "plain": "If the house asks a deposit of more than {limit:money} each, change nothing and tell me.",
                "terse": "not if the house's deposit is over {limit:money} each.",
                "chatty": "Though if the place wants more than {limit:money} deposit from each guest, then never mind, "
                "we leave it as it was.",
            },
            draw=some_limit(7, 19),
        ),
    ),
)


PROGRAMS = (
    MOVE_DAY,
    MOVE_WITHIN_DAY,
    RESIZE,
)
