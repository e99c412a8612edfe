"""Requests about visits and bills that the policy forbids: the patient hears why, and gets what is allowed."""

from datetime import timedelta
from random import Random

from toolscale.reference.medicine.programs.shared import TODAY, a_patient, clock, home_city, says, weekday
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Refusal, Reply, Steps, World, choose, do, pick

METHODS = ("card", "bank transfer", "direct debit")
BY_REFERRAL = ("cardiology", "endocrinology", "neurology", "orthopaedics")


def _draw_small(world: World, rng: Random) -> Facts:
    invoice = pick(
        rng, [row for row in world.rows("invoices") if row["status"] == "open" and 12 < row["patient_share"] < 50]
    )
    fewest = max(2, int(invoice["patient_share"] // 10) + 1)
    return {
        "patient_id": invoice["patient_id"], "invoice_id": invoice["invoice_id"],
        "instalments": rng.randint(fewest, 6), "method": pick(rng, METHODS),
    }  # fmt: skip


def _pay_at_once(facts: Facts) -> Policy:
    invoice = yield do("get_invoice", invoice_id=facts["invoice_id"])
    if invoice["status"] != "open" or invoice["patient_share"] / facts["instalments"] >= 10:
        raise DeadEnd("it can be split")
    yield do("pay_invoice", invoice_id=facts["invoice_id"], method=facts["method"])
    share = f"{invoice['patient_share']:.2f}"
    return Reply(f"An instalment would be below 10 euros, so I paid your share of {share} euros at once.", (share,))


def _split_anyway(facts: Facts) -> Steps:
    yield do("set_up_instalments", invoice_id=facts["invoice_id"], instalments=facts["instalments"])


SMALL_INSTALMENTS = Program(
    "refuse_small_instalments",
    "Ask for instalments that are too small",
    says(
        "Please split {invoice_id} into {instalments:int} monthly instalments. If they would be too small, pay it at "
        "once by {method} and tell me [how much that was|my share of it].",
        "split {invoice_id} into {instalments:int}. too small for that? pay it all by {method}, how much was it?",
        "[Christmas is coming|The car needs new tyres], so I would rather pay {invoice_id} in {instalments:int} little "
        "bits! If that makes them too little for you, pay the whole thing by {method}, and what did it come to?",
        "I request that {invoice_id} be divided into {instalments:int} monthly instalments. Should these fall below "
        "what you admit, settle it in full by {method} and state the sum.",
        non_native="I want to pay {invoice_id} in {instalments:int} parts, each month one. If the parts are too small "
        "for you, pay all by {method} and say me how much.",
        confused="Does one pay {invoice_id} in {instalments:int} instalments? I would like that. If it is too little "
        "for it, then all at once by {method}, I suppose, and how much was it?",
        hurried="i'll pay {invoice_id} in {instalments:int} instalments please! too little each? all of it by {method} "
        "then, what was it?",
    ),
    _draw_small,
    _pay_at_once,
    refusal=Refusal("instalments_of_ten_euros", _split_anyway),
)


def _draw_unreferred(world: World, rng: Random) -> Facts:
    patient = a_patient(world, rng)
    referred = {
        row["specialty"]
        for row in world.rows("referrals")
        if row["patient_id"] == patient["patient_id"] and row["status"] == "open"
    }
    return {
        "patient_id": patient["patient_id"], "city": home_city(world, patient), "from_date": weekday(rng, 1, 8),
        "specialty": pick(rng, [each for each in BY_REFERRAL if each not in referred]),
    }  # fmt: skip


def _get_a_referral_first(facts: Facts) -> Policy:
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


NO_REFERRAL = Program(
    "refuse_specialist_without_referral",
    "Ask for a specialist without a referral",
    says(
        "Please book me the first free time in {specialty} from {from_date:date} on. If I need a referral that I do "
        "not have, book the first free general practitioner in {city} from that day on instead; tell me the [doctor "
        "and the time|doctor's name and the time].",
        "need {specialty}, first slot from {from_date:date}. referral missing? then first gp in {city} from that day. "
        "doctor + time?",
        "[It runs in the family|My sister insists], so I want to be seen in {specialty}, the first time from "
        "{from_date:date} on! And if you say I need one of those referrals first, then make it the first GP in {city} "
        "from that day on, and who will it be, at what time?",
        "I request the earliest consultation in {specialty} on or after {from_date:date}; failing a valid referral on "
        "my file, kindly book the earliest general practitioner in {city} from the same date, stating name and time.",
        non_native="I want to go to {specialty}, first time from {from_date:date}. If I miss the paper of referral, "
        "book first a family doctor in {city} from this same day, and say the name and the hour.",
        confused="Am I meant to see somebody in {specialty}, the first one from {from_date:date} on? If I have no "
        "referral for that, then it must be the first GP in {city} from that day, I think, and who is it and when?",
        hurried="first time in {specialty} from {from_date:date}, go! no referral on file? then the first GP in {city} "
        "from that day, who and when?",
    ),
    _draw_unreferred,
    _get_a_referral_first,
    refusal=Refusal("specialists_need_a_referral", _book_the_specialist),
)  # fmt: skip


def _draw_second_visit(world: World, rng: Random) -> Facts:
    soon = (TODAY + timedelta(days=2)).isoformat()
    booked = [
        row
        for row in world.rows("appointments")
        if row["status"] == "booked" and row["start"] >= soon and row["moves"] < 2
    ]
    appointment = pick(rng, booked)
    return {
        "patient_id": appointment["patient_id"], "appointment_id": appointment["appointment_id"],
        "from_date": weekday(rng, 1, 9),
    }  # fmt: skip


def _move_the_first(facts: Facts) -> Policy:
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


SECOND_VISIT = Program(
    "refuse_second_appointment_with_doctor",
    "Ask for a second coming appointment with the same doctor",
    says(
        "I want to see the doctor of {appointment_id} a second time, at the first free time from {from_date:date} on. "
        "If I may only have one coming appointment, move the one I have there instead[, and tell me the day and the "
        "hour|; on what day and at what time is it then].",
        "2nd slot with the doctor of {appointment_id}, first free from {from_date:date}. only one allowed? move "
        "the one i have there. day + time?",
        "[I always forget half of my questions|Once is never enough], so apart from {appointment_id} I want another "
        "time with that same doctor, the first from {from_date:date} on! And if I cannot have two, then put the one I "
        "have there, and what day and time is that?",
        "In addition to {appointment_id}, I request the same physician's first free time on or after {from_date:date}. "
        "Should two be inadmissible, the existing one is to be moved to that time; kindly state day and hour.",
        non_native="I have {appointment_id} but I want one more with this doctor, first free time from "
        "{from_date:date}. If two is not possible, change the old one to this time, and say the day and hour.",
        confused="I have {appointment_id}, and should I not have a second one with that doctor, the first free from "
        "{from_date:date} on? If only one is allowed, move the one I have to that time, and when would that be?",
        hurried="besides {appointment_id} another one with that doc, first time from {from_date:date}! only one "
        "allowed? put the old one there, day and time?",
    ),
    _draw_second_visit,
    _move_the_first,
    refusal=Refusal("one_coming_appointment_a_doctor", _book_a_second),
)

REFUSED_AT_THE_DESK = (SMALL_INSTALMENTS, NO_REFERRAL, SECOND_VISIT)
