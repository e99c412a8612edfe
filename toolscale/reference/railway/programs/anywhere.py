"""What can be added to any request of the railway's, and how passengers name what they have no number for."""

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
from toolscale.reference.railway.programs.common import station_name
from toolscale.reference.railway.programs.tiers import IF_TIER


def _tell_email(facts: Facts) -> Policy:
    passenger = yield do("get_passenger", passenger_id=facts["passenger_id"])
    email = passenger["email"]
    return Reply(f"We have {email} on file for you.", (email,))


EMAIL = Twist(
    "the address on file",
    "lookup",
    {
        "plain": "Please also [check|tell me] which e-mail address you have for me.",
        "terse": "also: which e-mail do you have for me?",
        "chatty": "And [oh dear, I changed it once|I never get your newsletter], so which e-mail address of mine do "
        "you have?",
        "formal": "Kindly also state the e-mail address that is [on file|recorded] for me.",
        "non_native": "Please say me also which e-mail you have of me.",
    },
    after=_tell_email,
)


def _tell_points(facts: Facts) -> Policy:
    passenger = yield do("get_passenger", passenger_id=facts["passenger_id"])
    points = str(passenger["points"])
    return Reply(f"Your account stands at {points} points.", (points if len(points) > 2 else f"{points} points",))


POINTS = Twist(
    "points on the account",
    "lookup",
    {
        "plain": "[Last of all, tell|In the end, please tell] me how many points are on my account.",
        "terse": "finally: my points balance.",
        "chatty": "And to finish with, could you peek at how many points I have [left|there] in the end?",
        "formal": "Lastly, I should be obliged if you would state the points balance that my account then shows.",
        "hurried": "Last thing, quick, my points balance then?",
        "non_native": "Please say me at the end how much points I have on account.",
    },
    after=_tell_points,
)


def _holder_of_a_card(world: World, rng: Random, facts: Facts) -> Facts:
    pick(rng, [card for card in world.rows("cards") if card["passenger_id"] == facts["passenger_id"]])
    return {}


def _tell_card(facts: Facts) -> Policy:
    passenger = yield do("get_passenger", passenger_id=facts["passenger_id"])
    card = yield choose(passenger["cards"], key=lambda each: each["valid_until"])
    text = f"Your {card['name']} {card['card_id']} runs out on {card['valid_until']}."
    return Reply(text, (card["card_id"],))


CARD = Twist(
    "which rail card runs out first",
    "lookup",
    {
        "plain": "I also want to know the number of my rail card; if I have several, of the one that runs out first.",
        "terse": "plus: number of my rail card (the one expiring first).",
        "chatty": "Oh, and I keep forgetting the number of my rail card, the one that runs out first if there are "
        "two, so do tell me!",
        "formal": "Kindly inform me, moreover, of the number of the rail card of mine that expires first.",
        "non_native": "I need to know too the number of my rail card, the one which finishes first if are more.",
    },
    draw=_holder_of_a_card,
    after=_tell_card,
)


def _holder_of_a_voucher(world: World, rng: Random, facts: Facts) -> Facts:
    own = [each for each in world.rows("vouchers") if each["passenger_id"] == facts["passenger_id"]]
    pick(rng, [voucher for voucher in own if voucher["status"] == "open"])
    return {}


def _tell_voucher(facts: Facts) -> Policy:
    passenger = yield do("get_passenger", passenger_id=facts["passenger_id"])
    voucher = yield choose(passenger["open_vouchers"], key=lambda each: each["valid_until"])
    text = f"Your voucher {voucher['voucher_id']} is good until {voucher['valid_until']}."
    return Reply(text, (voucher["voucher_id"], voucher["valid_until"]))


VOUCHER = Twist(
    "which voucher runs out first",
    "lookup",
    {
        "plain": "Last of all, [look up|tell me] which of my open vouchers expires first, and on what day.",
        "terse": "finally, my open voucher that expires first: number + date?",
        "chatty": "And I have some voucher lying about [in a drawer|somewhere], which open one runs out first, and on "
        "what day?",
        "formal": "Lastly, please name the open voucher of mine that is first to expire and the date on which it "
        "does so.",
        "confused": "There was a voucher too, or two of them, so which open one ends first, and on what day?",
    },
    draw=_holder_of_a_voucher,
    after=_tell_voucher,
)


def _tell_home(facts: Facts) -> Policy:
    passenger = yield do("get_passenger", passenger_id=facts["passenger_id"])
    home = passenger["home_station_name"]
    return Reply(f"Your home station on file is {home}.", (home,))


HOME = Twist(
    "the home station on file",
    "lookup",
    {
        "plain": "I moved [house|recently], so please also tell me which home station you have for me.",
        "terse": "which home station is in my profile?",
        "chatty": "Since we moved [last spring|to the new flat] I keep wondering, which home station do you have down "
        "for me?",
        "formal": "Kindly confirm, in addition, which home station is held in my profile.",
        "non_native": "I have moved, so please say me also which is my home station in your computer.",
    },
    after=_tell_home,
)

COFFEE = Twist(
    "a remark on the bar coach",
    "distractor",
    {
        "plain": "By the way, the coffee in the bar coach was very good last time.",
        "terse": "btw good coffee on board last time.",
        "chatty": "I must say the espresso in your bar coach was a lovely surprise last month, my sister still talks "
        "about it!",
        "formal": "Permit me to add that the catering on my previous journey was excellent.",
        "non_native": "Also the coffee in the train was very good the last time, I say thank you.",
    },
)


def _draw_cancelled(world: World, rng: Random, facts: Facts) -> Facts:
    own = [each for each in world.rows("bookings") if each["passenger_id"] == facts["passenger_id"]]
    return {"settled": pick(rng, [each["booking_id"] for each in own if each["status"] == "cancelled"])}


SETTLED = Twist(
    "a booking that is long cancelled",
    "distractor",
    {
        "plain": "You will also see {settled} [on my account|in my name]: that one was cancelled and is settled, so "
        "nothing needs to be done about it.",
        "terse": "ignore {settled}, cancelled already.",
        "chatty": "Never mind {settled}, by the way, we cancelled that one and it is all [settled|done with]!",
        "formal": "For the sake of completeness, {settled} has been cancelled before and calls for no action.",
        "non_native": "The number {settled} is cancelled already, for this one please do nothing.",
    },
    draw=_draw_cancelled,
)

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


TRIP = Description(
    "booking_id",
    {
        "plain": "the journey that I have {state} from {trip_from} to {trip_to} on {trip_date:date}",
        "terse": "the trip i have {state}, {trip_from} to {trip_to} on {trip_date:date}",
        "chatty": "that trip I have {state} from {trip_from} to {trip_to} on {trip_date:date}",
        "formal": "the journey {state} by me from {trip_from} to {trip_to} on {trip_date:date}",
    },
    _draw_trip,
    _find_trip,
    "[I do not have the booking number at hand.|I cannot find the number of that booking.|The booking number is in a "
    "mail that I deleted.]",
)


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


RAIL_CARD = Description(
    "card_id",
    {
        "plain": "my {card_name}",
        "formal": "the {card_name} in my name",
        "non_native": "the {card_name} that I have",
    },
    _draw_card,
    _find_card,
    "[I do not know the number of the card.|The number on the card is worn off.]",
)

TWISTS = (EMAIL, POINTS, CARD, VOUCHER, HOME, IF_TIER, COFFEE, SETTLED)
DESCRIPTIONS = (TRIP, RAIL_CARD)
