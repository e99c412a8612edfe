"""Programs about plan, sites and invoices."""

from random import Random

from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, Reply, Twist, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.weather.catalogue import PLANS, SITE_KINDS
from toolscale.reference.weather.programs.common import a_record, one_of, says, site_named, station_named


def _plan(facts: Facts) -> Policy:
    customer = yield do("get_customer", customer_id=facts["customer_id"])
    plans = yield do("list_plans")
    fitting = [
        each
        for each in plans
        if each["alert_limit"] >= max(facts["alerts"], customer["alerts"])
        and each["export_limit"] >= facts.get("exports", 0)
    ]
    best = yield choose(fitting, key=lambda each: each["monthly_fee"])
    if best["plan_id"] == customer["plan_id"]:
        raise DeadEnd("that is the plan already")
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


PLAN = Program(
    "change_plan_for_alerts",
    "Move to the cheapest plan with enough alerts",
    says(
        "I need a plan with which I can have [at least {alerts:int} alerts|{alerts:int} alerts or more]. Please move "
        "me to the cheapest that allows them all, and tell me its name and what it costs a month.",
        "move me to the cheapest plan with {alerts:int}+ alerts. name + monthly fee?",
        "I want to be warned of everything, I am a worrier! Put me on the cheapest plan that allows {alerts:int} "
        "alerts or more, please, and what is it called and what does it cost a month?",
        "Please transfer me to the least expensive plan permitting no fewer than {alerts:int} alerts, and state its "
        "name and monthly fee.",
    ),
    _draw_plan,
    _plan,
    (
        Twist(
            "exports too",
            "constraint",
            says(
                "The plan must also give me {exports:int} exports a month or more.",
                "and min {exports:int} exports a month.",
                "And there should be {exports:int} exports a month in it, or more, for my curves!",
                "The plan must moreover include at least {exports:int} exports a month.",
            ),
            draw=one_of("exports", 2, 3, 4, 6),
        ),
        Twist(
            "a limit on the fee",
            "condition",
            says(
                "If that plan costs more than {most_fee:money} EUR a month, leave my plan alone and tell me the fee.",
                "over {most_fee:money} EUR a month: leave my plan, tell me the fee.",
                "But if they want more than {most_fee:money} EUR a month for it, leave my plan alone and tell me the "
                "fee!",
                "Should its monthly fee exceed {most_fee:money} EUR, leave my plan unchanged and state the fee.",
            ),
            draw=lambda world, rng, facts: {"most_fee": rng.choice((20.0, 30.0, 50.0, 60.0, 120.0))},
        ),
    ),
    unknown="I do not know what your plans are called.",
)

_METHODS = ("card", "bank transfer")


def _open(invoice: Record) -> bool:
    return bool(invoice["status"] == "open")


def _pay(facts: Facts) -> Policy:
    invoice = yield do("get_invoice", invoice_id=facts["invoice_id"])
    return (yield from _paid(facts, invoice))


def _paid(facts: Facts, invoice: Record) -> Policy:
    if not _open(invoice):
        raise DeadEnd("it is not open")
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


CREDIT_FIRST = Twist(
    "from the credit if it is enough",
    "constraint",
    says(
        "If my credit is enough for the whole of it, pay it from that instead.",
        "if my credit covers it fully, use that instead.",
        "Oh, and if I have credit enough for all of it, take it from there, that is what it is for!",
        "Provided that my credit covers the entire sum, it is to be paid from that instead.",
    ),
    sets={"with_credit": True},
)

PAY = Program(
    "pay_invoice",
    "Pay an invoice",
    says(
        "Please pay {invoice_id} by {method}. What is the exact amount, and when [was|is] it due?",
        "pay {invoice_id} by {method}. exact amount + due date?",
        "Before it gets lost under the seed catalogues again, please pay {invoice_id} by {method}, and tell me exactly "
        "how much it is and when it is or was due!",
        "Please settle {invoice_id} by {method} and state the exact amount and the due date.",
        hurried="Pay {invoice_id} by {method}, exact sum and due day?",
    ),
    lambda world, rng: {**a_record("invoices", "invoice_id", _open)(world, rng), "method": rng.choice(_METHODS)},
    _pay,
    (
        CREDIT_FIRST,
        Twist(
            "by other means",
            "change_of_mind",
            says(
                "[No, rather|Sorry, better] pay that by {method}.",
                "no, by {method}.",
                "Oh, that account is a little thin this month, pay it by {method} instead!",
                "I revise the means of payment: {method}.",
            ),
            draw=one_of("method", *_METHODS),
        ),
    ),
    again="invoice_id",
)


def _pay_oldest(facts: Facts) -> Policy:
    invoices = yield do("list_invoices", customer_id=facts["customer_id"])
    oldest = yield choose([each for each in invoices if _open(each)], key=lambda each: each["due_on"])
    reply = yield from _paid(facts, oldest)
    return Reply(f"{oldest['invoice_id']}: {reply.text}", (oldest["invoice_id"], *reply.tell))


