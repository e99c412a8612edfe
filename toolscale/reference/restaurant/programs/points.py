"""Requests about loyalty points."""

from random import Random

from toolscale.reference.program import (
    DeadEnd,
    Facts,
    Policy,
    Program,
    Record,
    Refusal,
    Steps,
    Twist,
    World,
    choose,
    do,
    pick,
)
from toolscale.reference.restaurant.houses import SCALE
from toolscale.reference.restaurant.programs.common import an_order, known, says, sum_of, told
from toolscale.reference.sums import shown


def _draw_exchange(world: World, rng: Random) -> Facts:
    guest = pick(rng, [row for row in world.rows("guests") if row["points"] >= 400])
    at_home = [row["currency"] for row in world.rows("restaurants") if row["country"] == guest["home_country"]]
    return {"guest_id": guest["guest_id"], "currency": pick(rng, at_home)}


def _exchange(facts: Facts) -> Policy:
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    within = [each for each in guest["rewards"] if guest["points"] - each["points"] >= facts.get("keep", 0)]
    if not within:
        points = f"{guest['points']} points"
        return told(f"I exchanged nothing: you have {points}.", points)
    sign = 1 if facts.get("which") == "smallest" else -1
    reward = yield choose(within, key=lambda each: sign * each["points"])
    currency = facts["currency"]
    voucher = yield do("exchange_points", guest_id=facts["guest_id"], reward=reward["reward"], currency=currency)
    number, (amount, with_currency) = voucher["voucher_id"], sum_of(voucher, "amount")
    return told(f"Your voucher {number} is worth {with_currency}.", number, amount)


EXCHANGE = Program(
    "exchange_points",
    "Turn loyalty points into the largest voucher that they buy",
    says(
        "[What are my points good for?|My points should not go to waste.] Please exchange them for the largest voucher "
        "I can get, in {currency}, and tell me its number and value.",
        "points -> largest possible voucher in {currency}; number, value?",
        "I have been eating my way to a small fortune in points, so give me the fattest voucher they buy, in "
        "{currency} please, with its number and what it is worth!",
        "Kindly convert my points into the voucher of greatest value available to me, denominated in {currency}, and "
        "state its number and value.",
        "Biggest voucher for my points, in {currency}, number and value, thanks.",
        "For my points please give the most big voucher, in {currency}, and say me number and value.",
    ),
    _draw_exchange,
    _exchange,
    (
        Twist(
            "some points stay",
            "constraint",
            {
                "plain": "At least {keep:int} points must be left on my account afterwards; if that cannot be, "
                "exchange none and tell me how many I have.",
                "terse": "leave >= {keep:int} points on account; impossible -> nothing, tell me my points.",
                "chatty": "But I am saving up too, so never let it drop under {keep:int} points, rather do nothing and "
                "tell me how many there are.",
                "formal": "No fewer than {keep:int} points are to remain; failing that, please exchange none and state "
                "their number.",
            },
            draw=lambda world, rng, facts: {"keep": rng.choice((50, 100, 150, 300, 500, 800))},
        ),
        Twist(
            "the smallest voucher",
            "change_of_mind",
            {
                "plain": "Or let us be modest instead: the smallest voucher there is.",
                "terse": "no, smallest voucher instead.",
                "chatty": "Ah, greed is a sin, so let us begin with the tiniest of your vouchers instead.",
                "formal": "On reflection, the smallest voucher will do.",
            },
            sets={"which": "smallest"},
        ),
    ),
)


def _spendable(world: World, order: Record) -> bool:
    """Whether the order can take a small voucher, which the guest has points for."""
    scale = SCALE[known(world, "restaurants", order["restaurant_id"])["currency"]]
    points = known(world, "guests", order["guest_id"])["points"]
    return bool(order["voucher_id"] is None and points >= 400 and order["total"] >= 10 * scale)


def _pay_by_points(facts: Facts) -> Policy:
    order = yield do("get_order", order_id=facts["order"])
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    small = yield choose([each for each in guest["rewards"] if each["reward"] == "small"], key=lambda each: 0)
    reward, currency = small["reward"], order["currency"]
    voucher = yield do("exchange_points", guest_id=facts["guest_id"], reward=reward, currency=currency)
    paid = yield do("redeem_voucher", voucher_id=voucher["voucher_id"], order_id=facts["order"])
    total, with_currency = sum_of(paid, "total")
    return told(f"Voucher {voucher['voucher_id']} is redeemed; {with_currency} are left to pay.", total)


PAY_BY_POINTS = Program(
    "pay_by_points",
    "Turn points into a small voucher and redeem it on an order at once",
    says(
        "Turn 400 of my points into the small voucher, in the currency of {order}, and redeem it on that at once. What "
        "is left to pay?",
        "400 points -> small voucher, redeem on {order} (its currency). rest to pay?",
        "Why wait for a rainy day: make a small voucher of my points, in whatever they pay with at that house, and use "
        "it right away on {order}! What remains of the bill?",
        "Kindly convert 400 of my points into a small voucher in the appropriate currency, redeem it on {order} and "
        "state the balance.",
        "Small voucher from my points, right onto {order}, what is left to pay?",
        "Please take 400 points of mine, make small voucher and use it directly for {order}, how much I pay after?",
    ),
    an_order(_spendable),
    _pay_by_points,
)


def _short_of_points(world: World, rng: Random) -> Facts:
    guest = pick(rng, [row for row in world.rows("guests") if 400 <= row["points"] < 2200])
    at_home = [row["currency"] for row in world.rows("restaurants") if row["country"] == guest["home_country"]]
    return {"guest_id": guest["guest_id"], "currency": pick(rng, at_home)}


def _next_smaller(facts: Facts) -> Policy:
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    if guest["points"] >= 2200:
        raise DeadEnd("there are enough points")
    best = yield choose(guest["rewards"], key=lambda each: -each["points"])
    reward, currency, points = best["reward"], facts["currency"], f"{guest['points']} points"
    voucher = yield do("exchange_points", guest_id=facts["guest_id"], reward=reward, currency=currency)
    number = voucher["voucher_id"]
    text = f"You had {points}, too few for a large voucher. I took the {reward} one, {number}"
    return told(f"{text}, worth {shown(voucher['amount'])} {currency}.", points, number)


def _exchange_all_the_same(facts: Facts) -> Steps:
    yield do("exchange_points", guest_id=facts["guest_id"], reward="large", currency=facts["currency"])


POINTS_SHORT = Program(
    "refuse_large_voucher",
    "Ask for a large voucher with too few points",
    says(
        "I want the large voucher for my points, in {currency}. If I have too few, take the next smaller one that they "
        "suffice for, and tell me how many I had and the voucher's number.",
        "points -> LARGE voucher, {currency}. too few? next smaller that works; points i had + voucher no.?",
        "I have set my heart on the large voucher, in {currency}, for all those points of mine! If they do not stretch "
        "to it, get me the next one down that they do stretch to, and tell me how many I had, and the number of the "
        "voucher.",
        "Please convert my points into a large voucher denominated in {currency}; should they not suffice, into the "
        "next smaller for which they do, stating how many I held and the voucher's number.",
        "Large voucher in {currency} for my points! Too few? Next smaller that works, how many had I, voucher number?",
        "For my points I want large voucher in {currency}. If points are not enough, the next more small that is "
        "possible, how many points I had and number of voucher?",
    ),
    _short_of_points,
    _next_smaller,
    refusal=Refusal("points_become_vouchers_at_their_price", _exchange_all_the_same),
)

PROGRAMS = (EXCHANGE, PAY_BY_POINTS, POINTS_SHORT)
