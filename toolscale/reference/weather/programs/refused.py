"""Requests that the policy forbids: what proves it is looked up and told."""

from random import Random

from toolscale.reference.moments import day
from toolscale.reference.program import (
    DeadEnd,
    Facts,
    Policy,
    Program,
    Record,
    Refusal,
    Reply,
    Steps,
    World,
    do,
    pick,
)
from toolscale.reference.sums import shown
from toolscale.reference.weather.programs.common import a_record, measured, says, theirs
from toolscale.reference.weather.programs.reports import delivered


def _plan_too_small(facts: Facts) -> Policy:
    customer = yield do("get_customer", customer_id=facts["customer_id"])
    if customer["alerts"] <= 3 or customer["plan"] == "Garden":
        raise DeadEnd("the plan would do")
    fee, have = shown(customer["monthly_fee"]), str(customer["alerts"])
    return Reply(
        f"You stay on {customer['plan']}, {fee} EUR: you have {have} alerts, too many for that plan.", (fee, have)
    )


def _downgrade(facts: Facts) -> Steps:
    yield do("change_plan", customer_id=facts["customer_id"], plan_id="PL-GARDEN")


def _draw_many(world: World, rng: Random) -> Facts:
    many = [
        each["customer_id"]
        for each in world.rows("customers")
        if sum(a["status"] != "cancelled" for a in theirs(world, "alerts", each["customer_id"])) > 1
    ]
    return {"customer_id": pick(rng, many)}


DOWNGRADE = Program(
    "refuse_plan_with_too_few_alerts",
    "Ask for a smaller plan while having too many alerts",
    says(
        "I [want to save money|would like to pay less], so please put me on the Garden plan without touching my "
        "alerts. If that is not possible, tell me how many alerts I have and what I pay a month now.",
        "switch me to Garden, keep all alerts. if not possible: number of my alerts + current monthly fee?",
        "Winter is quiet, so the little Garden plan will do for me, but leave all my alerts, please! And if that "
        "cannot be, how many alerts have I got, and what do I pay a month now?",
        "Please transfer me to the Garden plan, all alerts being retained; should that be impossible, state how many "
        "alerts I have and my present monthly fee.",
    ),
    _draw_many,
    _plan_too_small,
    refusal=Refusal("alerts_fit_the_plan", _downgrade),
)


def _uncovered(sensor: Record) -> bool:
    return bool(sensor["status"] == "faulty" and sensor["warranty_until"] < day(0))


def _out_of_warranty(facts: Facts) -> Policy:
    sensor = yield do("get_sensor", sensor_id=facts["sensor_id"])
    if not _uncovered(sensor):
        raise DeadEnd("it is in warranty")
    ended, model = sensor["warranty_until"], sensor["model"]
    return Reply(f"The warranty of your {model} ended on {ended}; a repair can be booked.", (ended, model))


def _replace(facts: Facts) -> Steps:
    yield do("replace_sensor", sensor_id=facts["sensor_id"], send_to="site")


WARRANTY = Program(
    "refuse_replacement_after_warranty",
    "Ask for a free replacement after the warranty has ended",
    says(
        "[It broke last week|It has given up]: I want {sensor_id} replaced free of charge, sent to the site. If the "
        "warranty is over, tell me since when, and which model it is.",
        "free replacement for {sensor_id} to the site. if out of warranty: ended when, which model?",
        "It was such a good one, and now it is silent! Send me a new one for {sensor_id}, to the site, for free, and "
        "if the warranty should be over, when did it end, and what model is it?",
        "I claim a free replacement of {sensor_id}, to be sent to the site; should the warranty have expired, state "
        "the date of expiry and the model.",
    ),
    a_record("sensors", "sensor_id", _uncovered),
    _out_of_warranty,
    refusal=Refusal("replacements_are_for_faulty_sensors_in_warranty", _replace),
)


def _today(report: Record) -> bool:
    return bool(report["status"] == "ordered" and report["day"] == day(0))


def _too_late_report(facts: Facts) -> Policy:
    report = yield do("get_report", report_id=facts["report_id"])
    if not _today(report):
        raise DeadEnd("it can be cancelled")
    price = shown(report["price"])
    text = f"It is about {report['day']}, today, and being written: {price} EUR stay due, for the {report['product']}."
    return Reply(text, (report["day"], price))


def _cancel_report(facts: Facts) -> Steps:
    yield do("cancel_report", report_id=facts["report_id"])


REPORT = Program(
    "refuse_to_cancel_report_of_today",
    "Ask to cancel a report on its own day",
    says(
        "[We stay at home|It is all called off], so please cancel {report_id} [and refund me|for a refund]. If it is "
        "too late for that, which day is it about and what does it cost me?",
        "{report_id}: cancel + refund. if too late: which day is it for, and the price?",
        "I woke up with a cold and nothing will happen! So cancel {report_id} and give me my money back, please, and "
        "if it is too late, tell me which day it is about and what it costs me.",
        "Please annul {report_id} against a refund; should it be too late, state the day concerned and the price due.",
    ),
    a_record("reports", "report_id", _today),
    _too_late_report,
    refusal=Refusal("refunds_by_the_days_left", _cancel_report),
)


def _tomorrow(visit: Record) -> bool:
    return bool(visit["status"] == "booked" and visit["day"] < day(2))