PAY_OLDEST = Program(
    "pay_oldest_invoice",
    "Pay the invoice that has been open longest",
    says(
        "Please pay the [oldest of my open invoices|invoice of mine that has been open longest] by {method}, and tell "
        "me its number, the amount and the due day.",
        "pay my oldest open invoice by {method}. number, amount, due date?",
        "One bill must be getting a beard by now! Find the open one that is oldest, pay it by {method}, and tell me "
        "its number, how much it was and when it was due.",
        "Please settle by {method} the oldest of my invoices outstanding, and state its number, amount and due date.",
    ),
    lambda world, rng: {
        "customer_id": pick(rng, [i for i in world.rows("invoices") if _open(i)])["customer_id"],
        "method": rng.choice(_METHODS),
    },
    _pay_oldest,
    (
        CREDIT_FIRST,
        Twist(
            "up to a sum",
            "condition",
            says(
                "If it is more than {most:money} EUR, do not pay it and only tell me [about it|its number and sum].",
                "over {most:money} EUR don't pay, just tell me.",
                "But if it is more than {most:money} EUR, do not pay, I need to sit down first, only tell me about it!",
                "Should it exceed {most:money} EUR, do not settle it and merely state the particulars.",
            ),
            draw=lambda world, rng, facts: {"most": rng.choice((40.0, 60.0, 90.0, 120.0, 150.0))},
        ),
    ),
    unknown="I do not have its number.",
)


def _dispute(facts: Facts) -> Policy:
    invoice = yield do("get_invoice", invoice_id=facts["invoice_id"])
    if not _open(invoice) or invoice["month"] != "2026-10":
        raise DeadEnd("it can no longer be disputed")
    yield do("dispute_invoice", invoice_id=facts["invoice_id"], objection=facts["objection"])
    amount, due = shown(invoice["amount"]), invoice["due_on"]
    return Reply(f"The objection is noted; it is {amount} EUR, due on {due}, not collected meanwhile.", (amount, due))


DISPUTE = Program(
    "dispute_invoice",
    "Object to an invoice",
    says(
        "[This cannot be right|There is a mistake]: I object to {invoice_id}, {objection}. Please dispute it for me "
        "and tell me its amount and when it was due.",
        "dispute {invoice_id}: {objection}. amount + due date?",
        "I put on my glasses twice! Please dispute {invoice_id} for me, {objection}, and tell me the amount and when "
        "it was due.",
        "I hereby object to {invoice_id} on the ground of: {objection}. Kindly register this and state its amount and "
        "due date.",
    ),
    lambda world, rng: {
        **a_record("invoices", "invoice_id", lambda each: _open(each) and each["month"] == "2026-10")(world, rng),
        "objection": rng.choice(("wrong amount", "billed twice", "not ordered")),
    },
    _dispute,
    (
        Twist(
            "another reason",
            "change_of_mind",
            says(
                "[No, the right reason is|Sorry, put down instead]: {objection}.",
                "correction, reason: {objection}.",
                "Oh, now I see what is wrong, the reason should be: {objection}!",
                "I correct the ground of my objection: {objection}.",
            ),
            draw=one_of("objection", "wrong amount", "billed twice", "not ordered"),
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


def _add_site(facts: Facts) -> Policy:
    station = yield from station_named(facts)
    if station["status"] != "online":
        raise DeadEnd("the station is offline")
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


ADD_SITE = Program(
    "add_site",
    "Add a site to the account",
    says(
        "Please add another {kind} to my account, by the station {station}. I call it {name}. At how many metres does "
        "that station lie?",
        "new {kind} for my sites: station {station}, name {name}. elevation of the station?",
        "We have grown, imagine! Please add our new {kind} to my account, near your station {station}, and its name is "
        "{name}; how many metres up is that station?",
        "Please add to my account a further {kind}, to be based on the station {station} and named {name}, and state "
        "that station's elevation.",
    ),
    _draw_add,
    _add_site,
)


def _draw_rename(world: World, rng: Random) -> Facts:
    site = pick(rng, world.rows("sites"))
    name = rng.choice(_NEW_NAMES[site["kind"]])
    return {"customer_id": site["customer_id"], "site": site["name"], "name": name}


def _other_name(world: World, rng: Random, facts: Facts) -> Facts:
    names = next(each for each in _NEW_NAMES.values() if facts["name"] in each)
    return {"name": pick(rng, [each for each in names if each != facts["name"]])}


def _rename(facts: Facts) -> Policy:
    site = yield from site_named(facts)
    yield do("rename_site", site_id=site["site_id"], name=facts["name"])
    return Reply(f"Renamed; it goes by the station {site['station']}.", (site["station"],))


RENAME = Program(
    "rename_site",
    "Give a site another name",
    says(
        "Please rename my site {site} to {name}. [By which station does it go|Which station is it based on]?",
        "rename site {site} to {name}. which station is it on?",
        "Nobody here says {site} any more, my site should be called {name} from now on! And which station does it go "
        "by?",
        "My site {site} is to bear the name {name} henceforth; please state the station on which it is based.",
    ),
    _draw_rename,
    _rename,
    (
        Twist(
            "another name",
            "change_of_mind",
            says(
                "[No, one moment|My partner objects], the new name should be {name}.",
                "no, new name: {name}.",
                "The children have voted, the new name is {name}!",
                "I correct the new name to {name}.",
            ),
            draw=_other_name,
        ),
    ),
)

ACCOUNT = (PLAN, PAY, PAY_OLDEST, DISPUTE, ADD_SITE, RENAME)
