"""What can be added to any request of the railway's, and how passengers name what they have no number for."""

from random import Random

from toolscale.reference.program import DeadEnd, Facts, Reply, Solution, Steps, World, choose, do, pick
from toolscale.reference.railway.programs.common import station_name
from toolscale.reference.railway.programs.tiers import IF_TIER
from toolscale.reference.words import words

WORDS = words(__file__)


def _tell_email(facts: Facts) -> Solution:
    passenger = yield do("get_passenger", passenger_id=facts["passenger_id"])
    email = passenger["email"]
    return Reply(f"We have {email} on file for you.", (email,))


EMAIL = WORDS.twist("the address on file", "lookup", after=_tell_email)


def _tell_points(facts: Facts) -> Solution:
    passenger = yield do("get_passenger", passenger_id=facts["passenger_id"])
    points = str(passenger["points"])
    return Reply(f"Your account stands at {points} points.", (points if len(points) > 2 else f"{points} points",))


POINTS = WORDS.twist("points on the account", "lookup", after=_tell_points)


def _holder_of_a_card(world: World, rng: Random, facts: Facts) -> Facts:
    pick(rng, [card for card in world.rows("cards") if card["passenger_id"] == facts["passenger_id"]])
    return {}


def _tell_card(facts: Facts) -> Solution:
    passenger = yield do("get_passenger", passenger_id=facts["passenger_id"])
    card = yield choose(passenger["cards"], key=lambda each: each["valid_until"])
    text = f"Your {card['name']} {card['card_id']} runs out on {card['valid_until']}."
    return Reply(text, (card["card_id"],))


CARD = WORDS.twist("which rail card runs out first", "lookup", draw=_holder_of_a_card, after=_tell_card)


def _holder_of_a_voucher(world: World, rng: Random, facts: Facts) -> Facts:
    own = [each for each in world.rows("vouchers") if each["passenger_id"] == facts["passenger_id"]]
    pick(rng, [voucher for voucher in own if voucher["status"] == "open"])
    return {}


def _tell_voucher(facts: Facts) -> Solution:
    passenger = yield do("get_passenger", passenger_id=facts["passenger_id"])
    voucher = yield choose(passenger["open_vouchers"], key=lambda each: each["valid_until"])
    text = f"Your voucher {voucher['voucher_id']} is good until {voucher['valid_until']}."
    return Reply(text, (voucher["voucher_id"], voucher["valid_until"]))


VOUCHER = WORDS.twist("which voucher runs out first", "lookup", draw=_holder_of_a_voucher, after=_tell_voucher)


def _tell_home(facts: Facts) -> Solution:
    passenger = yield do("get_passenger", passenger_id=facts["passenger_id"])
    home = passenger["home_station_name"]
    return Reply(f"Your home station on file is {home}.", (home,))


HOME = WORDS.twist("the home station on file", "lookup", after=_tell_home)

COFFEE = WORDS.twist("a remark on the bar coach", "distractor")


def _draw_cancelled(world: World, rng: Random, facts: Facts) -> Facts:
    own = [each for each in world.rows("bookings") if each["passenger_id"] == facts["passenger_id"]]
    return {"settled": pick(rng, [each["booking_id"] for each in own if each["status"] == "cancelled"])}


SETTLED = WORDS.twist("a booking that is long cancelled", "distractor", draw=_draw_cancelled)

_STATES = {"booked": "confirmed", "made": "travelled", "put on hold": "held"}


def _draw_trip(world: World, rng: Random, facts: Facts) -> Facts:
    booking = world.get("bookings", facts["booking_id"])
    service = world.get("services", booking["service_id"]) if booking else None
    if booking is None or service is None:
        raise DeadEnd("the journey is out of sight")
    return {
        "state": pick(rng, [words for words, status in _STATES.items() if status == booking["status"]]),
        "trip_from": station_name(world, booking["origin"]),
        "trip_to": station_name(world, booking["destination"]),
        "trip_date": service["travel_date"],
    }


def _find_trip(facts: Facts) -> Steps:
    bookings = yield do("list_bookings", passenger_id=facts["passenger_id"], status=_STATES[facts["state"]])
    wanted = (facts["trip_from"], facts["trip_to"], facts["trip_date"])
    trips = [each for each in bookings if (each["origin"], each["destination"], each["travel_date"]) == wanted]
    trip = yield choose(trips, key=lambda each: 0)
    return trip["booking_id"]


TRIP = WORDS.description("booking_id", _draw_trip, _find_trip)


def _draw_card(world: World, rng: Random, facts: Facts) -> Facts:
    card = world.get("cards", facts["card_id"])
    product = world.get("card_products", card["product_id"]) if card else None
    if product is None:
        raise DeadEnd("the card is out of sight")
    return {"card_name": product["name"]}


def _find_card(facts: Facts) -> Steps:
    passenger = yield do("get_passenger", passenger_id=facts["passenger_id"])
    named = [each for each in passenger["cards"] if each["name"] == facts["card_name"]]
    card = yield choose(named, key=lambda each: 0)
    return card["card_id"]


RAIL_CARD = WORDS.description("card_id", _draw_card, _find_card)

TWISTS = (EMAIL, POINTS, CARD, VOUCHER, HOME, IF_TIER, COFFEE, SETTLED)
DESCRIPTIONS = (TRIP, RAIL_CARD)
