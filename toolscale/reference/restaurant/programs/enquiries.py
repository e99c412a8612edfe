"""Questions that change nothing: they are answered by looking things up, comparing and adding up."""

from random import Random

from toolscale.artifacts import PRESENT
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Reply, Twist, World, choose, do, pick
from toolscale.reference.restaurant.programs.draws import (
    LOST_UMBRELLA,
    day_after,
    open_orders,
    some_feature,
    someone_with_two,
    upcoming,
)
from toolscale.reference.restaurant.schema import WEEKDAYS


def _one_currency(rows: list[dict[str, str]]) -> str:
    currencies = {row["currency"] for row in rows}
    if len(currencies) != 1:
        raise DeadEnd("nothing to add up, or not in one currency")
    return currencies.pop()


def _since(world: World, rng: Random, facts: Facts) -> Facts:
    return {"since": day_after(PRESENT.date().isoformat(), rng.randrange(3, 12))}


def _deposits(facts: Facts) -> Policy:
    rows = yield do("list_reservations", guest_id=facts["guest_id"])
    counted = [row for row in rows if row["date"] >= facts.get("since", "")]
    currency = _one_currency(counted)
    what, function = ("refund", "quote_cancellation") if "what" in facts else ("deposit", "get_reservation")
    total = 0.0
    for row in counted:
        total += (yield do(function, reservation_id=row["reservation_id"]))[what]
    if not total:
        raise DeadEnd("nothing to add up")
    return Reply(f"That makes {total:.2f} {currency}.", (f"{total:.2f}",))


