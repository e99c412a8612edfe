"""Programs about comfort on the way: seats, assistance, lounges."""

from random import Random

from toolscale.reference.kit import must, unless
from toolscale.reference.program import Facts, Solution, World, choose, do, pick
from toolscale.reference.railway.programs.common import TRAINSET, Record, bookings_in, closing, runs
from toolscale.reference.words import words

WORDS = words(__file__)

LAST_COACH = WORDS.twist("the coach with the highest number", "constraint", sets={"last_coach": True})


def _place(seat: Record) -> str:
    return f"coach {seat['coach']}, seat {seat['seat']}"


def _seat(facts: Facts) -> Solution:
    booking_id = facts["booking_id"]
    free = yield do("find_free_seats", booking_id=booking_id, position=facts["position"], zone=facts["zone"])
    if facts.get("last_coach"):
        seat = yield choose(free, key=lambda each: (-each["coach"], each["seat"]))
    else:
        seat = yield choose(free, key=lambda each: (each["coach"], each["seat"]))
    done = yield do("reserve_seat", booking_id=booking_id, coach=seat["coach"], seat=seat["seat"])
    text = f"{booking_id} has {_place(done)} ({done['reservation_id']})."
    return (yield from closing(facts, text, (done["reservation_id"],)))


def _unseated(world: World) -> list[Record]:
    """Upcoming bookings for which no seat is reserved yet."""
    seated = {each["booking_id"] for each in world.rows("reservations")}
    return [each for each in bookings_in(world, "confirmed", runs) if each["booking_id"] not in seated]


def _draw_seat(world: World, rng: Random) -> Facts:
    booking = pick(rng, _unseated(world))
    return {
        "passenger_id": booking["passenger_id"],
        "booking_id": booking["booking_id"],
        "position": rng.choice(("window", "aisle")),
        "zone": rng.choice(("quiet", "quiet", "standard")),
    }


SEAT = WORDS.program(
    "reserve_seat",
    _draw_seat,
    _seat,
    (
        LAST_COACH,
        WORDS.twist(
            "the aisle after all", "change_of_mind", draw=unless("position", "aisle"), sets={"position": "aisle"}
        ),
        WORDS.twist("the family zone after all", "change_of_mind", sets={"zone": "family"}),
    ),
    again="booking_id",
)


def _party(facts: Facts) -> Solution:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    free = yield do(
        "find_free_seats", booking_id=facts["booking_id"], position=facts.get("position", "aisle"), zone=facts["zone"]
    )
    coach = yield choose(
        sorted({seat["coach"] for seat in free}), key=lambda number: -number if facts.get("last_coach") else number
    )
    seats = sorted(seat["seat"] for seat in free if seat["coach"] == coach)[: booking["travellers"]]
    must(len(seats) >= booking["travellers"], "too few seats in one coach")
    made = []
    for number in seats:
        made.append((yield do("reserve_seat", booking_id=facts["booking_id"], coach=coach, seat=number)))
    text = "; ".join(f"{_place(each)} ({each['reservation_id']})" for each in made)
    tell = tuple(each["reservation_id"] for each in made)
    return (yield from closing(facts, f"You sit together: {text}.", tell, booking["service_id"]))


def _draw_party(world: World, rng: Random) -> Facts:
    booking = pick(rng, [each for each in _unseated(world) if each["travellers"] > 1])
    return {
        "passenger_id": booking["passenger_id"],
        "booking_id": booking["booking_id"],
        "zone": rng.choice(("quiet", "standard", "family")),
    }


PARTY_SEATS = WORDS.program(
    "seats_for_party",
    _draw_party,
    _party,
    (
        LAST_COACH,
        WORDS.twist("windows for all", "change_of_mind", sets={"position": "window"}),
        TRAINSET,
    ),
    again="booking_id",
)

ONBOARD = (SEAT, PARTY_SEATS)
