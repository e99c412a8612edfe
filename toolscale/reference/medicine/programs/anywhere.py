"""What can be added to any request of a patient's, and how patients name what they have no number of."""

from random import Random

from toolscale.reference.medicine.programs.shared import clock, known, says
from toolscale.reference.program import (
    DeadEnd,
    Description,
    Facts,
    Policy,
    Reply,
    Steps,
    Twist,
    World,
    choose,
    do,
    pick,
)


def _tell_due(facts: Facts) -> Policy:
    invoices = yield do("list_invoices", patient_id=facts["patient_id"], status="open")
    if not invoices:
        raise DeadEnd("nothing is open")
    first = yield choose(invoices, key=lambda each: each["due_on"])
    invoice = yield do("get_invoice", invoice_id=first["invoice_id"])
    share = f"{invoice['patient_share']:.2f}"
    return Reply(f"Your next invoice is {first['invoice_id']}, {share} euros.", (first["invoice_id"], share))


NEXT_INVOICE = Twist(
    "next invoice",
    "lookup",
    says(
        "Last of all, tell me which of my invoices still open is due first, and my share of it.",
        "finally: which open invoice is due first, my share?",
        "And before I forget my bills again, which open one is due first and how much of it is mine?",
        "Lastly, [kindly|please|I ask you to] name the open invoice that then falls due first, and my share of it.",
        non_native="At the end, which open invoice I must pay first and how much is my part.",
    ),
    after=_tell_due,
)


def _has_no_debts(facts: Facts) -> Steps:
    invoices = yield do("list_invoices", patient_id=facts["patient_id"], status="open")
    if len(invoices) <= facts["most_open"]:
        return None
    if not invoices:
        raise DeadEnd("nothing to name")
    oldest = yield choose(invoices, key=lambda each: each["due_on"])
    invoice = yield do("get_invoice", invoice_id=oldest["invoice_id"])
    share = f"{invoice['patient_share']:.2f}"
    text = f"I left that: {len(invoices)} invoices are open, the first due is {oldest['invoice_id']}, {share} euros."
    return Reply(text, (oldest["invoice_id"], share))


IF_PAID = Twist(
    "only without debts",
    "condition",
    says(
        "I want this one only if no more than {most_open:count} of my invoices are still open; otherwise skip it "
        "and tell me the number of the invoice that is due first, and my share.",
        "this one only if max {most_open:count} open invoices, else skip it, just number + my share of the invoice due "
        "first.",
        "Only, I've sworn to pay my bills first, so if more than {most_open:count} of them are open, leave this "
        "one and tell me which bill is due first, with my share!",
        "The matter just described is subject to no more than {most_open:count} of my invoices being open; otherwise "
        "disregard it, and state the invoice that falls due first with my share.",
    ),
    draw=lambda world, rng, facts: {"most_open": rng.choice((2, 2, 3))},
    suits=r"see_|use_|earliest|cheapest|follow|refill|buy_|order_|repeat|book_|switch|call_|split_",
    before=_has_no_debts,
)


def _tell_visit(facts: Facts) -> Policy:
    booked = yield do("list_appointments", patient_id=facts["patient_id"], status="booked")
    following = yield choose(booked, key=lambda each: each["start"])
    visit = yield do("get_appointment", appointment_id=following["appointment_id"])
    time = clock(visit["start"])
    text = f"After that, your next appointment is on {visit['start'][:10]} at {time}, {visit['address']}."
    return Reply(text, (time, visit["address"]))


NEXT_VISIT = Twist(
    "next appointment",
    "lookup",
    says(
        "[In the end|Last of all], tell me the time and the address of my next appointment.",
        "finally: time + address of my next appointment.",
        "And to finish with, at what time is my next appointment, and where, street and all?",
        "Lastly, please state the time and the address of my next appointment as things then stand.",
        non_native="And at the end, my next appointment, what hour and which address?",
        confused="And in the end, what is my next appointment, I mean the time and the address?",
    ),
    after=_tell_visit,
)


def _draw_untouched(world: World, rng: Random, facts: Facts) -> Facts:
    paid = [row for row in world.rows("invoices") if row["status"] == "paid"]
    collected = [row for row in world.rows("orders") if row["status"] == "collected"]
    over = [(row["patient_id"], row.get("invoice_id") or row["order_id"]) for row in (*paid, *collected)]
    return {"untouched": pick(rng, [key for patient_id, key in over if patient_id == facts["patient_id"]])}


