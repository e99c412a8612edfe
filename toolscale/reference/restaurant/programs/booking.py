"""Requests for a table."""

from random import Random

from toolscale.reference.program import Facts, Policy, Program, Record, Reply, Twist, World, choose, do, pick
from toolscale.reference.restaurant.programs.common import (
    another_day,
    country_in,
    dinner_time,
    head_count,
    house_called,
    house_of,
    known,
    line_at,
    open_day,
    says,
    smallest_table,
    some_country,
    sum_of,
    told,
    upcoming,
    visit,
)
from toolscale.reference.restaurant.programs.twists import AS_MANY_AS, IF_POINTS, IN_AREA, OTHER_PARTY, STEP_FREE


def _book(facts: Facts, restaurant_id: str, at: str, party: int) -> Policy:
    """The smallest suitable table, booked."""
    when = {"date": facts["date"], "time": at, "party_size": party}
    table = yield from smallest_table(restaurant_id, facts, **when)
    return booked((yield do("book_table", guest_id=facts["guest_id"], table_id=table["table_id"], **when)))


def booked(reservation: Record) -> Reply:
    """What is said of a new reservation."""
    number = reservation["reservation_id"]
    if not reservation["deposit"]:
        return told(f"Your table is booked: {number}. No deposit is due.", number)
    deposit, shown = sum_of(reservation, "deposit")
    return told(f"Your table is booked: {number}. The deposit is {shown}.", number, deposit)


def _book_at(facts: Facts) -> Policy:
    house = yield from house_called(facts["restaurant"])
    if "limit" in facts:
        rules = yield do("get_restaurant", restaurant_id=house["restaurant_id"])
        if rules["late_fee_per_head"] > facts["limit"]:
            fee, shown = sum_of(rules, "late_fee_per_head")
            return told(f"I have booked nothing: a late cancellation costs {shown} a head.", fee)
    party = yield from head_count(facts)
    return (yield from _book(facts, house["restaurant_id"], facts["time"], party))


BOOK_AT = Program(
    "book_at",
    "Reserve a table at a certain restaurant for a given day, time and number of people",
    says(
        "I would like a table at {restaurant} on {date:date} at {time:time} for {party:count} people[, it is a "
        "birthday|, we have something to celebrate|]. I need the reservation number and the deposit, if there is one.",
        "table, {restaurant}, {date:date}, {time:time}, {party:count} pax. number + deposit?",
        "We want to celebrate [my aunt's retirement|our first year in the new flat|that the exams are over] at "
        "{restaurant} on {date:date}, say at {time:time}, and there will be {party:count} of us, could you find us a "
        "table? And what is its number, and do you want money in advance?",
        "I wish to reserve a table at {restaurant} on {date:date} at {time:time} for a party of {party:count}[, and "
        "ask for|; kindly state] the reservation number and any deposit.",
        "At {restaurant}, {date:date}, {time:time}, we are {party:count}, book it, number and deposit please.",
        "I want make reservation in {restaurant} on {date:date} at {time:time}, we are {party:count} persons, please "
        "say me the number and if I must pay before.",
        "We are {party:count}, I think, and we would like to sit at {restaurant} on {date:date} at {time:time}, can "
        "you arrange that? And is there a number for it, and a deposit?",
    ),
    visit,
    _book_at,
    (
        IN_AREA,
        STEP_FREE,
        OTHER_PARTY,
        AS_MANY_AS,
        Twist(
            "only with a low late fee",
            "condition",
            {
                "plain": "But book it only if cancelling late costs at most {limit:money} a head there; otherwise "
                "book nothing and tell me what it costs.",
                "terse": "book only if late fee <= {limit:money} p.p., else leave it, tell me the fee.",
                "chatty": "Our plans do tend to change, so if a late cancellation costs more than {limit:money} for "
                "each of us, please just leave the table and tell me what it costs.",
                "formal": "Please proceed with the reservation only if the late cancellation fee does not exceed "
                "{limit:money} per person; otherwise state the fee.",
            },
            draw=lambda world, rng, facts: {"limit": line_at(rng, house_of(world, facts)["late_fee_per_head"])},
        ),
    ),
)


