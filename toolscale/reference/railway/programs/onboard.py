"""Programs about comfort on the way: seats, assistance, lounges."""

from random import Random

from toolscale.reference.program import DeadEnd, Facts, Policy, Program, Twist, World, choose, do, pick
from toolscale.reference.railway.programs.common import (
    TRAINSET,
    Record,
    bookings_in,
    closing,
    runs,
    unless,
)

LAST_COACH = Twist(
    "the coach with the highest number",
    "constraint",
    {
        "plain": "But not the front: take the coach with the highest number, and the lowest seat number in it.",
        "terse": "highest coach number, lowest seat number in it.",
        "chatty": "I like to be at the tail, so the coach with the highest number it is, and there the lowest seat "
        "number!",
        "formal": "Within the zone, the coach bearing the highest number is to be taken, and in it the lowest seat "
        "number.",
    },
    sets={"last_coach": True},
)


def _place(seat: Record) -> str:
    return f"coach {seat['coach']}, seat {seat['seat']}"


def _seat(facts: Facts) -> Policy:
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


SEAT = Program(
    "reserve_seat",
    "Reserve a seat at the window or aisle in a certain zone of the train",
    {
        "plain": "[Please reserve|I would like you to reserve] me a seat by the {position} in the {zone} zone for "
        "{booking_id}, with the lowest coach and then the lowest seat number. [Which one is it?|Tell me where I sit.]",
        "terse": "{booking_id}: {position} seat, {zone} zone, lowest coach then seat no. which?",
        "chatty": "Could I have a nice seat by the {position} in the {zone} zone for {booking_id}? As far forward as "
        "can be, lowest coach and seat number, and tell me where I sit!",
        "formal": "For {booking_id}, please reserve the {position} seat of the {zone} zone with the lowest coach "
        "number and, within it, the lowest seat number, and advise me of it.",
        "hurried": "Seat for {booking_id}: {position}, {zone} zone, lowest coach and number, tell me which!",
        "non_native": "I like to sit on {position} in the {zone} zone, for {booking_id}, please the lowest coach and "
        "then lowest number. Which seat is?",
        "confused": "I did not know that one has to reserve, so for {booking_id} a seat by the {position} in the "
        "{zone} zone please, lowest coach and then lowest seat number. Where do I sit?",
    },
    _draw_seat,
    _seat,
    (
        LAST_COACH,
        Twist(
            "the aisle after all",
            "change_of_mind",
            {
                "plain": "No, on reflection I want to sit on the aisle, whatever I said before.",
                "terse": "aisle seat in any case, forget the above.",
                "chatty": "Thinking of my long legs, let it be the aisle in any case, whatever I just said!",
                "formal": "Notwithstanding the above, the seat is to be on the aisle.",
            },
            draw=unless("position", "aisle"),
            sets={"position": "aisle"},
        ),
        Twist(
            "the family zone after all",
            "change_of_mind",
            {
                "plain": "My toddler is coming along, so make it the family zone instead.",
                "terse": "family zone instead.",
                "chatty": "Oh, and the little one is coming too, so we had better sit in the family zone!",
                "formal": "As I shall be accompanied by an infant, the family zone is required instead.",
            },
            sets={"zone": "family"},
        ),
    ),
    again="booking_id",
)


def _party(facts: Facts) -> Policy:
    booking = yield do("get_booking", booking_id=facts["booking_id"])
    free = yield do(
        "find_free_seats", booking_id=facts["booking_id"], position=facts.get("position", "aisle"), zone=facts["zone"]
    )
    coach = yield choose(
        sorted({seat["coach"] for seat in free}), key=lambda number: -number if facts.get("last_coach") else number
    )
    seats = sorted(seat["seat"] for seat in free if seat["coach"] == coach)[: booking["travellers"]]
    if len(seats) < booking["travellers"]:
        raise DeadEnd("too few seats in one coach")
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


PARTY_SEATS = Program(
    "seats_for_party",
    "Seat everybody of a booking in one coach",
    {
        "plain": "[Please reserve|Reserve] aisle seats for everybody on {booking_id}, all in one coach of the {zone} "
        "zone: the lowest coach number and the lowest seat numbers that are free. [Tell me all of them.|Which seats "
        "are they?]",
        "terse": "aisle seats for all of {booking_id}, one {zone} coach, lowest numbers. list them.",
        "chatty": "We would hate to be scattered! Please find aisle seats for all of us on {booking_id} in one {zone} "
        "coach, the lowest coach and seat numbers going, and tell me every one of them!",
        "formal": "For each traveller on {booking_id}, please reserve an aisle seat in one and the same coach of the "
        "{zone} zone, by lowest coach and seat numbers, and enumerate the seats.",
        "hurried": "Aisle seats for all of us on {booking_id}, same {zone} coach, lowest numbers, list them!",
        "non_native": "All persons of {booking_id} must sit in one coach of {zone} zone, on the aisle, the lowest "
        "coach number and lowest seats; say me all the seats.",
    },
    _draw_party,
    _party,
    (
        LAST_COACH,
        Twist(
            "windows for all",
            "change_of_mind",
            {
                "plain": "Better still, let them all be window seats.",
                "terse": "all window seats instead.",
                "chatty": "Oh, everybody is shouting for the window now, so windows for all of us instead!",
                "formal": "We have since agreed that all seats should be at the window instead.",
            },
            sets={"position": "window"},
        ),
        TRAINSET,
    ),
    again="booking_id",
)

ONBOARD = (SEAT, PARTY_SEATS)
