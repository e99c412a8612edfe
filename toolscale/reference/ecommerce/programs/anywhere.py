"""What can be added to any request of the shop's, and how customers name what they have no number of."""

from random import Random

from toolscale.reference.ecommerce.programs.common import euros, orders, told
from toolscale.reference.kit import known, must
from toolscale.reference.program import DeadEnd, Facts, Solution, Steps, World, choose, do, pick
from toolscale.reference.words import words

WORDS = words(__file__)


def _tell_credit(facts: Facts) -> Solution:
    customer = yield do("get_customer", customer_id=facts["customer_id"])
    credit = euros(customer["store_credit"])
    return told(f"Your store credit stands at {credit} EUR.", credit)


CREDIT = WORDS.twist("store credit", "lookup", after=_tell_credit)


def _tell_voucher(facts: Facts) -> Solution:
    vouchers = yield do("list_vouchers", customer_id=facts["customer_id"])
    voucher = yield choose(vouchers, key=lambda each: each["valid_until"])
    code, until = voucher["voucher_code"], voucher["valid_until"]
    return told(f"{code} runs out first, on {until}.", code, until)


def _has_voucher(world: World, rng: Random, facts: Facts) -> Facts:
    must(not facts.get("last_first"), "that is asked for already")
    mine = [each for each in world.rows("vouchers") if each["customer_id"] == facts["customer_id"]]
    if len({each["valid_until"] for each in mine if each["status"] == "open"}) != 1:
        raise DeadEnd("no voucher in sight that is surely the first to run out")
    return {}


VOUCHER = WORDS.twist("voucher that runs out first", "lookup", draw=_has_voucher, after=_tell_voucher)


def _still_lives_there(facts: Facts) -> Steps:
    customer = yield do("get_customer", customer_id=facts["customer_id"])
    home = yield choose([each for each in customer["addresses"] if each["label"] == "home"], key=lambda each: 0)
    if home["street"] == facts["home_street"]:
        return None
    return told(f"I changed nothing: as your home address we have {home['street']}.", home["street"])


def _draw_home(world: World, rng: Random, facts: Facts) -> Facts:
    """The street that the user believes to be on file: mostly it is, sometimes it is a neighbour's."""
    must("label" not in facts, "the request is about addresses itself")
    addresses = [each for each in world.rows("addresses") if each["label"] == "home"]
    mine = pick(rng, [each for each in addresses if each["customer_id"] == facts["customer_id"]])
    other = pick(rng, [each["street"] for each in world.rows("addresses") if each["country"] == mine["country"]])
    return {"home_street": other if rng.random() < 0.35 else mine["street"]}


HOME = WORDS.twist(
    "only if the home address is right",
    "condition",
    draw=_draw_home,
    suits=r"place_|reorder|start_|resume_|add_gift|upgrade_|swap_|change_q|change_s|request_exchange|claim_|report_lost",
    before=_still_lives_there,
)


def _draw_placed(world: World, rng: Random, facts: Facts) -> Facts:
    order = known(world, "orders", facts["order_id"])
    same = [each for each in orders(world, order["status"]) if each["placed_on"] == order["placed_on"]]
    must(sum(each["customer_id"] == order["customer_id"] for each in same) <= 1, "two orders of one day")
    return {"placed": order["placed_on"]}


def _find_placed(facts: Facts) -> Steps:
    listed = yield do("list_orders", customer_id=facts["customer_id"])
    of_the_day = [each for each in listed if each["placed_on"] == facts["placed"]]
    return (yield choose(of_the_day, key=lambda each: each["placed_on"]))["order_id"]


ORDER_OF_A_DAY = WORDS.description("order_id", _draw_placed, _find_placed)


def _draw_supply(world: World, rng: Random, facts: Facts) -> Facts:
    found = world.get("subscriptions", facts["subscription_id"])
    variant = world.get("variants", found["sku"]) if found else None
    product = world.get("products", variant["product_id"]) if variant else None
    if product is None:
        raise DeadEnd("the product is out of sight")
    return {"supply": product["name"]}


def _find_supply(facts: Facts) -> Steps:
    listed = yield do("list_subscriptions", customer_id=facts["customer_id"])
    of_it = [each for each in listed if each["product"] == facts["supply"] and each["status"] != "ended"]
    return (yield choose(of_it, key=lambda each: each["product"]))["subscription_id"]


SUPPLY = WORDS.description("subscription_id", _draw_supply, _find_supply)

TWISTS = (CREDIT, VOUCHER, HOME)
DESCRIPTIONS = (ORDER_OF_A_DAY, SUPPLY)
