"""Programs that alter a journey already booked: exchange, upgrade, add to it."""

from random import Random

from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Twist, World, choose, do, pick
from toolscale.reference.railway.programs.common import (
    CARD,
    FLYING,
    OTHER_BOOKING,
    POINTS,
    TRAINSET,
    Record,
    Step,
    a_booking,
    a_budget,
    an_account,
    bookings_in,
    clock,
    closing,
    later_first,
    money,
    runs,
)


def _choose_train(facts: Facts, booking: Record, day: str) -> Step:
    """Trains between the booking's stations that have room for its party, other than its own."""
    found = yield do(
        "search_trains",
        origin=booking["origin"],
        destination=booking["destination"],
        travel_date=day,
        fare=booking["fare"],
        travel_class=booking["travel_class"],
    )
    by, after = facts.get("arrive_by"), facts.get("leave_after")
    return [
        train
        for train in found
        if train["seats_left"] >= booking["travellers"]
        and train["service_id"] != booking["service_id"]
        and (not by or train["arrival"] <= f"{day}T{by}")
        and (not after or clock(train["departure"]) >= after)
    ]


def _move(facts: Facts, train: Record) -> Policy:
    """Move the booking to the train, unless that costs more than the user accepts."""
    booking_id, service_id = facts["booking_id"], train["service_id"]
    if "max_price" in facts:
        quote = yield do("quote_exchange", booking_id=booking_id, new_service_id=service_id)
        if quote["total"] > facts["max_price"]:
            total = f"{quote['total']:.2f}"
            text = f"I left {booking_id} as it is: moving it to {service_id} would cost {total} EUR."
            return (yield from closing(facts, text, (total,), service_id))
    moved = yield do("exchange_booking", booking_id=booking_id, new_service_id=service_id)
    leaves, total = clock(moved["departure"]), f"{moved['total']:.2f}"
    text = f"{booking_id} is now on {service_id}, departure {leaves}; I charged {total} EUR."
    return (yield from closing(facts, text, money(moved["total"], leaves), service_id))


def _exchange_same_day(facts: Facts) -> Policy:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    trains = yield from _choose_train(facts, booking, booking["travel_date"])
    if facts.get("first_train"):
        train = yield choose(trains, key=lambda each: each["departure"])
    else:
        train = yield choose(trains, key=lambda each: later_first(each["departure"]))
    return (yield from _move(facts, train))


def _exchangeable(booking: Record, service: Record) -> bool:
    return "SAVER" not in booking["fare_id"]


EXCHANGE_BUDGET = Twist(
    "a limit on what the exchange costs",
    "condition",
    {
        "plain": "If the change costs more than {max_price:money} EUR, leave the booking as it is and tell me the "
        "cost.",
        "terse": "only if it costs max {max_price:money} EUR extra, else tell me the cost.",
        "chatty": "I will not pay more than {max_price:money} EUR for changing, so above that just leave it and name "
        "the price!",
        "formal": "Provided that the charge does not exceed {max_price:money} EUR; otherwise merely state it.",
    },
    draw=lambda world, rng, facts: {"max_price": rng.choice((6.00, 16.50, 24.00, 38.50, 55.00))},
)
NOT_BEFORE = Twist(
    "not before a time",
    "constraint",
    {
        "plain": "The new train must not leave before {leave_after}.",
        "terse": "new departure {leave_after} or later.",
        "chatty": "I have the dentist in the morning, so nothing that leaves before {leave_after}, alas!",
        "formal": "The new departure must be at {leave_after} or later.",
    },
    draw=lambda world, rng, facts: {"leave_after": rng.choice(("07:15", "08:20", "09:35", "10:10"))},
)
ARRIVED_BY = Twist(
    "arrival by a time",
    "constraint",
    {
        "plain": "The new train has to arrive by {arrive_by} on the day it leaves.",
        "terse": "must arrive by {arrive_by} same day.",
        "chatty": "The new one has to bring me there by {arrive_by} that same day or my mother will worry!",
        "formal": "Arrival on the same day by {arrive_by} is indispensable.",
    },
    draw=lambda world, rng, facts: {"arrive_by": rng.choice(("14:45", "16:35", "19:05", "21:25", "22:40"))},
)

