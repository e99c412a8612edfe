"""Programs that sell tickets to other members, and buy from them."""

from random import Random

from toolscale.reference.entertainment.programs.booking import on_day
from toolscale.reference.entertainment.programs.cancelling import give_up, refundable, resalable
from toolscale.reference.entertainment.programs.common import (
    UNTOUCHED,
    a_booking,
    a_holder,
    clock,
    latest,
    of_age,
    says,
    show_of,
    twist,
)
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Reply, World, choose, do, pick
from toolscale.reference.sums import limit_near, shown


def _offer(facts: Facts, price: float) -> Policy:
    done = yield do("list_for_resale", booking_id=facts["booking_id"], price_each=price)
    each, payout = shown(done["price_each"]), shown(done["payout_if_sold"])
    return Reply(f"On resale for {each} {done['currency']} each; once sold you receive {payout}.", (payout,))


def _resell(facts: Facts) -> Policy:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    price = facts.get("asking", booking["price_each"])
    if price > booking["price_each"]:
        raise DeadEnd("that is more than was paid")
    others = yield do("search_resale", performance_id=booking["performance_id"])
    reply = yield from _offer(facts, price)
    if not others:
        return Reply(f"{reply.text} Nobody else sells tickets for it.", reply.tell)
    lowest = shown(others[0]["price_each"])
    return Reply(f"{reply.text} The lowest price that others ask is {lowest}.", (*reply.tell, lowest))


def _asking(world: World, rng: Random, facts: Facts) -> Facts:
    booking = world.get("bookings", facts["booking_id"])
    if booking is None:
        raise DeadEnd("the booking is out of sight")
    return {"asking": float(round(booking["price_each"] * rng.choice((0.6, 0.7, 0.8, 0.9))))}


RESELL = Program(
    "resell_tickets",
    "Offer tickets to other members and learn what one would receive",
    says(
        "[I cannot go|We have made other plans], please put {booking_id} on resale for the full price that each ticket "
        "did cost. What do I receive if they are sold, and what is the lowest price that others ask, if anybody sells?",
        "{booking_id} on resale at full ticket price. my payout if sold? lowest price others ask, if any?",
        "It breaks my heart, but {booking_id} has to find somebody new! Put it on resale for what a ticket did cost; "
        "what "
        "would I get for it in the end, and does anybody else sell, and what is the least they ask?",
        "Kindly offer {booking_id} for resale at the price originally charged for each ticket, and state the payout "
        "upon "
        "sale and the lowest price asked by others, if any.",
        "Please offer {booking_id} to other people in resale with the same price as each ticket was; how much I "
        "receive "
        "when sold, and if others sell too, what is their smallest price?",
    ),
    a_booking(resalable),
    _resell,
    (
        twist(
            "a lower price",
            "change_of_mind",
            says(
                "[I want to be sure that they go|It has to go quickly], so ask only {asking:money} for each ticket "
                "instead.",
                "make it {asking:money} a ticket instead.",
                "Oh, who am I fooling, nobody pays that, so ask {asking:money} for each ticket instead!",
                "I revise the price to {asking:money} for each ticket.",
                "Better a smaller price, {asking:money} each ticket.",
            ),
            _asking,
        ),
        UNTOUCHED,
    ),
)


def _refund_or_resell(facts: Facts) -> Policy:
    quote = yield do("quote_refund", booking_id=facts["booking_id"])
    if quote["refund"]:
        return (yield from give_up(facts, quote))
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    return (yield from _offer(facts, booking["price_each"]))


