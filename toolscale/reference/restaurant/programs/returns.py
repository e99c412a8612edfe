"""Requests to give tickets for evenings back."""

from collections.abc import Callable
from datetime import date
from random import Random

from toolscale.reference.moments import TODAY
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, Twist, World, do, pick
from toolscale.reference.restaurant.programs.common import MOSTLY_LESS, house_called, known, line_at, says, sum_of, told
from toolscale.reference.restaurant.programs.evenings import SEAT_LIMIT, next_evening


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


def _give_back(facts: Facts, seats: int, held: Record) -> Policy:
    back = held["back_per_seat"] * seats
    if back < facts.get("limit", 0.0):
        each, with_currency = sum_of(held, "back_per_seat")
        return told(f"The ticket is kept: {with_currency} a seat would come back.", each)
    done = yield do("return_tickets", ticket_id=facts["ticket"], seats=seats)
    refund, with_currency = sum_of({**held, **done}, "refund")
    return told(f"{with_currency} come back to you.", refund)


def _give_all_back(facts: Facts) -> Policy:
    held = yield do("get_ticket", ticket_id=facts["ticket"])
    return (yield from _give_back(facts, held["seats"], held))


GIVE_BACK = Program(
    "give_tickets_back",
    "Give all the seats of a ticket back and learn what comes back",
    says(
        "We cannot go after all[, we shall be abroad|, the babysitter has cancelled|]. Please take back all the seats "
        "of {ticket} and tell me how much I get.",
        "return all seats of {ticket}. refund = ?",
        "It breaks my heart, but [my brother has to work that night|we all have colds], so take back {ticket} with "
        "every seat on it, and how much of the money do I see again?",
        "I wish to return {ticket} with all its seats and ask to be told the amount refunded.",
        "Give back {ticket}, all seats, how much comes back?",
        "We can not go, please take back {ticket}, all the seats, how much money I get?",
    ),
    ticket(2, 40),
    _give_all_back,
    (
        Twist(
            "only if the seats bring enough",
            "condition",
            {
                "plain": "Should less than {limit:money} come back in all, we keep it, and I want to know what a seat "
                "would bring.",
                "terse": "less than {limit:money} in all? keep it, tell me the refund per seat.",
                "chatty": "But for less than {limit:money} altogether I had rather drag myself there, so then keep it "
                "and tell me what one seat would have brought.",
                "formal": "Should the refund be below {limit:money} in all, no seat is to be returned and the refund a "
                "seat to be stated.",
            },
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


def _give_some_back(facts: Facts) -> Policy:
    held = yield do("get_ticket", ticket_id=facts["ticket"])
    if held["seats"] <= facts["fewer"]:
        raise DeadEnd("it has no more seats than that")
    return (yield from _give_back(facts, facts["fewer"], held))


def _fewer_others(world: World, rng: Random, facts: Facts) -> Facts:
    seats = known(world, "tickets", facts["ticket"])["seats"]
    return {"fewer": pick(rng, [each for each in range(1, seats) if each != facts["fewer"]])}


GIVE_SOME_BACK = Program(
    "give_some_seats_back",
    "Give some of the seats of a ticket back and keep the others",
    says(
        "Not everybody can come: of the seats on {ticket}, [take back|I want to give back] {fewer:count}. The "
        "others we keep. How much do I get?",
        "from {ticket} return {fewer:count} of the seats, keep the rest. refund?",
        "Some of us are down with the flu, so please take {fewer:count} of the seats off {ticket}, the rest of us are "
        "coming! How much money does that bring?",
        "From {ticket} I wish to return {fewer:count} of the seats and to retain the others; kindly state the refund.",
        "Take {fewer:count} of the seats off {ticket}, rest stays, refund?",
        "From {ticket} please take back {fewer:count} of the seats, others we keep, how much money I get?",
    ),
    _draw_some_seats,
    _give_some_back,
    (
        Twist(
            "another number of seats given back",
            "change_of_mind",
            {
                "plain": "I have just heard more: {fewer:count} it must be.",
                "terse": "{fewer:count} rather.",
                "chatty": "Now the phone rang again, and I can tell you for good: it is {fewer:count} that we give "
                "back.",
                "formal": "The number to be returned is to be corrected to {fewer:count}.",
            },
            draw=_fewer_others,
        ),
    ),
)


def _swap_evening(facts: Facts) -> Policy:
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


SWAP_EVENING = Program(
    "swap_evening",
    "Give a ticket back and buy as many seats for the next evening of another house",
    says(
        "Give back all the seats of {ticket}, and buy me as many for the next ticketed evening at {restaurant} "
        "instead. I need the refund and the new ticket number.",
        "take {ticket} back, same number of seats for the next ticketed evening at {restaurant} instead. refund, new "
        "no.?",
        "Change of plans, we want to go to {restaurant} instead, to whatever evening with tickets they have next, all "
        "of us: so {ticket} goes back with every seat, and tell me the refund and the number of the new ticket!",
        "Please take back {ticket} in full and purchase the same number of seats for the next ticketed evening at "
        "{restaurant}, stating the refund and the number of the new ticket.",
        "Take {ticket} back, instead next evening at {restaurant}, same seats, refund and new number!",
    ),
    _draw_swap,
    _swap_evening,
    (SEAT_LIMIT,),
)

PROGRAMS = (GIVE_BACK, GIVE_SOME_BACK, SWAP_EVENING)