EXCHANGE_SAME_DAY = Program(
    "exchange_same_day",
    "Move a booking to the last other train of the same day",
    {
        "plain": "Please move booking {booking_id} to the last other train of the same day that has room, and tell me "
        "its departure and what I pay.",
        "terse": "{booking_id}: last other train same day. new departure + cost?",
        "chatty": "My meeting got longer, as ever, so could you put {booking_id} on the last other train that day? Do "
        "tell me when it leaves and what I owe you!",
        "formal": "I request the exchange of booking {booking_id} for the last alternative service of the same day, "
        "with an indication of its departure and of the charge.",
        "hurried": "Running late! {booking_id} onto the last other train that day, when and how much?",
        "non_native": "Please change {booking_id} to the other train most late of the same day, and say me the hour "
        "and the price.",
    },
    lambda world, rng: a_booking(world, rng, suits=_exchangeable),
    _exchange_same_day,
    (
        Twist(
            "the first train instead",
            "change_of_mind",
            {
                "plain": "Sorry, I mean the first other train of that day, not the last.",
                "terse": "no: first train that day, not last.",
                "chatty": "Silly me, I got it the wrong way round, it should be the first other train that day!",
                "formal": "I must correct myself: the first alternative service of that day is meant.",
            },
            sets={"first_train": True},
        ),
        EXCHANGE_BUDGET,
        NOT_BEFORE,
        ARRIVED_BY,
        TRAINSET,
        OTHER_BOOKING,
    ),
)


def _exchange_to_date(facts: Facts) -> Policy:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    trains = yield from _choose_train(facts, booking, facts["date"])
    train = yield choose(trains, key=lambda each: each["departure"] if facts.get("first_train") else each["price"])
    return (yield from _move(facts, train))


def _draw_to_date(world: World, rng: Random) -> Facts:
    booking = pick(rng, bookings_in(world, "confirmed", _exchangeable))
    service = world.get("services", booking["service_id"]) or {}
    days = [f"2026-11-{day}" for day in range(24, 28) if f"2026-11-{day}" != service.get("travel_date")]
    return {
        "passenger_id": booking["passenger_id"],
        "booking_id": booking["booking_id"],
        "date": rng.choice(days),
    }


EXCHANGE_TO_DATE = Program(
    "exchange_to_date",
    "Move a booking to the cheapest train of another day",
    {
        "plain": "I need to travel on {date:date} instead. Please move booking {booking_id} to the train with the "
        "lowest ticket price that day and tell me its departure and what I pay.",
        "terse": "shift {booking_id} to {date:date}, lowest-priced train. departure + cost?",
        "chatty": "My plans have changed completely, so {booking_id} should be on {date:date} now, on the train with "
        "the lowest price please! When does it leave, and what will that cost me?",
        "formal": "Kindly transfer booking {booking_id} to the lowest-priced service of {date:date}, and let me know "
        "its departure and the charge.",
        "non_native": "I must travel other day: {date:date}. Move {booking_id} to train with lowest price there; at "
        "which hour it goes and how much I pay?",
    },
    _draw_to_date,
    _exchange_to_date,
    (
        Twist(
            "the first train of the day",
            "change_of_mind",
            {
                "plain": "Actually, price does not matter: take the first train of that day.",
                "terse": "forget price, first train of that day.",
                "chatty": "Ah, never mind the price after all, I had better take the very first train that day!",
                "formal": "On further consideration, irrespective of price, the first service of that day is "
                "preferred.",
            },
            sets={"first_train": True},
        ),
        EXCHANGE_BUDGET,
        NOT_BEFORE,
        ARRIVED_BY,
        FLYING,
    ),
)


def _upgrade(facts: Facts, booking: Record) -> Step:
    """Upgrade one booking unless it is too dear."""
    booking_id, price = booking["booking_id"], booking["upgrade_price"]
    if price is None:
        raise DeadEnd("no upgrade possible")
    more = f"{price:.2f}"
    if price > facts.get("max_price", price):
        return f"I did not upgrade {booking_id}: it would cost {more} EUR.", (more,)
    done = yield do("upgrade_booking", booking_id=booking_id, payment=facts.get("payment", "card"))
    total = f"{done['total']:.2f}"
    return f"{booking_id} is in first class for {more} EUR more, {total} EUR in all.", (more, total)


def _upgrade_given(facts: Facts) -> Policy:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    text, tell = yield from _upgrade(facts, booking)
    return (yield from closing(facts, text, tell, booking["service_id"]))


def _upgradable(booking: Record, service: Record) -> bool:
    return (
        booking["fare_id"] in ("FR-STANDARD-2", "FR-FLEX-2")
        and service["status"] != "cancelled"
        and service["seats_first"] >= booking["travellers"]
    )


BY_POINTS = Twist(
    "paid by points",
    "change_of_mind",
    {
        "plain": "Actually, take the price of the upgrade off my points instead of my card.",
        "terse": "upgrade with points, not card.",
        "chatty": "Now that I think about it, I have been hoarding points for years, so pay the upgrade with those "
        "rather than the card!",
        "formal": "I would rather the upgrade were settled with my points than with my card.",
        "hurried": "No, take points for it, not the card!",
    },
    sets={"payment": "points"},
)
UPGRADE_BUDGET = Twist(
    "a limit on the upgrade",
    "condition",
    {
        "plain": "Only if the upgrade is at most {max_price:money} EUR; otherwise just tell me the price.",
        "terse": "max {max_price:money} EUR for the upgrade, otherwise only tell me the price.",
        "chatty": "I can spare {max_price:money} EUR for such luxury and not a cent more, if it is dearer just tell "
        "me!",
        "formal": "The upgrade shall not cost more than {max_price:money} EUR; if it does, I only ask for the price.",
    },
    draw=a_budget,
)

