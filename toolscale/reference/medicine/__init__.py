"""The reference domain `medicine`: an outpatient clinic network in nine European countries."""

from pathlib import Path

from toolscale.reference.domain import ReferenceDomain
from toolscale.reference.medicine.entries import world
from toolscale.reference.medicine.plausibility import blemish, implausible
from toolscale.reference.medicine.programs import PROGRAMS
from toolscale.reference.medicine.programs.anywhere import DESCRIPTIONS, TWISTS
from toolscale.reference.medicine.programs.outcomes import OUTCOMES
from toolscale.reference.medicine.schema import SCHEMA

_VISITS = (
    *("see_general_practitioner", "use_referral_cheaply", "earliest_specialist", "cheapest_dermatologist", "follow_up"),
    *("book_cheaper_general_practitioner", "come_sooner", "move_appointment", "cancel_appointment"),
    *("cancel_by_specialty", "refuse_late_move", "refuse_second_appointment_with_doctor"),
    *("refuse_specialist_without_referral", "refuse_sale_without_prescription"),
)
"""Programs about single visits: nobody who wants one cancels all the visits of a time in the same message."""

_MEDICINES = (
    *("refill_prescription", "refill_for_condition", "refill_everything_due", "switch_to_cheapest", "when_to_refill"),
    *("cost_of_all_prescriptions", "buy_without_prescription", "check_ingredient", "refill_or_call"),
    *("switch_and_fill", "refuse_early_refill", "refuse_expired_refill", "refuse_unsafe_purchase"),
    *("refuse_sale_without_prescription", "refuse_switch_to_other_ingredient", "call_prescriber"),
)
"""Programs about medicines, which a new allergy may put on hold."""

DOMAIN = ReferenceDomain(
    name="medicine",
    description=(
        "The patient desk of a network of outpatient clinics in nine European countries: appointments and "
        "referrals, "
        "prescriptions and medicines without prescription, laboratory tests, allergies, and invoices shared with "
        "insurers."
    ),
    folder=Path(__file__).parent,
    schema=SCHEMA,
    world=world,
    implausible=implausible,
    blemish=blemish,
    identity="patient_id",
    matters=frozenset({"appointment_id", "invoice_id", "prescription_id", "test", "ingredient"}),
    once=(
        frozenset({"results_out_of_range", "explain_if_abnormal", "read_latest_result", "change_of_value"}),
        frozenset({"cost_of_next_appointment", "next appointment"}),
        frozenset({"amount_owed", "next invoice", "only without debts"}),
        *(frozenset({"clear_diary", visit}) for visit in _VISITS),
        *(frozenset({"report_allergy", medicine}) for medicine in _MEDICINES),
    ),
    identity_lines={
        "plain": "[My patient number is {patient_id}.|I am patient {patient_id}.|You have me on file as {patient_id}.]",
        "confused": "[I believe that my patient number is {patient_id}.|Is this the patient number? {patient_id}.]",
        "terse": "[i am patient|patient] {patient_id}.",
        "chatty": "You'll find me under {patient_id}, [I have the little card right here|I know it by heart by now].",
        "formal": "I am registered with you under the patient number {patient_id}.",
        "hurried": "patient no {patient_id}, thanks.",
        "non_native": "My number of patient is {patient_id}.",
    },
    personas={
        "plain": (
            "A teacher who calls between two lessons and answers what is asked.",
            "An office clerk who keeps the family's medical papers in order.",
            "A retired postman who has been with the clinic for years.",
        ),
        "terse": (
            "A software developer who types in lower case and wastes no word.",
            "A night-shift nurse who knows how clinics work.",
            "A lorry driver who writes from the motorway services.",
        ),
        "chatty": (
            "A widow who enjoys a talk and loses the thread at times.",
            "A hairdresser who tells the story behind everything.",
            "A young father who is on leave and glad of company.",
        ),
        "formal": (
            "A notary who writes as if to a court.",
            "A retired headmaster with a liking for complete sentences.",
            "A diplomat's assistant who is courteous and exact.",
        ),
        "hurried": (
            "A paramedic on a short break.",
            "A restaurant manager with the lunch guests at the door.",
            "A student who is late for a train.",
        ),
        "non_native": (
            "An engineer who is still learning the language.",
            "An au pair who looks words up as she writes.",
            "A cook who prefers short and simple sentences.",
        ),
    },
    programs=PROGRAMS,
    twists=(*TWISTS, *OUTCOMES),
    descriptions=DESCRIPTIONS,
    asides=(
        "[I have been with your clinic for a long time.|Your colleagues were very kind last month.|I write "
        "instead of calling.|I am feeling better, thank you.|I keep all of this in a folder now.]",
    ),
)
