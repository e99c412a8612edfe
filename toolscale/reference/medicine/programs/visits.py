"""Programs about appointments that are booked already: move, call off, ask."""

from datetime import timedelta
from random import Random

from toolscale.reference.kit import clock, known, one_of
from toolscale.reference.medicine.programs.shared import IN_PERSON_ONLY, TODAY, VIDEO_ONLY, another_day, weekday
from toolscale.reference.program import DeadEnd, Facts, Record, Reply, Solution, World, choose, do, pick
from toolscale.reference.words import words

WORDS = words(__file__)

REASONS = ("illness", "work", "travel", "no longer needed")


def _booked(world: World, rng: Random) -> Record:
    return pick(rng, [row for row in world.rows("appointments") if row["status"] == "booked"])


def _draw_move(world: World, rng: Random) -> Facts:
    appointment = _booked(world, rng)
    if appointment["start"][:10] <= (TODAY + timedelta(days=1)).isoformat() or appointment["moves"] >= 2:
        raise DeadEnd("it cannot be moved any more")
    return {
        "patient_id": appointment["patient_id"],
        "appointment_id": appointment["appointment_id"],
        "from_date": weekday(rng, 2, 9),
    }


def _moved(appointment_id: str, slot: Record) -> Solution:
    moved = yield do("reschedule_appointment", appointment_id=appointment_id, slot_id=slot["slot_id"])
    time = clock(moved["start"])
    return Reply(f"Your appointment is now on {moved['start'][:10]} at {time} ({moved['mode']}).", (time,))


def _move(facts: Facts) -> Solution:
    appointment = yield do("get_appointment", appointment_id=facts["appointment_id"])
    slots = yield do(
        "find_open_slots",
        practitioner_id=appointment["practitioner_id"],
        mode=facts.get("mode"),
        from_date=facts["from_date"],
    )
    slot = yield choose(slots, key=lambda each: each["start"])
    return (yield from _moved(facts["appointment_id"], slot))


def _draw_booked(world: World, rng: Random) -> Facts:
    return {"patient_id": _booked(world, rng)["patient_id"]}


def _come_sooner(facts: Facts) -> Solution:
    appointments = yield do("list_appointments", patient_id=facts["patient_id"], status="booked")
    following = yield choose(appointments, key=lambda each: each["start"])
    slots = yield do(
        "find_open_slots",
        practitioner_id=following["practitioner_id"],
        mode=facts.get("mode"),
        from_date=facts.get("from_date"),
    )
    slot = yield choose([each for each in slots if each["start"] < following["start"]], key=lambda each: each["start"])
    return (yield from _moved(following["appointment_id"], slot))


def _draw_cancel(world: World, rng: Random) -> Facts:
    appointment = _booked(world, rng)
    return {
        "patient_id": appointment["patient_id"],
        "appointment_id": appointment["appointment_id"],
        "reason": pick(rng, REASONS),
    }


def _cancel(facts: Facts) -> Solution:
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
    doctor = known(world, "practitioners", appointment["practitioner_id"])
    return {
        "patient_id": appointment["patient_id"],
        "specialty": doctor["specialty"],
        "reason": pick(rng, REASONS),
    }


def _cancel_by_specialty(facts: Facts) -> Solution:
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


def _next_cost(facts: Facts) -> Solution:
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


ONLY_IF_FREE = WORDS.twist("only if free", "condition", sets={"only_if_free": True})

ANOTHER_REASON = WORDS.twist("another reason", "change_of_mind", one_of("reason", *REASONS))

VISITS = (
    WORDS.program(
        "move_appointment",
        _draw_move,
        _move,
        (
            VIDEO_ONLY,
            IN_PERSON_ONLY,
            WORDS.twist("another day", "change_of_mind", another_day("from_date")),
        ),
    ),
    WORDS.program(
        "come_sooner",
        _draw_booked,
        _come_sooner,
        (
            VIDEO_ONLY,
            IN_PERSON_ONLY,
            WORDS.twist("but not before", "constraint", another_day("from_date")),
        ),
    ),
    WORDS.program(
        "cancel_appointment",
        _draw_cancel,
        _cancel,
        (
            ONLY_IF_FREE,
            ANOTHER_REASON,
            WORDS.twist("another one too", "entities", _another_booked),
        ),
    ),
    WORDS.program(
        "cancel_by_specialty",
        _draw_cancel_by_specialty,
        _cancel_by_specialty,
        (
            ONLY_IF_FREE,
            ANOTHER_REASON,
            WORDS.twist("the parking", "distractor"),
        ),
    ),
    WORDS.program(
        "cost_of_next_appointment",
        _draw_booked,
        _next_cost,
        (
            WORDS.twist("the address", "lookup", sets={"with_address": True}),
            WORDS.twist("the insurer's part", "lookup", sets={"with_insurer_share": True}),
        ),
    ),
)
