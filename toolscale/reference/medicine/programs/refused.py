"""Requests that the policy forbids: what proves it is looked up and told."""

from datetime import date, timedelta
from random import Random

from toolscale.reference.kit import just
from toolscale.reference.medicine.programs.shared import TODAY
from toolscale.reference.program import DeadEnd, Facts, Record, Refusal, Reply, Solution, Steps, World, do, pick
from toolscale.reference.words import words

WORDS = words(__file__)


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


def _wait_for_refill(facts: Facts) -> Solution:
    prescription = yield do("get_prescription", prescription_id=facts["prescription_id"])
    first = prescription["next_fill_from"]
    if first <= TODAY.isoformat() or prescription["status"] != "active" or prescription["refills_left"] < 1:
        raise DeadEnd("it is not the date that stands against it")
    name = prescription["medication"]
    return Reply(f"{name} can be filled again from {first}; more than a week's supply should remain.", (name, first))


EARLY_REFILL = WORDS.program(
    "refuse_early_refill",
    _draw_early_refill,
    _wait_for_refill,
    again="prescription_id",
    refusal=Refusal(
        "filled_when_due_and_allowed",
        just("refill_prescription", "prescription_id", where={"collection": "clinic pharmacy"}),
    ),
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


def _cannot_move(facts: Facts) -> Solution:
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


LATE_MOVE = WORDS.program(
    "refuse_late_move",
    _draw_late_move,
    _cannot_move,
    refusal=Refusal("moved_at_most_twice_and_in_time", _move_all_the_same),
)

REFUSED = (EARLY_REFILL, LATE_MOVE)
