"""Programs that change a booking: other seats, protection, access, another holder."""

from random import Random

from toolscale.reference.entertainment.programs.common import (
    AT_THE_BACK,
    UNTOUCHED,
    a_booking,
    another_member,
    bookings_in,
    clock,
    for_several,
    hours_ahead,
    says,
    seated,
    twist,
)
from toolscale.reference.entertainment.schema import ACCESS
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Record, Reply, World, do, pick
from toolscale.reference.sums import limit_near, shown


def _forward(facts: Facts) -> Policy:
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


CHANGE_SEATS = Program(
    "change_seats",
    "Move to other seats in the same zone",
    says(
        "Could you move {booking_id} to other seats in the same zone, side by side, in the frontmost row where that is "
        "possible? [Then tell me which they are|I need to know the new seats].",
        "{booking_id}: other seats, same zone, together, frontmost row possible. new seats?",
        "[We are not happy where we sit|One of us cannot see over the heads], so please move {booking_id} to other "
        "seats in our zone, together, in whichever row is closest to the front, and tell me which!",
        "Please reallocate {booking_id} to other adjacent seats of the same zone in the foremost row available, and "
        "name them.",
        "In {booking_id} I want other seats, same zone, together, row most in front; which are?",
    ),
    a_booking(for_several),
    _forward,
    (AT_THE_BACK, UNTOUCHED),
    again="booking_id",
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


MOST_EACH = twist(
    "a limit on the ticket",
    "condition",
    says(
        "[Only do that|But only] if a ticket in that zone costs at most {most_each:money}; otherwise change nothing "
        "and "
        "tell me the price of one.",
        "only if <= {most_each:money} a ticket there, else leave it, tell me the price.",
        "Mind you, more than {most_each:money} a ticket is too much for that, then leave us where we are and just tell "
        "me the price!",
        "Should a ticket in that zone exceed {most_each:money}, make no change and state its price.",
    ),
    lambda world, rng, facts: {"most_each": limit_near(rng, facts["price"], (0.8, 1.1, 1.2, 1.3))},
)

UPGRADE_ZONE = Program(
    "upgrade_zone",
    "Move a booking into a better zone and learn what it comes to",
    says(
        "Please move {booking_id} into the {zone} zone[ for the birthday|], side by side, in the "
        "frontmost "
        "row with room, and tell me the new seats and what the booking comes to.",
        "{booking_id} up to the {zone} zone, together, frontmost row with room. seats + new total?",
        "We want to treat ourselves, so put {booking_id} into the {zone} zone, next to each other, near the front, and "
        "tell me where we sit and what it all comes to!",
        "I should like {booking_id} to be moved into the {zone} zone, adjacent seats in the foremost row with room, "
        "and "
        "to learn seats and new total.",
        "For {booking_id} I want the {zone} zone now, together and front; tell me seats and total new.",
        "Get {booking_id} into the {zone} zone, together, frontmost row! Seats and total?",
    ),
    _draw_zone,
    _forward,
    (MOST_EACH, AT_THE_BACK, UNTOUCHED),
)


def protectable(booking: Record, performance: Record, venue: Record) -> bool:
    """A stage booking without protection, more than a week ahead."""
    return bool(
        venue["kind"] != "cinema"
        and performance["status"] == "scheduled"
        and not booking["protection_cost"]
        and hours_ahead(performance) > 170
    )


def _protect(facts: Facts) -> Policy:
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
    booking = world.get("bookings", facts["booking_id"])
    if booking is None:
        raise DeadEnd("the booking is out of sight")
    return {"worth": limit_near(rng, booking["total"], (0.5, 0.7, 0.8, 1.3))}


PROTECT = Program(
    "protect_booking",
    "Protect a booking against having to give it up",
    says(
        "[I may fall ill|My dates are uncertain], so please add ticket protection to {booking_id}. What does it cost, "
        "and "
        "how much would come back if I cancelled after that?",
        "ticket protection for {booking_id}. cost + refund if i cancel then?",
        "One never knows with [my knee|the children], so put that ticket protection on {booking_id}, would you? Tell "
        "me "
        "its price, and what I would see again if we really had to stay at home!",
        "I wish to take out ticket protection for {booking_id}; kindly state its cost and the refund that a "
        "cancellation "
        "would bring thereafter.",
        "Please make the ticket protection for {booking_id}; how much is it, and how much money I get if I cancel "
        "then?",
    ),
    a_booking(protectable),
    _protect,
    (
        twist(
            "worth protecting",
            "condition",
            says(
                "[It is only worth it|Do it only] if I paid {worth:money} or more for that booking; otherwise leave it "
                "and tell me what I paid.",
                "only if i paid {worth:money}+ for it, else leave it and tell me what i paid.",
                "But that is silly for a small sum, so only if I paid {worth:money} or more, else leave it and remind "
                "me "
                "what I paid!",
                "This applies only if {worth:money} or more was paid for it; otherwise state the sum paid.",
            ),
            _worth,
        ),
        UNTOUCHED,
    ),
    again="booking_id",
)


def _draw_transfer(world: World, rng: Random) -> Facts:
    booking = pick(rng, bookings_in(world, lambda b, p, v: p["status"] == "scheduled" and hours_ahead(p) > 3))
    facts = {"member_id": booking["member_id"], "booking_id": booking["booking_id"]}
    return {**facts, "friend": another_member(world, rng, facts)}


def _transfer(facts: Facts) -> Policy:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    if booking["status"] != "confirmed":
        raise DeadEnd("it is not theirs to give")
    done = yield do("transfer_booking", booking_id=facts["booking_id"], to_member_id=facts["friend"])
    performance = yield do("get_performance", performance_id=booking["performance_id"])
    address = performance["address"]
    text = f"{done['name']} now holds {facts['booking_id']}; it is at {done['venue']}, {address}."
    return Reply(text, (done["name"], address))


TRANSFER = Program(
    "transfer_booking",
    "Hand a booking over to a friend",
    says(
        "[I cannot go myself|Something came up], so hand {booking_id} over to [my friend|my colleague], member "
        "{friend}. "
        "To be sure: what name is that number in, and what is the address of the house?",
        "transfer {booking_id} to member {friend}. which name is that, and address of the house?",
        "I shall give {booking_id} to a dear friend, member {friend}, could you put it in that name? Do tell me the "
        "name "
        "you have there, and the address of the house, so that I can pass it on!",
        "Please transfer {booking_id} to the member with number {friend}, and confirm that member's name and the "
        "address "
        "of the house.",
        "Give {booking_id} to other person, member {friend}, and say me the name of this member and the address of "
        "the house.",
    ),
    _draw_transfer,
    _transfer,
    (UNTOUCHED,),
)


def _draw_access(world: World, rng: Random) -> Facts:
    ahead = bookings_in(world, lambda b, p, v: p["status"] == "scheduled" and hours_ahead(p) > 49)
    booking, kind = pick(rng, ahead), rng.choice(ACCESS)
    performance = world.get("performances", booking["performance_id"]) or {}
    if kind == "wheelchair_space" and not performance["wheelchair_spaces_left"]:
        raise DeadEnd("no wheelchair space is left")
    return {"member_id": booking["member_id"], "booking_id": booking["booking_id"], "need": kind.replace("_", " ")}


def _access(facts: Facts) -> Policy:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    done = yield do("request_access", booking_id=facts["booking_id"], kind=facts["need"].replace(" ", "_"))
    starts = clock(booking["starts_at"])
    text = f"The {facts['need']} is arranged at {done['venue']}, {done['address']}; it begins at {starts}."
    return Reply(text, (done["address"], starts))


ACCESSIBLE = Program(
    "arrange_access",
    "Arrange access for somebody who needs it",
    says(
        "[One of us|My father] needs something special, please arrange it for {booking_id}: {need}. Where exactly is "
        "the "
        "house, and when does the show begin?",
        "{booking_id}, arrange: {need}. address + start?",
        "My dear aunt comes along on {booking_id}, and this is what she needs: {need}! Could you see to that, and "
        "give me the address and the hour for the taxi?",
        "For one person of {booking_id} I request the following provision: {need}. Please state the address of the "
        "house "
        "and the hour.",
        "For my mother in {booking_id} we need this: {need}. And tell the address and when it starts.",
    ),
    _draw_access,
    _access,
    (UNTOUCHED,),
)

CHANGES = (CHANGE_SEATS, UPGRADE_ZONE, PROTECT, TRANSFER, ACCESSIBLE)
