"""What can be added to any request, and how customers name what they have no number of."""

from random import Random

from toolscale.reference.kit import known, listed, must, theirs
from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Reply, Solution, Steps, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.weather.programs.common import site_named
from toolscale.reference.words import words

WORDS = words(__file__)


def _tell_credit(facts: Facts) -> Solution:
    customer = yield do("get_customer", customer_id=facts["customer_id"])
    fee, since = shown(customer["monthly_fee"]), customer["plan_since"]
    return Reply(f"Your plan costs {fee} EUR a month, you have had it since {since}.", (fee, since))


MY_PLAN = WORDS.twist("what the plan costs", "lookup", after=_tell_credit)


def _tell_sky(facts: Facts) -> Solution:
    site = yield from site_named(facts, "seen_site")
    found = yield do("get_site_weather", site_id=site["site_id"], day=facts["seen_day"])
    gust, high = f"{found['gust_kmh']} km/h", f"{found['high_c']} °C"
    return Reply(f"At {site['name']} expect gusts of {gust} and a high of {high}.", (gust, high))


def _draw_sky(world: World, rng: Random, facts: Facts) -> Facts:
    site = pick(rng, theirs(world, "sites", facts["customer_id"]))
    return {"seen_site": site["name"], "seen_day": day(rng.randint(1, 5))}


FORECAST = WORDS.twist("a forecast beside it", "lookup", draw=_draw_sky, after=_tell_sky)


def _tell_next_visit(facts: Facts) -> Solution:
    visits = yield do("list_visits", customer_id=facts["customer_id"])
    first = yield choose(visits, key=lambda each: each["day"])
    return Reply(f"The technician comes on {first['day']} for your {first['sensor']}.", (first["day"],))


def _has_visit(world: World, rng: Random, facts: Facts) -> Facts:
    pick(rng, [each for each in theirs(world, "visits", facts["customer_id"]) if each["status"] == "booked"])
    return {}


NEXT_VISIT = WORDS.twist("the next technician's visit", "lookup", draw=_has_visit, after=_tell_next_visit)


def _calm_enough(facts: Facts) -> Steps:
    site = yield from site_named(facts, "calm_site")
    found = yield do("get_site_weather", site_id=site["site_id"], day=facts["calm_day"])
    if found["gust_kmh"] <= facts["most_gust"]:
        return None
    gust = f"{found['gust_kmh']} km/h"
    return Reply(f"I left that as it was: {site['name']} expects gusts of {gust}.", (gust,))


def _site_concerned(world: World, facts: Facts) -> str:
    """Where the wind matters to a request: nobody makes the payment of an invoice depend on it."""
    if "report_id" in facts:
        report = known(world, "reports", facts["report_id"])
        must(report["status"] == "ordered", "it is about days gone by")
        return str(known(world, "sites", report["site_id"])["name"])
    for table, slot in (("alerts", "alert_id"), ("sensors", "sensor_id")):
        if slot in facts:
            return str(known(world, "sites", known(world, table, facts[slot])["site_id"])["name"])
    if "visit_id" in facts:
        sensor = known(world, "sensors", known(world, "visits", facts["visit_id"])["sensor_id"])
        return str(known(world, "sites", sensor["site_id"])["name"])
    if facts.keys() >= {"site", "product"}:
        return str(facts["site"])
    raise DeadEnd("the wind has nothing to do with that")


def _draw_calm(world: World, rng: Random, facts: Facts) -> Facts:
    return {
        "calm_site": _site_concerned(world, facts),
        "calm_day": day(rng.randint(1, 5)),
        "most_gust": rng.choice((45, 50, 55, 60, 65, 70)),
    }


IF_CALM = WORDS.twist(
    "only in calm weather",
    "condition",
    draw=_draw_calm,
    suits=r"(pause|cancel)_alert$|change_alert_threshold|book_|cancel_report",
    before=_calm_enough,
)


def _bills_low(facts: Facts) -> Steps:
    invoices = yield do("list_invoices", customer_id=facts["customer_id"])
    owed = round(sum(each["amount"] for each in invoices if each["status"] == "open"), 2)
    if owed <= facts["most_owed"]:
        return None
    return Reply(f"I left that as it was: your open invoices come to {shown(owed)} EUR.", (shown(owed),))


def _draw_bills(world: World, rng: Random, facts: Facts) -> Facts:
    must(facts.keys() & {"product", "alerts", "method", "sensor_id"}, "it costs nothing")
    return {"most_owed": rng.choice((90.0, 150.0, 200.0, 250.0, 300.0, 400.0))}


IF_BILLS = WORDS.twist(
    "only with few bills", "condition", draw=_draw_bills, suits=r"order_|book_|change_plan|pay_", before=_bills_low
)

RADIO = WORDS.twist("the radio said", "distractor")
NEWSLETTER = WORDS.twist("the newsletter is fine", "distractor")

TWISTS = (MY_PLAN, FORECAST, NEXT_VISIT, IF_CALM, IF_BILLS, RADIO, NEWSLETTER)


def _draw_alert(world: World, rng: Random, facts: Facts) -> Facts:
    alert = known(world, "alerts", facts["alert_id"])
    must(alert["status"] != "cancelled", "it is not listed")
    return {"alert_measure": alert["measure"], "alert_site": known(world, "sites", alert["site_id"])["name"]}


ALERT = WORDS.description(
    "alert_id",
    _draw_alert,
    listed("list_alerts", "alert_id", "customer_id", measure="alert_measure", site="alert_site"),
)


def _draw_sensor(world: World, rng: Random, facts: Facts) -> Facts:
    sensor = known(world, "sensors", facts["sensor_id"])
    return {"sensor_kind": sensor["kind"], "sensor_site": known(world, "sites", sensor["site_id"])["name"]}


SENSOR = WORDS.description(
    "sensor_id",
    _draw_sensor,
    listed("list_sensors", "sensor_id", "customer_id", kind="sensor_kind", site="sensor_site"),
)


def _draw_report(world: World, rng: Random, facts: Facts) -> Facts:
    report = known(world, "reports", facts["report_id"])
    return {"report_site": known(world, "sites", report["site_id"])["name"], "report_day": report["day"]}


REPORT = WORDS.description(
    "report_id", _draw_report, listed("list_reports", "report_id", "customer_id", site="report_site", day="report_day")
)


def _draw_visit(world: World, rng: Random, facts: Facts) -> Facts:
    visit = known(world, "visits", facts["visit_id"])
    must(visit["status"] == "booked", "it is not listed")
    return {"visit_sensor": known(world, "sensors", visit["sensor_id"])["kind"]}


VISIT = WORDS.description(
    "visit_id", _draw_visit, listed("list_visits", "visit_id", "customer_id", sensor="visit_sensor")
)


_MONTHS = {"August": "2026-08", "September": "2026-09", "October": "2026-10"}


def _draw_invoice(world: World, rng: Random, facts: Facts) -> Facts:
    month = known(world, "invoices", facts["invoice_id"])["month"]
    return {"invoice_month": next(name for name, each in _MONTHS.items() if each == month)}


def _find_invoice(facts: Facts) -> Steps:
    invoices = yield do("list_invoices", customer_id=facts["customer_id"])
    wanted = _MONTHS.get(facts["invoice_month"])
    found = yield choose([each for each in invoices if each["month"] == wanted], key=lambda each: 0)
    return found["invoice_id"]


INVOICE = WORDS.description("invoice_id", _draw_invoice, _find_invoice)

DESCRIPTIONS = (ALERT, SENSOR, REPORT, VISIT, INVOICE)
