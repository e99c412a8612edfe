"""What can be added to any request at the agency, and how travellers name a booking without its number."""

from random import Random

from toolscale.reference.kit import another_of_theirs, known, listed, must
from toolscale.reference.program import Facts, Reply, Solution, Steps, World, choose, do
from toolscale.reference.travel.programs.common import city
from toolscale.reference.words import words

WORDS = words(__file__)


def _tell_passport(facts: Facts) -> Solution:
    account = yield do("get_traveller", traveller_id=facts["traveller_id"])
    expiry = account["passport_expiry"]
    return Reply(f"Your passport on file is valid until {expiry}.", (expiry,))


PASSPORT = WORDS.twist("until when the passport is valid", "lookup", after=_tell_passport)


def _tell_points(facts: Facts) -> Solution:
    account = yield do("get_traveller", traveller_id=facts["traveller_id"])
    points = f"{account['points']} points"
    return Reply(f"You have {points}.", (points,))


POINTS = WORDS.twist("how many points there are", "lookup", after=_tell_points)


def _draw_beyond(world: World, rng: Random, facts: Facts) -> Facts:
    far = {each["city"] for each in world.rows("destinations") if each["region"] == "worldwide"}
    must(any(value in far for value in facts.values() if isinstance(value, str)), "nobody asks for a passport there")
    return {"beyond": rng.choice(("2027-02-15", "2027-04-01", "2027-05-31", "2027-08-31"))}


def _valid_beyond(facts: Facts) -> Steps:
    account = yield do("get_traveller", traveller_id=facts["traveller_id"])
    expiry = account["passport_expiry"]
    if expiry > facts["beyond"]:
        return None
    return Reply(f"I skipped that one: your passport is valid until {expiry}.", (expiry,))


IF_PASSPORT = WORDS.twist(
    "only with a passport that lasts", "condition", draw=_draw_beyond, suits=r"book_|buy_", before=_valid_beyond
)


UNTOUCHED = WORDS.twist(
    "a stay that stays as it is",
    "distractor",
    draw=another_of_theirs("untouched", "stays", "stay_id", lambda stay: stay["status"] == "confirmed"),
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


FLIGHT = WORDS.description("booking_id", _draw_flight, _find_flight)


def _draw_stay(world: World, rng: Random, facts: Facts) -> Facts:
    stay = known(world, "stays", facts["stay_id"])
    must(stay["status"] == "confirmed", "it is over")
    hotel = known(world, "hotels", known(world, "rooms", stay["room_id"])["hotel_id"])
    return {"stay_hotel": hotel["name"], "stay_date": stay["check_in"]}


STAY = WORDS.description(
    "stay_id", _draw_stay, listed("list_stays", "stay_id", "traveller_id", hotel="stay_hotel", check_in="stay_date")
)


def _draw_tour(world: World, rng: Random, facts: Facts) -> Facts:
    booking = known(world, "tour_bookings", facts["tour_booking_id"])
    departure = known(world, "departures", booking["departure_id"])
    return {"tour_title": known(world, "tours", departure["tour_id"])["title"], "tour_date": departure["start_date"]}


TOUR = WORDS.description(
    "tour_booking_id",
    _draw_tour,
    listed("list_tour_bookings", "tour_booking_id", "traveller_id", title="tour_title", start_date="tour_date"),
)

TWISTS = (PASSPORT, POINTS, IF_PASSPORT, UNTOUCHED)
DESCRIPTIONS = (FLIGHT, STAY, TOUR)
