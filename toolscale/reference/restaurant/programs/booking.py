"""Requests for a table."""

from random import Random
from typing import Any

from toolscale.reference.program import (
    DeadEnd,
    Facts,
    Policy,
    Program,
    Reply,
    Twist,
    World,
    choose,
    do,
    pick,
)
from toolscale.reference.restaurant.programs.draws import (
    AS_MANY_AS,
    IN_AREA,
    LOST_UMBRELLA,
    OTHER_PARTY,
    STEP_FREE,
    another_day,
    dinner_time,
    head_count,
    house_called,
    open_day,
    smallest_table,
    some_feature,
    some_limit,
    upcoming,
    visit,
)

COUNTRIES_WITH_A_CHOICE = ("France", "Germany", "Italy", "United Kingdom")


def _book(facts: Facts, restaurant_id: str, at: str, party: int) -> Policy:
    """The smallest suitable table, booked."""
    table = yield from smallest_table(restaurant_id, facts, date=facts["date"], time=at, party_size=party)
    booked = yield do(
        "book_table",
        guest_id=facts["guest_id"],
        table_id=table["table_id"],
        date=facts["date"],
        time=at,
        party_size=party,
    )
    return _booked(booked)


def _booked(booked: dict[str, Any]) -> Reply:
    text, tell = f"Your table is booked: {booked['reservation_id']}.", (booked["reservation_id"],)
    if not booked["deposit"]:
        return Reply(f"{text} No deposit is due.", tell)
    deposit = f"{booked['deposit']:.2f}"
    return Reply(f"{text} The deposit is {deposit} {booked['currency']}.", (*tell, deposit))


def _book_at(facts: Facts) -> Policy:
    house = yield from house_called(facts["restaurant"])
    if "limit" in facts:
        rules = yield do("get_restaurant", restaurant_id=house["restaurant_id"])
        if rules["late_fee_per_head"] > facts["limit"]:
            fee = f"{rules['late_fee_per_head']:.2f}"
            return Reply(f"I have booked nothing: a late cancellation costs {fee} {house['currency']} a head.", (fee,))
    party = yield from head_count(facts)
    return (yield from _book(facts, house["restaurant_id"], facts["time"], party))


BOOK_AT = Program(
    name="book_at",
    intent="Reserve a table at a certain restaurant for a given day, time and number of people",
    voices={
        "plain": "I would like a table at {restaurant} on {date:date} at {time} for {party:int} people.",
        "terse": "table, {restaurant}, {date:date}, {time}, {party:int} pax.",
        "chatty": "Hi there! We want to celebrate at {restaurant} on {date:date}, say at {time}, and there will be "
        "{party:int} of us, could you find us a table?",
        "formal": "I wish to reserve a table at {restaurant} on {date:date} at {time} for a party of {party:int}.",
        "hurried": "Quick one: {restaurant}, {date:date}, {time}, we are {party:int}, please book.",
        "non_native": "Hello, I want make reservation in {restaurant} the {date:date} at {time}, we are {party:int} "
        "persons.",
    },
    draw=visit,
    policy=_book_at,
    unknown="I do not know which tables there are.",
    twists=(
        IN_AREA,
        STEP_FREE,
        OTHER_PARTY,
        AS_MANY_AS,
        LOST_UMBRELLA,
        Twist(
            name="late_fee",
            operator="condition",
            voices={
                "plain": "But only if cancelling late costs at most {limit:money} a head; otherwise book nothing.",
                "terse": "only if late fee <= {limit:money} p.p., else leave it.",
                "chatty": "Our plans do tend to change, so if a late cancellation costs more than {limit:money} for "
                "each of us, please just leave it and tell me.",
                "formal": "Please proceed only if the late cancellation fee does not exceed {limit:money} per person.",
            },
            draw=some_limit(5, 18),
        ),
    ),
)


def _book_first(facts: Facts) -> Policy:
    house = yield from house_called(facts["restaurant"])
    party = yield from head_count(facts)
    times = yield do(
        "list_free_times",
        restaurant_id=house["restaurant_id"],
        date=facts["date"],
        party_size=party,
        area=facts.get("area"),
    )
    at = yield choose([each for each in times if each >= facts["time"]], key=lambda each: each)
    return (yield from _book(facts, house["restaurant_id"], at, party))


