"""Requests that change what is reserved."""

from random import Random

from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, Twist, World, choose, do, pick
from toolscale.reference.restaurant.programs.common import (
    a_reservation,
    another_day,
    another_time,
    changeable,
    house_of,
    known,
    line_at,
    open_day,
    says,
    smallest_table,
    sum_of,
    told,
    upcoming,
)
from toolscale.reference.restaurant.programs.twists import IN_AREA, STEP_FREE


def _change(reservation: Record, facts: Facts, date: str, time: str, party: int) -> Policy:
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
    if day == known(world, "reservations", facts["reservation"])["date"]:
        raise DeadEnd("the same day")
    return {**facts, "date": day}


def _move_day(facts: Facts) -> Policy:
    reservation = yield do("get_reservation", reservation_id=facts["reservation"])
    time = facts.get("time", reservation["time"])
    return (yield from _change(reservation, facts, facts["date"], time, reservation["party_size"]))


MOVE_DAY = Program(
    "move_to_day",
    "Move a reservation to another day",
    says(
        "Please move {reservation} to {date:date}, at the same hour, and tell me [the table|which table we have then] "
        "and the deposit, if any.",
        "move {reservation} to {date:date}, same hour. which table, deposit?",
        "Something came up, as it always does, so could {reservation} be shifted to {date:date} at the same hour, and "
        "which table will we get, and what deposit do you hold then?",
        "I request that {reservation} be transferred to {date:date} at an unchanged hour, and to be told the table and "
        "the deposit.",
        "Need {reservation} on {date:date} instead, time stays, tell me table and deposit.",
        "Please to change day of {reservation}, new day is {date:date}, the hour not change, say me which table and "
        "how much deposit.",
        "I mixed up my days, {reservation} should be on {date:date}, at the hour that it was, if that makes sense. "
        "Which table is it then, and what about the deposit?",
    ),
    _draw_new_day,
    _move_day,
    (
        IN_AREA,
        STEP_FREE,
        Twist(
            "yet another day",
            "change_of_mind",
            {
                "plain": "No, wait, I looked at my diary again: {date:date} is the right day.",
                "terse": "scratch that, {date:date}.",
                "chatty": "Oh dear, my sister says we have the theatre that evening, so it has to be {date:date} for "
                "us.",
                "formal": "Having consulted my diary, I must ask for {date:date} instead.",
            },
            draw=another_day(3, 40),
        ),
        Twist(
            "another hour as well",
            "change_of_mind",
            {
                "plain": "The hour cannot stay after all, we need {time:time}.",
                "terse": "and new hour: {time:time}.",
                "chatty": "And since we are at it, the hour does not suit us any more either, {time:time} would be "
                "perfect.",
                "formal": "Contrary to what I said, the hour is to be {time:time}.",
            },
            draw=another_time,
        ),
    ),
)


def _move_within_day(facts: Facts) -> Policy:
    reservation = yield do("get_reservation", reservation_id=facts["reservation"])
    wanted = {field: reservation[field] for field in ("restaurant_id", "date", "party_size")}
    times = yield do("list_free_times", area=facts.get("area"), **wanted)
    order = sorted(times, reverse=facts.get("which") != "first")
    time = yield choose(times, key=order.index)
    return (yield from _change(reservation, facts, reservation["date"], time, reservation["party_size"]))


MOVE_WITHIN_DAY = Program(
    "move_within_day",
    "Move a reservation to the last sitting that is still free on its day",
    says(
        "[We will be late|Our train arrives late]: put {reservation} at the latest time that is still free that day, "
        "and say which table we have then.",
        "put {reservation} at the latest free time same day pls, + table.",
        "Our train gets in at an ungodly hour, so slide {reservation} as far into the evening as it will go on that "
        "day, and what table would that be?",
        "Kindly postpone {reservation} to the last sitting still available on the same day and state the table.",
        "Running late, {reservation} to the last free slot of the day, which table?",
        "We come late, please {reservation} to the most late free hour of same day, and say me the table.",
    ),
    a_reservation(changeable),
    _move_within_day,
    (
        IN_AREA,
        Twist(
            "the earliest instead",
            "change_of_mind",
            {
                "plain": "No, the other way round: I want the earliest free time of that day.",
                "terse": "correction: earliest free time.",
                "chatty": "Silly me, I mixed it up, it is the early train, so make it the very first free time!",
                "formal": "I must correct myself: the earliest free sitting of that day is wanted.",
            },
            sets={"which": "first"},
        ),
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


def _resize(facts: Facts) -> Policy:
    reservation = yield do("get_reservation", reservation_id=facts["reservation"])
    if "limit" in facts:
        house = yield do("get_restaurant", restaurant_id=reservation["restaurant_id"])
        if house["deposit_per_head"] > facts["limit"]:
            deposit, shown = sum_of(house, "deposit_per_head")
            return told(f"I changed nothing: {house['name']} asks for {shown} each.", deposit)
    return (yield from _change(reservation, facts, reservation["date"], reservation["time"], facts["party"]))


RESIZE = Program(
    "resize_party",
    "Change the number of people of a reservation",
    says(
        "[There will be|We have become] {party:count} people for {reservation}; please change it and tell me which "
        "table we get and what the deposit is.",
        "for {reservation} we are now {party:count} people. table no., deposit?",
        "You know how it is with friends, now we are {party:count} for {reservation}, can you manage that, and where "
        "do we sit, by the number of the table? And is there a deposit?",
        "Please amend {reservation} to {party:count} persons and advise me of the table assigned and of the deposit.",
        "We are {party:count} now for {reservation}, change it, which table, what deposit?",
        "For {reservation} we are now {party:count} persons, please change and tell me number of table and deposit.",
    ),
    _draw_resize,
    _resize,
    (
        STEP_FREE,
        IN_AREA,
        Twist(
            "another size",
            "change_of_mind",
            {
                "plain": "Now somebody else has called: the right number is {party:count}.",
                "terse": "update: {party:count}.",
                "chatty": "Hang on, the phone rings... all right, the final head count is {party:count}, I promise.",
                "formal": "I have since been informed that the number is {party:count}.",
            },
            draw=_other_size,
        ),
        Twist(
            "only with a low deposit each",
            "condition",
            {
                "plain": "If the house asks a deposit of more than {limit:money} each, leave the number of people as "
                "it was and tell me the deposit.",
                "terse": "not if the house's deposit is over {limit:money} each, then just tell me what it is.",
                "chatty": "Though if the place wants more than {limit:money} deposit from each guest, then never mind, "
                "we leave it as it was, and I only want to hear what they ask.",
                "formal": "Where the house asks a deposit of more than {limit:money} each, no amendment is wanted, "
                "but a statement of that deposit.",
            },
            draw=lambda world, rng, facts: {"limit": line_at(rng, house_of(world, facts)["deposit_per_head"])},
        ),
    ),
)

PROGRAMS = (MOVE_DAY, MOVE_WITHIN_DAY, RESIZE)
