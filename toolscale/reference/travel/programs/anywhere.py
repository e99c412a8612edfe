"""What can be added to any request at the agency, and how travellers name a booking without its number."""

from random import Random

from toolscale.reference.program import (
    DeadEnd,
    Description,
    Facts,
    Policy,
    Reply,
    Steps,
    Twist,
    World,
    choose,
    do,
    pick,
)
from toolscale.reference.travel.programs.common import city, known


def _tell_passport(facts: Facts) -> Policy:
    account = yield do("get_traveller", traveller_id=facts["traveller_id"])
    expiry = account["passport_expiry"]
    return Reply(f"Your passport on file is valid until {expiry}.", (expiry,))


PASSPORT = Twist(
    "until when the passport is valid",
    "lookup",
    {
        "plain": "Please also tell me until when the passport in your files is valid.",
        "terse": "plus expiry of my passport on file.",
        "chatty": "Oh, and [my drawer has swallowed it|I have it nowhere at hand], so until when is my passport good, "
        "according to your files?",
        "formal": "Kindly also state the date of expiry of the passport that you have recorded for me.",
        "non_native": "Say me also until when is valid the passport you have written.",
    },
    after=_tell_passport,
)


def _tell_points(facts: Facts) -> Policy:
    account = yield do("get_traveller", traveller_id=facts["traveller_id"])
    points = f"{account['points']} points"
    return Reply(f"You have {points}.", (points,))


POINTS = Twist(
    "how many points there are",
    "lookup",
    {
        "plain": "Last of all, I want to know my balance of points in the end.",
        "terse": "finally: points balance.",
        "chatty": "And [I am dying to know|my brother keeps asking], what is my balance of points in the end?",
        "formal": "Lastly, the balance of my points as it then stands is to be reported.",
        "non_native": "And at the end, please, my balance of points.",
    },
    after=_tell_points,
)


def _draw_beyond(world: World, rng: Random, facts: Facts) -> Facts:
    far = {each["city"] for each in world.rows("destinations") if each["region"] == "worldwide"}
    if not any(value in far for value in facts.values() if isinstance(value, str)):
        raise DeadEnd("nobody asks for a passport there")
    return {"beyond": rng.choice(("2027-02-15", "2027-04-01", "2027-05-31", "2027-08-31"))}


def _valid_beyond(facts: Facts) -> Steps:
    account = yield do("get_traveller", traveller_id=facts["traveller_id"])
    expiry = account["passport_expiry"]
    if expiry > facts["beyond"]:
        return None
    return Reply(f"I skipped that one: your passport is valid until {expiry}.", (expiry,))


IF_PASSPORT = Twist(
    "only with a passport that lasts",
    "condition",
    {
        "plain": "I want this one only if the passport that you have of me is valid beyond {beyond:date}; if it is "
        "not, skip it and tell me when the passport runs out.",
        "terse": "this one only if my passport on file runs beyond {beyond:date}, else skip it, tell me when it runs "
        "out.",
        "chatty": "But do check my passport first, I want this one only if it is valid beyond {beyond:date}, and "
        "otherwise skip it and tell me when the silly thing runs out!",
        "formal": "The matter just described is subject to my passport on file being valid beyond {beyond:date}; if "
        "it is not, disregard it and state the day on which the passport expires.",
        "confused": "Only, I am not sure about my passport, so do this one only if it is good beyond {beyond:date}, "
        "and if not, skip it and tell me when it runs out.",
    },
    draw=_draw_beyond,
    suits=r"book_|buy_",
    before=_valid_beyond,
)


def _draw_untouched(world: World, rng: Random, facts: Facts) -> Facts:
    others = [
        each["stay_id"]
        for each in world.rows("stays")
        if each["traveller_id"] == facts["traveller_id"]
        and each["status"] == "confirmed"
        and each["stay_id"] not in facts.values()
    ]
    return {"untouched": pick(rng, others)}


UNTOUCHED = Twist(
    "a stay that stays as it is",
    "distractor",
    {
        "plain": "My hotel booking {untouched} has nothing to do with this and should stay as it is.",
        "terse": "don't touch hotel {untouched}.",
        "chatty": "You will also find a hotel, {untouched}, under my name, that one is perfect, so hands off it!",
        "formal": "The hotel booking {untouched} is not concerned by the foregoing and is to remain in force.",
        "non_native": "My other hotel {untouched} is good, please not change it.",
    },
    draw=_draw_untouched,
)