BOOK_FIRST = Program(
    name="book_first_time",
    intent="Reserve the first table that becomes free in an evening, not before a given time",
    voices={
        "plain": "Please book {party:int} of us into {restaurant} on {date:date}, as early as you can but not before "
        "{time}.",
        "terse": "{restaurant} {date:date}, first slot from {time}, {party:int} people.",
        "chatty": "So, we land in the afternoon and we are {party:int} hungry people: whatever {restaurant} has first "
        "on {date:date} once it is {time}, that is ours!",
        "formal": "Please reserve the earliest available sitting at {restaurant} on {date:date}, not before {time}, "
        "for {party:int} persons.",
        "non_native": "We are {party:int} and arrive {date:date}, please the first free hour in {restaurant} from "
        "{time} or after.",
    },
    draw=visit,
    policy=_book_first,
    twists=(
        IN_AREA,
        OTHER_PARTY,
        AS_MANY_AS,
        LOST_UMBRELLA,
        Twist(
            name="other_day",
            operator="change_of_mind",
            voices={
                "plain": "No, let us rather come on {date:date}.",
                "terse": "change: {date:date} instead.",
                "chatty": "Hm, thinking about it, that day is no good after all, so make it {date:date}, will you?",
            },
            draw=another_day,
        ),
    ),
)


def _draw_again(world: World, rng: Random) -> Facts:
    reservation = pick(rng, upcoming(world))
    restaurant = world.get("restaurants", reservation["restaurant_id"])
    if not restaurant:
        raise DeadEnd("the house is not in the excerpt")
    return {
        "guest_id": reservation["guest_id"],
        "reservation": reservation["reservation_id"],
        "date": open_day(rng, restaurant, 26, 50),
    }


def _book_again(facts: Facts) -> Policy:
    first = yield do("get_reservation", reservation_id=facts["reservation"])
    party = facts.get("party", first["party_size"])
    return (yield from _book(facts, first["restaurant_id"], first["time"], party))


def _other_party_again(world: World, rng: Random, facts: Facts) -> Facts:
    reservation = world.get("reservations", facts["reservation"])
    return {"party": pick(rng, [size for size in range(2, 7) if not reservation or size != reservation["party_size"]])}


BOOK_AGAIN = Program(
    name="book_again",
    intent="Repeat a visit that is already reserved on another day, at the same house and time",
    voices={
        "plain": "I would like to come once more on {date:date}, just as with my reservation {reservation}: same "
        "house, same time, same number of people.",
        "terse": "repeat {reservation} on {date:date}, keep the original too.",
        "chatty": "We look forward to {reservation} so much that we want the very same thing a second time, on "
        "{date:date}!",
        "formal": "Please arrange a further reservation on {date:date} with the particulars of {reservation}, which "
        "remains in place.",
        "hurried": "Need a second one exactly like {reservation}, but for {date:date}.",
    },
    draw=_draw_again,
    policy=_book_again,
    twists=(
        IN_AREA,
        STEP_FREE,
        Twist(
            name="other_party_again",
            operator="change_of_mind",
            voices={
                "plain": "Actually, that second time there will be {party:int} of us.",
                "terse": "2nd visit: {party:int} people instead.",
                "chatty": "Except that not everybody can make it twice, so let us say {party:int} people for the "
                "second time.",
            },
            draw=_other_party_again,
        ),
    ),
)


def _draw_in_country(world: World, rng: Random) -> Facts:
    facts = visit(world, rng)
    houses = [row for row in world.rows("restaurants") if row["country"] in COUNTRIES_WITH_A_CHOICE]
    house = pick(rng, houses)
    return {
        "guest_id": facts["guest_id"],
        "country": house["country"],
        "date": open_day(rng, house),
        "time": dinner_time(rng, house),
        "party": facts["party"],
    }


def _book_in_country(facts: Facts) -> Policy:
    found = yield do("search_restaurants", country=facts["country"], feature=facts.get("feature"))
    houses = []
    for each in found:
        houses.append((yield do("get_restaurant", restaurant_id=each["restaurant_id"])))
    house = yield choose(houses, key=lambda house: house["deposit_per_head"])
    if "limit" in facts and house["deposit_per_head"] > facts["limit"]:
        deposit = f"{house['deposit_per_head']:.2f}"
        return Reply(f"I booked nothing: even {house['name']} takes {deposit} {house['currency']} a head.", (deposit,))
    return (yield from _book(facts, house["restaurant_id"], facts["time"], facts["party"]))


