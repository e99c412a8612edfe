"""Programs about bookings on hold: paying the one that lapses first, a certain one, or all of them."""

from random import Random

from toolscale.reference.kit import clock, must
from toolscale.reference.program import Facts, Solution, World, choose, do
from toolscale.reference.railway.programs.common import TRAINSET, a_booking, a_limit_by_booking, closing, money, several
from toolscale.reference.sums import limit_near
from toolscale.reference.words import words

WORDS = words(__file__)


def _draw_holder(world: World, rng: Random) -> Facts:
    return {"passenger_id": a_booking(world, rng, "held")["passenger_id"]}


def _limit_on_first(world: World, rng: Random, facts: Facts) -> Facts:
    held = [each for each in world.rows("bookings") if each["status"] == "held"]
    own = sorted((each for each in held if each["passenger_id"] == facts["passenger_id"]), key=_lapses)
    must(own, "nothing is on hold")
    return {"max_price": limit_near(rng, own[0]["price_total"], (0.8, 1.15, 1.3, 1.6))}


def _lapses(booking: Facts) -> str:
    return str(booking["hold_until"])


def _settle(facts: Facts) -> Solution:
    held = yield do("list_bookings", passenger_id=facts["passenger_id"], status="held")
    first = yield choose(held, key=lambda each: each["hold_until"])
    passenger = yield do("get_passenger", passenger_id=facts["passenger_id"])
    vouchers = passenger["open_vouchers"]
    if facts.get("largest_voucher"):
        voucher = yield choose(several(vouchers), key=lambda each: -each["amount"])
    else:
        voucher = yield choose(vouchers, key=lambda each: each["valid_until"])
    booking = yield do("get_booking", booking_id=first["booking_id"])
    if "max_price" in facts and booking["price_total"] > facts["max_price"]:
        price = f"{booking['price_total']:.2f}"
        text = f"I have not paid {first['booking_id']}: it costs {price} EUR."
        return (yield from closing(facts, text, (price,), first["service_id"]))
    method = facts.get("method", "card")
    paid = yield do("pay_held_booking", booking_id=first["booking_id"], method=method, voucher_id=voucher["voucher_id"])
    rest = f"{paid['paid_by_method']:.2f}"
    text = f"{first['booking_id']} is paid with voucher {voucher['voucher_id']}, and {rest} EUR by card."
    tell = money(paid["paid_by_method"], first["booking_id"])
    return (yield from closing(facts, text, tell, first["service_id"]))


SETTLE = WORDS.program(
    "pay_held",
    _draw_holder,
    _settle,
    (
        WORDS.twist("the largest voucher", "change_of_mind", sets={"largest_voucher": True}),
        WORDS.twist("the rest by points", "change_of_mind", sets={"method": "points"}),
        WORDS.twist("a limit on the held price", "condition", draw=_limit_on_first),
    ),
)


def _pay_given(facts: Facts) -> Solution:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    leaves, price = clock(booking["departure"]), f"{booking['price_total']:.2f}"
    if booking["price_total"] > facts.get("max_price", booking["price_total"]):
        text = f"I have not paid {facts['booking_id']}: it costs {price} EUR."
        return (yield from closing(facts, text, (price,), booking["service_id"]))
    passenger = yield do("get_passenger", passenger_id=facts["passenger_id"])
    voucher = yield choose(passenger["open_vouchers"], key=lambda each: -each["amount"])
    paid = yield do(
        "pay_held_booking",
        booking_id=facts["booking_id"],
        method=facts.get("method", "card"),
        voucher_id=voucher["voucher_id"],
    )
    rest = f"{paid['paid_by_method']:.2f}"
    text = f"{facts['booking_id']} is paid, {rest} EUR of it beside {voucher['voucher_id']}; you leave at {leaves}."
    tell = money(paid["paid_by_method"], leaves, voucher["voucher_id"])
    return (yield from closing(facts, text, tell, booking["service_id"]))


PAY_GIVEN = WORDS.program(
    "pay_held_with_voucher",
    lambda world, rng: a_booking(world, rng, "held"),
    _pay_given,
    (
        WORDS.twist("points for the rest", "change_of_mind", sets={"method": "points"}),
        WORDS.twist("a limit on its price", "condition", draw=a_limit_by_booking(1.0)),
        TRAINSET,
    ),
)


def _pay_all(facts: Facts) -> Solution:
    held = yield do("list_bookings", passenger_id=facts["passenger_id"], status="held")
    must(len(held) >= 2, "there are not several on hold")
    texts: list[str] = []
    tell: tuple[str, ...] = ()
    for each in held:
        paid = yield do("pay_held_booking", booking_id=each["booking_id"], method="card")
        price = f"{paid['price']:.2f}"
        texts.append(f"{each['booking_id']} is paid, {price} EUR.")
        tell += (each["booking_id"], price)
    return (yield from closing(facts, " ".join(texts), tell))


PAY_ALL = WORDS.program("pay_all_held", _draw_holder, _pay_all)


HELD = (SETTLE, PAY_GIVEN, PAY_ALL)
