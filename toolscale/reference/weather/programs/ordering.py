"""Programs that order reports by meteorologists."""

from random import Random

from toolscale.reference.kit import must
from toolscale.reference.moments import day
from toolscale.reference.program import Facts, Record, Reply, Solution, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.weather.catalogue import PRODUCTS
from toolscale.reference.weather.programs.common import a_day, a_site, site_named
from toolscale.reference.words import words

WORDS = words(__file__)

HOURLY = WORDS.twist("with hourly detail", "constraint", sets={"hourly": True})
MOST = WORDS.twist(
    "a limit on the price",
    "condition",
    draw=lambda world, rng, facts: {"most": rng.choice((35.0, 45.0, 60.0, 75.0, 90.0))},
)
OTHER_DAY = WORDS.twist("another day", "change_of_mind", draw=a_day(3, 10))


def _order(facts: Facts, site: Record, offer: Record, about: str) -> Solution:
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


def _order_named(facts: Facts) -> Solution:
    site = yield from site_named(facts)
    offers = yield do("list_report_products", site_id=site["site_id"])
    offer = yield choose([each for each in offers if each["name"] == facts["product"]], key=lambda each: each["name"])
    return (yield from _order(facts, site, offer, facts["day"]))


ORDER = WORDS.program("order_report", _draw_product, _order_named, (HOURLY, MOST, OTHER_DAY))


def _order_cheapest(facts: Facts) -> Solution:
    site = yield from site_named(facts)
    offers = yield do("list_report_products", site_id=site["site_id"])
    must(len(offers) >= 2, "nothing to compare")
    offer = yield choose(offers, key=lambda each: each["price_with_hourly_detail" if facts.get("hourly") else "price"])
    reply = yield from _order(facts, site, offer, facts["day"])
    return Reply(reply.text, (*reply.tell, offer["name"]))


CHEAPEST = WORDS.program(
    "order_cheapest_report",
    lambda world, rng: {**a_site(world, rng), "day": day(rng.randint(2, 10))},
    _order_cheapest,
    (HOURLY, MOST, OTHER_DAY),
)


def _order_calmest(facts: Facts) -> Solution:
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


CALMEST = WORDS.program(
    "order_report_for_calmest_day",
    _draw_calmest,
    _order_calmest,
    (
        HOURLY,
        MOST,
        WORDS.twist("the warmest day instead", "change_of_mind", sets={"warmest": True}),
    ),
)

ORDERING = (ORDER, CHEAPEST, CALMEST)
