"""Requests about loyalty points and ticketed evenings."""

from random import Random

from toolscale.artifacts import PRESENT
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, Reply, Twist, World, choose, do, pick
from toolscale.reference.restaurant.programs.draws import (
    AS_MANY_AS,
    LOST_UMBRELLA,
    day_after,
    head_count,
    house_called,
    open_orders,
)
from toolscale.reference.restaurant.schema import CURRENCIES


def _draw_exchange(world: World, rng: Random) -> Facts:
    guest = pick(rng, [row for row in world.rows("guests") if row["points"] >= 400])
    at_home = [row["currency"] for row in world.rows("restaurants") if row["country"] == guest["home_country"]]
    return {"guest_id": guest["guest_id"], "currency": at_home[0] if at_home else rng.choice(CURRENCIES)}


def _exchange(facts: Facts) -> Policy:
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    within = [each for each in guest["rewards"] if guest["points"] - each["points"] >= facts.get("keep", 0)]
    if not within:
        return Reply(f"I exchanged nothing: you have {guest['points']} points.", (str(guest["points"]),))
    sign = 1 if facts.get("which") == "smallest" else -1
    reward = yield choose(within, key=lambda each: sign * each["points"])
    voucher = yield do(
        "exchange_points", guest_id=facts["guest_id"], reward=reward["reward"], currency=facts["currency"]
    )
    number, amount = voucher["voucher_id"], f"{voucher['amount']:.2f}"
    if "order" not in facts:
        return Reply(f"Your voucher {number} is worth {amount} {voucher['currency']}.", (number, amount))
    paid = yield do("redeem_voucher", voucher_id=number, order_id=facts["order"])
    return Reply(f"Voucher {number} is redeemed; {paid['total']:.2f} is left to pay.", (number, f"{paid['total']:.2f}"))


def _order_in_currency(world: World, rng: Random, facts: Facts) -> Facts:
    """An order of the guest's that a voucher in that currency could pay for."""
    found = []
    for order in open_orders(world):
        house = world.get("restaurants", order["restaurant_id"])
        if house and house["currency"] == facts["currency"] and order["guest_id"] == facts["guest_id"]:
            found.append(order["order_id"])
    return {"order": pick(rng, found)}


EXCHANGE = Program(
    name="exchange_points",
    intent="Turn loyalty points into the largest voucher that they buy",
    voices={
        "plain": "What are my points good for? Please exchange them for the largest voucher I can get, in {currency}, "
        "and tell me its number and value.",
        "terse": "points -> largest possible voucher in {currency}; number, value?",
        "chatty": "I have been eating my way to a small fortune in points, so give me the fattest voucher they buy, in "
        "{currency} please, with its number and what it is worth!",
        "formal": "Kindly convert my points into the voucher of greatest value available to me, denominated in "
        "{currency}, and state its number and value.",
        "hurried": "Biggest voucher for my points, in {currency}, number and value, thanks.",
    },
    draw=_draw_exchange,
    policy=_exchange,
    twists=(
        Twist(
            name="keep_points",
            operator="constraint",
            voices={
                "plain": "At least {keep:int} points must be left on my account afterwards; if that cannot be, "
                "exchange none and tell me how many I have.",
                "terse": "leave >= {keep:int} points on account; impossible -> nothing, tell me my points.",
                "chatty": "But I am saving up too, so never let it drop under {keep:int} points, rather do nothing and "
                "tell me how many there are.",
            },
            draw=lambda world, rng, facts: {"keep": rng.randrange(150, 1900, 50)},
        ),
        Twist(
            name="smallest_voucher",
            operator="change_of_mind",
            voices={
                "plain": "Let me be modest instead: the smallest voucher there is.",
                "terse": "no, smallest voucher instead.",
                "chatty": "Ah, greed is a sin, so let us begin with the tiniest of your vouchers instead.",
            },
            sets={"which": "smallest"},
        ),
        Twist(
            name="redeem_at_once",
            operator="entities",
            voices={
                "plain": "Then redeem it on my order {order} at once; instead of the value I need what is left to pay.",
                "terse": "use it on {order} right away, tell me the rest to pay.",
                "chatty": "And why wait, let it work right away on {order}, then what remains of the bill?",
            },
            draw=_order_in_currency,
        ),
    ),
)


def _draw_evening(world: World, rng: Random) -> Facts:
    guest = pick(rng, world.rows("guests"))
    house = pick(rng, world.rows("restaurants"))
    return {"guest_id": guest["guest_id"], "country": house["country"], "seats": rng.randint(2, 5)}


def _buy(facts: Facts) -> Policy:
    seats = yield from head_count(facts, "seats")
    evenings = yield do("list_events", seats=seats)
    latest = facts.get("until", "9999-12-31")
    priced = []
    for each in evenings:
        if each["country"] == facts["country"] and each["date"] <= latest:
            priced.append((yield do("get_event", event_id=each["event_id"])))
    evening = yield choose(priced, key=lambda each: each["price_per_seat"])
    return (yield from _buy_seats(facts, evening, seats))


