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
    programs=PROGRAMS,
    twists=(*TWISTS, *OUTCOMES),
    descriptions=DESCRIPTIONS,
)
