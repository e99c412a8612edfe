"""Programs about the station where a journey begins: assistance and lounges."""

from random import Random

from toolscale.reference.moments import shifted
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Twist, World, choose, do, pick
from toolscale.reference.railway.catalogue import LOUNGES
from toolscale.reference.railway.programs.common import (
    NOW,
    TRAINSET,
    Record,
    a_booking,
    bookings_in,
    clock,
    closing,
    departure,
    money,
    runs,
    several,
    station,
    unless,
)

HELP = {
    "a wheelchair ramp": "wheelchair_ramp",
    "somebody to help me board": "boarding_guide",
    "a guide for the blind": "guide_for_blind_passenger",
    "help with my luggage": "luggage_help",
}


def _assist(facts: Facts) -> Policy:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    kind = facts.get("kind") or HELP[facts["help"]]
    codes = [booking["origin"], booking["destination"]] if facts.get("both_ends") else [booking["origin"]]
    texts: list[str] = []
    tell: tuple[str, ...] = ()
    for code in codes:
        done = yield do("request_assistance", booking_id=facts["booking_id"], station_code=code, kind=kind)
        meet = clock(done["meet_at"])
        texts.append(f"Assistance {done['assistance_id']} meets you at {meet}.")
        tell += (meet,)
    if facts.get("desk_hours"):
        desk = yield from station(booking["origin_name"])
        texts.append(f"The desk there is staffed until {desk['assistance_until']}.")
        tell += (desk["assistance_until"],)
    return (yield from closing(facts, " ".join(texts), tell, booking["service_id"]))


def _draw_help(world: World, rng: Random) -> Facts:
    return {**a_booking(world, rng, suits=runs), "help": rng.choice(sorted(HELP))}


ASSIST = Program(
    "request_assistance",
    "Order assistance at the station where a journey begins",
    {
        "plain": "[For {booking_id} I need {help}|On {booking_id} I shall need {help}] at the station where I board. "
        "Please arrange it and tell me when to be at the meeting point.",
        "terse": "{booking_id}, departure station: {help}. meeting time?",
        "chatty": "I am a little nervous about the station, so for {booking_id} could I have {help} where I get on? "
        "And when will somebody be waiting for me?",
        "formal": "In respect of {booking_id} I require {help} at the station of departure; please arrange this and "
        "advise me of the time of the meeting.",
        "hurried": "Where I get on with {booking_id} I need {help}, what time do we meet?",
        "non_native": "For {booking_id} please {help} in the station where I start; at which hour we meet?",
        "confused": "I get so lost in big stations, so for {booking_id} I would need {help} where I get on. Can that "
        "be arranged, and when should I be there?",
    },
    _draw_help,
    _assist,
    (
        Twist(
            "at the destination too",
            "entities",
            {
                "plain": "I need the same at the station where I get off.",
                "terse": "same at destination.",
                "chatty": "And of course I need the very same again when I get off at the other end!",
                "formal": "The same is required at the station of arrival.",
                "non_native": "Also in the station where I finish I need the same.",
            },
            sets={"both_ends": True},
        ),
        Twist(
            "a wheelchair ramp after all",
            "change_of_mind",
            {
                "plain": "Correction: I will be in a wheelchair by then, so it is the ramp that I need.",
                "terse": "make that the wheelchair ramp.",
                "chatty": "Oh dear, my doctor just told me it will be the wheelchair, so please make it the ramp!",
                "formal": "I must amend this: owing to an operation, the wheelchair ramp is what I shall need.",
            },
            draw=unless("help", "a wheelchair ramp"),
            sets={"kind": "wheelchair_ramp"},
        ),
        Twist(
            "until when the desk is staffed",
            "lookup",
            {
                "plain": "Also tell me until when the assistance desk at that station is staffed.",
                "terse": "desk there staffed until when?",
                "chatty": "And just so that I can sleep, until what time is anybody at the assistance desk there?",
                "formal": "Please state as well until what hour the assistance desk at that station is staffed.",
            },
            sets={"desk_hours": True},
        ),
        TRAINSET,
    ),
    again="booking_id",
)


WITH_LOUNGE = {each[1] for each in LOUNGES}
"""Stations that have a lounge."""


def time_for_a_lounge(booking: Record, service: Record) -> bool:
    """The journey begins at a lounge, and late enough that one can still be there before the train."""
    in_time = departure(booking, service) >= shifted(NOW, 90)
    return runs(booking, service) and booking["origin"] in WITH_LOUNGE and in_time


def _lounge(facts: Facts) -> Policy:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    origin = yield from station(booking["origin_name"])
    if facts.get("opens_first"):
        lounge = yield choose(several(origin["lounges"]), key=lambda each: each["opens"])
    else:
        lounge = yield choose(origin["lounges"], key=lambda each: each["visit_fee"])
    visit = yield do(
        "book_lounge",
        booking_id=facts["booking_id"],
        lounge_id=lounge["lounge_id"],
        minutes_before=facts["minutes"],
    )
    fee = f"{visit['fee']:.2f}"
    text = f"The {lounge['name']} expects you ({visit['visit_id']}), for {fee} EUR."
    return (yield from closing(facts, text, money(visit["fee"], lounge["name"]), booking["service_id"]))


