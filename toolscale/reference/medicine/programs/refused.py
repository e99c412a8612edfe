"""Requests that the policy forbids: what proves it is looked up and told."""

from datetime import date, timedelta
from random import Random

from toolscale.reference.medicine.programs.shared import TODAY, says
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, Refusal, Reply, Steps, World, do, pick


def _draw_early_refill(world: World, rng: Random) -> Facts:
    early = [row for row in world.rows("prescriptions") if row["status"] == "active" and _too_soon(world, row)]
    prescription = pick(rng, early)
    return {"patient_id": prescription["patient_id"], "prescription_id": prescription["prescription_id"]}


def _too_soon(world: World, prescription: Record) -> bool:
    product = world.get("medications", prescription["medication_id"])
    if product is None:
        return False
    lasts = int(product["units_per_pack"] * prescription["packs_per_fill"] / prescription["units_per_day"])
    return date.fromisoformat(prescription["last_filled_on"]) + timedelta(days=lasts - 7) > TODAY


def _wait_for_refill(facts: Facts) -> Policy:
    prescription = yield do("get_prescription", prescription_id=facts["prescription_id"])
    first = prescription["next_fill_from"]
    if first <= TODAY.isoformat() or prescription["status"] != "active" or prescription["refills_left"] < 1:
        raise DeadEnd("it is not the date that stands against it")
    name = prescription["medication"]
    return Reply(f"{name} can be filled again from {first}; more than a week's supply should remain.", (name, first))


def _fill_all_the_same(facts: Facts) -> Steps:
    yield do("refill_prescription", prescription_id=facts["prescription_id"], collection="clinic pharmacy")


EARLY_REFILL = Program(
    "refuse_early_refill",
    "Ask for a refill before it is due",
    says(
        "[Please|I would like you to|Be so kind as to] fill {prescription_id} now, for collection at the clinic "
        "pharmacy[, as I am about to travel|, to be on the safe side|]. If that is too early, tell me which medicine "
        "it is and the first day on which I can have it.",
        "refill {prescription_id}, pharmacy pickup. if too early: name of the medicine + first possible date.",
        "I like to have a little reserve at home, so [could you|would you|can you] fill {prescription_id} again, I'd "
        "fetch it at the clinic pharmacy? And if it's too soon, do tell me from what day on, and which of my medicines "
        "that one is!",
        "I request the dispensing of {prescription_id} at the clinic pharmacy; should it not yet be due, "
        "kindly state the product and the earliest date.",
        "fill {prescription_id} today, pharmacy, or tell me which medicine it is and from when it works.",
        "Please give me again {prescription_id} in the pharmacy of the clinic; if is too early, how is "
        "it called and from which day?",
        confused="Is it time for {prescription_id} already? I would fetch it at the clinic pharmacy. If it is too "
        "early, then which medicine is that, and from which day may I have it?",
    ),
    _draw_early_refill,
    _wait_for_refill,
    again="prescription_id",
    refusal=Refusal("filled_when_due_and_allowed", _fill_all_the_same),
)


def _draw_late_move(world: World, rng: Random) -> Facts:
    near = (TODAY + timedelta(days=1)).isoformat()
    stuck = [
        row
        for row in world.rows("appointments")
        if row["status"] == "booked" and (row["moves"] >= 2 or row["start"][:10] <= near)
    ]
    appointment = pick(rng, stuck)
    return {"patient_id": appointment["patient_id"], "appointment_id": appointment["appointment_id"]}


def _cannot_move(facts: Facts) -> Policy:
    appointment = yield do("get_appointment", appointment_id=facts["appointment_id"])
    late = appointment["start"] < (TODAY + timedelta(days=1)).strftime("%Y-%m-%dT09:00")
    if appointment["status"] != "booked" or not (late or appointment["moves"] >= 2):
        raise DeadEnd("it can be moved")
    why = "it begins in less than 24 hours" if late else "it has been moved twice"
    address, share = appointment["address"], f"{appointment['patient_share']:.2f}"
    text = (
        f"I cannot move {facts['appointment_id']}: {why}. You are expected at {address}; your share is {share} euros."
    )
    return Reply(text, (address, share))


def _move_all_the_same(facts: Facts) -> Steps:
    appointment = yield do("get_appointment", appointment_id=facts["appointment_id"])
    slots = yield do("find_open_slots", practitioner_id=appointment["practitioner_id"])
    slot = slots[0]["slot_id"] if slots else appointment["slot_id"]
    yield do("reschedule_appointment", appointment_id=facts["appointment_id"], slot_id=slot)


LATE_MOVE = Program(
    "refuse_late_move",
    "Ask to move an appointment that cannot be moved any more",
    says(
        "[Please|I would like you to|Be so kind as to] move {appointment_id} to [any other free time of the same "
        "doctor|some later time with the same doctor]. If that is not possible any more, remind me of the address and "
        "of my own share of the fee.",
        "move {appointment_id} to another slot, same doctor. not possible? then address + what i pay myself.",
        "Something has come up, as always, so could {appointment_id} be put on any other time of the same doctor? And "
        "if you can't move it any more, where was it again, street and all, and how much of it do I pay?",
        "I ask for {appointment_id} to be rescheduled with the same physician; should this no longer be permitted, "
        "kindly confirm the address and the share that I shall have to bear.",
        "need {appointment_id} moved, same doctor, any time. if no: address and my share?",
        "I want to change {appointment_id} to other hour of the same doctor; if not possible say me the address and "
        "how much is my part.",
        "I do not think I can come to {appointment_id}, is there another time with that doctor? And if it cannot be "
        "moved now, what was the address, and how much will I have to pay?",
    ),
    _draw_late_move,
    _cannot_move,
    refusal=Refusal("moved_at_most_twice_and_in_time", _move_all_the_same),
)

REFUSED = (EARLY_REFILL, LATE_MOVE)