def _buy_seats(facts: Facts, evening: Record, seats: int) -> Policy:
    """The tickets, unless a seat costs too much."""
    if evening["price_per_seat"] > facts.get("limit", float("inf")):
        price = f"{evening['price_per_seat']:.2f}"
        return Reply(f"I bought none: {evening['title']} costs {price} {evening['currency']} a seat.", (price,))
    ticket = yield do("buy_tickets", guest_id=facts["guest_id"], event_id=evening["event_id"], seats=seats)
    paid = f"{ticket['paid']:.2f}"
    return Reply(f"Your ticket is {ticket['ticket_id']}, for {paid} in all.", (ticket["ticket_id"], paid))


SEAT_LIMIT = Twist(
    name="seat_limit",
    operator="condition",
    voices={
        "plain": "If a seat costs more than {limit:money}, buy none and tell me the price.",
        "terse": "seat > {limit:money}? buy nothing, tell me the price.",
        "chatty": "I refuse to pay more than {limit:money} for one seat, so in that case forget it and tell me the "
        "price.",
        "formal": "Should a seat exceed {limit:money}, please refrain and inform me of the price.",
    },
    draw=lambda world, rng, facts: {"limit": rng.randrange(35, 105, 5) + 0.5},
)

OTHER_SEATS = Twist(
    name="other_seats",
    operator="change_of_mind",
    voices={
        "plain": "Wait, we need {seats:int} seats.",
        "terse": "seats: {seats:int}, sorry.",
        "chatty": "Oh, Uncle Theo wants to be asked, and you know Uncle Theo, so it is {seats:int} seats now.",
    },
    draw=lambda world, rng, facts: {"seats": pick(rng, [each for each in range(2, 8) if each != facts["seats"]])},
)

BUY_CHEAPEST = Program(
    name="buy_cheapest_evening",
    intent="Buy seats for the cheapest ticketed evening in a country",
    voices={
        "plain": "I would like {seats:int} seats for the cheapest of your ticketed evenings in the country {country}. "
        "Please tell me the ticket number and what I pay.",
        "terse": "cheapest ticketed evening in {country}, {seats:int} seats; ticket no. + sum?",
        "chatty": "We are off to {country} and would adore one of those special evenings of yours, the least expensive "
        "one will do, {seats:int} seats, and give me the ticket number and the damage!",
        "formal": "Please purchase {seats:int} seats for the least expensive ticketed evening offered in {country} and "
        "state the ticket number and the amount.",
        "non_native": "In {country} you have special evening with ticket, I want {seats:int} seats for the most cheap, "
        "please say number of ticket and price all together.",
    },
    draw=_draw_evening,
    policy=_buy,
    unknown="I do not know which evenings you offer.",
    twists=(
        SEAT_LIMIT,
        OTHER_SEATS,
        AS_MANY_AS,
        LOST_UMBRELLA,
        Twist(
            name="until_day",
            operator="constraint",
            voices={
                "plain": "It has to take place on {until:date} at the latest.",
                "terse": "by {until:date}.",
                "chatty": "We fly home after {until:date}, so it has to happen by then.",
            },
            draw=lambda world, rng, facts: {"until": day_after(PRESENT.date().isoformat(), rng.randrange(8, 24))},
        ),
    ),
)


def _draw_house_evening(world: World, rng: Random) -> Facts:
    guest = pick(rng, world.rows("guests"))
    house = pick(rng, world.rows("restaurants"))
    return {"guest_id": guest["guest_id"], "restaurant": house["name"], "seats": rng.randint(2, 5)}


def _buy_next(facts: Facts) -> Policy:
    house = yield from house_called(facts["restaurant"])
    seats = yield from head_count(facts, "seats")
    evenings = yield do("list_events", restaurant_id=house["restaurant_id"], seats=seats)
    if not evenings:
        raise DeadEnd("no evening has that many seats left")
    sign = -1 if facts.get("which") == "last" else 1
    next_one = yield choose(evenings, key=lambda each: sign * int(each["date"].replace("-", "")))
    evening = yield do("get_event", event_id=next_one["event_id"])
    return (yield from _buy_seats(facts, evening, seats))


BUY_NEXT = Program(
    name="buy_next_evening",
    intent="Buy seats for the next ticketed evening of a restaurant",
    voices={
        "plain": "Please get me {seats:int} tickets for whatever {restaurant} puts on next, and tell me the ticket "
        "number and the sum.",
        "terse": "next event at {restaurant}: {seats:int} tickets. number + sum?",
        "chatty": "I do not even care what it is, but I want to be at the very next event of {restaurant}, and it is "
        "{seats:int} of us; what is the ticket number and what do I pay?",
        "formal": "I should like {seats:int} tickets for the next event held at {restaurant}; please confirm the "
        "ticket number and the sum.",
        "hurried": "{seats:int} tickets, next event, {restaurant}; number and sum please.",
    },
    draw=_draw_house_evening,
    policy=_buy_next,
    twists=(
        SEAT_LIMIT,
        OTHER_SEATS,
        AS_MANY_AS,
        Twist(
            name="last_evening",
            operator="change_of_mind",
            voices={
                "plain": "Not the next, we are away then: the one that is furthest ahead.",
                "terse": "not next: the furthest ahead.",
                "chatty": "Oh bother, we are on a boat until the holidays, so take the one that comes last of all.",
            },
            sets={"which": "last"},
        ),
    ),
)

PROGRAMS = (EXCHANGE, BUY_CHEAPEST, BUY_NEXT)