def _draw_flight(world: World, rng: Random, facts: Facts) -> Facts:
    booking = known(world, "flight_bookings", facts["booking_id"])
    flight = known(world, "flights", booking["flight_id"])
    return {
        "status": {"confirmed": "booked", "flown": "taken"}.get(booking["status"], ""),
        "flight_from": city(world, flight["origin"]),
        "flight_to": city(world, flight["destination"]),
        "flight_date": flight["departure"][:10],
    }


def _find_flight(facts: Facts) -> Steps:
    status = {"booked": "confirmed", "taken": "flown"}[facts["status"]]
    listed = yield do("list_flight_bookings", traveller_id=facts["traveller_id"], status=status)
    wanted = (facts["flight_from"], facts["flight_to"], facts["flight_date"])
    found = [each for each in listed if (each["origin"], each["destination"], each["departure"][:10]) == wanted]
    flight = yield choose(found, key=lambda each: 0)
    return flight["booking_id"]


FLIGHT = Description(
    "booking_id",
    {
        "plain": "the flight that I have {status} from {flight_from} to {flight_to} on {flight_date:date}",
        "terse": "the flight i have {status}, {flight_from} to {flight_to} on {flight_date:date}",
        "chatty": "that flight I have {status} from {flight_from} to {flight_to} on {flight_date:date}",
        "formal": "the flight {status} by me from {flight_from} to {flight_to} on {flight_date:date}",
    },
    _draw_flight,
    _find_flight,
    "[I do not have the booking number at hand.|The booking number is in a mail that I cannot find.]",
)


def _draw_stay(world: World, rng: Random, facts: Facts) -> Facts:
    stay = known(world, "stays", facts["stay_id"])
    if stay["status"] != "confirmed":
        raise DeadEnd("it is over")
    hotel = known(world, "hotels", known(world, "rooms", stay["room_id"])["hotel_id"])
    return {"stay_hotel": hotel["name"], "stay_date": stay["check_in"]}


def _find_stay(facts: Facts) -> Steps:
    listed = yield do("list_stays", traveller_id=facts["traveller_id"])
    wanted = (facts["stay_hotel"], facts["stay_date"])
    stay = yield choose([each for each in listed if (each["hotel"], each["check_in"]) == wanted], key=lambda each: 0)
    return stay["stay_id"]


STAY = Description(
    "stay_id",
    {
        "plain": "my booking at {stay_hotel} (arrival {stay_date:date})",
        "terse": "my booking at {stay_hotel} (arrival {stay_date:date})",
        "chatty": "our booking at {stay_hotel} (arrival {stay_date:date})",
        "formal": "the booking in my name at {stay_hotel} (arrival {stay_date:date})",
    },
    _draw_stay,
    _find_stay,
    "[I do not know the number of the hotel booking.|I threw the hotel's confirmation away.]",
)


def _draw_tour(world: World, rng: Random, facts: Facts) -> Facts:
    booking = known(world, "tour_bookings", facts["tour_booking_id"])
    departure = known(world, "departures", booking["departure_id"])
    return {"tour_title": known(world, "tours", departure["tour_id"])["title"], "tour_date": departure["start_date"]}


def _find_tour(facts: Facts) -> Steps:
    listed = yield do("list_tour_bookings", traveller_id=facts["traveller_id"])
    wanted = (facts["tour_title"], facts["tour_date"])
    tour = yield choose([each for each in listed if (each["title"], each["start_date"]) == wanted], key=lambda each: 0)
    return tour["tour_booking_id"]


TOUR = Description(
    "tour_booking_id",
    {
        "plain": 'my places on "{tour_title}" of {tour_date:date}',
        "chatty": 'our places on that "{tour_title}" of {tour_date:date}',
        "formal": 'the places that I hold on "{tour_title}" of {tour_date:date}',
        "terse": 'my "{tour_title}" of {tour_date:date}',
    },
    _draw_tour,
    _find_tour,
    "[The number of the tour booking escapes me.|I have no booking number for the tour.]",
)

TWISTS = (PASSPORT, POINTS, IF_PASSPORT, UNTOUCHED)
DESCRIPTIONS = (FLIGHT, STAY, TOUR)
