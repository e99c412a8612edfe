"""Programs that change a booking: other seats, protection, access, another holder."""

from random import Random

from toolscale.reference.entertainment.programs.common import (
    AT_THE_BACK,
    UNTOUCHED,
    a_booking,
    another_member,
    bookings_in,
    for_several,
    hours_ahead,
    seated,
)
from toolscale.reference.entertainment.schema import ACCESS
from toolscale.reference.kit import clock, known, must
from toolscale.reference.program import DeadEnd, Facts, Record, Reply, Solution, World, do, pick
from toolscale.reference.sums import limit_near, shown
from toolscale.reference.words import words

WORDS = words(__file__)


def _forward(facts: Facts) -> Solution:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    zone = facts.get("zone", booking["zone"])
    if zone == booking["zone"] and "zone" in facts:
        raise DeadEnd("they sit there already")
    group = yield from seated(facts, booking["performance_id"], zone, booking["tickets"])
    each = shown(group["price_each"])
    if group["price_each"] > facts.get("most_each", float("inf")):
        return Reply(f"I changed nothing: a ticket there costs {each} {booking['currency']}.", (each,))
    done = yield do("change_seats", booking_id=facts["booking_id"], seats=group["seats"])
    seats, total = ", ".join(done["seats"]), shown(done["total"])
    text = f"You now have {seats}; the surcharge is {shown(done['surcharge'])}, the booking comes to {total}."
    return Reply(text, (*done["seats"], total) if "zone" in facts else tuple(done["seats"]))


CHANGE_SEATS = WORDS.program(
    "change_seats", a_booking(for_several), _forward, (AT_THE_BACK, UNTOUCHED), again="booking_id"
)


def _draw_zone(world: World, rng: Random) -> Facts:
    booking = pick(rng, bookings_in(world, for_several))
    performance = world.get("performances", booking["performance_id"]) or {}
    better = [
        each["zone"]
        for each in performance["zones"]
        if each["price"] > booking["price_each"] and each["free_seats"] and each["zone"] != booking["zone"]
    ]
    price = max(each["price"] for each in performance["zones"])
    return {
        **{field: booking[field] for field in ("member_id", "booking_id")},
        "zone": pick(rng, better),
        "price": price,
    }


MOST_EACH = WORDS.twist(
    "a limit on the ticket",
    "condition",
    lambda world, rng, facts: {"most_each": limit_near(rng, facts["price"], (0.8, 1.1, 1.2, 1.3))},
)

UPGRADE_ZONE = WORDS.program("upgrade_zone", _draw_zone, _forward, (MOST_EACH, AT_THE_BACK, UNTOUCHED))


def protectable(booking: Record, performance: Record, venue: Record) -> bool:
    """A stage booking without protection, more than a week ahead."""
    return bool(
        venue["kind"] != "cinema"
        and performance["status"] == "scheduled"
        and not booking["protection_cost"]
        and hours_ahead(performance) > 170
    )


def _protect(facts: Facts) -> Solution:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    paid = shown(booking["total"])
    if booking["total"] < facts.get("worth", 0):
        return Reply(f"I left it as it is: you paid {paid} {booking['currency']} for it.", (paid,))
    done = yield do("add_protection", booking_id=facts["booking_id"])
    quote = yield do("quote_refund", booking_id=facts["booking_id"])
    cost, back = shown(done["cost"]), shown(quote["refund"])
    text = f"{facts['booking_id']} is protected for {cost} {done['currency']}; {back} would come back."
    return Reply(text, (cost, back))


def _worth(world: World, rng: Random, facts: Facts) -> Facts:
    booking = known(world, "bookings", facts["booking_id"])
    return {"worth": limit_near(rng, booking["total"], (0.5, 0.7, 0.8, 1.3))}


PROTECT = WORDS.program(
    "protect_booking",
    a_booking(protectable),
    _protect,
    (
        WORDS.twist("worth protecting", "condition", _worth),
        UNTOUCHED,
    ),
    again="booking_id",
)


def _draw_transfer(world: World, rng: Random) -> Facts:
    booking = pick(rng, bookings_in(world, lambda b, p, v: p["status"] == "scheduled" and hours_ahead(p) > 3))
    facts = {"member_id": booking["member_id"], "booking_id": booking["booking_id"]}
    return {**facts, "friend": another_member(world, rng, facts)}


def _transfer(facts: Facts) -> Solution:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    must(booking["status"] == "confirmed", "it is not theirs to give")
    done = yield do("transfer_booking", booking_id=facts["booking_id"], to_member_id=facts["friend"])
    performance = yield do("get_performance", performance_id=booking["performance_id"])
    address = performance["address"]
    text = f"{done['name']} now holds {facts['booking_id']}; it is at {done['venue']}, {address}."
    return Reply(text, (done["name"], address))


TRANSFER = WORDS.program("transfer_booking", _draw_transfer, _transfer, (UNTOUCHED,))


def _draw_access(world: World, rng: Random) -> Facts:
    ahead = bookings_in(world, lambda b, p, v: p["status"] == "scheduled" and hours_ahead(p) > 49)
    booking, kind = pick(rng, ahead), rng.choice(ACCESS)
    performance = world.get("performances", booking["performance_id"]) or {}
    if kind == "wheelchair_space" and not performance["wheelchair_spaces_left"]:
        raise DeadEnd("no wheelchair space is left")
    return {"member_id": booking["member_id"], "booking_id": booking["booking_id"], "need": kind.replace("_", " ")}


def _access(facts: Facts) -> Solution:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    done = yield do("request_access", booking_id=facts["booking_id"], kind=facts["need"].replace(" ", "_"))
    starts = clock(booking["starts_at"])
    text = f"The {facts['need']} is arranged at {done['venue']}, {done['address']}; it begins at {starts}."
    return Reply(text, (done["address"], starts))


ACCESSIBLE = WORDS.program("arrange_access", _draw_access, _access, (UNTOUCHED,))

CHANGES = (CHANGE_SEATS, UPGRADE_ZONE, PROTECT, TRANSFER, ACCESSIBLE)
