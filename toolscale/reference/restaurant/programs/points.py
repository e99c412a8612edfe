"""Requests about loyalty points."""

from random import Random

from toolscale.reference.kit import known, must, told
from toolscale.reference.program import Facts, Record, Refusal, Solution, Steps, World, choose, do, pick
from toolscale.reference.restaurant.functions.guests import SCALE
from toolscale.reference.restaurant.programs.common import an_order, sum_of
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


def _draw_exchange(world: World, rng: Random) -> Facts:
    guest = pick(rng, [row for row in world.rows("guests") if row["points"] >= 400])
    at_home = [row["currency"] for row in world.rows("restaurants") if row["country"] == guest["home_country"]]
    return {"guest_id": guest["guest_id"], "currency": pick(rng, at_home)}


def _exchange(facts: Facts) -> Solution:
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


EXCHANGE = WORDS.program(
    "exchange_points",
    _draw_exchange,
    _exchange,
    (
        WORDS.twist(
            "some points stay",
            "constraint",
            draw=lambda world, rng, facts: {"keep": rng.choice((50, 100, 150, 300, 500, 800))},
        ),
        WORDS.twist("the smallest voucher", "change_of_mind", sets={"which": "smallest"}),
    ),
)


def _spendable(world: World, order: Record) -> bool:
    """Whether the order can take a small voucher, which the guest has points for."""
    scale = SCALE[known(world, "restaurants", order["restaurant_id"])["currency"]]
    points = known(world, "guests", order["guest_id"])["points"]
    return bool(order["voucher_id"] is None and points >= 400 and order["total"] >= 10 * scale)


def _pay_by_points(facts: Facts) -> Solution:
    order = yield do("get_order", order_id=facts["order"])
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    small = yield choose([each for each in guest["rewards"] if each["reward"] == "small"], key=lambda each: 0)
    reward, currency = small["reward"], order["currency"]
    voucher = yield do("exchange_points", guest_id=facts["guest_id"], reward=reward, currency=currency)
    paid = yield do("redeem_voucher", voucher_id=voucher["voucher_id"], order_id=facts["order"])
    total, with_currency = sum_of(paid, "total")
    return told(f"Voucher {voucher['voucher_id']} is redeemed; {with_currency} are left to pay.", total)


PAY_BY_POINTS = WORDS.program("pay_by_points", an_order(_spendable), _pay_by_points)


def _short_of_points(world: World, rng: Random) -> Facts:
    guest = pick(rng, [row for row in world.rows("guests") if 400 <= row["points"] < 2200])
    at_home = [row["currency"] for row in world.rows("restaurants") if row["country"] == guest["home_country"]]
    return {"guest_id": guest["guest_id"], "currency": pick(rng, at_home)}


def _next_smaller(facts: Facts) -> Solution:
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    must(guest["points"] < 2200, "there are enough points")
    best = yield choose(guest["rewards"], key=lambda each: -each["points"])
    reward, currency, points = best["reward"], facts["currency"], f"{guest['points']} points"
    voucher = yield do("exchange_points", guest_id=facts["guest_id"], reward=reward, currency=currency)
    number = voucher["voucher_id"]
    text = f"You had {points}, too few for a large voucher. I took the {reward} one, {number}"
    return told(f"{text}, worth {shown(voucher['amount'])} {currency}.", points, number)


def _exchange_all_the_same(facts: Facts) -> Steps:
    yield do("exchange_points", guest_id=facts["guest_id"], reward="large", currency=facts["currency"])


POINTS_SHORT = WORDS.program(
    "refuse_large_voucher",
    _short_of_points,
    _next_smaller,
    refusal=Refusal("points_become_vouchers_at_their_price", _exchange_all_the_same),
)

PROGRAMS = (EXCHANGE, PAY_BY_POINTS, POINTS_SHORT)
