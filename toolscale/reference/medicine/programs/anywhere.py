"""What can be added to any request of a patient's, and how patients name what they have no number of."""

from random import Random

from toolscale.reference.kit import clock, known, listed, must
from toolscale.reference.program import Facts, Reply, Solution, Steps, World, choose, do, pick
from toolscale.reference.words import words

WORDS = words(__file__)


def _tell_due(facts: Facts) -> Solution:
    invoices = yield do("list_invoices", patient_id=facts["patient_id"], status="open")
    must(invoices, "nothing is open")
    first = yield choose(invoices, key=lambda each: each["due_on"])
    invoice = yield do("get_invoice", invoice_id=first["invoice_id"])
    share = f"{invoice['patient_share']:.2f}"
    return Reply(f"Your next invoice is {first['invoice_id']}, {share} euros.", (first["invoice_id"], share))


NEXT_INVOICE = WORDS.twist("next invoice", "lookup", after=_tell_due)


def _has_no_debts(facts: Facts) -> Steps:
    invoices = yield do("list_invoices", patient_id=facts["patient_id"], status="open")
    if len(invoices) <= facts["most_open"]:
        return None
    must(invoices, "nothing to name")
    oldest = yield choose(invoices, key=lambda each: each["due_on"])
    invoice = yield do("get_invoice", invoice_id=oldest["invoice_id"])
    share = f"{invoice['patient_share']:.2f}"
    text = f"I left that: {len(invoices)} invoices are open, the first due is {oldest['invoice_id']}, {share} euros."
    return Reply(text, (oldest["invoice_id"], share))


IF_PAID = WORDS.twist(
    "only without debts",
    "condition",
    draw=lambda world, rng, facts: {"most_open": rng.choice((2, 2, 3))},
    suits=r"see_|use_|earliest|cheapest|follow|refill|buy_|order_|repeat|book_|switch|call_|split_",
    before=_has_no_debts,
)


def _tell_visit(facts: Facts) -> Solution:
    booked = yield do("list_appointments", patient_id=facts["patient_id"], status="booked")
    following = yield choose(booked, key=lambda each: each["start"])
    visit = yield do("get_appointment", appointment_id=following["appointment_id"])
    time = clock(visit["start"])
    text = f"After that, your next appointment is on {visit['start'][:10]} at {time}, {visit['address']}."
    return Reply(text, (time, visit["address"]))


NEXT_VISIT = WORDS.twist("next appointment", "lookup", after=_tell_visit)


def _draw_untouched(world: World, rng: Random, facts: Facts) -> Facts:
    paid = [row for row in world.rows("invoices") if row["status"] == "paid"]
    collected = [row for row in world.rows("orders") if row["status"] == "collected"]
    over = [(row["patient_id"], row.get("invoice_id") or row["order_id"]) for row in (*paid, *collected)]
    return {"untouched": pick(rng, [key for patient_id, key in over if patient_id == facts["patient_id"]])}


UNTOUCHED = WORDS.twist("what is settled already", "distractor", draw=_draw_untouched)


def _draw_visit(world: World, rng: Random, facts: Facts) -> Facts:
    appointment = known(world, "appointments", facts["appointment_id"])
    must(appointment["status"] == "booked", "no coming appointment")
    return {"visit_date": appointment["start"][:10], "visit_time": clock(appointment["start"])}


def _find_visit(facts: Facts) -> Steps:
    booked = yield do("list_appointments", patient_id=facts["patient_id"], status="booked")
    wanted = f"{facts['visit_date']}T{facts['visit_time']}"
    visit = yield choose([each for each in booked if each["start"] == wanted], key=lambda each: each["start"])
    return visit["appointment_id"]


VISIT = WORDS.description("appointment_id", _draw_visit, _find_visit)


def _draw_medicine(world: World, rng: Random, facts: Facts) -> Facts:
    prescription = known(world, "prescriptions", facts["prescription_id"])
    return {"own_ingredient": known(world, "medications", prescription["medication_id"])["ingredient"]}


MEDICINE = WORDS.description(
    "prescription_id",
    _draw_medicine,
    listed("list_prescriptions", "prescription_id", "patient_id", ingredient="own_ingredient"),
)


def _draw_bill(world: World, rng: Random, facts: Facts) -> Facts:
    invoice = known(world, "invoices", facts["invoice_id"])
    return {"bill_kind": invoice["kind"], "billed_on": invoice["issued_on"], "billed": invoice["amount"]}


BILL = WORDS.description(
    "invoice_id",
    _draw_bill,
    listed(
        "list_invoices",
        "invoice_id",
        "patient_id",
        where={"status": "open"},
        kind="bill_kind",
        issued_on="billed_on",
        amount="billed",
    ),
)

TWISTS = (NEXT_INVOICE, NEXT_VISIT, IF_PAID, UNTOUCHED)
DESCRIPTIONS = (VISIT, MEDICINE, BILL)
