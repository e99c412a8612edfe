"""Programs about stock alerts, points and addresses."""

from random import Random

from toolscale.reference.ecommerce.programs.common import (
    COLLEAGUE,
    a_customer,
    euros,
    says,
    the_product,
    the_variant,
    told,
    twist,
)
from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, World, choose, do, pick


def _draw_watch(world: World, rng: Random) -> Facts:
    variant = pick(rng, [each for each in world.rows("variants") if not each["stock"]])
    product = world.get("products", variant["product_id"])
    if product is None:
        raise DeadEnd("the product is out of sight")
    return {
        **a_customer(world, rng), "product": product["name"], "option": variant["option"],
        "channel": rng.choice(("e-mail", "text message")),
    }  # fmt: skip


def _watch(facts: Facts) -> Policy:
    alerts = yield do("list_stock_alerts", customer_id=facts["customer_id"])
    product = yield from the_product(facts["product"])
    variant = yield from the_variant(product, facts["option"])
    if any(each["sku"] == variant["sku"] for each in alerts) or variant["stock"]:
        raise DeadEnd("there is an alert already, or some in stock")
    back, price = variant["restock_on"], euros(variant["price"])
    if back > facts.get("by", back):
        return told(f"I set no alert: it is back only on {back}.", back)
    yield do(
        "set_stock_alert", customer_id=facts["customer_id"], sku=variant["sku"],
        channel=facts["channel"],
    )  # fmt: skip
    return told(f"You will hear of it; it is back on {back}, at {price} EUR.", back, price)


WATCH = Program(
    "set_stock_alert",
    "Be told when something that is sold out is back",
    says(
        "The {product} ({option}) is sold out. Please set an alert for me by {channel}. On which day should it be "
        "back, and at what price?",
        "{product} ({option}) sold out, alert me by {channel}. back when + price?",
        "Just my luck, the {product} ({option}) is gone! Let me know by {channel} when it returns, do, and what day "
        "might that be, and for how much?",
        "As the {product} ({option}) is sold out, I ask to be notified by {channel}, and to learn the expected day and "
        "the price.",
        "no {product} ({option}) left! alert by {channel}, which day, what price?",
        "The {product} ({option}) is finished; please send me alert with {channel}, and when it comes again and how "
        "much it costs?",
    ),
    _draw_watch,
    _watch,
    (
        twist("only if it is back in time", "condition", says(
            "If it is not back by {by:date}, set no alert and just tell me the day.",
            "not back by {by:date}? no alert, just the day.",
            "I need it for a birthday, so if it is not back by {by:date}, no alert, just tell me the day!",
            "Should it not be back by {by:date}, set no alert but state the day.",
        ), lambda world, rng, facts: {"by": day(rng.choice((9, 20, 33, 38)))}),
        COLLEAGUE,
    ),
)  # fmt: skip


def _unwatch(facts: Facts) -> Policy:
    alerts = yield do("list_stock_alerts", customer_id=facts["customer_id"])
    alert = yield choose(alerts, key=lambda each: -int(each["restock_on"].replace("-", "")))
    product = yield from the_product(alert["product"])
    if alert["restock_on"] < facts.get("not_before", "0"):
        return told(f"I left it: it is back on {alert['restock_on']}.", alert["restock_on"])
    yield do("remove_stock_alert", alert_id=alert["alert_id"])
    variant = yield from the_variant(product, alert["option"])
    name, price = alert["product"], euros(variant["price"])
    return told(f"The alert for the {name} ({alert['option']}, {price} EUR) is removed.", name, price)


UNWATCH = Program(
    "remove_stock_alert",
    "Stop waiting for something that is sold out",
    says(
        "I do not want to wait so long: please remove that stock alert of mine whose product is back latest. What was "
        "it for, and what is its price?",
        "remove my stock alert with the latest restock date. which product + price?",
        "Patience was never my strength, so take the stock alert that keeps me waiting longest off my list! Which "
        "product was it, and what would it have cost?",
        "Please delete whichever of my stock alerts has the latest expected date of restocking, naming the product and "
        "its price.",
        "the stock alert of mine that takes longest until restock, remove it! which product, which price?",
        "From my stock alerts take away the one which comes back most late; which product it was and how much it "
        "costs?",
    ),
    a_customer,
    _unwatch,
    (
        twist("unless it comes soon", "condition", says(
            "If even that is expected back before {not_before:date}, keep the alert and just tell me the day.",
            "back before {not_before:date}? keep the alert, just the day.",
            "Though if even that is back before {not_before:date}, keep it going and just tell me the day!",
            "Should even that be expected before {not_before:date}, retain the alert and state the day.",
        ), lambda world, rng, facts: {"not_before": day(rng.choice((7, 12, 20)))}),
        COLLEAGUE,
    ),
)  # fmt: skip


