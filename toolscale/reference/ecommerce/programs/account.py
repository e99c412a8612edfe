"""Programs about stock alerts, points and addresses."""

from random import Random

from toolscale.reference.ecommerce.programs.common import COLLEAGUE, a_customer, euros, the_product, the_variant, told
from toolscale.reference.kit import known, must
from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Solution, World, choose, do, pick
from toolscale.reference.words import words

WORDS = words(__file__)


def _draw_watch(world: World, rng: Random) -> Facts:
    variant = pick(rng, [each for each in world.rows("variants") if not each["stock"]])
    product = known(world, "products", variant["product_id"])
    return {
        **a_customer(world, rng),
        "product": product["name"],
        "option": variant["option"],
        "channel": rng.choice(("e-mail", "text message")),
    }


def _watch(facts: Facts) -> Solution:
    alerts = yield do("list_stock_alerts", customer_id=facts["customer_id"])
    product = yield from the_product(facts["product"])
    variant = yield from the_variant(product, facts["option"])
    if any(each["sku"] == variant["sku"] for each in alerts) or variant["stock"]:
        raise DeadEnd("there is an alert already, or some in stock")
    back, price = variant["restock_on"], euros(variant["price"])
    if back > facts.get("by", back):
        return told(f"I set no alert: it is back only on {back}.", back)
    yield do(
        "set_stock_alert",
        customer_id=facts["customer_id"],
        sku=variant["sku"],
        channel=facts["channel"],
    )
    return told(f"You will hear of it; it is back on {back}, at {price} EUR.", back, price)


WATCH = WORDS.program(
    "set_stock_alert",
    _draw_watch,
    _watch,
    (
        WORDS.twist(
            "only if it is back in time",
            "condition",
            lambda world, rng, facts: {"by": day(rng.choice((9, 20, 33, 38)))},
        ),
        COLLEAGUE,
    ),
)


def _unwatch(facts: Facts) -> Solution:
    alerts = yield do("list_stock_alerts", customer_id=facts["customer_id"])
    alert = yield choose(alerts, key=lambda each: -int(each["restock_on"].replace("-", "")))
    product = yield from the_product(alert["product"])
    if alert["restock_on"] < facts.get("not_before", "0"):
        return told(f"I left it: it is back on {alert['restock_on']}.", alert["restock_on"])
    yield do("remove_stock_alert", alert_id=alert["alert_id"])
    variant = yield from the_variant(product, alert["option"])
    name, price = alert["product"], euros(variant["price"])
    return told(f"The alert for the {name} ({alert['option']}, {price} EUR) is removed.", name, price)


UNWATCH = WORDS.program(
    "remove_stock_alert",
    a_customer,
    _unwatch,
    (
        WORDS.twist(
            "unless it comes soon", "condition", lambda world, rng, facts: {"not_before": day(rng.choice((7, 12, 20)))}
        ),
        COLLEAGUE,
    ),
)


def _draw_points(world: World, rng: Random) -> Facts:
    customer = pick(rng, [each for each in world.rows("customers") if each["points"] >= 700])
    return {"customer_id": customer["customer_id"], "points": 100 * rng.randint(5, customer["points"] // 100 - 1)}


def _convert(facts: Facts) -> Solution:
    customer = yield do("get_customer", customer_id=facts["customer_id"])
    points = facts["points"]
    must(500 <= points <= customer["points"], "too few points")
    if customer["points"] - points < facts.get("keep", 0):
        held = f"{customer['points']} points"
        return told(f"I left them: you have {held}.", held)
    done = yield do("convert_points", customer_id=facts["customer_id"], points=points)
    left, until = f"{done['points_left']} points", done["valid_until"]
    return told(f"Your voucher is {done['voucher_code']}, valid until {until}; {left} are left.", left, until)


CONVERT = WORDS.program(
    "convert_points",
    _draw_points,
    _convert,
    (
        WORDS.twist("keep a reserve", "condition", lambda world, rng, facts: {"keep": rng.choice((50, 120, 350))}),
        COLLEAGUE,
    ),
)


def _draw_default(world: World, rng: Random) -> Facts:
    customer = pick(rng, world.rows("customers"))
    label = "home" if customer["default_address"] == "work" else "work"
    return {"customer_id": customer["customer_id"], "label": label}


def _default(facts: Facts) -> Solution:
    customer = yield do("get_customer", customer_id=facts["customer_id"])
    must(customer["default_address"] != facts["label"], "it is the default already")
    done = yield do("set_default_address", customer_id=facts["customer_id"], label=facts["label"])
    was = next(each for each in customer["addresses"] if each["label"] == customer["default_address"])
    text = f"New orders go to {done['street']}, no longer to {was['street']}."
    return told(text, done["street"], was["street"])


DEFAULT = WORDS.program("set_default_address", _draw_default, _default, (COLLEAGUE,))


ACCOUNT = (WATCH, UNWATCH, CONVERT, DEFAULT)
