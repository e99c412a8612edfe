"""Requests about stays, tours and papers that the agency's policy forbids, with what proves it."""

from random import Random

from toolscale.reference.moments import NOW, day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Refusal, Reply, Steps, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.travel.programs.common import (
    a_stay,
    a_tour_booking,
    city,
    known,
    place,
    shifted,
)


def _no_cancelling(facts: Facts) -> Policy:
    stay = yield do("get_stay", stay_id=facts["stay_id"])
    if stay["rate"] != "saver":
        raise DeadEnd("it is flexible")
    done = yield do("set_board", stay_id=facts["stay_id"], board="breakfast")
    more, until = shown(done["difference"]), stay["check_in_from"]
    text = f"{stay['hotel']} was booked at the saver rate and stays; breakfast is added for {more} EUR."
    return Reply(f"{text} Your room is ready from {until}.", (more, until))


def _cancel_stay_all_the_same(facts: Facts) -> Steps:
    yield do("cancel_stay", stay_id=facts["stay_id"], refund_to="card")


CANCEL_SAVER = Program(
    "refuse_cancelling_saver_stay",
    "Ask to cancel a stay at the saver rate, or else to have breakfast there",
    {
        "plain": "Please cancel {stay_id} and refund me for the room. If its rate rules that out, I will go after "
        "all, so add breakfast. What does that add to the price, and from what time is the room ready?",
        "terse": "cancel {stay_id} + refund for the room. rate doesn't allow? then add breakfast. extra cost, room "
        "ready from?",
        "chatty": "I have had second thoughts about {stay_id}, can that room be cancelled and my money returned? If "
        "the rate is one of those that cannot, well, then we go and have breakfast there, so put that on it, and how "
        "much more is it, and when is the room ready?",
        "formal": "Kindly cancel {stay_id} against reimbursement of the room; should the rate exclude this, please "
        "add breakfast to it and state the extra charge and the hour from which the room is available.",
        "confused": "I do not think I want to go there any more, so can I get my money back for the room of "
        "{stay_id}? If not, then with breakfast at least, please add it, and what is that, and from when can one go "
        "in?",
    },
    a_stay(suits=lambda stay: stay["rate"] == "saver" and stay["board"] == "room_only"),
    _no_cancelling,
    again="stay_id",
    refusal=Refusal("saver_stays_stay_as_they_are", _cancel_stay_all_the_same),
)


def _no_longer(facts: Facts) -> Policy:
    stay = yield do("get_stay", stay_id=facts["stay_id"])
    if stay["rate"] != "saver" or facts["check_out"] <= stay["check_out"]:
        raise DeadEnd("it can be changed")
    found = yield do(
        "search_rooms",
        destination_code=stay["destination_code"],
        check_in=stay["check_out"],
        check_out=facts["check_out"],
        guests=stay["guests"],
    )
    room = yield choose(
        [each for each in found if each["hotel_id"] == stay["hotel_id"]], key=lambda each: each["total"]
    )
    more = yield do(
        "book_room",
        traveller_id=facts["traveller_id"],
        room_id=room["room_id"],
        check_in=stay["check_out"],
        check_out=facts["check_out"],
        guests=stay["guests"],
    )
    cost = shown(more["price_total"])
    text = f"A saver stay is not changed, so I booked a {room['kind']} room there for the rest as {more['stay_id']}"
    return Reply(f"{text}, {cost} EUR.", (more["stay_id"], cost))


def _extend_all_the_same(facts: Facts) -> Steps:
    stay = yield do("get_stay", stay_id=facts["stay_id"])
    yield do("change_stay", stay_id=facts["stay_id"], check_in=stay["check_in"], check_out=facts["check_out"])


def _draw_longer(world: World, rng: Random) -> Facts:
    facts = a_stay(suits=lambda stay: stay["rate"] == "saver")(world, rng)
    end = known(world, "stays", facts["stay_id"])["check_out"]
    return {**facts, "check_out": shifted(end, rng.randint(1, 3))}