def _draw_lounge(world: World, rng: Random) -> Facts:
    visited = {each["booking_id"] for each in world.rows("lounge_visits")}
    waiting = bookings_in(world, "confirmed", time_for_a_lounge)
    booking = pick(rng, [each for each in waiting if each["booking_id"] not in visited])
    return {
        "passenger_id": booking["passenger_id"],
        "booking_id": booking["booking_id"],
        "minutes": rng.choice((25, 40, 55, 70, 90)),
    }


LOUNGE = Program(
    "book_lounge",
    "Book a lounge visit before a journey begins",
    {
        "plain": "[Please book me|I would like to go] into a lounge {minutes:int} minutes before the train of "
        "{booking_id}; the cheapest lounge there if there are several. [Which one is it and what does it cost?|Tell "
        "me its name and what it costs me.]",
        "terse": "lounge {minutes:int} min before {booking_id}, cheapest one. name + fee?",
        "chatty": "I do love a quiet cup of tea before a journey! Could you get me into the cheapest lounge "
        "{minutes:int} minutes before {booking_id} leaves, and tell me its name and the fee?",
        "formal": "As of {minutes:int} minutes prior to the departure of {booking_id} I wish to visit the least "
        "expensive lounge of the station; please name it and its fee.",
        "hurried": "Lounge {minutes:int} minutes before {booking_id}, cheapest one there! Name and fee?",
        "non_native": "Before train of {booking_id} I want wait in lounge, I come {minutes:int} minutes before, the "
        "lounge of low price; how is its name and how much?",
    },
    _draw_lounge,
    _lounge,
    (
        Twist(
            "the lounge that opens first",
            "change_of_mind",
            {
                "plain": "Or rather, not the cheapest but the one that opens earliest.",
                "terse": "not cheapest: earliest opening one.",
                "chatty": "Hmm, forget the price, I would rather have the one that opens earliest in the day!",
                "formal": "I would, after all, prefer the lounge that opens earliest to the cheapest one.",
            },
            sets={"opens_first": True},
        ),
        TRAINSET,
    ),
    again="booking_id",
)


def _lounge_for_all(facts: Facts) -> Policy:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    if booking["travellers"] < 2:
        raise DeadEnd("somebody who travels alone")
    origin = yield from station(booking["origin_name"])
    lounge = yield choose(origin["lounges"], key=lambda each: each["visit_fee"])
    visits = []
    for _ in range(booking["travellers"]):
        visit = yield do(
            "book_lounge",
            booking_id=facts["booking_id"],
            lounge_id=lounge["lounge_id"],
            minutes_before=facts["minutes"],
        )
        visits.append(visit)
    numbers = tuple(visit["visit_id"] for visit in visits)
    text = f"All of you are expected at the {lounge['name']}: {', '.join(numbers)}, {visits[0]['fee']:.2f} EUR each."
    return (yield from closing(facts, text, (lounge["name"], *numbers), booking["service_id"]))


def _draw_party_lounge(world: World, rng: Random) -> Facts:
    visited = {each["booking_id"] for each in world.rows("lounge_visits")}
    parties = [
        each
        for each in bookings_in(world, "confirmed", time_for_a_lounge)
        if each["travellers"] > 1 and each["booking_id"] not in visited
    ]
    party = pick(rng, parties)
    return {
        "passenger_id": party["passenger_id"],
        "booking_id": party["booking_id"],
        "minutes": rng.choice((30, 45, 60, 75)),
    }


LOUNGE_FOR_ALL = Program(
    "book_lounge_for_party",
    "Book a lounge visit for everybody who travels on a booking",
    {
        "plain": "[We are all early risers|We like to wait in comfort], so please book every one of us on "
        "{booking_id} into the cheapest lounge of the station, {minutes:int} minutes before we leave. [Which lounge "
        "is it, and what are the numbers of the visits?|Tell me the lounge and the number of each visit.]",
        "terse": "{booking_id}: cheapest lounge for everyone on it, {minutes:int} min before departure. lounge + "
        "visit nos?",
        "chatty": "[The whole gang wants to sit in style|Nobody shall be left standing in the cold]! Put all of us on "
        "{booking_id} into the cheapest lounge there, {minutes:int} minutes before the train goes, and tell me its "
        "name and the number of every visit.",
        "formal": "For each traveller on {booking_id} I request a visit to the least expensive lounge of the station, "
        "{minutes:int} minutes ahead of departure, and ask for its name and the number of every visit.",
        "non_native": "We all from {booking_id} want to wait in lounge, the one with lowest price, {minutes:int} "
        "minutes before the train; say me the name and all the numbers of visit.",
    },
    _draw_party_lounge,
    _lounge_for_all,
    (TRAINSET,),
    again="booking_id",
)

STATIONS = (ASSIST, LOUNGE, LOUNGE_FOR_ALL)
