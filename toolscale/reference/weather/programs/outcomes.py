"""Figures that customers want worked out, and steps that go on from what a request led to."""

from random import Random

from toolscale.reference.computed import Figure, computed
from toolscale.reference.program import OUTCOME, DeadEnd, Facts, Policy, Reply, Twist, World, do
from toolscale.reference.weather.programs.common import says

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
UNITS = {"rain": "mm", "gusts": "km/h", "frost": "°C", "snow": "cm"}


def _draw_alert(world: World, rng: Random, facts: Facts) -> Facts:
    measure = rng.choice(tuple(WATCHED))
    return {
        "watch": measure,
        "alarm_at": rng.choice(WATCHED[measure]),
        "alarm_unit": UNITS[measure],
        "alarm_by": rng.choice(("text message", "email", "phone call")),
    }


def _watch(facts: Facts) -> Policy:
    customer = yield do("get_customer", customer_id=facts["customer_id"])
    if customer["alerts"] >= customer["alert_limit"]:
        raise DeadEnd("the plan allows no more alerts")
    done = yield do(
        "create_alert",
        site_id=facts[OUTCOME]["site_id"],
        measure=facts["watch"],
        threshold=facts["alarm_at"],
        channel=facts["alarm_by"],
    )
    number = done["alert_id"]
    return Reply(f"Alert {number} is set up there.", (number,))


WATCH = Twist(
    "an alert at the new site",
    "dependent",
    says(
        "When the site is there, set up an alert for it: {watch}, at {alarm_at:int} {alarm_unit}, by {alarm_by}. I "
        "need the number of the alert.",
        "then an alert at that new site: {watch} {alarm_at:int} {alarm_unit}, {alarm_by}. alert no.?",
        "And [I want to be warned|my nerves need it], so give the new site an alert, {watch} at {alarm_at:int} "
        "{alarm_unit} by {alarm_by}, and what is its number?",
        "For the site thus registered an alert is to be set up for {watch} at {alarm_at:int} {alarm_unit}, sent by "
        "{alarm_by}; please state its number.",
        non_native="And for this new site make an alert of {watch}, {alarm_at:int} {alarm_unit}, with {alarm_by}; "
        "which number has it?",
    ),
    draw=_draw_alert,
    after=_watch,
    takes=("add_site",),
)


def _draw_recipient(world: World, rng: Random, facts: Facts) -> Facts:
    return {"reader": rng.choice(("office", "dispatch", "planning", "duty.desk")) + "@example.net"}


def _redirect(facts: Facts) -> Policy:
    report = facts[OUTCOME]["report_id"]
    yield do("redirect_report", report_id=report, recipient=facts["reader"])
    return Reply(f"Report {report} goes to {facts['reader']}.", (report,))


REDIRECT = Twist(
    "the new report to another address",
    "dependent",
    says(
        "Once it is ordered, have that report sent to {reader} instead of me, and tell me its number.",
        "send that new report to {reader}, not me. report no.?",
        "Only, [I am away then|I never read my mail], so once you have ordered it let that report go to {reader}, "
        "and what number does it have?",
        "The report so ordered is to be sent to {reader} in place of my own address; please state its number.",
    ),
    draw=_draw_recipient,
    after=_redirect,
    takes=("order_report",),
)

OUTCOMES = (*computed(*FIGURES), WATCH, REDIRECT)