EXTEND_SAVER = Program(
    "refuse_extending_saver_stay",
    "Ask to extend a stay at the saver rate, or else to book the further nights apart",
    {
        "plain": "Please prolong {stay_id} until {check_out:date}. If its rate cannot be changed, book the further "
        "nights as a stay of their own in the same hotel, the cheapest room for as many guests, at the flexible rate "
        "and without meals. What do these nights cost?",
        "terse": "prolong {stay_id} until {check_out:date}. rate can't be changed? separate stay for the extra "
        "nights, same hotel, cheapest room for as many, flexible, no meals. cost of those?",
        "chatty": "We do not want to leave on time, so prolong {stay_id} until {check_out:date}! And if that rate is "
        "carved in stone, book us the extra nights separately, same hotel, cheapest room for just as many, flexible, "
        "no meals, and what do they cost?",
        "formal": "I wish {stay_id} to be prolonged until {check_out:date}; if the rate forbids it, please book the "
        "additional nights separately in the same hotel, in the least expensive room for the same guests, at the "
        "flexible rate and without meals, and state their cost.",
        "non_native": "Please make {stay_id} more long until {check_out:date}. If the rate not allows, then book the "
        "other nights apart in same hotel, cheap room for same persons, flexible rate, no meals. How much they cost?",
    },
    _draw_longer,
    _no_longer,
    refusal=Refusal("saver_stays_stay_as_they_are", _extend_all_the_same),
)


def _no_tour_change(facts: Facts) -> Policy:
    booking = yield do("get_tour_booking", tour_booking_id=facts["tour_booking_id"])
    if booking["days_ahead"] >= 30:
        raise DeadEnd("it can be moved")
    start, title = booking["start_date"], booking["title"]
    text = f"It is too late to move {title}: it starts on {start}."
    if booking["fee"] is None:
        return Reply(text, (start, title))
    fee = shown(booking["fee"])
    return Reply(f"{text} To cancel it would cost {fee} EUR now.", (start, title, fee))


def _move_all_the_same(facts: Facts) -> Steps:
    booking = yield do("get_tour_booking", tour_booking_id=facts["tour_booking_id"])
    found = yield do(
        "search_tours",
        earliest=facts["earliest"],
        latest=facts["latest"],
        destination_code=booking["destination_code"],
    )
    for each in found:
        if each["tour_id"] == booking["tour_id"] and each["departure_id"] != booking["departure_id"]:
            yield do("move_tour", tour_booking_id=facts["tour_booking_id"], new_departure_id=each["departure_id"])
            return
    yield do("move_tour", tour_booking_id=facts["tour_booking_id"], new_departure_id=booking["departure_id"])


def _draw_late_move(world: World, rng: Random) -> Facts:
    facts = a_tour_booking(lambda booking, start: NOW[:10] < start < day(30))(world, rng)
    first = rng.randint(34, 60)
    return {**facts, "earliest": day(first), "latest": day(first + 45)}


LATE_MOVE = Program(
    "refuse_moving_tour_late",
    "Ask to move a tour that starts too soon for that",
    {
        "plain": "Please move {tour_booking_id} to any departure of the same tour from {earliest:date} to "
        "{latest:date}. If it is too late for that, change nothing and tell me which tour it is, when it starts, and "
        "what it would cost me to cancel now, if I still can.",
        "terse": "{tour_booking_id}: move to {earliest:date} to {latest:date}, any departure. too late? change "
        "nothing; title, start, cancellation fee now (if possible)?",
        "chatty": "Life has got in the way again, so could {tour_booking_id} go to some departure from "
        "{earliest:date} to {latest:date}? If I am too late, do nothing yet, just remind me what it is called and "
        "when it starts, and what you would keep if I cancelled, should that still be possible!",
        "formal": "Kindly transfer {tour_booking_id} to a departure from {earliest:date} to {latest:date}. Should the "
        "deadline have lapsed, effect no change but state the title, the start and, where still possible, the present "
        "fee for cancellation.",
        "non_native": "Please change {tour_booking_id} to a group from {earliest:date} to {latest:date}. If too late, "
        "nothing change, only say me name of tour, when starts, and how much is the cancellation now if possible.",
    },
    _draw_late_move,
    _no_tour_change,
    refusal=Refusal("tours_move_until_thirty_days_before", _move_all_the_same),
)


def _no_application(facts: Facts) -> Policy:
    there = yield from place(facts["city"])
    trip = {"destination_code": there["destination_code"], "arrival_date": facts["arrival"]}
    needs = yield do("check_entry_rules", traveller_id=facts["traveller_id"], **trip)
    if needs["requirement"] == "none" or needs["passport_valid_long_enough"]:
        raise DeadEnd("the passport is fine")
    expiry, until = needs["passport_expiry"], needs["passport_must_be_valid_until"]
    text = f"Your passport runs out on {expiry}, it must be valid until {until}; I could not apply."
    return Reply(text, (expiry, until))


