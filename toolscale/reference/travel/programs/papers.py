"""Programs about papers: entry rules, applications, passports."""

from datetime import date, timedelta
from random import Random

from toolscale.reference.moments import NOW, day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Reply, Twist, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.travel.programs.common import (
    Record,
    flight_bookings,
    known,
    one_of,
    place,
)


def _entry(facts: Facts) -> Policy:
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


ENTRY = Program(
    "apply_for_entry",
    "Apply for the visa or authorisation that a trip needs, as cheaply as time allows",
    {
        "plain": "I am going to {city} and arrive on {arrival:date}. Please apply for the entry papers that I need, "
        "in the cheapest way that is ready before I arrive. [What is the fee, and by when is it ready?|Tell me fee, "
        "number and the day by which it is ready.]",
        "terse": "entry papers for {city}, arriving {arrival:date}: apply, cheapest speed that is in time. fee, ready "
        "by, number?",
        "chatty": "I am off to {city} on {arrival:date} and somebody at work said one needs papers to get in! Apply "
        "for whatever it is, as cheap as the time allows, and what is the fee and when will it be ready?",
        "formal": "For my arrival in {city} on {arrival:date}, please submit the requisite application for entry, at "
        "the least expensive speed that suffices, and communicate the fee and the date by which it will be ready.",
        "non_native": "I travel to {city}, arrival the {arrival:date}. Please make the application for enter, cheap "
        "way if time is enough. How much fee and what day is ready?",
        "confused": "My brother booked {city} for me, I land there on {arrival:date}, and it seems I need some paper "
        "to "
        "be let in, can you apply for it, not the dear way if the other is in time, and what is the fee and when is "
        "it there?",
    },
    _draw_entry,
    _entry,
    (
        Twist(
            "express in any case",
            "change_of_mind",
            {
                "plain": "To be on the safe side, make it express in any case.",
                "terse": "express in any case.",
                "chatty": "Oh, I will not sleep otherwise, so make it express whatever it costs!",
                "formal": "For the avoidance of doubt, express treatment is desired in any case.",
            },
            sets={"speed": "express"},
        ),
        Twist(
            "a limit on the fee",
            "condition",
            {
                "plain": "If the fee is more than {most_fee:money} EUR, do not apply yet and tell me the fee.",
                "terse": "fee above {most_fee:money} EUR: don't apply, tell me.",
                "chatty": "But above {most_fee:money} EUR I want to think it over, so then just tell me the fee!",
                "formal": "Where the fee is in excess of {most_fee:money} EUR, withhold the application and quote the "
                "fee.",
            },
            draw=one_of("most_fee", (45.0, 60.0, 75.0, 100.0)),
        ),
    ),
)


def _may_i_enter(facts: Facts) -> Policy:
    booking = yield do("get_flight_booking", booking_id=facts["booking_id"])
    needs = yield do(
        "check_entry_rules",
        traveller_id=facts["traveller_id"],
        destination_code=booking["destination"],
        arrival_date=booking["arrival"][:10],
    )
    what = {"e_visa": "an e-visa", "travel_authorisation": "a travel authorisation"}
    if needs["requirement"] == "none":
        raise DeadEnd("nothing is needed, so there is no fee to tell")
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


MAY_I_ENTER = Program(
    "check_entry_for_flight",
    "Learn what is needed to enter the country that a booked flight goes to",
    {
        "plain": "What do I need to enter the country that {booking_id} takes me to: a visa, an authorisation or "
        "neither? Tell me the fees if there are any, and until when the passport that you have on file is valid.",
        "terse": "{booking_id}: visa/authorisation needed to enter? fees? and expiry of my passport on file?",
        "chatty": "I had the worst dream about passport control! For {booking_id}, do I need a visa or anything like "
        "that, what would the fees be, normal and express, and until when is my passport good?",
        "formal": "Please advise whether a visa or authorisation is required for entry at the destination of "
        "{booking_id}, at what fees, and until what date my passport on file remains valid.",
        "non_native": "For {booking_id}, is visa needed or other paper for enter? Which fees has it, normal and "
        "express, and my passport that you have, until when is valid?",
    },
    _draw_outbound,
    _may_i_enter,
)


def _new_passport(facts: Facts) -> Policy:
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


NEW_PASSPORT = Program(
    "update_passport",
    "Put a new passport on file",
    {
        "plain": "I have a new passport: number {passport}, valid until {expiry:date}. Please put it on file and tell "
        "me the number of the one that it replaces.",
        "terse": "new passport {passport}, valid until {expiry:date}. update. which old number is gone?",
        "chatty": "Look at me with my brand-new passport, {passport}, good until {expiry:date}, and a dreadful "
        "picture! Put it into your files, and which number did you have before?",
        "formal": "I have been issued with a new passport, {passport}, valid until {expiry:date}; please amend your "
        "records and confirm the number hitherto on file.",
        "non_native": "My passport is new: {passport}, finish date {expiry:date}. Please write it in your system, and "
        "which number was there before?",
    },
    _draw_passport,
    _new_passport,
)


def _withdraw(facts: Facts) -> Policy:
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


WITHDRAW = Program(
    "withdraw_application",
    "Withdraw an entry application that is not decided yet",
    {
        "plain": "My trip to {city} is not happening. Please withdraw my application for entry, which is not decided "
        "yet, and tell me its number and what comes back.",
        "terse": "withdraw my pending entry application for {city}. number, refund?",
        "chatty": "No {city} for me this year, what a pity! So take back that application for entry that is still "
        "being looked at, and what was its number and what do I get back?",
        "formal": "As I shall not be travelling to {city}, please withdraw my pending application for entry and state "
        "its number and the refund.",
        "non_native": "I will not travel to {city}, please take back my application for enter that is still open. "
        "Number and money back?",
    },
    _draw_withdraw,
    _withdraw,
    unknown="I cannot find the number of the application.",
)

PAPERS = (ENTRY, MAY_I_ENTER, NEW_PASSPORT, WITHDRAW)
