"""Requests about stays, tours and papers that the agency's policy forbids, with what proves it."""

from random import Random

from toolscale.reference.kit import just, known, must
from toolscale.reference.moments import NOW, day
from toolscale.reference.program import DeadEnd, Facts, Refusal, Reply, Solution, Steps, World, choose, do, pick
from toolscale.reference.sums import shown
from toolscale.reference.travel.programs.common import a_stay, a_tour_booking, city, place, shifted
from toolscale.reference.words import words

WORDS = words(__file__)


def _no_cancelling(facts: Facts) -> Solution:
    stay = yield do("get_stay", stay_id=facts["stay_id"])
    must(stay["rate"] == "saver", "it is flexible")
    done = yield do("set_board", stay_id=facts["stay_id"], board="breakfast")
    more, until = shown(done["difference"]), stay["check_in_from"]
    text = f"{stay['hotel']} was booked at the saver rate and stays; breakfast is added for {more} EUR."
    return Reply(f"{text} Your room is ready from {until}.", (more, until))


CANCEL_SAVER = WORDS.program(
    "refuse_cancelling_saver_stay",
    a_stay(suits=lambda stay: stay["rate"] == "saver" and stay["board"] == "room_only"),
    _no_cancelling,
    again="stay_id",
    refusal=Refusal("saver_stays_stay_as_they_are", just("cancel_stay", "stay_id", where={"refund_to": "card"})),
)


def _no_longer(facts: Facts) -> Solution:
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


EXTEND_SAVER = WORDS.program(
    "refuse_extending_saver_stay",
    _draw_longer,
    _no_longer,
    refusal=Refusal("saver_stays_stay_as_they_are", _extend_all_the_same),
)


def _no_tour_change(facts: Facts) -> Solution:
    booking = yield do("get_tour_booking", tour_booking_id=facts["tour_booking_id"])
    must(booking["days_ahead"] < 30, "it can be moved")
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


LATE_MOVE = WORDS.program(
    "refuse_moving_tour_late",
    _draw_late_move,
    _no_tour_change,
    refusal=Refusal("tours_move_until_thirty_days_before", _move_all_the_same),
)


def _no_application(facts: Facts) -> Solution:
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


SHORT_PASSPORT = WORDS.program(
    "refuse_entry_papers_with_short_passport",
    _draw_short_passport,
    _no_application,
    refusal=Refusal("entry_papers_in_time_and_with_a_valid_passport", _apply_all_the_same),
)


def _no_withdrawal(facts: Facts) -> Solution:
    listed = yield do("list_insurances", traveller_id=facts["traveller_id"])
    insurance = yield choose(
        [each for each in listed if each["city"] == facts["city"]], key=lambda each: each["start_date"]
    )
    must(insurance["bought_on"] < day(-14), "it can be withdrawn")
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


LATE_WITHDRAWAL = WORDS.program(
    "refuse_withdrawal_from_insurance",
    _draw_old_insurance,
    _no_withdrawal,
    refusal=Refusal("insurance_is_withdrawn_within_fourteen_days", _withdraw_all_the_same),
)

REFUSED_PLANS = (CANCEL_SAVER, EXTEND_SAVER, LATE_MOVE, SHORT_PASSPORT, LATE_WITHDRAWAL)
