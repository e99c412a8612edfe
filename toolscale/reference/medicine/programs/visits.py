"""Programs about appointments that are booked already: move, call off, ask."""

from datetime import timedelta
from random import Random

from toolscale.reference.medicine.programs.shared import (
    IN_PERSON_ONLY,
    TODAY,
    VIDEO_ONLY,
    another,
    another_day,
    clock,
    remark,
    says,
    twist,
    weekday,
)
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, Reply, World, choose, do, pick

REASONS = ("illness", "work", "travel", "no longer needed")


def _booked(world: World, rng: Random) -> Record:
    return pick(rng, [row for row in world.rows("appointments") if row["status"] == "booked"])


def _draw_move(world: World, rng: Random) -> Facts:
    appointment = _booked(world, rng)
    if appointment["start"][:10] <= (TODAY + timedelta(days=1)).isoformat() or appointment["moves"] >= 2:
        raise DeadEnd("it cannot be moved any more")
    return {
        "patient_id": appointment["patient_id"], "appointment_id": appointment["appointment_id"],
        "from_date": weekday(rng, 2, 9),
    }  # fmt: skip


def _moved(appointment_id: str, slot: Record) -> Policy:
    moved = yield do("reschedule_appointment", appointment_id=appointment_id, slot_id=slot["slot_id"])
    time = clock(moved["start"])
    return Reply(f"Your appointment is now on {moved['start'][:10]} at {time} ({moved['mode']}).", (time,))


def _move(facts: Facts) -> Policy:
    appointment = yield do("get_appointment", appointment_id=facts["appointment_id"])
    slots = yield do(
        "find_open_slots", practitioner_id=appointment["practitioner_id"], mode=facts.get("mode"),
        from_date=facts["from_date"],
    )  # fmt: skip
    slot = yield choose(slots, key=lambda each: each["start"])
    return (yield from _moved(facts["appointment_id"], slot))


def _draw_booked(world: World, rng: Random) -> Facts:
    return {"patient_id": _booked(world, rng)["patient_id"]}


def _come_sooner(facts: Facts) -> Policy:
    appointments = yield do("list_appointments", patient_id=facts["patient_id"], status="booked")
    following = yield choose(appointments, key=lambda each: each["start"])
    slots = yield do(
        "find_open_slots", practitioner_id=following["practitioner_id"], mode=facts.get("mode"),
        from_date=facts.get("from_date"),
    )  # fmt: skip
    slot = yield choose([each for each in slots if each["start"] < following["start"]], key=lambda each: each["start"])
    return (yield from _moved(following["appointment_id"], slot))


def _draw_cancel(world: World, rng: Random) -> Facts:
    appointment = _booked(world, rng)
    return {
        "patient_id": appointment["patient_id"], "appointment_id": appointment["appointment_id"],
        "reason": pick(rng, REASONS),
    }  # fmt: skip


def _cancel(facts: Facts) -> Policy:
    told, texts = [], []
    for appointment_id in filter(None, (facts["appointment_id"], facts.get("other_appointment_id"))):
        appointment = yield do("get_appointment", appointment_id=appointment_id)
        doctor, fee = appointment["practitioner"], f"{appointment['late_fee_now']:.2f}"
        charged = appointment["late_fee_now"] > 0 and facts["reason"] != "illness"
        if facts.get("only_if_free") and charged:
            texts.append(f"I left {appointment_id} with {doctor} as it is: cancelling would cost {fee} euros.")
            told += [doctor, fee]
            continue
        cancelled = yield do("cancel_appointment", appointment_id=appointment_id, reason=facts["reason"])
        cost = f"at a fee of {cancelled['late_fee']:.2f} euros" if cancelled["late_fee"] else "free of charge"
        told += [doctor, f"{cancelled['late_fee']:.2f}"] if cancelled["late_fee"] else [doctor]
        texts.append(f"{appointment_id} with {doctor} is cancelled {cost}.")
    return Reply(" ".join(texts), tuple(told))


def _draw_cancel_by_specialty(world: World, rng: Random) -> Facts:
    appointment = _booked(world, rng)
    doctor = world.get("practitioners", appointment["practitioner_id"])
    if doctor is None:
        raise DeadEnd("the doctor is out of sight")
    return {
        "patient_id": appointment["patient_id"], "specialty": doctor["specialty"], "reason": pick(rng, REASONS),
    }  # fmt: skip


