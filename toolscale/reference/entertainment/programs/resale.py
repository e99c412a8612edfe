"""Programs that sell tickets to other members, and buy from them."""

from random import Random

from toolscale.reference.entertainment.programs.booking import on_day
from toolscale.reference.entertainment.programs.cancelling import give_up, refundable, resalable
from toolscale.reference.entertainment.programs.common import UNTOUCHED, a_booking, a_holder, of_age, show_of
from toolscale.reference.kit import clock, known, must
from toolscale.reference.program import Facts, Reply, Solution, World, choose, do, pick
from toolscale.reference.sums import limit_near, shown
from toolscale.reference.words import words

WORDS = words(__file__)


def _offer(facts: Facts, price: float) -> Solution:
    done = yield do("list_for_resale", booking_id=facts["booking_id"], price_each=price)
    each, payout = shown(done["price_each"]), shown(done["payout_if_sold"])
    return Reply(f"On resale for {each} {done['currency']} each; once sold you receive {payout}.", (payout,))


def _resell(facts: Facts) -> Solution:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    price = facts.get("asking", booking["price_each"])
    must(price <= booking["price_each"], "that is more than was paid")
    others = yield do("search_resale", performance_id=booking["performance_id"])
    reply = yield from _offer(facts, price)
    if not others:
        return Reply(f"{reply.text} Nobody else sells tickets for it.", reply.tell)
    lowest = shown(others[0]["price_each"])
    return Reply(f"{reply.text} The lowest price that others ask is {lowest}.", (*reply.tell, lowest))


def _asking(world: World, rng: Random, facts: Facts) -> Facts:
    booking = known(world, "bookings", facts["booking_id"])
    return {"asking": float(round(booking["price_each"] * rng.choice((0.6, 0.7, 0.8, 0.9))))}


RESELL = WORDS.program(
    "resell_tickets",
    a_booking(resalable),
    _resell,
    (
        WORDS.twist("a lower price", "change_of_mind", _asking),
        UNTOUCHED,
    ),
)


def _refund_or_resell(facts: Facts) -> Solution:
    quote = yield do("quote_refund", booking_id=facts["booking_id"])
    if quote["refund"]:
        return (yield from give_up(facts, quote))
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    return (yield from _offer(facts, booking["price_each"]))


REFUND_OR_RESELL = WORDS.program(
    "refund_or_resell",
    a_booking(lambda b, p, v: refundable(b, p, v) or resalable(b, p, v)),
    _refund_or_resell,
    (UNTOUCHED,),
    again="booking_id",
)


def _draw_offered(world: World, rng: Random) -> Facts:
    member = pick(rng, world.rows("members"))
    offers = [
        row
        for row in world.rows("resale_listings")
        if row["status"] == "open" and row["seller_id"] != member["member_id"]
    ]
    offer = pick(rng, offers)
    booking = world.get("bookings", offer["booking_id"]) or {}
    performance = known(world, "performances", booking["performance_id"])
    venue = world.get("venues", performance["venue_id"]) or {}
    must(of_age(member, show_of(world, performance)), "the member is too young for it")
    return {
        "member_id": member["member_id"],
        "title": show_of(world, performance)["title"],
        "city": venue["city"],
        "date": performance["starts_at"][:10],
        "price": offer["price_each"],
    }


def _buy_resale(facts: Facts) -> Solution:
    performance = yield from on_day(facts)
    offers = yield do("search_resale", performance_id=performance["performance_id"])
    offer = yield choose(offers, key=lambda each: each["price_each"])
    each = shown(offer["price_each"])
    if offer["price_each"] > facts.get("most_each", float("inf")):
        return Reply(f"I bought nothing: the cheapest offer is {each} {offer['currency']} each.", (each,))
    bought = yield do("buy_resale", member_id=facts["member_id"], listing_id=offer["listing_id"])
    seats, total = ", ".join(bought["seats"]), shown(bought["total"])
    return Reply(f"Bought: seats {seats} for {total} {offer['currency']}.", (*bought["seats"], total))


BUY_RESALE = WORDS.program(
    "buy_resale",
    _draw_offered,
    _buy_resale,
    (
        WORDS.twist(
            "a limit on an offer",
            "condition",
            lambda world, rng, facts: {"most_each": limit_near(rng, facts["price"], (0.8, 1.2, 1.5, 1.1))},
        ),
    ),
)


def _withdraw(facts: Facts) -> Solution:
    bookings = yield do("list_bookings", member_id=facts["member_id"], status="on_resale")
    offered = yield choose(bookings, key=lambda each: each["starts_at"])
    booking = yield do("get_booking", booking_id=offered["booking_id"])
    yield do("withdraw_listing", booking_id=offered["booking_id"])
    starts, each = clock(booking["starts_at"]), shown(booking["price_each"])
    text = f"{offered['booking_id']} is yours again: {offered['title']} at {starts}, {each} a ticket."
    return Reply(text, (offered["booking_id"], starts, each))


WITHDRAW = WORDS.program("withdraw_resale", a_holder(status="on_resale"), _withdraw)


RESALE = (RESELL, REFUND_OR_RESELL, BUY_RESALE, WITHDRAW)
