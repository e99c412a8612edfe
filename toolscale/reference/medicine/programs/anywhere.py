"""What can be added to any request of a patient's, and how patients name what they have no number of."""

from random import Random

from toolscale.reference.medicine.programs.shared import clock, says
from toolscale.reference.program import DeadEnd, Description, Facts, Policy, Reply, Steps, Twist, World, choose, do


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
        "Please tell me as well which of my open invoices is due first, and my share of it.",
        "plus: which open invoice is due first, my share?",
        "And before I forget my bills again, which open one is due first and how much of it is mine?",
        "Kindly also name the open invoice that falls due first, and my share of it.",
        non_native="Also which open invoice I must pay first and how much is my part.",
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
    text = f"I changed nothing: {len(invoices)} invoices are open, the first due is {oldest['invoice_id']}, {share} "
    "euros."
    return Reply(text, (oldest["invoice_id"], share))


IF_PAID = Twist(
    "only without debts",
    "condition",
    says(
        "But only if no more than {most_open:count} of my invoices [is|are] still open; otherwise do nothing and tell "
        "me the number of the one that is due first, and my share.",
        "only if max {most_open:count} open invoices, else nothing, just number + my share of the one due first.",
        "Only, I've sworn to pay my bills first, so if more than {most_open:count} of them [is|are] open, leave "
        "everything and tell me the one that's due first with my share!",
        "This is subject to no more than {most_open:count} of my invoices being open; otherwise make no change, and "
        "state the one that falls due first with my share.",
    ),
    draw=lambda world, rng, facts: {"most_open": rng.choice((0, 1))},
    before=_has_no_debts,
)


def _draw_visit(world: World, rng: Random, facts: Facts) -> Facts:
    appointment = world.get("appointments", facts["appointment_id"])
    doctor = world.get("practitioners", appointment["practitioner_id"]) if appointment else None
    if appointment is None or doctor is None or appointment["status"] != "booked":
        raise DeadEnd("no coming appointment, or out of sight")
    return {
        "visit_doctor": doctor["name"],
        "visit_date": appointment["start"][:10],
        "visit_time": clock(appointment["start"]),
    }


def _find_visit(facts: Facts) -> Steps:
    booked = yield do("list_appointments", patient_id=facts["patient_id"], status="booked")
    wanted = (facts["visit_doctor"], f"{facts['visit_date']}T{facts['visit_time']}")
    visit = yield choose(
        [each for each in booked if (each["practitioner"], each["start"]) == wanted], key=lambda each: each["start"]
    )
    return visit["appointment_id"]


VISIT = Description(
    "appointment_id",
    says(
        "the one with {visit_doctor} on {visit_date:date} at {visit_time:time}",
        "{visit_doctor} on {visit_date:date} {visit_time:time}",
        "my visit to {visit_doctor} on {visit_date:date} at {visit_time:time}",
        "the consultation with {visit_doctor} on {visit_date:date} at {visit_time:time}",
    ),
    _draw_visit,
    _find_visit,
    "[I do not have the appointment's number.|I did not write the appointment's number down.]",
)

TWISTS = (NEXT_INVOICE, IF_PAID)
DESCRIPTIONS = (VISIT,)
