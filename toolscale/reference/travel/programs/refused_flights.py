"""Requests about flights that the agency's policy forbids: what proves it is looked up and told."""

from toolscale.reference.kit import clock, just
from toolscale.reference.moments import NOW, day
from toolscale.reference.program import DeadEnd, Facts, Refusal, Reply, Solution, Steps, do
from toolscale.reference.sums import shown
from toolscale.reference.travel.programs.common import Record, a_flight_booking, runs
from toolscale.reference.words import words

WORDS = words(__file__)


def _light(booking: Record, flight: Record) -> bool:
    return booking["fare_id"] == "FR-LIGHT" and runs(booking, flight)


def _no_refund(facts: Facts) -> Solution:
    booking = yield do("get_flight_booking", booking_id=facts["booking_id"])
    if booking["refund_now"] or booking["fare"] != "light":
        raise DeadEnd("it is refundable")
    paid, leaves = shown(booking["price_total"]), clock(booking["departure"])
    text = f"A light fare is not refunded: the {paid} EUR are spent. The booking stands, you leave at {leaves}."
    return Reply(text, (paid, leaves))


def _cancel_all_the_same(facts: Facts) -> Steps:
    yield do("cancel_flight", booking_id=facts["booking_id"], refund_to="card")


REFUND_LIGHT = WORDS.program(
    "refuse_refund_of_light_fare",
    a_flight_booking(suits=_light),
    _no_refund,
    again="booking_id",
    refusal=Refusal("light_fares_stay_as_they_are", _cancel_all_the_same),
)


def _room_for_a_bag(booking: Record, flight: Record) -> bool:
    return _light(booking, flight) and booking["cabin"] == "economy" and not booking["extra_bags"]


def _no_upgrade(facts: Facts) -> Solution:
    booking = yield do("get_flight_booking", booking_id=facts["booking_id"])
    if booking["fare"] != "light" or booking["cabin"] != "economy":
        raise DeadEnd("it is no light fare in economy")
    done = yield do("add_bags", booking_id=facts["booking_id"], bags=facts["bags"])
    lands, charged = clock(booking["arrival"]), shown(done["charged"])
    text = f"Light fares cannot be upgraded. I added the bag for {charged} EUR; you land at {lands} as booked."
    return Reply(text, (lands, charged))


UPGRADE_LIGHT = WORDS.program(
    "refuse_upgrade_of_light_fare",
    a_flight_booking(suits=_room_for_a_bag, bags=(1,)),
    _no_upgrade,
    refusal=Refusal("light_fares_stay_as_they_are", just("upgrade_cabin", "booking_id", where={"payment": "card"})),
)


def _no_late_cancelling(facts: Facts) -> Solution:
    booking = yield do("get_flight_booking", booking_id=facts["booking_id"])
    if booking["refund_now"] or booking["fare"] == "light":
        raise DeadEnd("it is refundable, or never was")
    each = booking["change_fee_each"]
    paid, leaves = shown(booking["price_total"]), clock(booking["departure"])
    text = f"{booking['refund_rule']}, so nothing comes back of the {paid} EUR; it leaves at {leaves} and stays booked."
    return Reply(f"{text} A change costs {shown(each)} EUR each.", (paid, leaves))


def _soon(booking: Record, flight: Record) -> bool:
    hours = {"FR-CLASSIC": 3, "FR-FLEX": 1}.get(booking["fare_id"], 0)
    return runs(booking, flight) and flight["departure"] < f"{day(hours)}T{NOW[11:]}"


LATE_CANCELLING = WORDS.program(
    "refuse_refund_too_late",
    a_flight_booking(suits=_soon),
    _no_late_cancelling,
    refusal=Refusal("flights_are_refunded_by_fare", _cancel_all_the_same),
)


def _no_compensation(facts: Facts) -> Solution:
    found = yield do("check_compensation", booking_id=facts["booking_id"])
    if found["due"] or "before" in found["reason"] or "close" in found["reason"]:
        raise DeadEnd("it is due, or was claimed")
    late = f"{found['delay_minutes']} minutes"
    cause = (found["cause"] or "").replace("_", " ")
    return Reply(f"Nothing is due: it was {late} late ({cause}), and {found['reason']}.", (late, cause))


NO_COMPENSATION = WORDS.program(
    "refuse_compensation",
    a_flight_booking("flown", lambda booking, flight: bool(flight["delay_minutes"])),
    _no_compensation,
    refusal=Refusal(
        "compensation_as_laid_down", just("claim_compensation", "booking_id", where={"payout": "bank_transfer"})
    ),
)


REFUSED_FLIGHTS = (REFUND_LIGHT, UPGRADE_LIGHT, LATE_CANCELLING, NO_COMPENSATION)
