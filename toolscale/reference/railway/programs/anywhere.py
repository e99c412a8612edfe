"""What can be added to any request of the railway's, and how passengers name a booking without its number."""

from random import Random

from toolscale.reference.program import DeadEnd, Description, Facts, Policy, Reply, Steps, Twist, World, choose, do
from toolscale.reference.railway.programs.common import station_name


def _tier(facts: Facts) -> Policy:
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
    after=_tier,
)


def _enough_points(facts: Facts) -> Steps:
    passenger = yield do("get_passenger", passenger_id=facts["passenger_id"])
    points = str(passenger["points"])
    if passenger["points"] >= facts["points_needed"]:
        return None
    return Reply(f"I changed nothing: your account stands at {points} points.", (points,))


ENOUGH_POINTS = Twist(
    "only with so many points",
    "condition",
    {
        "plain": "Do [all of this|that] only if I have at least {points_needed:int} points; otherwise [leave "
        "everything as it is|change nothing] and tell me my points.",
        "terse": "only if my points are {points_needed:int} or more, else do nothing and give me the number of points.",
        "chatty": "But wait, I am saving up for something, so only if there are {points_needed:int} points or more on "
        "my account, otherwise leave it all and just tell me how many I have!",
        "formal": "The foregoing is subject to a balance of no less than {points_needed:int} points; failing that, "
        "refrain from any change and state the balance.",
        "confused": "Somebody said that one needs points, so please only do it if I have {points_needed:int} of them "
        "or more, and if I do not, leave it and tell me how many I have.",
    },
    draw=lambda world, rng, facts: {"points_needed": rng.choice((120, 250, 450, 700, 1500, 5200))},
    before=_enough_points,
)


def _draw_trip(world: World, rng: Random, facts: Facts) -> Facts:
    booking = world.get("bookings", facts["booking_id"])
    service = world.get("services", booking["service_id"]) if booking else None
    if booking is None or service is None or booking["status"] != "confirmed":
        raise DeadEnd("no upcoming booking, or out of sight")
    return {
        "trip_from": station_name(world, booking["origin"]),
        "trip_to": station_name(world, booking["destination"]),
        "trip_date": service["travel_date"],
    }


def _find_trip(facts: Facts) -> Steps:
    bookings = yield do("list_bookings", passenger_id=facts["passenger_id"])
    trips = [
        each
        for each in bookings
        if (each["origin"], each["destination"], each["travel_date"])
        == (facts["trip_from"], facts["trip_to"], facts["trip_date"])
    ]
    trip = yield choose(trips, key=lambda each: each["departure"])
    return trip["booking_id"]


TRIP = Description(
    "booking_id",
    {
        "plain": "the trip from {trip_from} to {trip_to} on {trip_date:date}",
        "chatty": "my little journey from {trip_from} to {trip_to} on {trip_date:date}",
        "formal": "the journey from {trip_from} to {trip_to} on {trip_date:date}",
        "terse": "the {trip_from} to {trip_to} trip on {trip_date:date}",
    },
    _draw_trip,
    _find_trip,
    "[I do not have the booking number at hand.|I cannot find the number of that booking.|The booking number is in a "
    "mail that I deleted.]",
)

TWISTS = (EMAIL, ENOUGH_POINTS)
DESCRIPTIONS = (TRIP,)
