"""Programs that compare or find out, and some that buy what they have found."""

from random import Random

from toolscale.reference.entertainment.programs.booking import LIMIT, OTHER_NUMBER, buy, on_day
from toolscale.reference.entertainment.programs.common import (
    a_holder,
    an_evening,
    clock,
    latest,
    of_age,
    performances_in,
    says,
    show_of,
    twist,
)
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Reply, World, choose, do, pick
from toolscale.reference.sums import shown


def _draw_two_zones(world: World, rng: Random) -> Facts:
    facts = an_evening(world, rng)
    other = pick(rng, [each["zone"] for each in facts["performance"]["zones"] if each["zone"] != facts["zone"]])
    return {**facts, "other_zone": other}


def _compare(facts: Facts) -> Policy:
    performance = yield from on_day(facts)
    totals = []
    for zone in (facts["zone"], facts["other_zone"]):
        quote = yield do(
            "quote_tickets",
            member_id=facts["member_id"],
            performance_id=performance["performance_id"],
            zone=zone,
            tickets=facts["tickets"],
        )
        totals.append(f"{shown(quote['total'])} {quote['currency']}")
    return Reply(f"That is {totals[0]} in one and {totals[1]} in the other.", tuple(each[:-4] for each in totals))


COMPARE_ZONES = Program(
    "compare_zones",
    "Compare what seats in two zones would cost all told",
    says(
        "I only want to compare for now: what would {tickets:count} tickets for {title} in {city} on {date:date} cost "
        "me "
        "all told in the {zone} zone, and what in the {other_zone} zone?",
        "price check, no booking: {title}, {city}, {date:date}, {tickets:count} tickets, {zone} vs {other_zone} zone, "
        "totals for me?",
        "We are still arguing at home, so nothing to book yet! What would {tickets:count} of us pay in all for {title} "
        "in {city} on {date:date}, once in the {zone} zone and once in the {other_zone} zone?",
        "Without booking, kindly quote the totals that I should pay for {tickets:count} tickets for {title} in {city} "
        "on "
        "{date:date}, both in the {zone} zone and in the {other_zone} zone.",
    ),
    _draw_two_zones,
    _compare,
)


def _draw_kind(world: World, rng: Random) -> Facts:
    member = pick(rng, world.rows("members"))
    performance = pick(rng, [p for p in performances_in(world) if of_age(member, show_of(world, p))])
    show, venue = show_of(world, performance), world.get("venues", performance["venue_id"])
    if venue is None or not any(zone["free_seats"] for zone in performance["zones"]):
        raise DeadEnd("nothing is free")
    price = min(zone["price"] for zone in performance["zones"])
    return {"member_id": member["member_id"], "kind": show["kind"], "city": venue["city"], "tickets": 2, "price": price}


def _next_of_kind(facts: Facts) -> Policy:
    shows = yield do("search_shows", city=facts["city"], kind=facts["kind"])
    show = yield choose(shows, key=lambda each: each["next_performance"])
    found = yield do("search_performances", title=show["title"], city=facts["city"])
    first = yield choose(found, key=lambda each: each["starts_at"])
    zones = [each for each in first["zones"] if each["free"] >= facts["tickets"]]
    sign = -1 if facts.get("dearest") else 1
    zone = yield choose(zones, key=lambda each: sign * each["price"])
    reply = yield from buy(facts, first["performance_id"], zone["zone"], facts["tickets"])
    return Reply(f"It is {show['title']}. {reply.text}", (show["title"], *reply.tell))


DEAREST = twist(
    "the best zone",
    "change_of_mind",
    says(
        "Actually, it is [a birthday|an anniversary], so take the dearest zone instead of the cheapest.",
        "scrap cheapest, dearest zone please.",
        "Oh, why not, one lives only once: the dearest zone rather than the cheapest!",
        "I amend my request: the most expensive zone in place of the least expensive.",
        "I think new: not the cheapest zone, the most expensive one please.",
    ),
    dearest=True,
)

NEXT_OF_KIND = Program(
    "book_next_of_kind",
    "Book the next show of a kind in a city, whatever it is",
    says(
        "[I do not mind what is on|Anything will do]: find the {kind} that is played next in {city} and book "
        "{tickets:count} seats together in the cheapest zone with room, frontmost row. Tell me what it is called, when "
        "it begins and the total.",
        "next {kind} in {city}, any. {tickets:count} seats together, cheapest zone with room, frontmost row. title, "
        "start, total?",
        "Surprise me with the very next {kind} in {city}! {tickets:count} seats next to each other in the cheapest "
        "zone "
        "that has them, as near the front as it goes, and do tell me what we will see, when, and for how much!",
        "Please book {tickets:count} neighbouring seats, foremost row, in the least expensive zone available for the "
        "next {kind} to be given in {city}, and name the work, the hour and the total.",
        "I like to see a {kind} in {city}, the next one that is, no matter which: {tickets:count} seats together in "
        "cheapest zone with places, most in front. Say me title, hour and how much.",
    ),
    _draw_kind,
    _next_of_kind,
    (DEAREST, LIMIT, OTHER_NUMBER),
)


def _next_visit(facts: Facts) -> Policy:
    bookings = yield do("list_bookings", member_id=facts["member_id"])
    ahead = [each for each in bookings if each["performance_status"] == "scheduled"]
    sign = -1 if facts.get("last_visit") else 1
    visit = yield choose(ahead, key=lambda each: -sign * latest(each["starts_at"]))
    booking = yield do("get_booking", booking_id=visit["booking_id"])
    performance = yield do("get_performance", performance_id=booking["performance_id"])
    starts, seats = clock(performance["starts_at"]), ", ".join(booking["seats"])
    text = f"{booking['booking_id']}: {performance['title']} at {starts}, seats {seats}, {performance['address']}."
    return Reply(text, (performance["address"], starts, booking["booking_id"]))


LAST_VISIT = twist(
    "the last visit",
    "change_of_mind",
    says(
        "No, sorry, I meant the visit that is furthest away in time, not the next one.",
        "about my visit: i meant the furthest one in time, not the next.",
        "Silly me, I was thinking of the visit that is furthest off, not of the next!",
        "I misspoke: I refer to the most distant visit in time.",
    ),
    last_visit=True,
)

NEXT_VISIT = Program(
    "next_visit",
    "Find out where and when the next visit is",
    says(
        "Which of my bookings comes next? I need [its number|the booking number], the address of the house and the "
        "time "
        "at which it begins; anything cancelled or postponed does not count.",
        "my next visit (not cancelled/postponed): booking no., address, start?",
        "I have lost track of my own diary! Of our next visit, not counting anything called off, what is the booking "
        "number, at what address is it and when does it begin?",
        "Kindly let me have the number, the address of the house and the hour of my next visit, disregarding "
        "performances that were cancelled or postponed.",
        "What is my next visit, without the cancelled or postponed? I need number of booking, address and hour.",
    ),
    a_holder(lambda b, p, v: p["status"] == "scheduled"),
    _next_visit,
    (LAST_VISIT,),
    unknown="[I do not have the tickets here.|I deleted the mails.]",
)

ENQUIRIES = (COMPARE_ZONES, NEXT_OF_KIND, NEXT_VISIT)
