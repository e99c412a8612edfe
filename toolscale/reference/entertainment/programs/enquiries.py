"""Programs that compare or find out, and some that buy what they have found."""

from random import Random

from toolscale.reference.entertainment.programs.booking import LIMIT, OTHER_NUMBER, buy, on_day
from toolscale.reference.entertainment.programs.common import a_holder, an_evening, of_age, performances_in, show_of
from toolscale.reference.kit import clock, latest_first
from toolscale.reference.program import DeadEnd, Facts, Reply, Solution, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


def _draw_two_zones(world: World, rng: Random) -> Facts:
    facts = an_evening(world, rng)
    other = pick(rng, [each["zone"] for each in facts["performance"]["zones"] if each["zone"] != facts["zone"]])
    return {**facts, "other_zone": other}


def _compare(facts: Facts) -> Solution:
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


COMPARE_ZONES = WORDS.program("compare_zones", _draw_two_zones, _compare)


def _draw_kind(world: World, rng: Random) -> Facts:
    member = pick(rng, world.rows("members"))
    performance = pick(rng, [p for p in performances_in(world) if of_age(member, show_of(world, p))])
    show, venue = show_of(world, performance), world.get("venues", performance["venue_id"])
    if venue is None or not any(zone["free_seats"] for zone in performance["zones"]):
        raise DeadEnd("nothing is free")
    price = min(zone["price"] for zone in performance["zones"])
    return {"member_id": member["member_id"], "kind": show["kind"], "city": venue["city"], "tickets": 2, "price": price}


def _next_of_kind(facts: Facts) -> Solution:
    shows = yield do("search_shows", city=facts["city"], kind=facts["kind"])
    show = yield choose(shows, key=lambda each: each["next_performance"])
    found = yield do("search_performances", title=show["title"], city=facts["city"])
    first = yield choose(found, key=lambda each: each["starts_at"])
    zones = [each for each in first["zones"] if each["free"] >= facts["tickets"]]
    sign = -1 if facts.get("dearest") else 1
    zone = yield choose(zones, key=lambda each: sign * each["price"])
    reply = yield from buy(facts, first["performance_id"], zone["zone"], facts["tickets"])
    return Reply(f"It is {show['title']}. {reply.text}", (show["title"], *reply.tell))


DEAREST = WORDS.twist("the best zone", "change_of_mind", sets={"dearest": True})

NEXT_OF_KIND = WORDS.program("book_next_of_kind", _draw_kind, _next_of_kind, (DEAREST, LIMIT, OTHER_NUMBER))


def _next_visit(facts: Facts) -> Solution:
    bookings = yield do("list_bookings", member_id=facts["member_id"])
    ahead = [each for each in bookings if each["performance_status"] == "scheduled"]
    order = latest_first if facts.get("last_visit") else str
    visit = yield choose(ahead, key=lambda each: order(each["starts_at"]))
    booking = yield do("get_booking", booking_id=visit["booking_id"])
    performance = yield do("get_performance", performance_id=booking["performance_id"])
    starts, seats = clock(performance["starts_at"]), ", ".join(booking["seats"])
    text = f"{booking['booking_id']}: {performance['title']} at {starts}, seats {seats}, {performance['address']}."
    return Reply(text, (performance["address"], starts, booking["booking_id"]))


LAST_VISIT = WORDS.twist("the last visit", "change_of_mind", sets={"last_visit": True})

NEXT_VISIT = WORDS.program(
    "next_visit", a_holder(lambda b, p, v: p["status"] == "scheduled"), _next_visit, (LAST_VISIT,)
)

ENQUIRIES = (COMPARE_ZONES, NEXT_OF_KIND, NEXT_VISIT)