DEPOSITS = Program(
    name="deposits_paid",
    intent="Learn how much has been paid in deposits for all upcoming reservations",
    voices={
        "plain": "How much have I put down in deposits for my upcoming reservations, all together?",
        "terse": "sum of deposits, all my upcoming reservations?",
        "chatty": "I am doing my household accounts, hooray: what do all the deposits on my upcoming dinners add up "
        "to?",
        "formal": "Please state the sum of the deposits held on my upcoming reservations.",
        "non_native": "How much is together the deposit for all the reservations I have in future?",
    },
    draw=lambda world, rng: {
        "guest_id": pick(rng, [row["guest_id"] for row in upcoming(world) if row["deposit"]]),
    },
    policy=_deposits,
    twists=(
        LOST_UMBRELLA,
        Twist(
            name="deposits_since",
            operator="constraint",
            voices={
                "plain": "Count only what is on {since:date} or later.",
                "terse": "only from {since:date} on.",
                "chatty": "Do not bother with those before {since:date}, they are in the books already.",
            },
            draw=_since,
        ),
        Twist(
            name="refunds_instead",
            operator="change_of_mind",
            voices={
                "plain": "Or rather, tell me how much of it I would get back if I cancelled everything today.",
                "terse": "actually: total refund if all were cancelled now.",
                "chatty": "Actually no, what I truly want to know is what I would see again if I called it all off "
                "now.",
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
    order = sorted((quote["free_until"] for quote in free), reverse=facts.get("which") == "last")
    quote = yield choose(free, key=lambda quote: order.index(quote["free_until"]))
    deposit, number = f"{quote['deposit']:.2f}", quote["reservation_id"]
    text = f"It is {number}, free to cancel until {quote['free_until']}"
    if not quote["deposit"]:
        return Reply(f"{text}; no deposit was paid.", (number,))
    return Reply(f"{text}; the deposit is {deposit} {quote['currency']}.", (number, deposit))


FIRST_DEADLINE = Program(
    name="first_deadline",
    intent="Learn which upcoming reservation is the first that can no longer be cancelled free of charge",
    voices={
        "plain": "Of my reservations that I can still cancel free of charge, for which does that end first? Tell me "
        "its number and its deposit.",
        "terse": "which of my reservations loses free cancellation next? number, deposit.",
        "chatty": "I never know when it is too late to back out, so which of my dinners that I can still call off for "
        "nothing has the nearest deadline, by number, and what deposit is on it?",
        "formal": "Please identify, among my reservations still cancellable without charge, the one whose period ends "
        "first, with its number and deposit.",
    },
    draw=someone_with_two,
    policy=_first_deadline,
    twists=(
        LOST_UMBRELLA,
        Twist(
            name="last_deadline",
            operator="change_of_mind",
            voices={
                "plain": "No, I meant the one that leaves me most time to decide.",
                "terse": "other way: the one with the latest deadline.",
                "chatty": "Wait, I put that badly, I want the one where I can dither the longest, please.",
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
    total = sum(order[facts.get("what", "total")] for order in orders)
    if not total:
        raise DeadEnd("nothing to add up")
    return Reply(f"Altogether {total:.2f} {currency}.", (f"{total:.2f}",))


OPEN_ORDERS = Program(
    name="open_orders_total",
    intent="Learn what all takeaway orders that are still to be prepared come to",
    voices={
        "plain": "What do I have to pay for my takeaway orders that the kitchen has not begun yet, all of them "
        "together?",
        "terse": "sum to pay, all my orders not yet begun?",
        "chatty": "I lost track of what I have ordered, so for everything that is not in the pan yet, what is the "
        "whole bill?",
        "formal": "Please state the combined total of all takeaway orders of mine on which work has not begun.",
        "hurried": "All my orders still waiting for the kitchen, total to pay?",
    },
    draw=lambda world, rng: {"guest_id": pick(rng, [row["guest_id"] for row in open_orders(world)])},
    policy=_open_orders_total,
    unknown="I do not have the order numbers at hand.",
    twists=(
        LOST_UMBRELLA,
        Twist(
            name="orders_since",
            operator="constraint",
            voices={
                "plain": "Leave out what I pick up before {since:date}.",
                "terse": "pick-up {since:date} or later only.",
                "chatty": "What I fetch before {since:date} is on my mother, so do not count that.",
            },
            draw=lambda world, rng, facts: {"since": day_after(PRESENT.date().isoformat(), rng.randrange(1, 7))},
        ),
        Twist(
            name="before_discount",
            operator="change_of_mind",
            voices={
                "plain": "Rather give me the sum before discounts and vouchers.",
                "terse": "instead: sum before discounts + vouchers.",
                "chatty": "Hm, my accountant wants it otherwise, so tell me the sum before anything was taken off it.",
            },
            sets={"what": "subtotal"},
        ),
    ),
)


def _draw_country(world: World, rng: Random) -> Facts:
    guest = pick(rng, world.rows("guests"))
    return {
        "guest_id": guest["guest_id"],
        "country": rng.choice(("France", "Germany", "Italy", "United Kingdom")),
    }


def _kindest_house(facts: Facts) -> Policy:
    found = yield do("search_restaurants", country=facts["country"], feature=facts.get("feature"))
    houses = []
    for each in found:
        house = yield do("get_restaurant", restaurant_id=each["restaurant_id"])
        if facts.get("weekday") not in house["closed_on"]:
            houses.append(house)
    if facts.get("by") == "deposit":
        house = yield choose(houses, key=lambda house: house["deposit_per_head"])
        amount = f"{house['deposit_per_head']:.2f}"
    else:
        house = yield choose(houses, key=lambda house: house["late_fee_per_head"])
        amount = f"{house['late_fee_per_head']:.2f}"
    return Reply(f"{house['name']} in {house['city']}: {amount} {house['currency']}.", (house["name"], amount))


KINDEST_HOUSE = Program(
    name="kindest_house",
    intent="Find the restaurant of a country that charges least for a late cancellation",
    voices={
        "plain": "Which of your houses in {country} charges least a head when one cancels late, and how much?",
        "terse": "{country}: lowest late cancellation fee p.p., which house, how much?",
        "chatty": "My plans change with the weather, so which restaurant of yours in {country} is the most forgiving "
        "when I cancel too late, and what would it charge each of us?",
        "formal": "Please name the establishment in {country} with the lowest late cancellation fee per person, and "
        "that fee.",
    },
    draw=_draw_country,
    policy=_kindest_house,
    twists=(
        Twist(
            name="house_feature",
            operator="constraint",
            voices={
                "plain": "The house should also have this: {feature}.",
                "terse": "feature needed: {feature}.",
                "chatty": "And what makes an evening for me is {feature}, so look only among those.",
            },
            draw=some_feature,
        ),
        Twist(
            name="open_on",
            operator="constraint",
            voices={
                "plain": "It must be open on a {weekday}.",
                "terse": "open {weekday}s.",
                "chatty": "The only evening I ever get off is {weekday}, so if it is shut then, it is no good to me.",
            },
            draw=lambda world, rng, facts: {"weekday": rng.choice(WEEKDAYS)},
        ),
        Twist(
            name="deposit_instead",
            operator="change_of_mind",
            voices={
                "plain": "In fact the deposit matters more to me: which takes the lowest deposit a head, and how much?",
                "terse": "no: lowest deposit p.p. instead.",
                "chatty": "Oh, come to think of it, I never cancel, so tell me who wants the smallest deposit instead.",
            },
            sets={"by": "deposit"},
        ),
    ),
)


PROGRAMS = (
    DEPOSITS,
    FIRST_DEADLINE,
    OPEN_ORDERS,
    KINDEST_HOUSE,
)