UPGRADE = Program(
    "upgrade_booking",
    "Upgrade a booking to first class and learn the price",
    {
        "plain": "Please upgrade booking {booking_id} to first class, charge my card, and tell me the surcharge and "
        "the new total.",
        "terse": "{booking_id} to 1st class, by card. surcharge + new total?",
        "chatty": "It is our anniversary, so let us have {booking_id} in first class! Put it on my card and tell me "
        "the extra cost and the new total.",
        "formal": "I should like booking {booking_id} to be upgraded to first class at the expense of my card, and to "
        "learn the surcharge and the new total.",
        "hurried": "First class for {booking_id}, on the card, tell me extra and total!",
        "non_native": "I want better class for {booking_id}, the first one, pay from card; how much more and how much "
        "all together?",
    },
    lambda world, rng: a_booking(world, rng, suits=_upgradable),
    _upgrade_given,
    (BY_POINTS, UPGRADE_BUDGET, TRAINSET, OTHER_BOOKING, POINTS),
)


def _upgrade_longest(facts: Facts) -> Policy:
    listed = yield do("list_bookings", passenger_id=facts["passenger_id"])
    if len(listed) < 2:
        raise DeadEnd("nothing to compare")
    bookings = []
    for each in listed:
        bookings.append((yield do("get_booking", booking_id=each["booking_id"])))
    booking = yield choose(bookings, key=lambda each: -each["duration_minutes"])
    text, tell = yield from _upgrade(facts, booking)
    return (yield from closing(facts, text, (booking["booking_id"], tell[0]), booking["service_id"]))


UPGRADE_LONGEST = Program(
    "upgrade_longest",
    "Upgrade the longest of the upcoming journeys to first class",
    {
        "plain": "Of my upcoming trips, please upgrade the one with the longest travelling time to first class by "
        "card, and tell me its booking number and the surcharge.",
        "terse": "upgrade my longest upcoming ride (travel time) to 1st, card. number + surcharge?",
        "chatty": "My back is killing me, so whichever of my coming trips takes the longest should be in first class, "
        "on my card! Which booking is that and what does it cost extra?",
        "formal": "Please upgrade the most time-consuming of my forthcoming journeys to first class, charged to my "
        "card, and name the booking and the surcharge.",
        "non_native": "From my next trips, the one with most hours I want in first class with card payment; say me "
        "the booking and how much more.",
    },
    an_account,
    _upgrade_longest,
    (BY_POINTS, UPGRADE_BUDGET, CARD, FLYING),
    unknown="I do not know which booking that is.",
)


def _bicycles(facts: Facts) -> Policy:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    service = yield do("get_service", service_id=booking["service_id"])
    if facts["bicycles"] > service["bicycle_places_left"]:
        raise DeadEnd("no room for bicycles")
    done = yield do("add_bicycles", booking_id=facts["booking_id"], bicycles=facts["bicycles"])
    charged, total = f"{done['charged']:.2f}", f"{done['total']:.2f}"
    text = f"Done: {charged} EUR for the bicycles, so {facts['booking_id']} comes to {total} EUR in all."
    return (yield from closing(facts, text, (charged, total), booking["service_id"]))


def _takes_bicycles(booking: Record, service: Record) -> bool:
    return runs(booking, service) and service["bicycle_places_left"] > 0 and booking["bicycles"] == 0


def _draw_bicycles(world: World, rng: Random) -> Facts:
    booking = pick(rng, bookings_in(world, "confirmed", _takes_bicycles))
    return {
        "passenger_id": booking["passenger_id"],
        "booking_id": booking["booking_id"],
        "bicycles": rng.randint(1, booking["travellers"]),
    }


BICYCLES = Program(
    "add_bicycles",
    "Take bicycles along on a journey that is already booked",
    {
        "plain": "Please add {bicycles:int} bicycle place(s) to booking {booking_id} if the train has room, and tell "
        "me what they cost and the new total.",
        "terse": "{booking_id}: add {bicycles:int} bike(s). cost + new total?",
        "chatty": "We want to cycle along the river once we are there, so could {bicycles:int} bike(s) come along on "
        "{booking_id}? And what does that make it altogether?",
        "formal": "I request carriage of {bicycles:int} bicycle(s) under booking {booking_id}; please state the "
        "charge and the resulting total.",
        "non_native": "With the booking {booking_id} I take also {bicycles:int} bicycle(s), how much is and how much "
        "all together now?",
    },
    _draw_bicycles,
    _bicycles,
    (TRAINSET, OTHER_BOOKING, POINTS),
)


CHANGES = (
    EXCHANGE_SAME_DAY,
    EXCHANGE_TO_DATE,
    UPGRADE,
    UPGRADE_LONGEST,
    BICYCLES,
)
