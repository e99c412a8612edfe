"""Programs that make a booked journey more comfortable, or take bicycles along on it."""

from random import Random

from toolscale.reference.kit import must
from toolscale.reference.program import DeadEnd, Facts, Solution, World, choose, do, pick
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
from toolscale.reference.words import words

WORDS = words(__file__)


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


def _upgrade_given(facts: Facts) -> Solution:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    text, tell = yield from _upgrade(facts, booking)
    return (yield from closing(facts, text, tell, booking["service_id"]))


def _upgradable(booking: Record, service: Record) -> bool:
    return (
        booking["fare_id"] in ("FR-STANDARD-2", "FR-FLEX-2")
        and service["status"] != "cancelled"
        and service["seats_first"] >= booking["travellers"]
    )


BY_POINTS = WORDS.twist("paid by points", "change_of_mind", sets={"payment": "points"})
UPGRADE_BUDGET = WORDS.twist("a limit on the upgrade", "condition", draw=a_limit_by_booking(0.56))

UPGRADE = WORDS.program(
    "upgrade_booking",
    lambda world, rng: a_booking(world, rng, suits=_upgradable),
    _upgrade_given,
    (BY_POINTS, UPGRADE_BUDGET, TRAINSET),
    again="booking_id",
)


def _upgrade_longest(facts: Facts) -> Solution:
    listed = yield do("list_bookings", passenger_id=facts["passenger_id"])
    must(len(listed) >= 2, "nothing to compare")
    bookings = []
    for each in listed:
        bookings.append((yield do("get_booking", booking_id=each["booking_id"])))
    booking = yield choose(bookings, key=lambda each: -each["duration_minutes"])
    text, tell = yield from _upgrade(facts, booking)
    return (yield from closing(facts, text, (booking["booking_id"], tell[0]), booking["service_id"]))


UPGRADE_LONGEST = WORDS.program("upgrade_longest", an_account, _upgrade_longest, (BY_POINTS, UPGRADE_BUDGET, FLYING))


def _bicycles(facts: Facts) -> Solution:
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


BICYCLES = WORDS.program("add_bicycles", _draw_bicycles, _bicycles, (TRAINSET,), again="booking_id")

UPGRADES = (UPGRADE, UPGRADE_LONGEST, BICYCLES)
