"""Programs about waiting lists: to join one, to book or wait, to leave one."""

from random import Random

from toolscale.reference.entertainment.programs.booking import buy, on_day
from toolscale.reference.entertainment.programs.common import (
    an_evening,
    city_of,
    clock,
    free_in,
    latest,
    performances_in,
    price_in,
    says,
    show_of,
)
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, Reply, World, choose, do, pick
from toolscale.reference.sums import shown


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


def _wait(facts: Facts, performance: Record) -> Policy:
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


def _join(facts: Facts) -> Policy:
    performance = yield from on_day(facts)
    return (yield from _wait(facts, performance))


JOIN_WAITLIST = Program(
    "join_waitlist",
    "Get on the waiting list for a zone that is sold out",
    says(
        "[I saw that|They say that] {title} in {city} on {date:date} has too few seats left. Put me on the waiting "
        "list for {tickets:count} {zone} "
        "seats and tell me [when it starts and what one of them would cost|the starting time and the price of one].",
        "waitlist: {tickets:count} {zone} seats, {title}, {city}, {date:date}. start + price each?",
        "Everybody wants to see {title} in {city} on {date:date}, it seems, so would you put me on the waiting list "
        "for "
        "{tickets:count} {zone} seats? And what time does it begin, and what is it for one?",
        "Kindly enter me on the waiting list for {tickets:count} {zone} seats for {title} in {city} on {date:date}, "
        "stating the hour and the price of one ticket.",
        "For {title} in {city} on {date:date} is nothing free, please write me in waiting list for {tickets:count} "
        "{zone} seats, and what hour, how much one?",
    ),
    _draw_full,
    _join,
)


def _draw_either(world: World, rng: Random) -> Facts:
    return (_draw_full if rng.random() < 0.3 else an_evening)(world, rng)


def _book_or_wait(facts: Facts) -> Policy:
    performance = yield from on_day(facts)
    if free_in(performance, facts["zone"]) < facts["tickets"]:
        return (yield from _wait(facts, performance))
    return (yield from buy(facts, performance["performance_id"], facts["zone"], facts["tickets"]))


BOOK_OR_WAIT = Program(
    "book_or_wait",
    "Book seats if a zone has them, otherwise wait for them",
    says(
        "If there are still {tickets:count} {zone} seats for {title} in {city} on {date:date}, book them side by "
        "side[, "
        "as far to the front as you can| in the frontmost row]; if not, put me on the waiting list for them. I need "
        "the "
        "starting time and the price: the total if booked, of one ticket if I have to wait.",
        "{title}, {city}, {date:date}: book {tickets:count} {zone} seats together, frontmost row. too few left? "
        "waitlist. start + total (or price each if waiting)?",
        "Do try to get us {tickets:count} {zone} seats for {title} in {city} on {date:date}, next to each other and as "
        "near the front as they come, and if there are not enough left, put us on the waiting list! When does it "
        "start, "
        "and what is it in all, or for one if we must wait?",
        "Please book {tickets:count} adjacent {zone} seats in the foremost row for {title} in {city} on {date:date} "
        "or, "
        "should fewer be left, enter me on the waiting list; state the hour and the total, or the price of one in the "
        "latter case.",
    ),
    _draw_either,
    _book_or_wait,
)


def _leave(facts: Facts) -> Policy:
    member = yield do("get_member", member_id=facts["member_id"])
    place = yield choose(member["waiting_for"], key=lambda each: -latest(each["starts_at"]))
    performance = yield do("get_performance", performance_id=place["performance_id"])
    if any(each["zone"] == place["zone"] and each["free"] for each in performance["zones"]):
        raise DeadEnd("there are seats again")
    yield do("leave_waitlist", wait_id=place["wait_id"])
    title, starts = performance["title"], clock(performance["starts_at"])
    return Reply(f"You no longer wait for {title} at {starts}.", (title, starts))


LEAVE_WAITLIST = Program(
    "leave_waitlist",
    "Give up a place on a waiting list",
    says(
        "I am still on a waiting list, but we have made other plans: take me off it, or off the one for the earliest "
        "performance if there are several. Which show was it, and at what time would it have begun?",
        "take me off my waiting list (earliest performance if several). which show, what time?",
        "We have waited long enough and are going to the mountains instead, so take me off that waiting list, the one "
        "that would come first if there are more! What was it again, and when would it have begun?",
        "Kindly remove me from the waiting list, in case of several from that for the earliest performance, and name "
        "the "
        "show and its hour.",
        "I not want to wait more, please take me away from the waiting list, the earliest if are several; which show "
        "was "
        "it and what hour?",
    ),
    lambda world, rng: {"member_id": pick(rng, world.rows("waitlist"))["member_id"]},
    _leave,
    unknown="[I have forgotten which show it was.|I have no note of it.]",
)

WAITING = (JOIN_WAITLIST, BOOK_OR_WAIT, LEAVE_WAITLIST)
