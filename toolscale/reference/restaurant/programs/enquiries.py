"""Questions about money and deadlines: they are answered by looking things up, comparing and adding up."""

from random import Random
from typing import Any

from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Twist, World, choose, do, pick
from toolscale.reference.restaurant.programs.booking import some_feature
from toolscale.reference.restaurant.programs.common import (
    country_in,
    known,
    open_orders,
    says,
    some_country,
    someone_with_two,
    sum_of,
    told,
    upcoming,
)
from toolscale.reference.restaurant.schema import WEEKDAYS
from toolscale.reference.sums import shown


def _one_currency(rows: list[dict[str, Any]]) -> str:
    currencies = {row["currency"] for row in rows}
    if len(rows) < 2 or len(currencies) != 1:
        raise DeadEnd("nothing to add up, or not in one currency")
    return str(currencies.pop())


def _deposits(facts: Facts) -> Policy:
    rows = yield do("list_reservations", guest_id=facts["guest_id"])
    counted = [row for row in rows if row["date"] >= facts.get("since", "")]
    currency = _one_currency(counted)
    total = 0.0
    for row in counted:
        quote = yield do("quote_cancellation", reservation_id=row["reservation_id"])
        total += quote[facts.get("what", "deposit")]
    if not total:
        raise DeadEnd("nothing to add up")
    return told(f"That makes {shown(total)} {currency}.", shown(total))


def _draw_paying(world: World, rng: Random) -> Facts:
    found = []
    for guest_id in sorted({row["guest_id"] for row in upcoming(world) if row["deposit"]}):
        rows = [row for row in upcoming(world) if row["guest_id"] == guest_id]
        if len(rows) > 1 and len({known(world, "restaurants", row["restaurant_id"])["currency"] for row in rows}) == 1:
            found.append(guest_id)
    return {"guest_id": pick(rng, found)}


DEPOSITS = Program(
    "deposits_paid",
    "Learn how much has been paid in deposits for all upcoming reservations",
    says(
        "How much have I put down in deposits for my upcoming reservations, all together?",
        "sum of deposits, all my upcoming reservations?",
        "I am doing my household accounts, hooray: what do all the deposits on my upcoming dinners add up to?",
        "Please state the sum of the deposits held on my upcoming reservations.",
        "All deposits on my coming reservations, sum?",
        "How much is together the deposit for all the reservations I have in future?",
    ),
    _draw_paying,
    _deposits,
    (
        Twist(
            "only from a day on",
            "constraint",
            {
                "plain": "Count only [what is|reservations] on {since:date} or later.",
                "terse": "only from {since:date} on.",
                "chatty": "Do not bother with those before {since:date}, they are in the books already.",
                "formal": "Only those on or after {since:date} are to be counted.",
            },
            draw=lambda world, rng, facts: {"since": day(rng.randrange(2, 6))},
        ),
        Twist(
            "refunds instead",
            "change_of_mind",
            {
                "plain": "Or rather, tell me how much of it I would get back if I cancelled everything today.",
                "terse": "actually: total refund if all were cancelled now.",
                "chatty": "Actually no, what I truly want to know is what I would see again if I called it all off "
                "now.",
                "formal": "On reflection, I wish to know instead what would be refunded were they all cancelled today.",
            },
            sets={"what": "refund"},
        ),
    ),
)


def _first_deadline(facts: Facts) -> Policy:
    rows = yield do("list_reservations", guest_id=facts["guest_id"])
    quotes = []
    for row in rows:
        quotes.append((yield do("quote_cancellation", reservation_id=row["reservation_id"])))
    free = [quote for quote in quotes if not quote["fee"]]
    if len(quotes) < 2:
        raise DeadEnd("there is nothing to choose between")
    order = sorted({quote["free_until"] for quote in free}, reverse=facts.get("which") == "last")
    quote = yield choose(free, key=lambda quote: order.index(quote["free_until"]))
    number, until = quote["reservation_id"], quote["free_until"]
    return told(f"It is {number}, free to cancel until {until}.", number, until)


FIRST_DEADLINE = Program(
    "first_deadline",
    "Learn which upcoming reservation is the first that can no longer be cancelled free of charge",
    says(
        "Of my reservations that I can still cancel free of charge, for which does that end first? Tell me its number "
        "and the date and time of the deadline.",
        "which of my reservations loses free cancellation next? number, exact deadline.",
        "I never know when it is too late to back out, so which of my dinners that I can still call off for nothing "
        "has the nearest deadline, by number, and when exactly is that?",
        "Please identify, among my reservations still cancellable without charge, the one whose period ends first, "
        "with its number and the moment at which it ends.",
        "Which of my reservations stops being free to cancel first? Number and exact deadline!",
        "Which reservation of me is first not more free to cancel? Please number and day and hour when it ends.",
    ),
    someone_with_two,
    _first_deadline,
    (
        Twist(
            "the last deadline",
            "change_of_mind",
            {
                "plain": "No, I meant the one that leaves me most time to decide.",
                "terse": "other way: the one with the latest deadline.",
                "chatty": "Wait, I put that badly, I want the one where I can dither the longest, please.",
                "formal": "I must correct myself: the one whose period ends last is meant.",
            },
            sets={"which": "last"},
        ),
    ),
)