def _cancel_by_specialty(facts: Facts) -> Policy:
    appointments = yield do("list_appointments", patient_id=facts["patient_id"], status="booked")
    chosen = yield choose(
        [each for each in appointments if each["specialty"] == facts["specialty"]], key=lambda each: each["start"]
    )
    return (yield from _cancel({**facts, "appointment_id": chosen["appointment_id"]}))


def _another_booked(world: World, rng: Random, facts: Facts) -> Facts:
    others = [
        row["appointment_id"]
        for row in world.rows("appointments")
        if row["status"] == "booked"
        and row["patient_id"] == facts["patient_id"]
        and row["appointment_id"] != facts["appointment_id"]
    ]
    return {"other_appointment_id": pick(rng, others)}


def _next_cost(facts: Facts) -> Policy:
    appointments = yield do("list_appointments", patient_id=facts["patient_id"], status="booked")
    following = yield choose(appointments, key=lambda each: each["start"])
    details = yield do("get_appointment", appointment_id=following["appointment_id"])
    share, time = f"{details['patient_share']:.2f}", clock(details["start"])
    told = [share, time]
    text = f"You see {details['practitioner']} on {details['start'][:10]} at {time} and pay {share} euros yourself."
    if facts.get("with_address"):
        text += f" The address is {details['address']}."
        told.append(details["address"])
    if facts.get("with_insurer_share"):
        paid = f"{details['insurer_share']:.2f}"
        text += f" Your insurer pays {paid} euros."
        told.append(paid)
    return Reply(text, tuple(told))


ONLY_IF_FREE = twist("only if free", "condition", says(
    "Cancel only if it costs nothing at all right now; if there would be a late fee, leave it and tell me the fee.",
    "only if there's no late fee now, else leave it and tell me the fee.",
    "But if you'd have to charge me for being late with this, then just leave it be and tell me how much it would "
    "have been.",
    "Should a late cancellation fee apply at present, please leave the appointment untouched and state that fee.",
), only_if_free=True)  # fmt: skip

ANOTHER_REASON = twist("another reason", "change_of_mind", says(
    "To be honest, put the reason down as {reason} instead.",
    "actually, reason: {reason}.",
    "Oh well, I might as well be honest with you, the reason is rather: {reason}.",
    "I have to correct the reason to be recorded: {reason}.",
), another("reason", REASONS))  # fmt: skip