UNTOUCHED = Twist(
    "what is settled already",
    "distractor",
    says(
        "[You will also see|There is also] {untouched} in my file; that is settled and not what this is about.",
        "ignore {untouched}, that's settled.",
        "You'll find {untouched} under my name as well, but I saw to that long ago, so never mind it!",
        "Reference {untouched}, likewise on my file, has been settled and is of no concern here.",
        non_native="In my file is also {untouched}, this is finished, not for today.",
        confused="I have a note here that says {untouched}, but I believe that is over and done with.",
    ),
    draw=_draw_untouched,
)


def _draw_visit(world: World, rng: Random, facts: Facts) -> Facts:
    appointment = known(world, "appointments", facts["appointment_id"])
    if appointment["status"] != "booked":
        raise DeadEnd("no coming appointment")
    return {"visit_date": appointment["start"][:10], "visit_time": clock(appointment["start"])}


def _find_visit(facts: Facts) -> Steps:
    booked = yield do("list_appointments", patient_id=facts["patient_id"], status="booked")
    wanted = f"{facts['visit_date']}T{facts['visit_time']}"
    visit = yield choose([each for each in booked if each["start"] == wanted], key=lambda each: each["start"])
    return visit["appointment_id"]


VISIT = Description(
    "appointment_id",
    says(
        "my appointment on {visit_date:date} at {visit_time:time}",
        "my appointment {visit_date:date} {visit_time:time}",
        "that appointment of mine on {visit_date:date} at {visit_time:time}",
        "my consultation on {visit_date:date} at {visit_time:time}",
    ),
    _draw_visit,
    _find_visit,
    "[I do not have the appointment's number.|I did not write the appointment's number down.]",
)


def _draw_medicine(world: World, rng: Random, facts: Facts) -> Facts:
    prescription = known(world, "prescriptions", facts["prescription_id"])
    return {"own_ingredient": known(world, "medications", prescription["medication_id"])["ingredient"]}


def _find_medicine(facts: Facts) -> Steps:
    listed = yield do("list_prescriptions", patient_id=facts["patient_id"])
    own = [each for each in listed if each["ingredient"] == facts["own_ingredient"]]
    found = yield choose(own, key=lambda each: each["ingredient"])
    return found["prescription_id"]


MEDICINE = Description(
    "prescription_id",
    says(
        "my prescription of {own_ingredient}",
        "my {own_ingredient} prescription",
        "that prescription of mine for {own_ingredient}",
        "the prescription of {own_ingredient} in my name",
        non_native="my paper for {own_ingredient}",
    ),
    _draw_medicine,
    _find_medicine,
    "[I do not have the prescription's number.|The number on the prescription is unreadable.]",
)


def _draw_bill(world: World, rng: Random, facts: Facts) -> Facts:
    invoice = known(world, "invoices", facts["invoice_id"])
    return {"bill_kind": invoice["kind"], "billed_on": invoice["issued_on"], "billed": invoice["amount"]}


def _find_bill(facts: Facts) -> Steps:
    listed = yield do("list_invoices", patient_id=facts["patient_id"], status="open")
    wanted = (facts["bill_kind"], facts["billed_on"], facts["billed"])
    own = [each for each in listed if (each["kind"], each["issued_on"], each["amount"]) == wanted]
    found = yield choose(own, key=lambda each: each["issued_on"])
    return found["invoice_id"]


BILL = Description(
    "invoice_id",
    says(
        "the {bill_kind} invoice of {billed_on:date} over {billed:money} euros",
        "{bill_kind} invoice of {billed_on:date}, {billed:money} eur",
        "that {bill_kind} bill of {billed_on:date}, the one over {billed:money} euros",
        "the {bill_kind} invoice dated {billed_on:date} in the amount of EUR {billed:money}",
    ),
    _draw_bill,
    _find_bill,
    "[I do not have the invoice number.|The number of the invoice is torn off.]",
)

TWISTS = (NEXT_INVOICE, NEXT_VISIT, IF_PAID, UNTOUCHED)
DESCRIPTIONS = (VISIT, MEDICINE, BILL)
