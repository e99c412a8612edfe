"""Programs about injuries, and complaints about courts."""

from random import Random

from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Reply, Twist, World, choose, do, pick
from toolscale.reference.sport.catalogue import BODY_PARTS
from toolscale.reference.sport.programs.common import IN_A_DAY, WAYS, a_court_booking, fit, members, way
from toolscale.reference.sums import shown

WRONGS = {
    "the lights went out": "lights_failed",
    "the court had been given to somebody else as well": "double_booked",
    "the floor was wet": "wet_floor",
    "the heating was off": "no_heating",
    "the net was torn": "torn_net",
}


def _hurt(facts: Facts) -> Policy:
    part = facts.get("other_part", facts["part"])
    if part not in BODY_PARTS:
        raise DeadEnd("the club enters no such injury")
    injury = yield do("report_injury", member_id=facts["member_id"], body_part=part, happened_on=facts["happened"])
    earliest = injury["earliest_return"]
    return Reply(f"It is entered as {injury['injury_id']}; a note is accepted from {earliest}.", (earliest,))


def _draw_hurt(world: World, rng: Random) -> Facts:
    return {
        "member_id": pick(rng, fit(world))["member_id"],
        "part": rng.choice(BODY_PARTS),
        "happened": day(-rng.randint(0, 9)),
    }


OTHER_PART = Twist(
    "another part of the body",
    "change_of_mind",
    {
        "plain": "The doctor has just told me that it is the {other_part} really, so enter that [instead|and not what "
        "I said].",
        "terse": "doc says it's the {other_part}, enter that.",
        "chatty": "Oh, the doctor is laughing at me, it is the {other_part}, not what I thought, so put that!",
        "formal": "According to the diagnosis I have just received, the {other_part} is affected instead.",
    },
    draw=lambda world, rng, facts: {
        "other_part": pick(rng, [part for part in BODY_PARTS if part != facts.get("part")])
    },
)

HURT = Program(
    "report_injury",
    "Report an injury and learn when one may play again",
    {
        "plain": "I hurt my {part} on {happened:date}. Please enter the injury. From what date would you accept a "
        "doctor's note so that I may play again?",
        "terse": "injury: {part}, {happened:date}. enter it. doctor's note accepted from when?",
        "chatty": "You will laugh, but I hurt my {part} on {happened:date} [on the stairs of the club|reaching for a "
        "silly drop shot]! Would you put that down, and tell me from when a doctor's note would let me back on court?",
        "formal": "I have to report an injury to my {part}, sustained on {happened:date}; please record it and state "
        "the date as of which a doctor's note is accepted.",
        "non_native": "My {part} is hurt since {happened:date}, please write this injury, and say from which day the "
        "paper of doctor is good.",
        "confused": "I think one has to tell you when one is hurt: it is my {part}, it happened on {happened:date}. "
        "Please note it, and from when can the doctor's paper count?",
    },
    _draw_hurt,
    _hurt,
    (OTHER_PART,),
)


def _hurt_and_cancel(facts: Facts) -> Policy:
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


HURT_AND_CANCEL = Program(
    "report_injury_and_cancel_courts",
    "Report an injury and cancel every court that is booked",
    {
        "plain": "I cannot play for a while, my {part} gave way on {happened:date}. Please enter that injury and "
        "cancel every court I have booked, as credit. From what date is a doctor's note accepted, and how much do I "
        "get for each court?",
        "terse": "{part} injured {happened:date}: enter it + cancel all my booked courts, as credit. note accepted "
        "from? refunds?",
        "chatty": "Well, that is my season over, my {part} went pop on {happened:date}! Put the injury down, cancel "
        "all the courts I have booked and make it credit, and then tell me from when a doctor's note counts and what I "
        "get for each!",
        "formal": "Having injured my {part} on {happened:date}, I ask you to record the injury and to cancel all "
        "courts reserved by me, by way of credit; please state when a doctor's note is accepted, and each refund.",
    },
    _draw_hurt_with_courts,
    _hurt_and_cancel,
    (
        OTHER_PART,
        Twist(
            "to the card rather",
            "change_of_mind",
            {
                "plain": "Or no, I would rather have the money for the courts on my card.",
                "terse": "card instead of credit for the courts.",
                "chatty": "And hm, no credit please, who knows when I am back, so the money on my card!",
                "formal": "The sums for the courts should, upon reflection, go to my card.",
            },
            sets={"refund_to": "card"},
        ),
    ),
)


def _note(facts: Facts) -> Policy:
    member = yield do("get_member", member_id=facts["member_id"])
    injury = yield choose(member["open_injuries"], key=lambda each: each["earliest_return"])
    if injury["earliest_return"] > facts["seen"]:
        raise DeadEnd("the note is too early")
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
    if seen_on < injury["earliest_return"]:
        raise DeadEnd("the doctor was seen too early")
    return {"member_id": injury["member_id"], "seen": seen_on}


NOTE = Program(
    "submit_doctors_note",
    "Hand in a doctor's note that clears an injury",
    {
        "plain": "I am fit again: my doctor saw me on {seen:date} and wrote me a note. Please clear the injury that "
        "you have entered for me, the oldest one if there are several, and tell me its number and what part of the "
        "body it names.",
        "terse": "doctor's note dated {seen:date}: clear my injury (the oldest). its number + body part?",
        "chatty": "Hooray, I may play again, the doctor looked at me on {seen:date} and signed everything! Please "
        "clear my injury, the oldest if there are more, and read me its number and the part of the body you wrote "
        "down!",
        "formal": "A doctor's note of {seen:date} certifies my fitness; please clear the injury recorded for me, or "
        "the oldest of them, and quote its number and the part of the body recorded.",
        "non_native": "The doctor saw me on {seen:date} and all is good; please delete my injury, the most old if "
        "are two, and say its number and which part of the body is written.",
    },
    _draw_note,
    _note,
    unknown="[I do not know the number of the injury.|I was never told how it is numbered.]",
)


def _complain(facts: Facts) -> Policy:
    if facts["wrong"] not in WRONGS:
        raise DeadEnd("the club compensates no such thing")
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


COMPLAIN = Program(
    "complain_about_court",
    "Complain about a court and be compensated",
    {
        "plain": "I want to complain about {booking_id}: {wrong} while we played. Please file that; whatever I am owed "
        "for it should go {way}. How much is it, and which court does it concern?",
        "terse": "complaint re {booking_id}: {wrong}. compensation {way}. amount + court?",
        "chatty": "I never complain, but with {booking_id} it was just too much, {wrong}! Please file it, the money "
        "can go {way}, and tell me how much it is and which court that was!",
        "formal": "I wish to lodge a complaint concerning {booking_id}, as {wrong}; compensation should be paid {way}. "
        "Please state its amount and the court concerned.",
        "non_native": "I complain about {booking_id}, because {wrong} when we were there; the money for this please "
        "{way}, how much is it and which court?",
    },
    _draw_complaint,
    _complain,
)

HEALTH = (HURT, HURT_AND_CANCEL, NOTE, COMPLAIN)