def _too_late_visit(facts: Facts) -> Policy:
    visit = yield do("get_visit", visit_id=facts["visit_id"])
    if not _tomorrow(visit):
        raise DeadEnd("it can be cancelled")
    fee = shown(visit["fee"])
    return Reply(f"It is on {visit['day']}, too soon to cancel; the {fee} EUR stay due.", (visit["day"], fee))


def _cancel_visit(facts: Facts) -> Steps:
    yield do("cancel_visit", visit_id=facts["visit_id"])


VISIT = Program(
    "refuse_to_cancel_visit_of_tomorrow",
    "Ask to cancel a technician's visit at the last moment",
    says(
        "[I will not be there|Nobody can open the gate], so {visit_id} must be called off free of charge. If it is too "
        "late, remind me of the day and the fee.",
        "call off {visit_id}, no charge. if too late: day + fee?",
        "The goats have eaten my calendar, so {visit_id} has to be called off, free of charge I hope! And if it is too "
        "late for that, which day was it, and what is the fee?",
        "I must call off {visit_id} free of charge; should it be too late for that, state its date and fee.",
    ),
    a_record("visits", "visit_id", _tomorrow),
    _too_late_visit,
    refusal=Refusal("visits_change_until_two_days_before", _cancel_visit),
)


def _was_right(facts: Facts) -> Policy:
    found = yield do("check_accuracy", report_id=facts["report_id"])
    if found["credit_due"]:
        raise DeadEnd("credit is due")
    high, said = f"{found['measured_high_c']} °C", f"{found['predicted_high_c']} °C"
    return Reply(f"No credit is due: {said} were forecast, {high} were measured.", (said, high))


def _credit(facts: Facts) -> Steps:
    yield do("claim_credit", report_id=facts["report_id"])


CREDIT = Program(
    "refuse_credit_for_right_report",
    "Ask for credit for a report that was right",
    says(
        "I think that the temperature in {report_id} was wrong by several degrees and want half my money as credit. If "
        "I am mistaken, tell me what high was forecast and what was measured.",
        "{report_id} got the temperature wrong i think, credit me half. if not wrong: forecast high + measured high?",
        "It felt so much colder to my poor knees than in {report_id}, so I should get half of it credited! If my knees "
        "are wrong, what high did you forecast and what was measured?",
        "In my view {report_id} misjudged the temperature, and I claim half its price as credit; if that is unfounded, "
        "state the high forecast and the high measured.",
    ),
    lambda world, rng: delivered(world, rng, wrong=False),
    _was_right,
    refusal=Refusal("credit_for_reports_that_were_wrong", _credit),
)


def _too_old(invoice: Record) -> bool:
    return bool(invoice["status"] == "open" and invoice["month"] == "2026-09")


def _closed_dispute(facts: Facts) -> Policy:
    invoice = yield do("get_invoice", invoice_id=facts["invoice_id"])
    if not _too_old(invoice):
        raise DeadEnd("it can be disputed")
    due, amount = invoice["due_on"], shown(invoice["amount"])
    return Reply(f"It was due on {due}, more than 30 days ago; {amount} EUR stay open.", (due, amount))


def _dispute(facts: Facts) -> Steps:
    yield do("dispute_invoice", invoice_id=facts["invoice_id"], objection="wrong amount")


DISPUTE = Program(
    "refuse_late_dispute",
    "Object to an invoice after the time for objections",
    says(
        "I only now see that {invoice_id} has the wrong amount, so register my objection. If it is too late for one, "
        "tell me when it was due and what I owe.",
        "late i know, but {invoice_id} has the wrong amount, register objection. if too late: due date + sum?",
        "It was under the sofa, and the amount of {invoice_id} is all wrong! Put down my objection, and if I am too "
        "late with it, when was it due and how much do I owe?",
        "Having only now examined {invoice_id}, I object to its amount; should objections be closed, state the due "
        "date and the sum owed.",
    ),
    a_record("invoices", "invoice_id", _too_old),
    _closed_dispute,
    refusal=Refusal("invoices_are_disputed_for_30_days", _dispute),
)


def _gone(facts: Facts) -> Policy:
    alert = yield do("get_alert", alert_id=facts["alert_id"])
    if alert["status"] != "cancelled":
        raise DeadEnd("it is not cancelled")
    text, site = measured(alert), alert["site"]
    return Reply(f"It was cancelled for good: {alert['measure']} at {site}, {text}.", (text, site))


def _resume(facts: Facts) -> Steps:
    yield do("resume_alert", alert_id=facts["alert_id"])


ALERT = Program(
    "refuse_to_revive_alert",
    "Ask for a cancelled alert to work again",
    says(
        "[I miss my warnings|It was useful after all], so please bring {alert_id} back to life. If it was cancelled "
        "and cannot come back, tell me its site and threshold, so that I can think about a new one.",
        "bring {alert_id} back. if cancelled for good: which site + threshold did it have?",
        "One only knows what one had when it is gone! Bring {alert_id} back, please, and if it is gone for good, for "
        "which site was it and at what threshold, so that I can ponder a new one?",
        "I ask that {alert_id} be restored; if its cancellation is final, state the site and the threshold it had.",
    ),
    a_record("alerts", "alert_id", lambda each: bool(each["status"] == "cancelled")),
    _gone,
    refusal=Refusal("cancelled_alerts_stay_cancelled", _resume),
)

REFUSED = (DOWNGRADE, WARRANTY, REPORT, VISIT, CREDIT, DISPUTE, ALERT)
