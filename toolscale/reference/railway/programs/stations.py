"""Programs about the station where a journey begins: assistance and lounges."""

from random import Random

from toolscale.reference.kit import clock, must, unless
from toolscale.reference.moments import shifted
from toolscale.reference.program import Facts, Solution, World, choose, do, pick
from toolscale.reference.railway.catalogue import LOUNGES
from toolscale.reference.railway.programs.common import (
    NOW,
    TRAINSET,
    Record,
    a_booking,
    bookings_in,
    closing,
    departure,
    money,
    runs,
    several,
    station,
)
from toolscale.reference.words import words

WORDS = words(__file__)

HELP = {
    "a wheelchair ramp": "wheelchair_ramp",
    "somebody to help me board": "boarding_guide",
    "a guide for the blind": "guide_for_blind_passenger",
    "help with my luggage": "luggage_help",
}


def _assist(facts: Facts) -> Solution:
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


ASSIST = WORDS.program(
    "request_assistance",
    _draw_help,
    _assist,
    (
        WORDS.twist("at the destination too", "entities", sets={"both_ends": True}),
        WORDS.twist(
            "a wheelchair ramp after all",
            "change_of_mind",
            draw=unless("help", "a wheelchair ramp"),
            sets={"kind": "wheelchair_ramp"},
        ),
        WORDS.twist("until when the desk is staffed", "lookup", sets={"desk_hours": True}),
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


def _lounge(facts: Facts) -> Solution:
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


LOUNGE = WORDS.program(
    "book_lounge",
    _draw_lounge,
    _lounge,
    (
        WORDS.twist("the lounge that opens first", "change_of_mind", sets={"opens_first": True}),
        TRAINSET,
    ),
    again="booking_id",
)


def _lounge_for_all(facts: Facts) -> Solution:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    must(booking["travellers"] >= 2, "somebody who travels alone")
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


LOUNGE_FOR_ALL = WORDS.program(
    "book_lounge_for_party", _draw_party_lounge, _lounge_for_all, (TRAINSET,), again="booking_id"
)

STATIONS = (ASSIST, LOUNGE, LOUNGE_FOR_ALL)