def _open_orders_total(facts: Facts) -> Policy:
    rows = yield do("list_orders", guest_id=facts["guest_id"])
    orders = []
    for row in rows:
        if row["pickup_date"] >= facts.get("since", ""):
            orders.append((yield do("get_order", order_id=row["order_id"])))
    currency = _one_currency(orders)
    total = shown(sum(order[facts.get("what", "total")] for order in orders))
    return told(f"Altogether {total} {currency}.", total)


def _draw_ordering(world: World, rng: Random) -> Facts:
    guests = [row["guest_id"] for row in open_orders(world)]
    return {"guest_id": pick(rng, sorted({each for each in guests if guests.count(each) > 1}))}


OPEN_ORDERS = Program(
    "open_orders_total",
    "Learn what all takeaway orders that are still to be prepared come to",
    says(
        "What do I have to pay for my takeaway orders that the kitchen has not begun yet, all of them together?",
        "sum to pay, all my orders not yet begun?",
        "I lost track of what I have ordered, so for everything that is not in the pan yet, what is the whole bill?",
        "Please state the combined total of all takeaway orders of mine on which work has not begun.",
        "All my orders still waiting for the kitchen, total to pay?",
        "How much I must pay for all my take away orders that the kitchen not started, together?",
    ),
    _draw_ordering,
    _open_orders_total,
    (
        Twist(
            "only pick-ups from a day on",
            "constraint",
            {
                "plain": "Leave out what I pick up before {since:date}.",
                "terse": "pick-up {since:date} or later only.",
                "chatty": "What I fetch before {since:date} is on my mother, so do not count that.",
                "formal": "Orders for collection before {since:date} are to be left out.",
            },
            draw=lambda world, rng, facts: {"since": day(rng.randrange(2, 5))},
        ),
        Twist(
            "before the discount",
            "change_of_mind",
            {
                "plain": "Rather give me the sum before discounts and vouchers.",
                "terse": "instead: sum before discounts + vouchers.",
                "chatty": "Hm, my accountant wants it otherwise, so tell me the sum before anything was taken off it.",
                "formal": "On reflection, the sum before discounts and vouchers is required instead.",
            },
            sets={"what": "subtotal"},
        ),
    ),
    "I do not have the order numbers at hand.",
)


def _kindest_house(facts: Facts) -> Policy:
    found = yield do("search_restaurants", country=country_in(facts), feature=facts.get("feature"))
    houses = []
    for each in found:
        house = yield do("get_restaurant", restaurant_id=each["restaurant_id"])
        if facts.get("weekday") not in house["closed_on"]:
            houses.append(house)
    field = facts.get("by", "late_fee_per_head")
    house = yield choose(houses, key=lambda house: house[field])
    amount, with_currency = sum_of(house, field)
    return told(f"{house['name']} in {house['city']}: {with_currency}.", house["name"], amount)


KINDEST_HOUSE = Program(
    "kindest_house",
    "Find the restaurant of a country that charges least for a late cancellation",
    says(
        "Which of your houses in {country} charges least a head when one cancels late, and how much?",
        "in {country}: lowest late cancellation fee p.p., which house, how much?",
        "My plans change with the weather, so which restaurant of yours in {country} is the most forgiving when I "
        "cancel too late, and what would it charge each of us?",
        "Please name the establishment in {country} with the lowest late cancellation fee per person, and that fee.",
        "Smallest fee per person for late cancelling in {country}, which house, how much?",
        "In {country}, which restaurant of you takes less money for person if I cancel late, and how much?",
    ),
    lambda world, rng: {"guest_id": pick(rng, world.rows("guests"))["guest_id"], "country": some_country(world, rng)},
    _kindest_house,
    (
        Twist(
            "a house with a feature",
            "constraint",
            {
                "plain": "The house should also have this: {feature}.",
                "terse": "feature needed: {feature}.",
                "chatty": "And what makes an evening for me is {feature}, so look only among those.",
                "formal": "Only establishments with the following are of interest: {feature}.",
            },
            draw=some_feature,
        ),
        Twist(
            "open on a weekday",
            "constraint",
            {
                "plain": "It must be open on a {weekday}.",
                "terse": "open {weekday}s.",
                "chatty": "The only evening I ever get off is {weekday}, so if it is shut then, it is no good to me.",
                "formal": "It must be open on {weekday}s.",
            },
            draw=lambda world, rng, facts: {"weekday": rng.choice(WEEKDAYS)},
        ),
        Twist(
            "the lowest deposit instead",
            "change_of_mind",
            {
                "plain": "In fact the deposit matters more to me: which takes the lowest deposit a head, and how much?",
                "terse": "no: lowest deposit p.p. instead.",
                "chatty": "Oh, come to think of it, I never cancel, so tell me who wants the smallest deposit from "
                "each of us instead.",
                "formal": "On reflection, the lowest deposit per person is of interest instead.",
            },
            sets={"by": "deposit_per_head"},
        ),
    ),
)

PROGRAMS = (DEPOSITS, FIRST_DEADLINE, OPEN_ORDERS, KINDEST_HOUSE)
