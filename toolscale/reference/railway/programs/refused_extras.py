"""Requests about what goes with a journey or an account that the policy forbids, or grants only in part."""

from random import Random

from toolscale.reference.kit import clock, just, must
from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Refusal, Solution, Steps, World, choose, do, pick
from toolscale.reference.railway.programs.common import (
    Record,
    a_booking,
    a_passenger,
    bookings_in,
    closing,
    departure,
    runs,
    station,
)
from toolscale.reference.railway.programs.stations import HELP, time_for_a_lounge
from toolscale.reference.words import words

WORDS = words(__file__)


def _room_for_all(booking: Record, service: Record) -> bool:
    return (
        runs(booking, service) and not booking["bicycles"] and service["bicycle_places_left"] >= booking["travellers"]
    )


def _draw_bicycles(world: World, rng: Random) -> Facts:
    booking = pick(rng, bookings_in(world, "confirmed", _room_for_all))
    return {
        "passenger_id": booking["passenger_id"],
        "booking_id": booking["booking_id"],
        "bicycles": booking["travellers"] + rng.choice((1, 1, 2)),
    }


def _as_many_as_allowed(facts: Facts) -> Solution:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    allowed = booking["travellers"] - booking["bicycles"]
    must(0 < allowed < facts["bicycles"], "all of them are allowed, or none")
    done = yield do("add_bicycles", booking_id=facts["booking_id"], bicycles=allowed)
    total = f"{done['total']:.2f}"
    text = f"One bicycle a traveller is allowed, so I added {allowed}; {facts['booking_id']} comes to {total} EUR."
    return (yield from closing(facts, text, (total,), booking["service_id"]))


BICYCLES = WORDS.program(
    "refuse_more_bicycles_than_travellers",
    _draw_bicycles,
    _as_many_as_allowed,
    refusal=Refusal("a_bicycle_for_each_traveller", just("add_bicycles", "booking_id", "bicycles")),
)


def _late_in_the_day(booking: Record, service: Record) -> bool:
    leaves = departure(booking, service)
    return time_for_a_lounge(booking, service) and clock(leaves) >= "11:30" and leaves >= f"{day(0)}T15:00"


def _draw_lounge(world: World, rng: Random) -> Facts:
    visited = {each["booking_id"] for each in world.rows("lounge_visits")}
    waiting = bookings_in(world, "confirmed", _late_in_the_day)
    booking = pick(rng, [each for each in waiting if each["booking_id"] not in visited])
    return {
        "passenger_id": booking["passenger_id"],
        "booking_id": booking["booking_id"],
        "hours": rng.choice((4, 5, 6)),
        "minutes": rng.choice((60, 90, 120, 150)),
    }


def _lounge_too_early(facts: Facts) -> Solution:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    origin = yield from station(booking["origin_name"])
    lounge = yield choose(origin["lounges"], key=lambda each: each["visit_fee"])
    visit = yield do(
        "book_lounge",
        booking_id=facts["booking_id"],
        lounge_id=lounge["lounge_id"],
        minutes_before=facts["minutes"],
    )
    text = f"A visit begins at most three hours before departure, so I booked the {lounge['name']} for "
    text += f"{facts['minutes']} minutes before it ({visit['visit_id']}), for {visit['fee']:.2f} EUR."
    return (yield from closing(facts, text, (lounge["name"], visit["visit_id"]), booking["service_id"]))


def _book_lounge_all_the_same(facts: Facts) -> Steps:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    origin = yield from station(booking["origin_name"])
    lounge = yield choose(origin["lounges"], key=lambda each: each["visit_fee"])
    minutes = 60 * facts["hours"]
    yield do("book_lounge", booking_id=facts["booking_id"], lounge_id=lounge["lounge_id"], minutes_before=minutes)


LOUNGE_EARLY = WORDS.program(
    "refuse_early_lounge",
    _draw_lounge,
    _lounge_too_early,
    refusal=Refusal("lounge_visits_before_departure", _book_lounge_all_the_same),
)


_TOO_LATE = f"{day(1)}T09:30"
"""Who leaves before that is met within 24 hours."""


def _draw_help(world: World, rng: Random) -> Facts:
    strict = {each["station_code"] for each in world.rows("stations") if each["assistance_notice_hours"] >= 24}

    def too_late(booking: Record, service: Record) -> bool:
        return runs(booking, service) and departure(booking, service) < _TOO_LATE and booking["origin"] in strict

    return {**a_booking(world, rng, suits=too_late), "help": rng.choice(sorted(HELP))}


