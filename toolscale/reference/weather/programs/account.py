"""Programs about plan, sites and invoices."""

from random import Random

from toolscale.reference.kit import a_record, must, one_of
from toolscale.reference.program import DeadEnd, Facts, Record, Reply, Solution, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.weather.catalogue import PLANS, SITE_KINDS
from toolscale.reference.weather.programs.common import site_named, station_named
from toolscale.reference.words import words

WORDS = words(__file__)


def _plan(facts: Facts) -> Solution:
    customer = yield do("get_customer", customer_id=facts["customer_id"])
    plans = yield do("list_plans")
    fitting = [
        each
        for each in plans
        if each["alert_limit"] >= max(facts["alerts"], customer["alerts"])
        and each["export_limit"] >= facts.get("exports", 0)
    ]
    best = yield choose(fitting, key=lambda each: each["monthly_fee"])
    must(best["plan_id"] != customer["plan_id"], "that is the plan already")
    fee = shown(best["monthly_fee"])
    if best["monthly_fee"] > facts.get("most_fee", 1e9):
        return Reply(f"I left your plan: {best['name']} costs {fee} EUR a month.", (fee,))
    yield do("change_plan", customer_id=facts["customer_id"], plan_id=best["plan_id"])
    return Reply(f"You are on {best['name']} now, for {fee} EUR a month.", (best["name"], fee))


def _draw_plan(world: World, rng: Random) -> Facts:
    customer = pick(rng, world.rows("customers"))
    limit = PLANS[customer["plan_id"]]["alert_limit"]
    more = [each for each in (4, 5, 6, 7, 8, 10, 12) if each > limit]
    return {"customer_id": customer["customer_id"], "alerts": pick(rng, more)}


PLAN = WORDS.program(
    "change_plan_for_alerts",
    _draw_plan,
    _plan,
    (
        WORDS.twist("exports too", "constraint", draw=one_of("exports", 2, 3, 4, 6)),
        WORDS.twist(
            "a limit on the fee",
            "condition",
            draw=lambda world, rng, facts: {"most_fee": rng.choice((20.0, 30.0, 50.0, 60.0, 120.0))},
        ),
    ),
)

_METHODS = ("card", "bank transfer")


def _open(invoice: Record) -> bool:
    return bool(invoice["status"] == "open")


def _pay(facts: Facts) -> Solution:
    invoice = yield do("get_invoice", invoice_id=facts["invoice_id"])
    return (yield from _paid(facts, invoice))


def _paid(facts: Facts, invoice: Record) -> Solution:
    must(_open(invoice), "it is not open")
    amount, due = shown(invoice["amount"]), invoice["due_on"]
    if facts.get("with_credit"):
        customer = yield do("get_customer", customer_id=facts["customer_id"])
        if customer["credit"] >= invoice["amount"]:
            yield do("pay_invoice", invoice_id=invoice["invoice_id"], method="credit")
            return Reply(f"{amount} EUR, due on {due}, were paid from your credit.", (amount, due))
    if invoice["amount"] > facts.get("most", 1e9):
        return Reply(f"I paid nothing: it is {amount} EUR, due on {due}.", (amount, due))
    yield do("pay_invoice", invoice_id=invoice["invoice_id"], method=facts["method"])
    return Reply(f"{amount} EUR, due on {due}, are paid by {facts['method']}.", (amount, due))


CREDIT_FIRST = WORDS.twist("from the credit if it is enough", "constraint", sets={"with_credit": True})

PAY = WORDS.program(
    "pay_invoice",
    lambda world, rng: {**a_record("invoices", "invoice_id", _open)(world, rng), "method": rng.choice(_METHODS)},
    _pay,
    (
        CREDIT_FIRST,
        WORDS.twist("by other means", "change_of_mind", draw=one_of("method", *_METHODS)),
    ),
    again="invoice_id",
)


def _pay_oldest(facts: Facts) -> Solution:
    invoices = yield do("list_invoices", customer_id=facts["customer_id"])
    oldest = yield choose([each for each in invoices if _open(each)], key=lambda each: each["due_on"])
    reply = yield from _paid(facts, oldest)
    return Reply(f"{oldest['invoice_id']}: {reply.text}", (oldest["invoice_id"], *reply.tell))


