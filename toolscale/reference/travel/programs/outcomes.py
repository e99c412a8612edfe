"""Figures that travellers want worked out, and steps that go on from what a request led to."""

from random import Random

from toolscale.reference.computed import Figure, computed
from toolscale.reference.program import OUTCOME, Facts, Reply, Solution, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)

REFUNDS = ("cancel_flight", "cancel_stay", "cancel_tour", "cancel_insurance", "withdraw_application")

FIGURES = (
    Figure(
        REFUNDS,
        "refund",
        "the refund",
        "the refunds",
        {"cancel_flight": (100.0, 200.0), "cancel_stay": (200.0, 400.0), "cancel_insurance": (30.0, 60.0)},
    ),
    Figure(
        ("upgrade_cabin",),
        "upgrade_price",
        "the price of the upgrade",
        "the prices of the upgrades",
        {"upgrade_cabin": (150.0, 350.0)},
    ),
    Figure(("buy_insurance",), "premium", "the premium", "the premiums", {"buy_insurance": (30.0, 60.0, 90.0)}),
    Figure(
        ("book_room",),
        "price_total",
        "the price of the stay",
        "the prices of the stays",
        {"book_room": (200.0, 400.0)},
        "book_",
    ),
    Figure(
        ("book_tour",),
        "price_total",
        "the price of the tour",
        "the prices of the tours",
        {"book_tour": (1500.0, 3000.0)},
        "book_",
    ),
    Figure(("apply_for_entry",), "fee", "the fee", "the fees", {"apply_for_entry": (30.0, 60.0)}),
)


def _fetch(facts: Facts) -> Solution:
    booking_id = facts[OUTCOME]["booking_id"]
    offered = yield do("list_transfers", booking_id=booking_id, direction="from_airport")
    cheapest = yield choose(offered, key=lambda each: each["price"])
    done = yield do("book_transfer", booking_id=booking_id, vehicle=cheapest["vehicle"], direction="from_airport")
    price = shown(done["price"])
    return Reply(f"A transfer is booked for {price} EUR.", (price,))


TRANSFER = WORDS.twist(
    "a transfer for the new flight",
    "dependent",
    suits=r"book_(?!return|way_back)",
    after=_fetch,
    takes=("book_flight",),
)


def _draw_tour(world: World, rng: Random, facts: Facts) -> Facts:
    reserved = [
        each["tour_booking_id"]
        for each in world.rows("tour_bookings")
        if each["status"] == "reserved" and each["traveller_id"] == facts["traveller_id"]
    ]
    return {"reserved_tour": pick(rng, reserved)}


def _pay_tour(facts: Facts) -> Solution:
    voucher = facts[OUTCOME]["voucher_id"]
    done = yield do("pay_tour_balance", tour_booking_id=facts["reserved_tour"], voucher_id=voucher)
    charged = shown(done["charged_to_card"])
    return Reply(f"{facts['reserved_tour']} is paid; {charged} EUR went to your card.", (charged,))


PAY_TOUR = WORDS.twist(
    "the new voucher pays a tour", "dependent", draw=_draw_tour, after=_pay_tour, takes=("redeem_points",)
)

OUTCOMES = (*computed(*FIGURES), TRANSFER, PAY_TOUR)