def _book_first(facts: Facts) -> Policy:
    house = yield from house_called(facts["restaurant"])
    party = yield from head_count(facts)
    wanted = {"restaurant_id": house["restaurant_id"], "date": facts["date"], "party_size": party}
    times = yield do("list_free_times", area=facts.get("area"), **wanted)
    at = yield choose([each for each in times if each >= facts["time"]], key=lambda each: each)
    return (yield from _book(facts, house["restaurant_id"], at, party))


BOOK_FIRST = Program(
    "book_first_time",
    "Reserve the first table that is free in an evening, not before a given time",
    says(
        "Please book {party:count} of us into {restaurant} on {date:date}, [as early as you can|at the first free "
        "time], but not before {time:time}, and tell me the number of the reservation.",
        "at {restaurant} {date:date}, first slot from {time:time} on, {party:count} people. number?",
        "So, [we land in the afternoon|the concert ends early] and we are {party:count} hungry people: whatever "
        "{restaurant} has first on {date:date} once it is {time:time}, that is ours! What number do we get?",
        "Please reserve the earliest available sitting at {restaurant} on {date:date}, not before {time:time}, for "
        "{party:count} persons, and state the number of the reservation.",
        "{party:count} of us, {restaurant}, {date:date}, first free time from {time:time}, tell me the number.",
        "We are {party:count} and arrive {date:date}, please the first free hour in {restaurant} from {time:time} or "
        "after, and the number of reservation.",
    ),
    visit,
    _book_first,
    (
        IF_POINTS,
        IN_AREA,
        OTHER_PARTY,
        AS_MANY_AS,
        Twist(
            "another day for the visit",
            "change_of_mind",
            {
                "plain": "No, let us rather come on {date:date}.",
                "terse": "change: {date:date} instead.",
                "chatty": "Hm, thinking about it, that day is no good after all, so make it {date:date}, will you?",
                "formal": "On reflection, {date:date} is to be preferred.",
            },
            draw=another_day(3, 13),
        ),
    ),
)


def _draw_again(world: World, rng: Random) -> Facts:
    reservation = pick(rng, upcoming(world))
    restaurant = known(world, "restaurants", reservation["restaurant_id"])
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
    size = known(world, "reservations", facts["reservation"])["party_size"]
    return {"party": pick(rng, [each for each in range(2, 7) if each != size])}


BOOK_AGAIN = Program(
    "book_again",
    "Repeat a visit that is already reserved on another day, at the same house and time",
    says(
        "I would like to come once more on {date:date}, just as with {reservation}: same house, same time, same number "
        "of people. [The first one stays.|Both of them shall stand.] Please give me the new number.",
        "repeat {reservation} on {date:date}, keep the original too. new number?",
        "We look forward to {reservation} so much that we want the very same thing a second time, on {date:date}! Same "
        "hour, same crowd, and the first one stays of course. What is the second number?",
        "Please arrange a further reservation on {date:date} with the particulars of {reservation}, which remains in "
        "place, and inform me of its number.",
        "Need a second one exactly like {reservation}, but for {date:date}, new number please.",
        "Please one more time the same like {reservation}, on {date:date}, same hour and same persons, and say me "
        "the new number. First one I keep.",
    ),
    _draw_again,
    _book_again,
    (
        IN_AREA,
        STEP_FREE,
        Twist(
            "another number of people the second time",
            "change_of_mind",
            {
                "plain": "Actually, that second time there will be {party:count} of us.",
                "terse": "2nd visit: {party:count} people instead.",
                "chatty": "Except that not everybody can make it twice, so let us say {party:count} people for the "
                "second time.",
                "formal": "On the second occasion, however, the party will comprise {party:count} persons.",
            },
            draw=_other_party_again,
        ),
    ),
)


