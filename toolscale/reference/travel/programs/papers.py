"""Programs about papers: entry rules, applications, passports."""

from datetime import date, timedelta
from random import Random

from toolscale.reference.kit import known, must, one_of
from toolscale.reference.moments import NOW, day
from toolscale.reference.program import DeadEnd, Facts, Reply, Solution, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.travel.programs.common import Record, flight_bookings, place
from toolscale.reference.words import words

WORDS = words(__file__)


def _entry(facts: Facts) -> Solution:
    there = yield from place(facts["city"])
    trip = {"destination_code": there["destination_code"], "arrival_date": facts["arrival"]}
    needs = yield do("check_entry_rules", traveller_id=facts["traveller_id"], **trip)
    if needs["requirement"] == "none" or not needs["passport_valid_long_enough"]:
        raise DeadEnd("there is nothing to apply for, or it is not possible")
    in_time = [
        speed
        for speed in ("standard", "express")
        if _after(needs[f"{speed}_days"]) < facts["arrival"] and facts.get("speed") in (None, speed)
    ]
    speed = yield choose(in_time, key=lambda each: needs[f"{each}_fee"])
    fee = shown(needs[f"{speed}_fee"])
    if needs[f"{speed}_fee"] > facts.get("most_fee", 1e9):
        return Reply(f"I did not apply: the fee is {fee} EUR.", (fee,))
    done = yield do("apply_for_entry", traveller_id=facts["traveller_id"], **trip, speed=speed)
    number, ready = done["application_id"], done["ready_by"]
    return Reply(f"Applied as {number} ({speed}) for {fee} EUR; it is ready by {ready}.", (number, fee, ready))


def _after(days: int) -> str:
    return (date.fromisoformat(NOW[:10]) + timedelta(days=days)).isoformat()


ASKING = {"GB": "London", "US": "New York", "CA": "Toronto", "IN": "Delhi", "EG": "Cairo", "KE": "Nairobi"}
"""Countries that ask for papers, and the city to which travellers go there."""


def _draw_entry(world: World, rng: Random) -> Facts:
    applied = {(each["traveller_id"], each["country"]) for each in world.rows("visa_applications")}
    pairs = [
        (person, there)
        for person in world.rows("travellers")
        for country, there in ASKING.items()
        if (person["traveller_id"], country) not in applied and person["nationality"] != country
    ]
    person, there = pick(rng, pairs)
    return {
        "traveller_id": person["traveller_id"],
        "city": there,
        "arrival": day(rng.choice((3, 4, 5, 6, 9, 14, 23, 31, 40))),
    }


ENTRY = WORDS.program(
    "apply_for_entry",
    _draw_entry,
    _entry,
    (
        WORDS.twist("express in any case", "change_of_mind", sets={"speed": "express"}),
        WORDS.twist("a limit on the fee", "condition", draw=one_of("most_fee", 45.0, 60.0, 75.0, 100.0)),
    ),
)


def _may_i_enter(facts: Facts) -> Solution:
    booking = yield do("get_flight_booking", booking_id=facts["booking_id"])
    needs = yield do(
        "check_entry_rules",
        traveller_id=facts["traveller_id"],
        destination_code=booking["destination"],
        arrival_date=booking["arrival"][:10],
    )
    what = {"e_visa": "an e-visa", "travel_authorisation": "a travel authorisation"}
    must(needs["requirement"] != "none", "nothing is needed, so there is no fee to tell")
    needed, expiry = what[needs["requirement"]], needs["passport_expiry"]
    verdict = "long enough" if needs["passport_valid_long_enough"] else "not long enough"
    text = f"You need {needed}; your passport is valid until {expiry}, which is {verdict}."
    fee, quick = shown(needs["standard_fee"]), shown(needs["express_fee"])
    return Reply(f"{text} It costs {fee} EUR, or {quick} EUR express.", (expiry, fee, quick))


def _abroad(booking: Record, flight: Record) -> bool:
    return bool(flight["distance_km"] > 500 and flight["status"] != "cancelled")


def _draw_outbound(world: World, rng: Random) -> Facts:
    away = [
        each
        for each in flight_bookings(world, "confirmed", _abroad)
        if known(world, "flights", each["flight_id"])["destination"]
        != known(world, "travellers", each["traveller_id"])["home_airport"]
    ]
    booking = pick(rng, away)
    return {"traveller_id": booking["traveller_id"], "booking_id": booking["booking_id"]}


MAY_I_ENTER = WORDS.program("check_entry_for_flight", _draw_outbound, _may_i_enter)


def _new_passport(facts: Facts) -> Solution:
    done = yield do(
        "update_passport",
        traveller_id=facts["traveller_id"],
        passport_number=facts["passport"],
        expiry_date=facts["expiry"],
    )
    return Reply(f"Your new passport replaces {done['replaced']}.", (done["replaced"],))


def _draw_passport(world: World, rng: Random) -> Facts:
    person = pick(rng, [each for each in world.rows("travellers") if each["passport_expiry"] < day(1200)])
    return {
        "traveller_id": person["traveller_id"],
        "passport": f"{person['nationality']}{rng.randrange(1_000_000, 9_999_999)}",
        "expiry": day(3650 - rng.randint(4, 25)),
    }


NEW_PASSPORT = WORDS.program("update_passport", _draw_passport, _new_passport)


def _withdraw(facts: Facts) -> Solution:
    listed = yield do("list_applications", traveller_id=facts["traveller_id"])
    there = yield from place(facts["city"])
    found = [each for each in listed if (each["country"], each["status"]) == (there["country"], "submitted")]
    application = yield choose(found, key=lambda each: each["arrival_date"])
    done = yield do("withdraw_application", application_id=application["application_id"])
    number, back = application["application_id"], shown(done["refund"])
    return Reply(f"{number} is withdrawn; {back} EUR come back.", (number, back))


def _draw_withdraw(world: World, rng: Random) -> Facts:
    open_ones = [each for each in world.rows("visa_applications") if each["status"] == "submitted"]
    application = pick(rng, open_ones)
    return {"traveller_id": application["traveller_id"], "city": ASKING[application["country"]]}


WITHDRAW = WORDS.program("withdraw_application", _draw_withdraw, _withdraw)

PAPERS = (ENTRY, MAY_I_ENTER, NEW_PASSPORT, WITHDRAW)
