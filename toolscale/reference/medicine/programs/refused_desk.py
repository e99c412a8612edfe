"""Requests about visits and bills that the policy forbids: the patient hears why, and gets what is allowed."""

from datetime import timedelta
from random import Random

from toolscale.reference.kit import clock, just
from toolscale.reference.medicine.programs.shared import TODAY, a_patient, home_city, weekday
from toolscale.reference.program import DeadEnd, Facts, Refusal, Reply, Solution, Steps, World, choose, do, pick
from toolscale.reference.words import words

WORDS = words(__file__)

METHODS = ("card", "bank transfer", "direct debit")
BY_REFERRAL = ("cardiology", "endocrinology", "neurology", "orthopaedics")


def _draw_small(world: World, rng: Random) -> Facts:
    invoice = pick(
        rng, [row for row in world.rows("invoices") if row["status"] == "open" and 12 < row["patient_share"] < 50]
    )
    fewest = max(2, int(invoice["patient_share"] // 10) + 1)
    return {
        "patient_id": invoice["patient_id"],
        "invoice_id": invoice["invoice_id"],
        "instalments": rng.randint(fewest, 6),
        "method": pick(rng, METHODS),
    }


def _pay_at_once(facts: Facts) -> Solution:
    invoice = yield do("get_invoice", invoice_id=facts["invoice_id"])
    if invoice["status"] != "open" or invoice["patient_share"] / facts["instalments"] >= 10:
        raise DeadEnd("it can be split")
    yield do("pay_invoice", invoice_id=facts["invoice_id"], method=facts["method"])
    share = f"{invoice['patient_share']:.2f}"
    return Reply(f"An instalment would be below 10 euros, so I paid your share of {share} euros at once.", (share,))


SMALL_INSTALMENTS = WORDS.program(
    "refuse_small_instalments",
    _draw_small,
    _pay_at_once,
    refusal=Refusal("instalments_of_ten_euros", just("set_up_instalments", "invoice_id", "instalments")),
)


def _draw_unreferred(world: World, rng: Random) -> Facts:
    patient = a_patient(world, rng)
    referred = {
        row["specialty"]
        for row in world.rows("referrals")
        if row["patient_id"] == patient["patient_id"] and row["status"] == "open"
    }
    return {
        "patient_id": patient["patient_id"],
        "city": home_city(world, patient),
        "from_date": weekday(rng, 1, 8),
        "specialty": pick(rng, [each for each in BY_REFERRAL if each not in referred]),
    }


def _get_a_referral_first(facts: Facts) -> Solution:
    referrals = yield do("list_referrals", patient_id=facts["patient_id"], status="open")
    visits = yield do("list_appointments", patient_id=facts["patient_id"], status="completed")
    if facts["specialty"] in [each["specialty"] for each in (*referrals, *visits)]:
        raise DeadEnd("there is a referral, or it would be a follow-up")
    slots = yield do("find_open_slots", specialty="general practice", city=facts["city"], from_date=facts["from_date"])
    slot = yield choose(slots, key=lambda each: each["start"])
    booked = yield do("book_appointment", patient_id=facts["patient_id"], slot_id=slot["slot_id"])
    doctor, time = booked["practitioner"], clock(booked["start"])
    text = f"You need a referral first. {doctor}, a general practitioner, sees you on {booked['start'][:10]} at {time}."
    return Reply(text, (doctor, time))


def _book_the_specialist(facts: Facts) -> Steps:
    slots = yield do("find_open_slots", specialty=facts["specialty"])
    slot = yield choose(slots, key=lambda each: each["slot_id"])
    yield do("book_appointment", patient_id=facts["patient_id"], slot_id=slot["slot_id"])


NO_REFERRAL = WORDS.program(
    "refuse_specialist_without_referral",
    _draw_unreferred,
    _get_a_referral_first,
    refusal=Refusal("specialists_need_a_referral", _book_the_specialist),
)


def _draw_second_visit(world: World, rng: Random) -> Facts:
    soon = (TODAY + timedelta(days=2)).isoformat()
    booked = [
        row
        for row in world.rows("appointments")
        if row["status"] == "booked" and row["start"] >= soon and row["moves"] < 2
    ]
    appointment = pick(rng, booked)
    return {
        "patient_id": appointment["patient_id"],
        "appointment_id": appointment["appointment_id"],
        "from_date": weekday(rng, 1, 9),
    }


def _move_the_first(facts: Facts) -> Solution:
    appointment = yield do("get_appointment", appointment_id=facts["appointment_id"])
    slots = yield do("find_open_slots", practitioner_id=appointment["practitioner_id"], from_date=facts["from_date"])
    slot = yield choose(slots, key=lambda each: each["start"])
    moved = yield do("reschedule_appointment", appointment_id=facts["appointment_id"], slot_id=slot["slot_id"])
    day, time = moved["start"][:10], clock(moved["start"])
    text = f"Only one coming appointment with a doctor is possible, so I moved yours to {day} at {time}."
    return Reply(text, (day, time))


def _book_a_second(facts: Facts) -> Steps:
    appointment = yield do("get_appointment", appointment_id=facts["appointment_id"])
    slots = yield do("find_open_slots", practitioner_id=appointment["practitioner_id"], from_date=facts["from_date"])
    slot = yield choose(slots, key=lambda each: each["start"])
    yield do("book_appointment", patient_id=facts["patient_id"], slot_id=slot["slot_id"])


SECOND_VISIT = WORDS.program(
    "refuse_second_appointment_with_doctor",
    _draw_second_visit,
    _move_the_first,
    refusal=Refusal("one_coming_appointment_a_doctor", _book_a_second),
)

REFUSED_AT_THE_DESK = (SMALL_INSTALMENTS, NO_REFERRAL, SECOND_VISIT)