BOOK_IN_COUNTRY = Program(
    name="book_in_country",
    intent="Reserve a table at whichever restaurant of a country asks for the lowest deposit",
    voices={
        "plain": "Of your restaurants in the country {country}, book the one with the lowest deposit a head, on "
        "{date:date} at {time} for {party:int}.",
        "terse": "{country}: house w/ lowest deposit p.p., {date:date} {time}, {party:int} seats.",
        "chatty": "We are touring {country} and watch our purse, so pick your house there that wants the smallest "
        "deposit per person, and get {party:int} of us in on {date:date} at {time}.",
        "formal": "Among your establishments in the following country, {country}, please select the one whose deposit "
        "per person is lowest and reserve for {party:int} on {date:date} at {time}.",
        "non_native": "I travel in {country} with group of {party:int}, please take your restaurant with the most "
        "small deposit for person, day {date:date}, hour {time}.",
    },
    draw=_draw_in_country,
    policy=_book_in_country,
    unknown="I do not know your houses there.",
    twists=(
        STEP_FREE,
        Twist(
            name="with_feature",
            operator="constraint",
            voices={
                "plain": "Only consider houses that offer this: {feature}.",
                "terse": "must have: {feature}.",
                "chatty": "And for us it is no evening out without one thing, namely {feature}, so only such houses.",
            },
            draw=some_feature,
        ),
        Twist(
            name="deposit_limit",
            operator="condition",
            voices={
                "plain": "If even that deposit is above {limit:money} a head, do not book and tell me how much it is.",
                "terse": "deposit > {limit:money} p.p.? then skip, tell me the figure.",
                "chatty": "Should they still want more than {limit:money} from each of us, then forget about it, just "
                "let me know what they ask.",
            },
            draw=some_limit(7, 19),
        ),
    ),
)


def _draw_full(world: World, rng: Random) -> Facts:
    """A party for the table that somebody else has: often the house is too full for it."""
    theirs = pick(rng, [row for row in upcoming(world) if row["party_size"] >= 5] or upcoming(world))
    table = world.get("dining_tables", theirs["table_id"])
    restaurant = world.get("restaurants", theirs["restaurant_id"])
    guest = pick(rng, [row for row in world.rows("guests") if row["guest_id"] != theirs["guest_id"]])
    if not table or not restaurant:
        raise DeadEnd("the house is not in the excerpt")
    return {
        "guest_id": guest["guest_id"],
        "restaurant": restaurant["name"],
        "date": theirs["date"],
        "time": theirs["time"],
        "party": table["seats"],
    }


def _book_or_wait(facts: Facts) -> Policy:
    house = yield from house_called(facts["restaurant"])
    when = {"date": facts["date"], "time": facts["time"], "party_size": facts["party"]}
    free = yield do("list_free_tables", restaurant_id=house["restaurant_id"], **when)
    if free:
        table = yield choose(free, key=lambda table: table["seats"])
        booked = yield do("book_table", guest_id=facts["guest_id"], table_id=table["table_id"], **when)
        return _booked(booked)
    wait = yield do("join_waitlist", guest_id=facts["guest_id"], restaurant_id=house["restaurant_id"], **when)
    return Reply(f"The house is full; you are on the waiting list: {wait['entry_id']}.", (wait["entry_id"],))


BOOK_OR_WAIT = Program(
    name="book_or_wait",
    intent="Get a table at a busy hour, or a place on the waiting list if there is none",
    voices={
        "plain": "Is there room for {party:int} at {restaurant} on {date:date} at {time}? If so, book it; if not, put "
        "me on the waiting list.",
        "terse": "{restaurant}, {date:date}, {time}, party {party:int}: book or waitlist.",
        "chatty": "I know it is a busy evening, but try to squeeze {party:int} of us into {restaurant} on {date:date} "
        "at {time}, and if there is truly nothing, let us wait in line!",
        "formal": "Please reserve for {party:int} at {restaurant} on {date:date} at {time} or, failing that, enter me "
        "in the waiting list.",
        "hurried": "{party:int} of us, {restaurant}, {date:date} at {time}. Full? Then waiting list.",
    },
    draw=_draw_full,
    policy=_book_or_wait,
    twists=(OTHER_PARTY, LOST_UMBRELLA),
)

PROGRAMS = (BOOK_AT, BOOK_FIRST, BOOK_AGAIN, BOOK_IN_COUNTRY, BOOK_OR_WAIT)
