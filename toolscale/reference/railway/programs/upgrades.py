"""Programs that make a booked journey more comfortable, or take bicycles along on it."""

from random import Random

from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Twist, World, choose, do, pick
from toolscale.reference.railway.programs.common import (
    FLYING,
    TRAINSET,
    Record,
    Step,
    a_booking,
    a_limit_by_booking,
    an_account,
    bookings_in,
    closing,
    runs,
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
        "plain": "Upgrade only if that costs at most {max_price:money} EUR; otherwise just tell me the price.",
        "terse": "max {max_price:money} EUR for the upgrade, otherwise only tell me the price.",
        "chatty": "I can spare {max_price:money} EUR for such luxury and not a cent more, if it is dearer just tell "
        "me!",
        "formal": "The upgrade shall not cost more than {max_price:money} EUR; if it does, I only ask for the price.",
    },
    draw=a_limit_by_booking(0.56),
)

UPGRADE = Program(
    "upgrade_booking",
    "Upgrade a booking to first class and learn the price",
    {
        "plain": "[Please upgrade|I would like to have] {booking_id} [to|in] first class, charged to my card. [Tell "
        "me the surcharge and the new total.|What is the surcharge, and what the new total?]",
        "terse": "{booking_id} to 1st class, by card. surcharge + new total?",
        "chatty": "It is our anniversary, so let us have {booking_id} in first class! Put it on my card and tell me "
        "the extra cost and the new total.",
        "formal": "I should like {booking_id} to be upgraded to first class at the expense of my card, and to learn "
        "the surcharge and the new total.",
        "hurried": "First class for {booking_id}, on the card, tell me extra and total!",
        "non_native": "I want better class for {booking_id}, the first one, pay from card; how much more and how much "
        "all together?",
    },
    lambda world, rng: a_booking(world, rng, suits=_upgradable),
    _upgrade_given,
    (BY_POINTS, UPGRADE_BUDGET, TRAINSET),
    again="booking_id",
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
        "plain": "Of my upcoming trips, [please upgrade|I would like to have] the one with the longest travelling "
        "time [to|in] first class, by card. Tell me its booking number and the surcharge.",
        "terse": "upgrade my longest upcoming ride (travel time) to 1st, card. number + surcharge?",
        "chatty": "My back is killing me, so whichever of my coming trips takes the longest should be in first class, "
        "on my card! Which booking is that and what does it cost extra?",
        "formal": "Please upgrade the most time-consuming of my forthcoming journeys to first class, charged to my "
        "card, and name the booking and the surcharge.",
        "hurried": "My longest upcoming trip by travel time, first class, my card! Number and surcharge?",
        "non_native": "From my next trips, the one with most hours I want in first class with card payment; say me "
        "the booking and how much more.",
    },
    an_account,
    _upgrade_longest,
    (BY_POINTS, UPGRADE_BUDGET, FLYING),
    unknown="I do not know which booking that is.",
)


def _bicycles(facts: Facts) -> Policy:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
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
        "plain": "[We want|I would like] to take {bicycles:count} of our bicycles along on {booking_id}, if the train "
        "has room. [Please add that and tell me|Add that, please, and let me know] what it costs and the new total.",
        "terse": "{booking_id}: {bicycles:count} of our bikes come along. add it. cost + new total?",
        "chatty": "We want to cycle along the river once we are there, so could {bicycles:count} of our bikes come "
        "along on {booking_id}? And what does that cost, and what does it make altogether?",
        "formal": "I request that {bicycles:count} of our bicycles be carried under {booking_id}; please state the "
        "charge and the resulting total.",
        "non_native": "With {booking_id} travel also {bicycles:count} of our bicycles, please add it; how much is and "
        "how much all together now?",
    },
    _draw_bicycles,
    _bicycles,
    (TRAINSET,),
    again="booking_id",
)

UPGRADES = (UPGRADE, UPGRADE_LONGEST, BICYCLES)