PAY_OLDEST = WORDS.program(
    "pay_oldest_invoice",
    lambda world, rng: {
        "customer_id": pick(rng, [i for i in world.rows("invoices") if _open(i)])["customer_id"],
        "method": rng.choice(_METHODS),
    },
    _pay_oldest,
    (
        CREDIT_FIRST,
        WORDS.twist(
            "up to a sum",
            "condition",
            draw=lambda world, rng, facts: {"most": rng.choice((40.0, 60.0, 90.0, 120.0, 150.0))},
        ),
    ),
)


def _dispute(facts: Facts) -> Solution:
    invoice = yield do("get_invoice", invoice_id=facts["invoice_id"])
    if not _open(invoice) or invoice["month"] != "2026-10":
        raise DeadEnd("it can no longer be disputed")
    yield do("dispute_invoice", invoice_id=facts["invoice_id"], objection=facts["objection"])
    amount, due = shown(invoice["amount"]), invoice["due_on"]
    return Reply(f"The objection is noted; it is {amount} EUR, due on {due}, not collected meanwhile.", (amount, due))


DISPUTE = WORDS.program(
    "dispute_invoice",
    lambda world, rng: {
        **a_record("invoices", "invoice_id", lambda each: _open(each) and each["month"] == "2026-10")(world, rng),
        "objection": rng.choice(("wrong amount", "billed twice", "not ordered")),
    },
    _dispute,
    (
        WORDS.twist(
            "another reason", "change_of_mind", draw=one_of("objection", "wrong amount", "billed twice", "not ordered")
        ),
    ),
)

_NEW_NAMES = {
    "farm": ("East Slope", "Pear Terrace", "Chapel Field", "Fox Meadow"),
    "airfield": ("Moor Airstrip", "Poplar Aerodrome", "Glider Field West"),
    "venue": ("Garden Court", "Tithe Barn Stage", "Linden Terrace"),
    "harbour": ("Old Ferry Landing", "South Marina", "Lighthouse Quay"),
    "building site": ("Brickworks Lofts", "Harbour Road Garage", "Library Extension"),
}


def _add_site(facts: Facts) -> Solution:
    station = yield from station_named(facts)
    must(station["status"] == "online", "the station is offline")
    yield do(
        "add_site",
        customer_id=facts["customer_id"],
        name=facts["name"],
        kind=facts["kind"],
        station_id=station["station_id"],
    )
    height = f"{station['elevation_m']} m"
    return Reply(f"It is added; the station lies at {height}.", (height,))


def _draw_add(world: World, rng: Random) -> Facts:
    customer = pick(rng, world.rows("customers"))
    near = [e for e in world.rows("stations") if e["country"] == customer["country"] and e["status"] == "online"]
    kind = rng.choice(SITE_KINDS)
    return {
        "customer_id": customer["customer_id"],
        "name": rng.choice(_NEW_NAMES[kind]),
        "kind": kind,
        "station": pick(rng, near)["name"],
    }


ADD_SITE = WORDS.program("add_site", _draw_add, _add_site)


def _draw_rename(world: World, rng: Random) -> Facts:
    site = pick(rng, world.rows("sites"))
    name = rng.choice(_NEW_NAMES[site["kind"]])
    return {"customer_id": site["customer_id"], "site": site["name"], "name": name}


def _other_name(world: World, rng: Random, facts: Facts) -> Facts:
    names = next(each for each in _NEW_NAMES.values() if facts["name"] in each)
    return {"name": pick(rng, [each for each in names if each != facts["name"]])}


def _rename(facts: Facts) -> Solution:
    site = yield from site_named(facts)
    yield do("rename_site", site_id=site["site_id"], name=facts["name"])
    return Reply(f"Renamed; it goes by the station {site['station']}.", (site["station"],))


RENAME = WORDS.program(
    "rename_site", _draw_rename, _rename, (WORDS.twist("another name", "change_of_mind", draw=_other_name),)
)

ACCOUNT = (PLAN, PAY, PAY_OLDEST, DISPUTE, ADD_SITE, RENAME)