REFUND_OR_RESELL = Program(
    "refund_or_resell",
    "Get rid of tickets: for money back if possible, else by resale",
    says(
        "We cannot use {booking_id}. If cancelling it brings anything back, cancel it and refund it the way I paid; if "
        "not, put it on resale at the full price of a ticket. What do I get back, or receive once it is sold?",
        "{booking_id}: cancel if there is any refund (as paid), else resale at full ticket price. how much do i get?",
        "We are stuck at home, so get rid of {booking_id} for me! Money back as I paid if there is any to be had, or "
        "else resale at the full ticket price, and what will I have from it?",
        "I cannot attend. Please cancel {booking_id} against refund of the original payment if any is due; failing "
        "that, offer it for resale at the full price of a ticket. State what I am to receive in either case.",
    ),
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
    performance = world.get("performances", booking["performance_id"])
    if performance is None:
        raise DeadEnd("the performance is out of sight")
    venue = world.get("venues", performance["venue_id"]) or {}
    if not of_age(member, show_of(world, performance)):
        raise DeadEnd("the member is too young for it")
    return {
        "member_id": member["member_id"],
        "title": show_of(world, performance)["title"],
        "city": venue["city"],
        "date": performance["starts_at"][:10],
        "price": offer["price_each"],
    }


def _buy_resale(facts: Facts) -> Policy:
    performance = yield from on_day(facts)
    offers = yield do("search_resale", performance_id=performance["performance_id"])
    offer = yield choose(offers, key=lambda each: each["price_each"])
    each = shown(offer["price_each"])
    if offer["price_each"] > facts.get("most_each", float("inf")):
        return Reply(f"I bought nothing: the cheapest offer is {each} {offer['currency']} each.", (each,))
    bought = yield do("buy_resale", member_id=facts["member_id"], listing_id=offer["listing_id"])
    seats, total = ", ".join(bought["seats"]), shown(bought["total"])
    return Reply(f"Bought: seats {seats} for {total} {offer['currency']}.", (*bought["seats"], total))


BUY_RESALE = Program(
    "buy_resale",
    "Buy tickets that another member offers",
    says(
        "Does anybody sell tickets for {title} in {city} on {date:date}? Buy me the offer with the lowest price a "
        "ticket, [however many it is|all of it], and tell me the seats and the total.",
        "resale offers for {title}, {city}, {date:date}: buy the one with the lowest price a ticket. seats + total?",
        "Surely some kind soul is selling tickets for {title} in {city} on {date:date}! Take the offer that is "
        "cheapest "
        "a ticket, however many there are, and tell me where we sit and what it comes to!",
        "Please acquire from other members the offer with the lowest price a ticket for {title} in {city} on "
        "{date:date}, and state seats and total.",
        "I search tickets from other people for {title} in {city} on {date:date}, buy the offer with smallest price "
        "each ticket; which seats and how much all?",
    ),
    _draw_offered,
    _buy_resale,
    (
        twist(
            "a limit on an offer",
            "condition",
            says(
                "If even that one asks more than {most_each:money} a ticket, buy nothing and tell me the price.",
                "max {most_each:money} a ticket, else buy nothing, tell me the price.",
                "But I will not be fleeced, so above {most_each:money} a ticket you buy nothing and just tell me the "
                "price!",
                "Refrain from the purchase if a ticket exceeds {most_each:money}, and state its price in that case.",
            ),
            lambda world, rng, facts: {"most_each": limit_near(rng, facts["price"], (0.8, 1.2, 1.5, 1.1))},
        ),
    ),
)


def _withdraw(facts: Facts) -> Policy:
    bookings = yield do("list_bookings", member_id=facts["member_id"], status="on_resale")
    offered = yield choose(bookings, key=lambda each: -latest(each["starts_at"]))
    booking = yield do("get_booking", booking_id=offered["booking_id"])
    yield do("withdraw_listing", booking_id=offered["booking_id"])
    starts, each = clock(booking["starts_at"]), shown(booking["price_each"])
    text = f"{offered['booking_id']} is yours again: {offered['title']} at {starts}, {each} a ticket."
    return Reply(text, (offered["booking_id"], starts, each))


WITHDRAW = Program(
    "withdraw_resale",
    "Take tickets off resale",
    says(
        "We can go after all: of the tickets that I have on resale, take those for the earliest performance back, and "
        "tell me [the booking number, when it begins|the number of that booking, its time] and what a ticket cost me.",
        "take my earliest booking off resale again. booking no., start, what i paid a ticket?",
        "Hurray, we can go after all! Take my tickets off resale, those for the earliest performance if there are "
        "more, "
        "and remind me of the booking number, the time, and what a ticket did cost me!",
        "Kindly withdraw from resale those of my tickets that are for the earliest performance, stating booking "
        "number, "
        "hour, and the price originally paid for a ticket.",
        "Now I can go, please stop the resale of my tickets, the earliest if are several; what number, what hour, and "
        "how much I paid each ticket?",
    ),
    a_holder(status="on_resale"),
    _withdraw,
    unknown="[I do not have the booking number.|I cannot find the number of that booking.]",
)


RESALE = (RESELL, REFUND_OR_RESELL, BUY_RESALE, WITHDRAW)
