"""What can be added to any request at the desk, and how guests name what is theirs without its number."""

from random import Random

from toolscale.reference.kit import another_of_theirs, known, listed, must, tells
from toolscale.reference.program import Facts, Reply, Solution, World, choose, do
from toolscale.reference.restaurant.programs.common import is_open, is_upcoming
from toolscale.reference.words import words

WORDS = words(__file__)

MY_POINTS = WORDS.twist(
    "how many points there are",
    "lookup",
    after=tells("get_guest", "guest_id", text="You have {points} points.", tell=["{points} points"]),
)


def _tell_voucher(facts: Facts) -> Solution:
    vouchers = yield do("list_vouchers", guest_id=facts["guest_id"])
    first = yield choose(vouchers, key=lambda each: each["valid_until"])
    return Reply(f"{first['voucher_id']} runs out on {first['valid_until']}.", (first["voucher_id"],))


NEXT_VOUCHER = WORDS.twist("which voucher runs out first", "lookup", after=_tell_voucher)
UNTOUCHED = WORDS.twist(
    "a reservation that stays as it is",
    "distractor",
    another_of_theirs("untouched", "reservations", "reservation_id", is_upcoming),
)
UNTOUCHED_ORDER = WORDS.twist(
    "an order that stays as it is",
    "distractor",
    another_of_theirs("untouched_order", "orders", "order_id", is_open),
)


def _draw_evening(world: World, rng: Random, facts: Facts) -> Facts:
    reservation = known(world, "reservations", facts["reservation"])
    house = known(world, "restaurants", reservation["restaurant_id"])
    return {"evening_house": house["name"], "evening_date": reservation["date"]}


def _draw_order(world: World, rng: Random, facts: Facts) -> Facts:
    order = known(world, "orders", facts["order"])
    must(order["status"] == "placed", "it is no longer to be fetched")
    house = known(world, "restaurants", order["restaurant_id"])
    return {"order_house": house["name"], "order_date": order["pickup_date"]}


def _draw_ticket(world: World, rng: Random, facts: Facts) -> Facts:
    ticket = known(world, "tickets", facts["ticket"])
    return {"event_title": known(world, "events", ticket["event_id"])["title"]}


EVENING = WORDS.description(
    "reservation",
    _draw_evening,
    listed("list_reservations", "reservation_id", "guest_id", restaurant="evening_house", date="evening_date"),
)
ORDER = WORDS.description(
    "order",
    _draw_order,
    listed("list_orders", "order_id", "guest_id", restaurant="order_house", pickup_date="order_date"),
)
TICKET = WORDS.description("ticket", _draw_ticket, listed("list_tickets", "ticket_id", "guest_id", title="event_title"))

TWISTS = (MY_POINTS, NEXT_VOUCHER, UNTOUCHED, UNTOUCHED_ORDER)
DESCRIPTIONS = (EVENING, ORDER, TICKET)