def _draw_in_country(world: World, rng: Random) -> Facts:
    facts, country = visit(world, rng), some_country(world, rng)
    houses = [row for row in world.rows("restaurants") if country.endswith(row["country"])]
    house = min(houses, key=lambda row: row["deposit_per_head"])
    return {
        "guest_id": facts["guest_id"],
        "country": country,
        "date": open_day(rng, house),
        "time": dinner_time(rng, house),
        "party": facts["party"],
    }


def _book_in_country(facts: Facts) -> Policy:
    found = yield do("search_restaurants", country=country_in(facts), feature=facts.get("feature"))
    houses = []
    for each in found:
        houses.append((yield do("get_restaurant", restaurant_id=each["restaurant_id"])))
    house = yield choose(houses, key=lambda house: house["deposit_per_head"])
    if house["deposit_per_head"] > facts.get("limit", float("inf")):
        deposit, shown = sum_of(house, "deposit_per_head")
        return told(f"I booked nothing: even {house['name']} takes {shown} a head.", deposit)
    return (yield from _book(facts, house["restaurant_id"], facts["time"], facts["party"]))


def _lowest_deposit(world: World, rng: Random, facts: Facts) -> Facts:
    houses = [row for row in world.rows("restaurants") if row["country"] == country_in(facts)]
    return {"limit": line_at(rng, min(row["deposit_per_head"] for row in houses))}


def some_feature(world: World, rng: Random, facts: Facts) -> Facts:
    """A feature that some house of the country offers."""
    houses = [row for row in world.rows("restaurants") if row["country"] == country_in(facts)]
    return {"feature": pick(rng, sorted({feature for house in houses for feature in house["features"]}))}


BOOK_IN_COUNTRY = Program(
    "book_in_country",
    "Reserve a table at whichever restaurant of a country asks for the lowest deposit",
    says(
        "Of your restaurants in {country}, book the one with the lowest deposit a head, on {date:date} at {time:time} "
        "for {party:count}. [I need the number.|What is the reservation's number?]",
        "in {country}: house w/ lowest deposit p.p., {date:date} {time:time}, {party:count} seats. number?",
        "We are touring {country} and watch our purse, so pick your house there that wants the smallest deposit per "
        "person, and get {party:count} of us in on {date:date} at {time:time}. And the number of it, for my notebook!",
        "Among your establishments in {country}, please select the one whose deposit per person is lowest and reserve "
        "for {party:count} on {date:date} at {time:time}, stating the number of the reservation.",
        "In {country}, smallest deposit per person, {party:count} people, {date:date} at {time:time}, book, number!",
        "I travel in {country} with group of {party:count}, please take your restaurant with the most small deposit "
        "for person, day {date:date}, hour {time:time}, and give me number.",
    ),
    _draw_in_country,
    _book_in_country,
    (
        IF_POINTS,
        STEP_FREE,
        Twist(
            "with a feature",
            "constraint",
            {
                "plain": "Only consider houses that offer this: {feature}.",
                "terse": "must have: {feature}.",
                "chatty": "And for us it is no evening out without one thing, namely {feature}, so only such houses.",
                "formal": "Only establishments offering the following are to be considered: {feature}.",
            },
            draw=some_feature,
        ),
        Twist(
            "only with a low deposit",
            "condition",
            {
                "plain": "If even that deposit is above {limit:money} a head, do not book and tell me how much it is.",
                "terse": "deposit > {limit:money} p.p.? then skip the table, tell me the figure.",
                "chatty": "Should they still want more than {limit:money} from each of us, then forget about the "
                "table, just let me know what they ask.",
                "formal": "Should the deposit exceed {limit:money} per person even so, please make no reservation and "
                "state it.",
            },
            draw=_lowest_deposit,
        ),
    ),
    "I do not know your houses there.",
)

PROGRAMS = (BOOK_AT, BOOK_FIRST, BOOK_AGAIN, BOOK_IN_COUNTRY)
