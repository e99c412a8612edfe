"""Figures that passengers want worked out, and steps that go on from what a request led to."""

from random import Random

from toolscale.reference.computed import Figure, computed
from toolscale.reference.program import OUTCOME, DeadEnd, Facts, Reply, Solution, World, choose, do, pick
from toolscale.reference.words import words

WORDS = words(__file__)

FIGURES = (
    Figure(("cancel_booking",), "refund", "the refund", "the refunds", {"cancel_booking": (30.0, 60.0, 100.0, 150.0)}),
    Figure(
        ("file_compensation_claim",),
        "amount",
        "the compensation",
        "the compensations",
        {"file_compensation_claim": (25.0, 40.0, 80.0)},
    ),
    Figure(
        ("upgrade_booking",),
        "upgrade_price",
        "the price of the upgrade",
        "the prices of the upgrades",
        {"upgrade_booking": (25.0, 60.0)},
    ),
    Figure(
        ("book_train",),
        "price_total",
        "the fare",
        "the fares",
        {"book_train": (60.0, 90.0, 140.0)},
        r"book_(?!with_bicycle)",
    ),
    Figure(
        ("pay_held_booking",),
        "price",
        "the price of the booking",
        "the prices of the bookings",
        {"pay_held_booking": (60.0, 90.0, 140.0)},
        "pay_",
    ),
    Figure(
        ("buy_rail_card",),
        "price",
        "the price of the card",
        "the prices of the cards",
        {"buy_rail_card": (20.0, 50.0)},
        "buy_rail",
    ),
)


def _draw_seat(world: World, rng: Random, facts: Facts) -> Facts:
    if facts.get("party", 1) != 1 or facts.get("travellers", 1) != 1:
        raise DeadEnd("one seat is not enough for all of them")
    return {"seat_position": rng.choice(("window", "aisle")), "seat_zone": rng.choice(("standard", "quiet", "family"))}


def _reserve(facts: Facts) -> Solution:
    booking_id = facts[OUTCOME]["booking_id"]
    free = yield do("find_free_seats", booking_id=booking_id, position=facts["seat_position"], zone=facts["seat_zone"])
    seat = yield choose(free, key=lambda each: (each["coach"], each["seat"]))
    done = yield do("reserve_seat", booking_id=booking_id, coach=seat["coach"], seat=seat["seat"])
    number = done["reservation_id"]
    return Reply(f"Reserved as {number}: coach {seat['coach']}, seat {seat['seat']}.", (number,))


SEAT = WORDS.twist(
    "a seat on the new booking",
    "dependent",
    draw=_draw_seat,
    suits=r"book_(?!with|there)",
    after=_reserve,
    takes=("book_train",),
)


def _draw_held(world: World, rng: Random, facts: Facts) -> Facts:
    held = [
        each["booking_id"]
        for each in world.rows("bookings")
        if each["status"] == "held" and each["passenger_id"] == facts["passenger_id"]
    ]
    return {"held_id": pick(rng, held)}


def _pay_held(facts: Facts) -> Solution:
    voucher = facts[OUTCOME]["voucher_id"]
    done = yield do("pay_held_booking", booking_id=facts["held_id"], method="card", voucher_id=voucher)
    rest = f"{done['paid_by_method']:.2f}"
    return Reply(f"{facts['held_id']} is paid; {rest} EUR went to your card.", (rest,))


PAY_HELD = WORDS.twist(
    "the new voucher pays a held booking", "dependent", draw=_draw_held, after=_pay_held, takes=("convert_points",)
)

OUTCOMES = (*computed(*FIGURES), SEAT, PAY_HELD)
