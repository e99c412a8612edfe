"""What can be added to any request at the desk, and how guests name what is theirs without its number."""

from random import Random

from toolscale.reference.program import (
    DeadEnd,
    Description,
    Facts,
    Policy,
    Reply,
    Steps,
    Twist,
    World,
    choose,
    do,
    pick,
)
from toolscale.reference.restaurant.programs.common import known, open_orders, upcoming


def _tell_points(facts: Facts) -> Policy:
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    points = f"{guest['points']} points"
    return Reply(f"You have {points}.", (points,))


MY_POINTS = Twist(
    "how many points there are",
    "lookup",
    {
        "plain": "Last of all, I want to know how many loyalty points I have in the end.",
        "terse": "finally: loyalty points balance.",
        "chatty": "And [I keep meaning to ask|my brother wants to know], how many of those loyalty points are there "
        "in the end?",
        "formal": "Lastly, kindly state the balance of my loyalty points as it then is.",
        "non_native": "Say me please at the end my loyalty points, how many.",
    },
    after=_tell_points,
)


def _tell_voucher(facts: Facts) -> Policy:
    vouchers = yield do("list_vouchers", guest_id=facts["guest_id"])
    first = yield choose(vouchers, key=lambda each: each["valid_until"])
    return Reply(f"{first['voucher_id']} runs out on {first['valid_until']}.", (first["voucher_id"],))


NEXT_VOUCHER = Twist(
    "which voucher runs out first",
    "lookup",
    {
        "plain": "Last of all, which of the vouchers that I have in the end runs out first? I need its number.",
        "terse": "finally: which voucher of mine expires first? number.",
        "chatty": "And to finish with, which of the vouchers that I have in the end is the next to go bad? Give me its "
        "number!",
        "formal": "Lastly, please give me the number of the voucher, among those I then hold, that expires first.",
    },
    after=_tell_voucher,
)


def _draw_untouched(world: World, rng: Random, facts: Facts) -> Facts:
    theirs = [row["reservation_id"] for row in upcoming(world) if row["guest_id"] == facts["guest_id"]]
    return {"untouched": pick(rng, [each for each in theirs if each not in facts.values()])}


UNTOUCHED = Twist(
    "a reservation that stays as it is",
    "distractor",
    {
        "plain": "My reservation {untouched} has nothing to do with this and stays as it is.",
        "terse": "don't touch {untouched}.",
        "chatty": "You will also find {untouched} under my name, [that is our anniversary|I have been looking forward "
        "to that for weeks], so hands off it!",
        "formal": "Reservation {untouched} is not concerned by the foregoing and remains in force.",
        "non_native": "My other reservation {untouched} is good, please not change it.",
    },
    draw=_draw_untouched,
)


def _draw_untouched_order(world: World, rng: Random, facts: Facts) -> Facts:
    theirs = [row["order_id"] for row in open_orders(world) if row["guest_id"] == facts["guest_id"]]
    return {"untouched_order": pick(rng, [each for each in theirs if each not in facts.values()])}


UNTOUCHED_ORDER = Twist(
    "an order that stays as it is",
    "distractor",
    {
        "plain": "Leave my order {untouched_order} alone, that one is right.",
        "terse": "leave order {untouched_order} as it is.",
        "chatty": "There is also an order {untouched_order}, [my neighbours are counting on it|that is for my mother], "
        "so please leave that just as it is!",
        "formal": "Order {untouched_order} is to remain unaltered.",
    },
    draw=_draw_untouched_order,
)


def _draw_evening(world: World, rng: Random, facts: Facts) -> Facts:
    reservation = known(world, "reservations", facts["reservation"])
    house = known(world, "restaurants", reservation["restaurant_id"])
    return {"evening_house": house["name"], "evening_date": reservation["date"]}


def _find_evening(facts: Facts) -> Steps:
    rows = yield do("list_reservations", guest_id=facts["guest_id"])
    wanted = (facts["evening_house"], facts["evening_date"])
    row = yield choose([each for each in rows if (each["restaurant"], each["date"]) == wanted], key=lambda each: 0)
    return row["reservation_id"]


EVENING = Description(
    "reservation",
    {
        "plain": "my table at {evening_house} on {evening_date:date}",
        "chatty": "our table at {evening_house} on {evening_date:date}",
        "terse": "my table at {evening_house} on {evening_date:date}",
        "formal": "the table reserved for me at {evening_house} on {evening_date:date}",
    },
    _draw_evening,
    _find_evening,
    "[I cannot find the reservation's number.|The number must be in some mail that I no longer have.]",
)


def _draw_order(world: World, rng: Random, facts: Facts) -> Facts:
    order = known(world, "orders", facts["order"])
    if order["status"] != "placed":
        raise DeadEnd("it is no longer to be fetched")
    house = known(world, "restaurants", order["restaurant_id"])
    return {"order_house": house["name"], "order_date": order["pickup_date"]}


def _find_order(facts: Facts) -> Steps:
    rows = yield do("list_orders", guest_id=facts["guest_id"])
    wanted = (facts["order_house"], facts["order_date"])
    row = yield choose(
        [each for each in rows if (each["restaurant"], each["pickup_date"]) == wanted], key=lambda each: 0
    )
    return row["order_id"]


ORDER = Description(
    "order",
    {
        "plain": "the takeaway that I ordered from {order_house} for {order_date:date}",
        "terse": "my takeaway from {order_house} for {order_date:date}",
        "chatty": "our takeaway from {order_house} for {order_date:date}",
        "formal": "the takeaway meal ordered by me from {order_house} for {order_date:date}",
    },
    _draw_order,
    _find_order,
    "[I do not have the order's number.|I have deleted the confirmation of the order.]",
)


def _draw_ticket(world: World, rng: Random, facts: Facts) -> Facts:
    ticket = known(world, "tickets", facts["ticket"])
    return {"event_title": known(world, "events", ticket["event_id"])["title"]}


def _find_ticket(facts: Facts) -> Steps:
    rows = yield do("list_tickets", guest_id=facts["guest_id"])
    row = yield choose([each for each in rows if each["title"] == facts["event_title"]], key=lambda each: 0)
    return row["ticket_id"]


TICKET = Description(
    "ticket",
    {
        "plain": 'my ticket for "{event_title}"',
        "chatty": 'our ticket for that "{event_title}"',
        "formal": 'the ticket held by me for "{event_title}"',
    },
    _draw_ticket,
    _find_ticket,
    "[The ticket is at home, so I do not have its number.|I cannot find the ticket's number.]",
)

TWISTS = (MY_POINTS, NEXT_VOUCHER, UNTOUCHED, UNTOUCHED_ORDER)
DESCRIPTIONS = (EVENING, ORDER, TICKET)
