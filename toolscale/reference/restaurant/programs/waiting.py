"""Requests about evenings that are full: waiting lists, and tables that come free."""

from random import Random

from toolscale.reference.program import Facts, Policy, Program, Record, Steps, Twist, World, choose, do, pick
from toolscale.reference.restaurant.programs.booking import booked
from toolscale.reference.restaurant.programs.common import (
    house_called,
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
from toolscale.reference.restaurant.programs.twists import OTHER_PARTY, STEP_FREE


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


def _book_or_wait(facts: Facts) -> Policy:
    house = yield from house_called(facts["restaurant"])
    when = {"date": facts["date"], "time": facts["time"], "party_size": facts["party"]}
    step_free = facts.get("step_free")
    free = yield do("list_free_tables", restaurant_id=house["restaurant_id"], step_free=step_free, **when)
    if free:
        table = yield choose(free, key=lambda table: table["seats"])
        return booked((yield do("book_table", guest_id=facts["guest_id"], table_id=table["table_id"], **when)))
    wait = yield do("join_waitlist", guest_id=facts["guest_id"], restaurant_id=house["restaurant_id"], **when)
    return told(f"The house is full; you are on the waiting list: {wait['entry_id']}.", wait["entry_id"])


BOOK_OR_WAIT = Program(
    "book_or_wait",
    "Get a table at a busy hour, or a place on the waiting list if there is none",
    says(
        "Is there room for {party:count} at {restaurant} on {date:date} at {time:time}? If so, book it; if not, put me "
        "on the waiting list. [Either way I need the number.|I need the number in both cases.]",
        "at {restaurant}, {date:date}, {time:time}, party of {party:count}: book or waitlist, number pls.",
        "I know it is a busy evening, but try to squeeze {party:count} of us into {restaurant} on {date:date} at "
        "{time:time}, and if there is truly nothing, let us wait in line! Whichever it is, what number do I get?",
        "Please reserve for {party:count} at {restaurant} on {date:date} at {time:time} or, failing that, enter me in "
        "the waiting list, and state the number of either.",
        "{party:count} of us, {restaurant}, {date:date} at {time:time}. Full? Then waiting list. Number!",
        "We are {party:count}, want {restaurant} on {date:date} at {time:time}. If is full, please write me in the "
        "list of waiting. Say me the number of what you make.",
    ),
    _draw_full,
    _book_or_wait,
    (OTHER_PARTY,),
)


def _waiting(world: World) -> list[Record]:
    return [row for row in world.rows("waitlist") if row["status"] == "waiting"]


def _draw_wait(world: World, rng: Random) -> Facts:
    entry = pick(rng, _waiting(world))
    house = known(world, "restaurants", entry["restaurant_id"])
    return {"guest_id": entry["guest_id"], "restaurant": house["name"]}


def _my_place(facts: Facts) -> Steps:
    places = yield do("list_waitlist", guest_id=facts["guest_id"])
    return (yield choose([each for each in places if each["restaurant"] == facts["restaurant"]], key=lambda each: 0))


def _take_what_is_free(facts: Facts) -> Policy:
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


TAKE_WHAT_IS_FREE = Program(
    "take_freed_table",
    "Turn a place on a waiting list into a reservation if a table has come free",
    says(
        "I am on the waiting list at {restaurant}. If a table for us is free by now, book it for that evening and take "
        "me off the list, and tell me the reservation number. [If not, leave me on the list|Otherwise I stay on the "
        "list] and tell me the number of my place.",
        "waiting for {restaurant}: table free now? book it + take me off the list, number. else keep my place, its "
        "number.",
        "We are waiting for a table at {restaurant}, [my fingers are crossed|the children keep asking], "
        "so has anything come free for us? If it has, grab it, strike us off the list and tell me the reservation "
        "number, and if it has not, we keep waiting, and what was the number of our place again?",
        "I hold a place on the waiting list of {restaurant}. Should a table have become available for that occasion, "
        "please reserve it and remove me from the list, stating the reservation number; otherwise my place is to be "
        "kept and its number stated.",
        "On the list at {restaurant}: free now? Book it, drop my place, number! Not free? Keep my place, its number!",
        "I wait for table in {restaurant}. If now is free, please reserve and delete me from the list, what is the "
        "reservation number? If not free, I stay in list, say me the number of my place.",
    ),
    _draw_wait,
    _take_what_is_free,
    (
        STEP_FREE,
        OTHER_PARTY,
        Twist(
            "only without a high deposit",
            "condition",
            {
                "plain": "Should they ask a deposit of more than {limit:money} a head, keep my place on the list "
                "instead and tell me the deposit.",
                "terse": "deposit > {limit:money} p.p.: no table, keep my place, tell me the deposit.",
                "chatty": "But if they want more than {limit:money} in advance from each of us, I would rather go on "
                "waiting, so then just tell me what they ask.",
                "formal": "Where the deposit exceeds {limit:money} per person, no table is to be taken and the deposit "
                "stated.",
            },
            draw=lambda world, rng, facts: {"limit": line_at(rng, house_of(world, facts)["deposit_per_head"])},
        ),
    ),
    "[I forgot the number of my place on the list.|I do not know which tables there are.]",
)


def _give_up_place(facts: Facts) -> Policy:
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


OTHER_DAY_INSTEAD = Program(
    "other_day_instead_of_waiting",
    "Give up a place on a waiting list for a table on another day",
    says(
        "I do not want to wait any longer for {restaurant}. Book me the first free time on {date:date} there for as "
        "many people as I am on the list with, take me off the list, and tell me [at what time we eat|the time].",
        "at {restaurant}: instead of waiting book first free time on {date:date}, same head count as on the list, then "
        "drop my place. time?",
        "All this waiting for {restaurant} is wearing me out, so let us go on {date:date} instead, at the first hour "
        "they have for all of us that are on the list, and then you can strike us off it! When do we eat?",
        "In place of my place on the waiting list of {restaurant}, which is to be given up, kindly reserve the first "
        "free sitting on {date:date} for the same number of persons and state its time.",
        "Done waiting for {restaurant}! First free time on {date:date}, same number of people, drop my place, what "
        "time?",
        "I not want to wait more in the list of {restaurant}. Please first free hour on {date:date} for the same "
        "persons and delete my place, at what time is it?",
    ),
    _draw_other_day,
    _give_up_place,
    (
        STEP_FREE,
        Twist(
            "the last time instead",
            "change_of_mind",
            {
                "plain": "No, not the first free time: the last one of that day.",
                "terse": "last free time of the day instead.",
                "chatty": "Oh no, the babysitter comes late, so rather the very last time they have that day!",
                "formal": "I must correct myself: the last free sitting of that day is wanted.",
            },
            sets={"latest": True},
        ),
    ),
    "I forgot the number of my place on the list.",
)

PROGRAMS = (BOOK_OR_WAIT, TAKE_WHAT_IS_FREE, OTHER_DAY_INSTEAD)
