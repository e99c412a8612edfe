"""What can be added to any request at the desk, and how guests name what is theirs without its number."""

from random import Random

from toolscale.reference.program import DeadEnd, Facts, Policy, Reply, Steps, World, choose, do, pick
from toolscale.reference.restaurant.programs.common import known, open_orders, upcoming
from toolscale.reference.words import words

WORDS = words(__file__)


def _tell_points(facts: Facts) -> Policy:
    guest = yield do("get_guest", guest_id=facts["guest_id"])
    points = f"{guest['points']} points"
    return Reply(f"You have {points}.", (points,))


MY_POINTS = WORDS.twist("how many points there are", "lookup", after=_tell_points)


def _tell_voucher(facts: Facts) -> Policy:
    vouchers = yield do("list_vouchers", guest_id=facts["guest_id"])
    first = yield choose(vouchers, key=lambda each: each["valid_until"])
    return Reply(f"{first['voucher_id']} runs out on {first['valid_until']}.", (first["voucher_id"],))


NEXT_VOUCHER = WORDS.twist("which voucher runs out first", "lookup", after=_tell_voucher)


def _draw_untouched(world: World, rng: Random, facts: Facts) -> Facts:
    theirs = [row["reservation_id"] for row in upcoming(world) if row["guest_id"] == facts["guest_id"]]
    return {"untouched": pick(rng, [each for each in theirs if each not in facts.values()])}


UNTOUCHED = WORDS.twist("a reservation that stays as it is", "distractor", draw=_draw_untouched)


def _draw_untouched_order(world: World, rng: Random, facts: Facts) -> Facts:
    theirs = [row["order_id"] for row in open_orders(world) if row["guest_id"] == facts["guest_id"]]
    return {"untouched_order": pick(rng, [each for each in theirs if each not in facts.values()])}


UNTOUCHED_ORDER = WORDS.twist("an order that stays as it is", "distractor", draw=_draw_untouched_order)


def _draw_evening(world: World, rng: Random, facts: Facts) -> Facts:
    reservation = known(world, "reservations", facts["reservation"])
    house = known(world, "restaurants", reservation["restaurant_id"])
    return {"evening_house": house["name"], "evening_date": reservation["date"]}


def _find_evening(facts: Facts) -> Steps:
    rows = yield do("list_reservations", guest_id=facts["guest_id"])
    wanted = (facts["evening_house"], facts["evening_date"])
    row = yield choose([each for each in rows if (each["restaurant"], each["date"]) == wanted], key=lambda each: 0)
    return row["reservation_id"]


EVENING = WORDS.description("reservation", _draw_evening, _find_evening)


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


ORDER = WORDS.description("order", _draw_order, _find_order)


def _draw_ticket(world: World, rng: Random, facts: Facts) -> Facts:
    ticket = known(world, "tickets", facts["ticket"])
    return {"event_title": known(world, "events", ticket["event_id"])["title"]}


def _find_ticket(facts: Facts) -> Steps:
    rows = yield do("list_tickets", guest_id=facts["guest_id"])
    row = yield choose([each for each in rows if each["title"] == facts["event_title"]], key=lambda each: 0)
    return row["ticket_id"]


TICKET = WORDS.description("ticket", _draw_ticket, _find_ticket)

TWISTS = (MY_POINTS, NEXT_VOUCHER, UNTOUCHED, UNTOUCHED_ORDER)
DESCRIPTIONS = (EVENING, ORDER, TICKET)
