"""Requests to give tickets for evenings back."""

from collections.abc import Callable
from datetime import date
from random import Random

from toolscale.reference.kit import known, must, told
from toolscale.reference.moments import TODAY
from toolscale.reference.program import Facts, Record, Solution, World, do, pick
from toolscale.reference.restaurant.programs.common import MOSTLY_LESS, house_called, line_at, sum_of
from toolscale.reference.restaurant.programs.evenings import SEAT_LIMIT, next_evening
from toolscale.reference.words import words

WORDS = words(__file__)


def ticket(first: int, last: int) -> Callable[[World, Random], Facts]:
    """A draw of a valid ticket for an evening so many days ahead."""

    def draw(world: World, rng: Random) -> Facts:
        rows = [row for row in world.rows("tickets") if row["status"] == "valid"]
        ahead = {row["ticket_id"]: _days_until(known(world, "events", row["event_id"])) for row in rows}
        chosen = pick(rng, [row for row in rows if first <= ahead[row["ticket_id"]] <= last])
        return {"guest_id": chosen["guest_id"], "ticket": chosen["ticket_id"]}

    return draw


def _days_until(event: Record) -> int:
    return (date.fromisoformat(event["date"]) - TODAY).days


def _give_back(facts: Facts, seats: int, held: Record) -> Solution:
    back = held["back_per_seat"] * seats
    if back < facts.get("limit", 0.0):
        each, with_currency = sum_of(held, "back_per_seat")
        return told(f"The ticket is kept: {with_currency} a seat would come back.", each)
    done = yield do("return_tickets", ticket_id=facts["ticket"], seats=seats)
    refund, with_currency = sum_of({**held, **done}, "refund")
    return told(f"{with_currency} come back to you.", refund)


def _give_all_back(facts: Facts) -> Solution:
    held = yield do("get_ticket", ticket_id=facts["ticket"])
    return (yield from _give_back(facts, held["seats"], held))


GIVE_BACK = WORDS.program(
    "give_tickets_back",
    ticket(2, 40),
    _give_all_back,
    (
        WORDS.twist(
            "only if the seats bring enough",
            "condition",
            draw=lambda world, rng, facts: {
                "limit": line_at(rng, known(world, "tickets", facts["ticket"])["paid"], MOSTLY_LESS)
            },
        ),
    ),
    again="ticket",
)


def _draw_some_seats(world: World, rng: Random) -> Facts:
    facts = ticket(2, 40)(world, rng)
    seats = known(world, "tickets", facts["ticket"])["seats"]
    return {**facts, "fewer": pick(rng, range(1, seats))}


def _give_some_back(facts: Facts) -> Solution:
    held = yield do("get_ticket", ticket_id=facts["ticket"])
    must(held["seats"] > facts["fewer"], "it has no more seats than that")
    return (yield from _give_back(facts, facts["fewer"], held))


def _fewer_others(world: World, rng: Random, facts: Facts) -> Facts:
    seats = known(world, "tickets", facts["ticket"])["seats"]
    return {"fewer": pick(rng, [each for each in range(1, seats) if each != facts["fewer"]])}


GIVE_SOME_BACK = WORDS.program(
    "give_some_seats_back",
    _draw_some_seats,
    _give_some_back,
    (WORDS.twist("another number of seats given back", "change_of_mind", draw=_fewer_others),),
)


def _swap_evening(facts: Facts) -> Solution:
    held = yield do("get_ticket", ticket_id=facts["ticket"])
    house = yield from house_called(facts["restaurant"])
    evening = yield from next_evening(house["restaurant_id"], facts, held["seats"])
    if evening["price_per_seat"] > facts.get("limit", float("inf")):
        price, with_currency = sum_of(evening, "price_per_seat")
        return told(f"Nothing is changed: {evening['title']} costs {with_currency} a seat.", price)
    back = yield do("return_tickets", ticket_id=facts["ticket"], seats=held["seats"])
    new = yield do("buy_tickets", guest_id=facts["guest_id"], event_id=evening["event_id"], seats=held["seats"])
    refund, with_currency = sum_of({**held, **back}, "refund")
    number = new["ticket_id"]
    return told(f"{with_currency} come back, and your new ticket is {number}.", refund, number)


def _draw_swap(world: World, rng: Random) -> Facts:
    facts = ticket(2, 40)(world, rng)
    here = known(world, "events", known(world, "tickets", facts["ticket"])["event_id"])["restaurant_id"]
    event = pick(rng, [row for row in world.rows("events") if row["restaurant_id"] != here])
    return {**facts, "restaurant": known(world, "restaurants", event["restaurant_id"])["name"]}


SWAP_EVENING = WORDS.program("swap_evening", _draw_swap, _swap_evening, (SEAT_LIMIT,))

PROGRAMS = (GIVE_BACK, GIVE_SOME_BACK, SWAP_EVENING)
