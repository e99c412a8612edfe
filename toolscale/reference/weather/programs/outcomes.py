"""Figures that customers want worked out, and steps that go on from what a request led to."""

from random import Random

from toolscale.reference.computed import Figure, computed
from toolscale.reference.kit import must
from toolscale.reference.program import OUTCOME, Facts, Reply, Solution, World, do
from toolscale.reference.weather.functions._shared import UNITS
from toolscale.reference.words import words

WORDS = words(__file__)

FIGURES = (
    Figure(
        ("order_report",),
        "price",
        "the price of the report",
        "the prices of the reports",
        {"order_report": (40.0, 70.0)},
    ),
    Figure(("cancel_report",), "refund", "the refund", "the refunds", {"cancel_report": (30.0, 60.0)}),
    Figure(
        ("pay_invoice",),
        "amount",
        "the amount of the invoice",
        "the amounts of the invoices",
        {"pay_invoice": (80.0, 150.0)},
    ),
    Figure(("claim_credit",), "credited", "the credit", "the credits", {"claim_credit": (15.0, 30.0)}),
)

WATCHED = {"rain": (15, 25, 40), "gusts": (60, 75, 90), "frost": (0, 2, 4), "snow": (3, 5, 10)}


def _draw_alert(world: World, rng: Random, facts: Facts) -> Facts:
    measure = rng.choice(tuple(WATCHED))
    return {
        "watch": measure,
        "alarm_at": rng.choice(WATCHED[measure]),
        "alarm_unit": UNITS[measure],
        "alarm_by": rng.choice(("text message", "email", "phone call")),
    }


def _watch(facts: Facts) -> Solution:
    customer = yield do("get_customer", customer_id=facts["customer_id"])
    must(customer["alerts"] < customer["alert_limit"], "the plan allows no more alerts")
    done = yield do(
        "create_alert",
        site_id=facts[OUTCOME]["site_id"],
        measure=facts["watch"],
        threshold=facts["alarm_at"],
        channel=facts["alarm_by"],
    )
    number = done["alert_id"]
    return Reply(f"Alert {number} is set up there.", (number,))


WATCH = WORDS.twist("an alert at the new site", "dependent", draw=_draw_alert, after=_watch, takes=("add_site",))


def _draw_recipient(world: World, rng: Random, facts: Facts) -> Facts:
    return {"reader": rng.choice(("office", "dispatch", "planning", "duty.desk")) + "@example.net"}


def _redirect(facts: Facts) -> Solution:
    report = facts[OUTCOME]["report_id"]
    yield do("redirect_report", report_id=report, recipient=facts["reader"])
    return Reply(f"Report {report} goes to {facts['reader']}.", (report,))


REDIRECT = WORDS.twist(
    "the new report to another address", "dependent", draw=_draw_recipient, after=_redirect, takes=("order_report",)
)

OUTCOMES = (*computed(*FIGURES), WATCH, REDIRECT)
