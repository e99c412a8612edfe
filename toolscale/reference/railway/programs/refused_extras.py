"""Requests about what goes with a journey or an account that the policy forbids, or grants only in part."""

from random import Random

from toolscale.reference.moments import day
from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Refusal, Steps, World, choose, do, pick
from toolscale.reference.railway.programs.common import (
    Record,
    a_booking,
    a_passenger,
    bookings_in,
    clock,
    closing,
    departure,
    runs,
    station,
)
from toolscale.reference.railway.programs.stations import HELP, time_for_a_lounge


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


def _as_many_as_allowed(facts: Facts) -> Policy:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    allowed = booking["travellers"] - booking["bicycles"]
    if not 0 < allowed < facts["bicycles"]:
        raise DeadEnd("all of them are allowed, or none")
    done = yield do("add_bicycles", booking_id=facts["booking_id"], bicycles=allowed)
    total = f"{done['total']:.2f}"
    text = f"One bicycle a traveller is allowed, so I added {allowed}; {facts['booking_id']} comes to {total} EUR."
    return (yield from closing(facts, text, (total,), booking["service_id"]))


def _add_all_the_same(facts: Facts) -> Steps:
    yield do("add_bicycles", booking_id=facts["booking_id"], bicycles=facts["bicycles"])


BICYCLES = Program(
    "refuse_more_bicycles_than_travellers",
    "Ask for more bicycles than travellers, and get as many as are allowed",
    {
        "plain": "Please add {bicycles:count} bicycles to {booking_id}. [If the rules do not allow so many|Should "
        "that be more than I may take], add as many as I may, and tell me the new total.",
        "terse": "{booking_id} + {bicycles:count} bikes; not allowed? then as many as allowed. new total?",
        "chatty": "[I promised to bring the neighbours' bicycles along|We are bringing spare bicycles for our hosts], "
        "so could {bicycles:count} bicycles come along on {booking_id}? If that is over the limit, take as many as "
        "the rules let you and tell me the new total!",
        "formal": "I request the carriage of {bicycles:count} bicycles under {booking_id} or, should the regulations "
        "not permit that number, of as many as they do, and ask for the resulting total.",
        "non_native": "I want to take {bicycles:count} bicycles with {booking_id}. If the rule says too many, then "
        "only how many I can, and say me the new total.",
    },
    _draw_bicycles,
    _as_many_as_allowed,
    refusal=Refusal("a_bicycle_for_each_traveller", _add_all_the_same),
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


def _lounge_too_early(facts: Facts) -> Policy:
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


LOUNGE_EARLY = Program(
    "refuse_early_lounge",
    "Ask for a lounge visit long before departure, and get one for later",
    {
        "plain": "[I get to the station early|My host has to leave early], so please book me into the cheapest lounge "
        "there {hours:count} hours before the train of {booking_id}. If you do not let me in so early, make it "
        "{minutes:int} minutes before, and tell me the name of that lounge and the number of the visit.",
        "terse": "cheapest lounge, {hours:count} hrs before {booking_id}. too early? then {minutes:int} min before. "
        "name + visit no.?",
        "chatty": "I do like to be [early|in good time], so could I sit in the cheapest lounge of the station "
        "{hours:count} hours before {booking_id} leaves? If that is a bit much, {minutes:int} minutes before will do, "
        "but book it, and tell me what it is called and the number of my visit!",
        "formal": "Kindly arrange a visit to the least expensive lounge of the station, to begin {hours:count} hours "
        "ahead of {booking_id}; should this not be permitted so early, {minutes:int} minutes are to be booked "
        "instead; please name that lounge and the number of the visit.",
        "non_native": "Please put me in the lounge of lowest price {hours:count} hours before train of {booking_id}. "
        "If it is not permitted so early, then {minutes:int} minutes before; say me its name and number of the "
        "visit.",
        "confused": "They told me to be early, so is it all right if I sit in the cheapest lounge {hours:count} hours "
        "before the train of {booking_id}, can you book that? If not, book it for "
        "{minutes:int} minutes before, and tell me its name and the number of the visit.",
    },
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


def _notice_too_short(facts: Facts) -> Policy:
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


ASSIST_LATE = Program(
    "refuse_short_notice_assistance",
    "Ask for assistance when the station's notice has passed",
    {
        "plain": "[I hurt my knee yesterday|I only thought of it now], so for {booking_id} please order {help} at my "
        "departure station. If it is too late to order that, tell me how many hours of notice the station wants, and "
        "when my train leaves.",
        "terse": "{booking_id}: order {help} at departure station if still in time; if not, notice in hours + "
        "departure?",
        "chatty": "Silly me, I should have written [sooner|last week], but for {booking_id} could you still get me "
        "{help} at the departure station? And if I am too late, how many hours do they want to know beforehand, and "
        "when do I leave?",
        "formal": "I regret the short notice: for {booking_id} I ask for {help} at the station of departure; if the "
        "time for that has passed, kindly state the notice in hours that the station requires and my departure.",
        "non_native": "Sorry that I ask late: for {booking_id} I need {help} in the departure station. If too late, "
        "how many hours before must one say it, and when goes my train?",
        "confused": "Nobody told me that one has to order it, but for {booking_id} I do need {help} at the departure "
        "station. If it is too late, how many hours before should I have asked, and when does it leave?",
    },
    _draw_help,
    _notice_too_short,
    refusal=Refusal("assistance_with_notice", _assist_all_the_same),
)


def _draw_ending(world: World, rng: Random) -> Facts:
    ending = [each for each in world.rows("cards") if day(0) <= each["valid_until"] < day(7) and each["auto_renew"]]
    card = pick(rng, ending)
    return {"passenger_id": card["passenger_id"], "card_id": card["card_id"]}


def _too_late_to_stop(facts: Facts) -> Policy:
    passenger = yield do("get_passenger", passenger_id=facts["passenger_id"])
    card = next((each for each in passenger["cards"] if each["card_id"] == facts["card_id"]), None)
    if card is None or not day(0) <= card["valid_until"] < day(7):
        raise DeadEnd("it is not too late")
    product, until = card["name"], card["valid_until"]
    return (yield from closing(facts, f"It is too late: the {product} runs out on {until} and renews.", (until,)))


def _stop_all_the_same(facts: Facts) -> Steps:
    yield do("set_card_renewal", card_id=facts["card_id"], auto_renew=False)


RENEWAL_LATE = Program(
    "refuse_late_renewal_change",
    "Ask to stop a rail card's renewal in its last week",
    {
        "plain": "Please [see to it that|make sure that] {card_id} does not renew itself. If it is too late to stop "
        "that, tell me on which day it runs out.",
        "terse": "{card_id}: renewal off if still possible, else expiry date.",
        "chatty": "I have been meaning to do this [for weeks|since the summer], please do not let {card_id} renew! "
        "And if I have missed the moment, what is the last day it is good for?",
        "formal": "I wish to terminate the renewal of {card_id}; should the time limit have passed, kindly state the "
        "day of expiry.",
        "hurried": "{card_id} must not renew! Too late? Then tell me when it ends!",
        "non_native": "Please, {card_id} should not renew alone; if it is too late for this, which day it finishes?",
    },
    _draw_ending,
    _too_late_to_stop,
    refusal=Refusal("renewal_is_switched_in_time", _stop_all_the_same),
)


def _draw_poor(world: World, rng: Random) -> Facts:
    few = [each["passenger_id"] for each in world.rows("passengers") if 100 <= each["points"] < 500]
    return {"passenger_id": pick(rng, few)}


def _too_few_points(facts: Facts) -> Policy:
    passenger = yield do("get_passenger", passenger_id=facts["passenger_id"])
    if not 100 <= passenger["points"] < 500:
        raise DeadEnd("there are enough points")
    points = str(passenger["points"])
    return (yield from closing(facts, f"Vouchers begin at 500 points, and you have {points}.", (points,)))


def _convert_all_the_same(facts: Facts) -> Steps:
    passenger = yield do("get_passenger", passenger_id=facts["passenger_id"])
    yield do("convert_points", passenger_id=facts["passenger_id"], points=passenger["points"])


FEW_POINTS = Program(
    "refuse_few_points",
    "Ask to turn too few points into a voucher",
    {
        "plain": "[I rarely travel|I do not collect much], but please turn the points that I have into a voucher. [If "
        "they are too few, tell me how many there are.|Should they not be enough, how many do I have?]",
        "terse": "my points into a voucher if there are enough, else how many have i got?",
        "chatty": "My points must be gathering dust, so make me a voucher of them, [even a tiny one|however small]! "
        "If there are too few for that, how many have I got?",
        "formal": "I should like my points, few as they may be, to be exchanged for a voucher; if their number does "
        "not suffice, kindly state it.",
        "non_native": "I have some little points, please make voucher of them; if is not enough, say me how many I "
        "have.",
        "confused": "I think I have some points, not many, so can they be made into a voucher? If that is too few, "
        "how many is it?",
    },
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


def _card_too_early(facts: Facts) -> Policy:
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


CARD_EARLY = Program(
    "refuse_card_far_ahead",
    "Ask for a rail card that starts too far in the future, and get one that starts sooner",
    {
        "plain": "[My new job begins then|I move house then], so I want a rail card that starts on {date:date}: the "
        "cheapest that I can have with {percent:int} percent off or more. If you do not sell it so far ahead, let it "
        "start on {sooner:date}. What is its number, and what does it cost?",
        "terse": "rail card starting {date:date}, cheapest with {percent:int} percent or more for me; too far ahead? "
        "then from {sooner:date}. card no. + price?",
        "chatty": "I like to plan [ages|well] ahead, so put me down for the cheapest rail card with {percent:int} "
        "percent off or better, to begin on {date:date}! And if that is too far away, start it on {sooner:date}, and "
        "tell me its number and the price.",
        "formal": "I wish to order in advance, commencing on {date:date}, the least expensive rail card available to "
        "me with {percent:int} percent or more; if so late a start cannot yet be sold, it is to commence on "
        "{sooner:date}; please state its number and price.",
        "non_native": "For {date:date} I want to have a rail card of minimum {percent:int} percent, cheapest possible "
        "for me; if is too early for buying, it can start on {sooner:date}; which number it has and what price?",
    },
    _draw_far,
    _card_too_early,
    refusal=Refusal("rail_cards_of_the_right_age_and_date", _sell_all_the_same),
)

REFUSED_EXTRAS = (BICYCLES, LOUNGE_EARLY, ASSIST_LATE, RENEWAL_LATE, FEW_POINTS, CARD_EARLY)