VISITS = (
    Program(
        "move_appointment",
        "Put an appointment off to a later time with the same doctor",
        says(
            "[Please|I would like you to|Be so kind as to] move {appointment_id} to the first free time of the same "
            "doctor from {from_date:date} on.",
            "move {appointment_id}, same doctor, first slot from {from_date:date}.",
            "Something has come up with {appointment_id}, could the same doctor see me at the next opportunity, "
            "counting from {from_date:date}?",
            "[Kindly|Please|I ask you to] reschedule {appointment_id} to the same physician's earliest time on or "
            "after {from_date:date}.",
            "can't make {appointment_id}, shift it to the doc's first time from {from_date:date} on!",
            "Please to change {appointment_id}, same doctor, first free time after or on "
            "{from_date:date}.",
            confused="I am muddled about {appointment_id}, I cannot come then: could it be the first free time of the "
            "same doctor from {from_date:date} on?",
        ),
        _draw_move,
        _move,
        (
            VIDEO_ONLY,
            IN_PERSON_ONLY,
            twist("another day", "change_of_mind", says(
                "On second thoughts, start looking from {from_date:date} instead.",
                "no, from {from_date:date}.",
                "Hang on, I've just looked at the calendar in the kitchen: better start from {from_date:date}.",
                "I have to amend this: the first suitable day is {from_date:date}.",
            ), another_day("from_date")),
        ),
    ),
    Program(
        "come_sooner",
        "Have the next appointment brought forward as far as possible",
        says(
            "I would like to come sooner: please move my next appointment to the earliest free time of that doctor.",
            "bring my next appointment forward, earliest slot of that doctor.",
            "It's getting worse and I hate waiting, so could my next appointment be pulled forward to whatever that "
            "doctor has free first?",
            "I request that my next appointment be advanced to the earliest time the same physician has available.",
            "need my next appointment earlier, first time that doctor has!",
            "My next appointment is too far, please make it more early, first free time of the doctor.",
            confused="My next appointment is so far off, is there nothing earlier with that doctor? If there is, move "
            "me to the earliest there is.",
        ),
        _draw_booked,
        _come_sooner,
        (
            VIDEO_ONLY,
            IN_PERSON_ONLY,
            twist("but not before", "constraint", says(
                "It should not be before {from_date:date}, though.",
                "but not before {from_date:date}.",
                "Only, my car is at the garage until then, so {from_date:date} is the first day I can manage.",
                "The new time should, however, not fall before {from_date:date}.",
            ), another_day("from_date")),
        ),
        unknown="I do not have the number of the appointment.",
    ),
    Program(
        "cancel_appointment",
        "Call off an appointment and learn what that costs",
        says(
            "[Please|I would like you to|Be so kind as to] cancel {appointment_id} and tell me with whom it was. "
            "Reason: {reason}.",
            "cancel {appointment_id}, reason: {reason}. who was it with?",
            "I'm so sorry, but I won't make it to {appointment_id}, [could you|would you|can you] cancel it (for your "
            "records: {reason}) and remind me which doctor that was?",
            "I hereby cancel {appointment_id}, the reason being: {reason}. Please name the physician "
            "concerned.",
            "gotta cancel {appointment_id}, put down {reason}, and which doc was it?",
            "Please cancel {appointment_id} for me because: {reason}. And which doctor it was?",
            confused="I do not think I can come to {appointment_id}, so cancel it, and write down this: {reason}. And "
            "which doctor was that with?",
        ),
        _draw_cancel,
        _cancel,
        (
            ONLY_IF_FREE,
            ANOTHER_REASON,
            twist("another one too", "entities", says(
                "The same goes for {other_appointment_id}.",
                "{other_appointment_id} too.",
                "Come to think of it, {other_appointment_id} has to go as well.",
                "The same applies to {other_appointment_id}.",
            ), _another_booked),
        ),
    ),
    Program(
        "cancel_by_specialty",
        "Call off an appointment of which only the specialty is remembered",
        says(
            "[Please|I would like you to|Be so kind as to] cancel my next appointment in {specialty} and tell me which "
            "doctor that was. The reason is: {reason}.",
            "cancel next {specialty} appointment, reason {reason}, tell me the doctor.",
            "I've got something in {specialty} coming up that I can't go to, so do cancel it, with {reason} as the "
            "reason, and tell me who the doctor was?",
            "I wish to cancel my next consultation in {specialty} on account of the following: {reason}. Kindly "
            "name the physician.",
            "cancel my {specialty} thing, next one, {reason}, and who's the doc?",
            non_native="Please cancel my next appointment of {specialty}, the reason is {reason}, and say me which "
            "doctor it was.",
            confused="There is something in {specialty} in my calendar, the next one, please cancel it, because of "
            "{reason}, and which doctor would that have been?",
        ),
        _draw_cancel_by_specialty,
        _cancel_by_specialty,
        (
            ONLY_IF_FREE,
            ANOTHER_REASON,
            remark(
                "the parking",
                "By the way, the car park of the clinic is a disgrace.",
                "parking there is awful btw.",
                "And honestly, the last time I circled that car park of yours for half an hour.",
            ),
        ),
        unknown="I do not know the number or the date of the appointment.",
    ),
    Program(
        "cost_of_next_appointment",
        "Learn the time of the next appointment and what it costs after insurance",
        says(
            "At what time is my next appointment, and how much of it will I have to pay myself?",
            "next appointment: what time, and what do i pay myself?",
            "I've mislaid the letter again: what time am I due next, and what will be left for me to pay after the "
            "insurance?",
            "[Kindly|Please|I ask you to] inform me of the time of my next appointment and of the share that I shall "
            "have to bear.",
            "when's my next appointment and what's my part of the bill?",
            "Please what time is my next appointment and how much money is for me to pay?",
            confused="When do I have to be there next, I mean the time, and how much of it do I have to pay myself?",
        ),
        _draw_booked,
        _next_cost,
        (
            twist("the address", "lookup", says(
                "I also need the address of the clinic.",
                "address too.",
                "And where on earth was it again, street and all?",
                "Please also state the full address.",
            ), with_address=True),
            twist("the insurer's part", "lookup", says(
                "And how much does my insurer pay?",
                "and the insurer's part?",
                "Just out of curiosity, what does my insurance put in?",
                "[Please|Kindly] state the insurer's share as well.",
            ), with_insurer_share=True),
        ),
    ),
)  # fmt: skip
