"""Requests that the policy forbids: what proves it is looked up and told."""

from random import Random

from toolscale.reference.kit import a_record, just, must, theirs
from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Record, Refusal, Reply, Solution, World, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.weather.programs.common import measured
from toolscale.reference.weather.programs.reports import delivered
from toolscale.reference.words import words

WORDS = words(__file__)


def _plan_too_small(facts: Facts) -> Solution:
    customer = yield do("get_customer", customer_id=facts["customer_id"])
    if customer["alerts"] <= 3 or customer["plan"] == "Garden":
        raise DeadEnd("the plan would do")
    fee, have = shown(customer["monthly_fee"]), str(customer["alerts"])
    return Reply(
        f"You stay on {customer['plan']}, {fee} EUR: you have {have} alerts, too many for that plan.", (fee, have)
    )


def _draw_many(world: World, rng: Random) -> Facts:
    many = [
        each["customer_id"]
        for each in world.rows("customers")
        if sum(a["status"] != "cancelled" for a in theirs(world, "alerts", each["customer_id"])) > 1
    ]
    return {"customer_id": pick(rng, many)}


DOWNGRADE = WORDS.program(
    "refuse_plan_with_too_few_alerts",
    _draw_many,
    _plan_too_small,
    refusal=Refusal("alerts_fit_the_plan", just("change_plan", "customer_id", where={"plan_id": "PL-GARDEN"})),
)


def _uncovered(sensor: Record) -> bool:
    return bool(sensor["status"] == "faulty" and sensor["warranty_until"] < day(0))


def _out_of_warranty(facts: Facts) -> Solution:
    sensor = yield do("get_sensor", sensor_id=facts["sensor_id"])
    must(_uncovered(sensor), "it is in warranty")
    ended, model = sensor["warranty_until"], sensor["model"]
    return Reply(f"The warranty of your {model} ended on {ended}; a repair can be booked.", (ended, model))


WARRANTY = WORDS.program(
    "refuse_replacement_after_warranty",
    a_record("sensors", "sensor_id", _uncovered),
    _out_of_warranty,
    refusal=Refusal(
        "replacements_are_for_faulty_sensors_in_warranty",
        just("replace_sensor", "sensor_id", where={"send_to": "site"}),
    ),
)


def _today(report: Record) -> bool:
    return bool(report["status"] == "ordered" and report["day"] == day(0))


def _too_late_report(facts: Facts) -> Solution:
    report = yield do("get_report", report_id=facts["report_id"])
    must(_today(report), "it can be cancelled")
    price = shown(report["price"])
    text = f"It is about {report['day']}, today, and being written: {price} EUR stay due, for the {report['product']}."
    return Reply(text, (report["day"], price))


REPORT = WORDS.program(
    "refuse_to_cancel_report_of_today",
    a_record("reports", "report_id", _today),
    _too_late_report,
    refusal=Refusal("refunds_by_the_days_left", just("cancel_report", "report_id")),
)


def _tomorrow(visit: Record) -> bool:
    return bool(visit["status"] == "booked" and visit["day"] < day(2))


def _too_late_visit(facts: Facts) -> Solution:
    visit = yield do("get_visit", visit_id=facts["visit_id"])
    must(_tomorrow(visit), "it can be cancelled")
    fee = shown(visit["fee"])
    return Reply(f"It is on {visit['day']}, too soon to cancel; the {fee} EUR stay due.", (visit["day"], fee))


VISIT = WORDS.program(
    "refuse_to_cancel_visit_of_tomorrow",
    a_record("visits", "visit_id", _tomorrow),
    _too_late_visit,
    refusal=Refusal("visits_change_until_two_days_before", just("cancel_visit", "visit_id")),
)


def _was_right(facts: Facts) -> Solution:
    found = yield do("check_accuracy", report_id=facts["report_id"])
    must(not found["credit_due"], "credit is due")
    high, said = f"{found['measured_high_c']} °C", f"{found['predicted_high_c']} °C"
    return Reply(f"No credit is due: {said} were forecast, {high} were measured.", (said, high))


CREDIT = WORDS.program(
    "refuse_credit_for_right_report",
    lambda world, rng: delivered(world, rng, wrong=False),
    _was_right,
    refusal=Refusal("credit_for_reports_that_were_wrong", just("claim_credit", "report_id")),
)


def _too_old(invoice: Record) -> bool:
    return bool(invoice["status"] == "open" and invoice["month"] == "2026-09")


def _closed_dispute(facts: Facts) -> Solution:
    invoice = yield do("get_invoice", invoice_id=facts["invoice_id"])
    must(_too_old(invoice), "it can be disputed")
    due, amount = invoice["due_on"], shown(invoice["amount"])
    return Reply(f"It was due on {due}, more than 30 days ago; {amount} EUR stay open.", (due, amount))


DISPUTE = WORDS.program(
    "refuse_late_dispute",
    a_record("invoices", "invoice_id", _too_old),
    _closed_dispute,
    refusal=Refusal(
        "invoices_are_disputed_for_30_days", just("dispute_invoice", "invoice_id", where={"objection": "wrong amount"})
    ),
)


def _gone(facts: Facts) -> Solution:
    alert = yield do("get_alert", alert_id=facts["alert_id"])
    must(alert["status"] == "cancelled", "it is not cancelled")
    text, site = measured(alert), alert["site"]
    return Reply(f"It was cancelled for good: {alert['measure']} at {site}, {text}.", (text, site))


ALERT = WORDS.program(
    "refuse_to_revive_alert",
    a_record("alerts", "alert_id", lambda each: bool(each["status"] == "cancelled")),
    _gone,
    refusal=Refusal("cancelled_alerts_stay_cancelled", just("resume_alert", "alert_id")),
)

REFUSED = (DOWNGRADE, WARRANTY, REPORT, VISIT, CREDIT, DISPUTE, ALERT)