def _notice_too_short(facts: Facts) -> Solution:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    desk = yield from station(booking["origin_name"])
    if booking["departure"] >= _TOO_LATE or desk["assistance_notice_hours"] < 24:
        raise DeadEnd("there may be time enough")
    leaves, hours = clock(booking["departure"]), f"{desk['assistance_notice_hours']} hours"
    text = f"{desk['name']} wants {hours} of notice, and your train leaves at {leaves} already."
    return (yield from closing(facts, text, (hours, leaves), booking["service_id"]))


def _assist_all_the_same(facts: Facts) -> Steps:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    yield do(
        "request_assistance",
        booking_id=facts["booking_id"],
        station_code=booking["origin"],
        kind=HELP[facts["help"]],
    )


ASSIST_LATE = WORDS.program(
    "refuse_short_notice_assistance",
    _draw_help,
    _notice_too_short,
    refusal=Refusal("assistance_with_notice", _assist_all_the_same),
)


def _draw_ending(world: World, rng: Random) -> Facts:
    ending = [each for each in world.rows("cards") if day(0) <= each["valid_until"] < day(7) and each["auto_renew"]]
    card = pick(rng, ending)
    return {"passenger_id": card["passenger_id"], "card_id": card["card_id"]}


def _too_late_to_stop(facts: Facts) -> Solution:
    passenger = yield do("get_passenger", passenger_id=facts["passenger_id"])
    card = next((each for each in passenger["cards"] if each["card_id"] == facts["card_id"]), None)
    if card is None or not day(0) <= card["valid_until"] < day(7):
        raise DeadEnd("it is not too late")
    product, until = card["name"], card["valid_until"]
    return (yield from closing(facts, f"It is too late: the {product} runs out on {until} and renews.", (until,)))


RENEWAL_LATE = WORDS.program(
    "refuse_late_renewal_change",
    _draw_ending,
    _too_late_to_stop,
    refusal=Refusal("renewal_is_switched_in_time", just("set_card_renewal", "card_id", where={"auto_renew": False})),
)


def _draw_poor(world: World, rng: Random) -> Facts:
    few = [each["passenger_id"] for each in world.rows("passengers") if 100 <= each["points"] < 500]
    return {"passenger_id": pick(rng, few)}


def _too_few_points(facts: Facts) -> Solution:
    passenger = yield do("get_passenger", passenger_id=facts["passenger_id"])
    must(100 <= passenger["points"] < 500, "there are enough points")
    points = str(passenger["points"])
    return (yield from closing(facts, f"Vouchers begin at 500 points, and you have {points}.", (points,)))


def _convert_all_the_same(facts: Facts) -> Steps:
    passenger = yield do("get_passenger", passenger_id=facts["passenger_id"])
    yield do("convert_points", passenger_id=facts["passenger_id"], points=passenger["points"])


FEW_POINTS = WORDS.program(
    "refuse_few_points",
    _draw_poor,
    _too_few_points,
    refusal=Refusal("points_become_vouchers_from_500", _convert_all_the_same),
)


def _draw_far(world: World, rng: Random) -> Facts:
    return {
        "passenger_id": a_passenger(world, rng),
        "percent": rng.choice((20, 25, 30, 40)),
        "date": day(rng.randint(64, 110)),
        "sooner": day(rng.randint(35, 58)),
    }


def _card_too_early(facts: Facts) -> Solution:
    products = yield do("list_card_products", passenger_id=facts["passenger_id"])
    suitable = [each for each in products if each["discount_percent"] >= facts["percent"]]
    product = yield choose(suitable, key=lambda each: each["price"])
    card = yield do(
        "buy_rail_card",
        passenger_id=facts["passenger_id"],
        product_id=product["product_id"],
        valid_from=facts["sooner"],
    )
    price = f"{card['price']:.2f}"
    text = f"A card starts within 60 days, so the {product['name']} ({card['card_id']}) starts on {facts['sooner']}"
    return (yield from closing(facts, f"{text}, for {price} EUR.", (card["card_id"], price)))


def _sell_all_the_same(facts: Facts) -> Steps:
    products = yield do("list_card_products", passenger_id=facts["passenger_id"])
    suitable = [each for each in products if each["discount_percent"] >= facts["percent"]]
    product = yield choose(suitable, key=lambda each: each["price"])
    yield do(
        "buy_rail_card",
        passenger_id=facts["passenger_id"],
        product_id=product["product_id"],
        valid_from=facts["date"],
    )


CARD_EARLY = WORDS.program(
    "refuse_card_far_ahead",
    _draw_far,
    _card_too_early,
    refusal=Refusal("rail_cards_of_the_right_age_and_date", _sell_all_the_same),
)

REFUSED_EXTRAS = (BICYCLES, LOUNGE_EARLY, ASSIST_LATE, RENEWAL_LATE, FEW_POINTS, CARD_EARLY)
