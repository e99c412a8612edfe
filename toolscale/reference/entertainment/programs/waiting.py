"""Programs about waiting lists: to join one, to book or wait, to leave one."""

from random import Random

from toolscale.reference.entertainment.programs.booking import buy, on_day
from toolscale.reference.entertainment.programs.common import (
    an_evening,
    city_of,
    free_in,
    performances_in,
    price_in,
    show_of,
)
from toolscale.reference.kit import clock
from toolscale.reference.program import DeadEnd, Facts, Record, Reply, Solution, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)


def _draw_full(world: World, rng: Random) -> Facts:
    member = pick(rng, world.rows("members"))
    full = [
        (performance, zone)
        for performance in performances_in(world)
        for zone in performance["zones"]
        if len(zone["free_seats"]) < 3
    ]
    performance, zone = pick(rng, full)
    return {
        "member_id": member["member_id"],
        "title": show_of(world, performance)["title"],
        "city": city_of(world, performance),
        "date": performance["starts_at"][:10],
        "zone": zone["zone"],
        "tickets": max(2, len(zone["free_seats"]) + rng.randint(1, 2)),
    }


def _wait(facts: Facts, performance: Record) -> Solution:
    details = yield do("get_performance", performance_id=performance["performance_id"])
    place = yield do(
        "join_waitlist",
        member_id=facts["member_id"],
        performance_id=performance["performance_id"],
        zone=facts["zone"],
        tickets=facts["tickets"],
    )
    price, starts = shown(price_in(performance, facts["zone"])), clock(details["starts_at"])
    text = f"You are on the list for {place['tickets']} seats at {starts}; a ticket costs {price}."
    return Reply(text, (price, starts))


def _join(facts: Facts) -> Solution:
    performance = yield from on_day(facts)
    return (yield from _wait(facts, performance))


JOIN_WAITLIST = WORDS.program("join_waitlist", _draw_full, _join)


def _draw_either(world: World, rng: Random) -> Facts:
    return (_draw_full if rng.random() < 0.3 else an_evening)(world, rng)


def _book_or_wait(facts: Facts) -> Solution:
    performance = yield from on_day(facts)
    if free_in(performance, facts["zone"]) < facts["tickets"]:
        return (yield from _wait(facts, performance))
    return (yield from buy(facts, performance["performance_id"], facts["zone"], facts["tickets"]))


BOOK_OR_WAIT = WORDS.program("book_or_wait", _draw_either, _book_or_wait)


def _leave(facts: Facts) -> Solution:
    member = yield do("get_member", member_id=facts["member_id"])
    place = yield choose(member["waiting_for"], key=lambda each: each["starts_at"])
    performance = yield do("get_performance", performance_id=place["performance_id"])
    if any(each["zone"] == place["zone"] and each["free"] for each in performance["zones"]):
        raise DeadEnd("there are seats again")
    yield do("leave_waitlist", wait_id=place["wait_id"])
    title, starts = performance["title"], clock(performance["starts_at"])
    return Reply(f"You no longer wait for {title} at {starts}.", (title, starts))


LEAVE_WAITLIST = WORDS.program(
    "leave_waitlist", lambda world, rng: {"member_id": pick(rng, world.rows("waitlist"))["member_id"]}, _leave
)

WAITING = (JOIN_WAITLIST, BOOK_OR_WAIT, LEAVE_WAITLIST)