def _apply_all_the_same(facts: Facts) -> Steps:
    there = yield from place(facts["city"])
    yield do(
        "apply_for_entry",
        traveller_id=facts["traveller_id"],
        destination_code=there["destination_code"],
        arrival_date=facts["arrival"],
    )


def _draw_short_passport(world: World, rng: Random) -> Facts:
    short = [each for each in world.rows("travellers") if each["passport_expiry"] < day(200)]
    person = pick(rng, short)
    return {
        "traveller_id": person["traveller_id"],
        "city": rng.choice(("Delhi", "Cairo", "Nairobi")),
        "arrival": day(rng.randint(25, 70)),
    }


SHORT_PASSPORT = Program(
    "refuse_entry_papers_with_short_passport",
    "Ask for a visa or authorisation with a passport that runs out too soon",
    {
        "plain": "For my stay in {city} from {arrival:date} I need a visa or authorisation, please apply for it. If "
        "my passport is a problem, tell me when it runs out and until when it would have to be valid.",
        "terse": "apply for visa/authorisation, {city}, arrival {arrival:date}. passport too short? its expiry + "
        "required validity.",
        "chatty": "Off to {city} on {arrival:date}, at last, so get me that visa or authorisation, whatever they call "
        "it! And if they do not like my passport, when does it run out, and until when should it last?",
        "formal": "Please obtain the visa or authorisation for my arrival in {city} on {arrival:date}. Should my "
        "passport stand in the way, kindly state its expiry and the validity demanded.",
        "non_native": "I must have visa or authorisation for {city}, I come there {arrival:date}, please apply. If "
        "the passport is not enough, when it finishes and until when must be valid?",
    },
    _draw_short_passport,
    _no_application,
    refusal=Refusal("entry_papers_in_time_and_with_a_valid_passport", _apply_all_the_same),
)


def _no_withdrawal(facts: Facts) -> Policy:
    listed = yield do("list_insurances", traveller_id=facts["traveller_id"])
    insurance = yield choose(
        [each for each in listed if each["city"] == facts["city"]], key=lambda each: each["start_date"]
    )
    if insurance["bought_on"] >= day(-14):
        raise DeadEnd("it can be withdrawn")
    bought, premium = insurance["bought_on"], shown(insurance["premium"])
    text = f"{insurance['name']} was bought on {bought}, more than 14 days ago, for {premium} EUR; it stays in force."
    return Reply(text, (bought, premium))


def _withdraw_all_the_same(facts: Facts) -> Steps:
    listed = yield do("list_insurances", traveller_id=facts["traveller_id"])
    for each in listed:
        if each["city"] == facts["city"]:
            yield do("cancel_insurance", insurance_id=each["insurance_id"])


def _draw_old_insurance(world: World, rng: Random) -> Facts:
    old = [each for each in world.rows("insurances") if each["status"] == "active" and each["bought_on"] < day(-14)]
    insurance = pick(rng, old)
    return {"traveller_id": insurance["traveller_id"], "city": city(world, insurance["destination_code"])}


LATE_WITHDRAWAL = Program(
    "refuse_withdrawal_from_insurance",
    "Ask to withdraw from an insurance when the time for it has passed",
    {
        "plain": "I want to be released from the insurance for {city} and to have my premium back. If I am too late "
        "for that, tell me on which day I bought it and what the premium was.",
        "terse": "insurance {city}: out of it, premium back. too late? purchase date + premium.",
        "chatty": "I read the small print of that insurance for {city}, and now I want out of it and my premium back! "
        "If you tell me I am too late, then on what day did I buy it, and what was the premium?",
        "formal": "I seek release from the insurance concluded for {city} and the return of its premium. If that is "
        "no longer possible, please state the day of purchase and the premium.",
        "non_native": "The insurance of {city}, I want go out from it and receive the premium. If is late for this, "
        "which day I bought it and how much was the premium?",
    },
    _draw_old_insurance,
    _no_withdrawal,
    unknown="I have no number for it.",
    refusal=Refusal("insurance_is_withdrawn_within_fourteen_days", _withdraw_all_the_same),
)

REFUSED_PLANS = (CANCEL_SAVER, EXTEND_SAVER, LATE_MOVE, SHORT_PASSPORT, LATE_WITHDRAWAL)
