"""Programs about injuries, and complaints about courts."""

from random import Random

from toolscale.reference.kit import must
from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Reply, Solution, World, choose, do, pick
from toolscale.reference.sport.catalogue import BODY_PARTS
from toolscale.reference.sport.programs.common import IN_A_DAY, WAYS, a_court_booking, fit, members, way
from toolscale.reference.sums import shown
from toolscale.reference.words import words

WORDS = words(__file__)

WRONGS = {
    "the lights went out": "lights_failed",
    "the court had been given to somebody else as well": "double_booked",
    "the floor was wet": "wet_floor",
    "the heating was off": "no_heating",
    "the net was torn": "torn_net",
}


def _hurt(facts: Facts) -> Solution:
    part = facts.get("other_part", facts["part"])
    must(part in BODY_PARTS, "the club enters no such injury")
    injury = yield do("report_injury", member_id=facts["member_id"], body_part=part, happened_on=facts["happened"])
    earliest = injury["earliest_return"]
    return Reply(f"It is entered as {injury['injury_id']}; a note is accepted from {earliest}.", (earliest,))


def _draw_hurt(world: World, rng: Random) -> Facts:
    return {
        "member_id": pick(rng, fit(world))["member_id"],
        "part": rng.choice(BODY_PARTS),
        "happened": day(-rng.randint(0, 9)),
    }


OTHER_PART = WORDS.twist(
    "another part of the body",
    "change_of_mind",
    draw=lambda world, rng, facts: {
        "other_part": pick(rng, [part for part in BODY_PARTS if part != facts.get("part")])
    },
)

HURT = WORDS.program("report_injury", _draw_hurt, _hurt, (OTHER_PART,))


def _hurt_and_cancel(facts: Facts) -> Solution:
    listed = yield do("list_court_bookings", member_id=facts["member_id"])
    if not listed or any(f"{each['day']}T{each['start']}" < IN_A_DAY for each in listed):
        raise DeadEnd("nothing to cancel, or too late for it")
    told = yield from _hurt(facts)
    refunds = []
    for each in listed:
        done = yield do(
            "cancel_court_booking", booking_id=each["booking_id"], refund_to=facts.get("refund_to", "credit")
        )
        refunds.append(shown(done["refund"]))
    return Reply(f"{told.text} You get back, in EUR: {', '.join(refunds)}.", (*told.tell, *refunds))


def _draw_hurt_with_courts(world: World, rng: Random) -> Facts:
    booking = a_court_booking(world, rng)
    return {
        "member_id": booking["member_id"],
        "part": rng.choice(BODY_PARTS),
        "happened": day(-rng.randint(0, 9)),
    }


HURT_AND_CANCEL = WORDS.program(
    "report_injury_and_cancel_courts",
    _draw_hurt_with_courts,
    _hurt_and_cancel,
    (
        OTHER_PART,
        WORDS.twist("to the card rather", "change_of_mind", sets={"refund_to": "card"}),
    ),
)


def _note(facts: Facts) -> Solution:
    member = yield do("get_member", member_id=facts["member_id"])
    injury = yield choose(member["open_injuries"], key=lambda each: each["earliest_return"])
    must(injury["earliest_return"] <= facts["seen"], "the note is too early")
    done = yield do("submit_doctors_note", injury_id=injury["injury_id"], seen_on=facts["seen"])
    return Reply(f"{done['injury_id']} ({done['body_part']}) is cleared.", (done["injury_id"], done["body_part"]))


def _draw_note(world: World, rng: Random) -> Facts:
    users = {each["member_id"] for each in members(world)}
    injury = pick(
        rng,
        [
            each
            for each in world.rows("injuries")
            if each["status"] == "open" and each["earliest_return"] < day(0) and each["member_id"] in users
        ],
    )
    seen_on = rng.choice([day(0), day(-1), day(-2)])
    must(seen_on >= injury["earliest_return"], "the doctor was seen too early")
    return {"member_id": injury["member_id"], "seen": seen_on}


NOTE = WORDS.program("submit_doctors_note", _draw_note, _note)


def _complain(facts: Facts) -> Solution:
    must(facts["wrong"] in WRONGS, "the club compensates no such thing")
    booking = yield do("get_court_booking", booking_id=facts["booking_id"])
    done = yield do("file_complaint", booking_id=facts["booking_id"], topic=WRONGS[facts["wrong"]], payout=way(facts))
    amount = shown(done["amount"])
    return Reply(f"Your complaint about {booking['court']} brings back {amount} EUR.", (booking["court"], amount))


def _draw_complaint(world: World, rng: Random) -> Facts:
    known = {each["booking_id"] for each in world.rows("complaints")}
    booking = a_court_booking(world, rng, lambda each: each["booking_id"] not in known, "played")
    return {
        "member_id": booking["member_id"],
        "booking_id": booking["booking_id"],
        "wrong": rng.choice(sorted(WRONGS)),
        "way": rng.choice(sorted(WAYS)),
    }


COMPLAIN = WORDS.program("complain_about_court", _draw_complaint, _complain)

HEALTH = (HURT, HURT_AND_CANCEL, NOTE, COMPLAIN)