def _draw_points(world: World, rng: Random) -> Facts:
    customer = pick(rng, [each for each in world.rows("customers") if each["points"] >= 700])
    return {"customer_id": customer["customer_id"], "points": 100 * rng.randint(5, customer["points"] // 100 - 1)}


def _convert(facts: Facts) -> Policy:
    customer = yield do("get_customer", customer_id=facts["customer_id"])
    points = facts["points"]
    if not 500 <= points <= customer["points"]:
        raise DeadEnd("too few points")
    if customer["points"] - points < facts.get("keep", 0):
        held = f"{customer['points']} points"
        return told(f"I left them: you have {held}.", held)
    done = yield do("convert_points", customer_id=facts["customer_id"], points=points)
    left, until = f"{done['points_left']} points", done["valid_until"]
    return told(f"Your voucher is {done['voucher_code']}, valid until {until}; {left} are left.", left, until)


CONVERT = Program(
    "convert_points",
    "Turn points into a voucher",
    says(
        "Please turn {points:int} of my points into a voucher. Until when is it valid, and how many points are left?",
        "{points:int} points into a voucher. valid until + points left?",
        "I have been saving points like a squirrel, so make a voucher of {points:int} of them! Until what day is it "
        "good, and how many have I got left?",
        "I request the conversion of {points:int} of my points into a voucher; please state its expiry and the "
        "remaining number of points.",
        "voucher from {points:int} points! valid until, points left?",
        "From my points please make {points:int} into a voucher; until when is good and how much points stay?",
    ),
    _draw_points,
    _convert,
    (
        twist("keep a reserve", "condition", says(
            "If that leaves fewer than {keep:int} points, leave them and tell me how many I have.",
            "must leave {keep:int} points, else don't, tell me my points.",
            "But I want to keep {keep:int} points at least, so if it leaves fewer, just tell me how many there are!",
            "Should fewer than {keep:int} points remain, make no conversion and state how many I hold.",
        ), lambda world, rng, facts: {"keep": rng.choice((50, 120, 350))}),
        COLLEAGUE,
    ),
)  # fmt: skip


def _draw_default(world: World, rng: Random) -> Facts:
    customer = pick(rng, world.rows("customers"))
    label = "home" if customer["default_address"] == "work" else "work"
    return {"customer_id": customer["customer_id"], "label": label}


def _default(facts: Facts) -> Policy:
    customer = yield do("get_customer", customer_id=facts["customer_id"])
    if customer["default_address"] == facts["label"]:
        raise DeadEnd("it is the default already")
    done = yield do("set_default_address", customer_id=facts["customer_id"], label=facts["label"])
    was = next(each for each in customer["addresses"] if each["label"] == customer["default_address"])
    text = f"New orders go to {done['street']}, no longer to {was['street']}."
    return told(text, done["street"], was["street"])


DEFAULT = Program(
    "set_default_address",
    "Choose which address new orders go to",
    says(
        "Please make my {label} address the default for new orders. Which street is that, and which street was the "
        "default before?",
        "default address -> {label}. its street + street of the old default?",
        "I keep forgetting to change it when I order, so let my {label} address be the standard one from now on! Which "
        "street do you have for it, and which was it until today?",
        "Please set my {label} address as the default for future orders, and name its street as well as that of the "
        "former default.",
        "from now on the {label} address is my default! street of it, street of the old one?",
        "For my new orders the {label} address should be the default; which street is this and which street was it "
        "before?",
    ),
    _draw_default,
    _default,
    (COLLEAGUE,),
)


ACCOUNT = (WATCH, UNWATCH, CONVERT, DEFAULT)
