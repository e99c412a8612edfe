"""Programs that order reports by meteorologists."""

from random import Random

from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, Reply, Twist, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.weather.catalogue import PRODUCTS
from toolscale.reference.weather.programs.common import a_day, a_site, says, site_named

HOURLY = Twist(
    "with hourly detail",
    "constraint",
    says(
        "I want it with hourly detail.",
        "with hourly detail.",
        "And do give me the hourly detail, I always want to know more than I need!",
        "The report shall include hourly detail.",
    ),
    sets={"hourly": True},
)
MOST = Twist(
    "a limit on the price",
    "condition",
    says(
        "If it costs more than {most:money} EUR, do not order and tell me the price.",
        "max {most:money} EUR, else don't order, tell me the price.",
        "But above {most:money} EUR I would rather look out of the window, so then order nothing and tell me the "
        "price!",
        "Should the price exceed {most:money} EUR, order nothing and state it.",
    ),
    draw=lambda world, rng, facts: {"most": rng.choice((35.0, 45.0, 60.0, 75.0, 90.0))},
)
OTHER_DAY = Twist(
    "another day",
    "change_of_mind",
    says(
        "[No, sorry, it is|Wait, I mixed up the days, it is] for {day:date}.",
        "correction: for {day:date}.",
        "Oh, I looked at the wrong week, I mean {day:date}!",
        "I correct the date: it concerns {day:date}.",
    ),
    draw=a_day(3, 10),
)


def _order(facts: Facts, site: Record, offer: Record, about: str) -> Policy:
    hourly = facts.get("hourly", False)
    price = offer["price_with_hourly_detail"] if hourly else offer["price"]
    if price > facts.get("most", 1e9):
        return Reply(f"I ordered nothing: the {offer['name']} costs {shown(price)} EUR.", (shown(price),))
    yield do("order_report", site_id=site["site_id"], product_id=offer["product_id"], day=about, hourly=hourly)
    return Reply(f"The {offer['name']} for {about} is ordered, for {shown(price)} EUR.", (shown(price),))


def _draw_product(world: World, rng: Random) -> Facts:
    site = pick(rng, world.rows("sites"))
    names = [each["name"] for each in PRODUCTS.values() if site["kind"] in each["site_kinds"]]
    chosen = {"product": rng.choice(names), "day": day(rng.randint(2, 10))}
    return {"customer_id": site["customer_id"], "site": site["name"], **chosen}


def _order_named(facts: Facts) -> Policy:
    site = yield from site_named(facts)
    offers = yield do("list_report_products", site_id=site["site_id"])
    offer = yield choose([each for each in offers if each["name"] == facts["product"]], key=lambda each: each["name"])
    return (yield from _order(facts, site, offer, facts["day"]))


ORDER = Program(
    "order_report",
    "Order a certain report for a site and a day",
    says(
        "Please order [the|a report of the kind] {product} for {site} on {day:date}, and tell me the price with my "
        "discount, if I have one.",
        "order the {product} for {site}, {day:date}. price after discount?",
        "We have plans, and plans need weather! So one {product}, please, for {site} on {day:date}, and what does it "
        "come to with whatever discount I have?",
        "I wish to order the {product} for {site}, concerning {day:date}; kindly state the price net of any discount.",
        non_native="I want to order the {product} for {site}, for the day {day:date}, how much is it with discount?",
    ),
    _draw_product,
    _order_named,
    (HOURLY, MOST, OTHER_DAY),
)


def _order_cheapest(facts: Facts) -> Policy:
    site = yield from site_named(facts)
    offers = yield do("list_report_products", site_id=site["site_id"])
    if len(offers) < 2:
        raise DeadEnd("nothing to compare")
    offer = yield choose(offers, key=lambda each: each["price_with_hourly_detail" if facts.get("hourly") else "price"])
    reply = yield from _order(facts, site, offer, facts["day"])
    return Reply(reply.text, (*reply.tell, offer["name"]))


CHEAPEST = Program(
    "order_cheapest_report",
    "Order the cheapest report that suits a site",
    says(
        "Please order the cheapest report [there is for|that you offer for] {site}, for {day:date}. Which one is it "
        "and what does it cost?",
        "cheapest report for {site} on {day:date}, order it. which + price?",
        "I am not made of money, so find the cheapest report that you do for {site}, order it for {day:date}, and tell "
        "me what it is called and what I pay!",
        "Please order for {site}, concerning {day:date}, the least expensive report available, and state its name and "
        "price.",
    ),
    lambda world, rng: {**a_site(world, rng), "day": day(rng.randint(2, 10))},
    _order_cheapest,
    (HOURLY, MOST, OTHER_DAY),
    unknown="I do not know what your reports are called.",
)


def _order_calmest(facts: Facts) -> Policy:
    site = yield from site_named(facts)
    offers = yield do("list_report_products", site_id=site["site_id"])
    offer = yield choose([each for each in offers if each["name"] == facts["product"]], key=lambda each: each["name"])
    forecasts = yield do("list_forecasts", station_id=site["station_id"])
    days = [each for each in forecasts if facts["first"] <= each["day"] <= facts["last"]]
    best = yield choose(days, key=lambda each: each["high_c"] * -1 if facts.get("warmest") else each["gust_kmh"])
    reply = yield from _order(facts, site, offer, best["day"])
    return Reply(f"{reply.text} That day is {best['day']}.", (best["day"], *reply.tell))


def _draw_calmest(world: World, rng: Random) -> Facts:
    first = rng.randint(2, 3)
    return {
        **{slot: value for slot, value in _draw_product(world, rng).items() if slot != "day"},
        "first": day(first),
        "last": day(rng.randint(first + 1, 5)),
    }


CALMEST = Program(
    "order_report_for_calmest_day",
    "Order a report for the day with the least wind",
    says(
        "I can choose my day between {first:date} and {last:date}. Please order the {product} for {site}, for "
        "whichever of these days has the weakest gusts forecast. Which day is it, and what is the price?",
        "{product} for {site}, order it for the day with the lowest gusts from {first:date} to {last:date}. day + "
        "price?",
        "Any day from {first:date} to {last:date} would do, as long as my hat stays on! Order me the {product} for "
        "{site}, for the day with the weakest gusts, and tell me which day that is and what I pay.",
        "The day being open between {first:date} and {last:date}, please order the {product} for {site}, for the day "
        "with the lowest gusts forecast, and state day and price.",
    ),
    _draw_calmest,
    _order_calmest,
    (
        HOURLY,
        MOST,
        Twist(
            "the warmest day instead",
            "change_of_mind",
            says(
                "[Actually, wind is not the matter|No, never mind the wind]: take the warmest of these days instead.",
                "no, take the warmest of those days.",
                "Or no, my fingers freeze so easily, take the warmest of these days instead!",
                "I revise this: the warmest of these days shall be decisive.",
            ),
            sets={"warmest": True},
        ),
    ),
)

ORDERING = (ORDER, CHEAPEST, CALMEST)
