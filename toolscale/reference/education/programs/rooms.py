"""Programs about study rooms: booking, moving, cancelling, complaining."""

from random import Random

from toolscale.reference.education.programs.shared import Record, a_student
from toolscale.reference.education.schema import CAMPUSES, COMPLAINT_TOPICS
from toolscale.reference.kit import must
from toolscale.reference.moments import some_clock, some_day
from toolscale.reference.program import Facts, Reply, Solution, Steps, World, choose, do, pick
from toolscale.reference.words import words

WORDS = words(__file__)


def _draw_room(world: World, rng: Random) -> Facts:
    return {
        "student_id": a_student(world, rng),
        "campus": rng.choice(CAMPUSES),
        "day": some_day(rng, 1, 13, weekdays="123456"),
        "time": some_clock(rng, "09:00", "17:00"),
        "hours": rng.choice((2, 3)),
        "people": rng.choice((2, 3, 4, 5, 6)),
    }


def _book(facts: Facts) -> Solution:
    rooms = yield do(
        "find_free_rooms",
        campus=facts["campus"],
        day=facts["day"],
        starts_at=facts["time"],
        hours=facts["hours"],
        people=facts["people"],
    )
    fitting = [each for each in rooms if facts.get("with", "") in ("", *each["equipment"])]
    if facts.get("largest"):
        room = yield choose(fitting, key=lambda each: -each["seats"])
    else:
        room = yield choose(fitting, key=lambda each: each["seats"])
    done = yield do(
        "book_room",
        student_id=facts["student_id"],
        room_id=room["room_id"],
        day=facts["day"],
        starts_at=facts["time"],
        hours=facts["hours"],
        people=facts["people"],
    )
    text = f"The {done['room']} is yours from {done['starts_at']} to {done['ends_at']} ({done['booking_id']})."
    return Reply(text, (done["room"], done["booking_id"]))


BOOK = WORDS.program(
    "book_study_room",
    _draw_room,
    _book,
    (
        WORDS.twist(
            "with equipment",
            "constraint",
            draw=lambda world, rng, facts: {"with": rng.choice(("whiteboard", "screen"))},
        ),
        WORDS.twist("the largest instead", "change_of_mind", sets={"largest": True}),
        WORDS.twist(
            "one more comes",
            "change_of_mind",
            draw=lambda world, rng, facts: {"people": facts["people"] + rng.choice((1, 2))},
        ),
    ),
)


def _draw_booking(world: World, rng: Random) -> Facts:
    booked = [each for each in world.rows("room_bookings") if each["status"] == "booked"]
    booking = pick(rng, booked)
    return {"student_id": booking["student_id"], "booking_id": booking["booking_id"]}


def _draw_move(world: World, rng: Random) -> Facts:
    return {**_draw_booking(world, rng), "time": some_clock(rng, "09:00", "18:00", 60)}


def _move(facts: Facts) -> Solution:
    booking = yield do("get_room_booking", booking_id=facts["booking_id"])
    must(booking["status"] == "booked", "it is cancelled")
    when = facts.get("new_day", booking["day"])
    must((when, facts["time"]) != (booking["day"], booking["starts_at"]), "it is so already")
    free = yield do(
        "find_free_rooms",
        campus=booking["campus"],
        day=when,
        starts_at=facts["time"],
        hours=booking["hours"],
        people=booking["people"],
    )
    same = [each for each in free if each["room_id"] == booking["room_id"]]
    room = yield choose(same or free, key=lambda each: each["seats"])
    done = yield do(
        "move_room_booking",
        booking_id=facts["booking_id"],
        room_id=room["room_id"],
        day=when,
        starts_at=facts["time"],
    )
    return Reply(f"You now have the {done['room']} until {done['ends_at']}.", (done["room"], done["ends_at"]))


MOVE_ROOM = WORDS.program(
    "move_room_booking",
    _draw_move,
    _move,
    (
        WORDS.twist(
            "another day too",
            "change_of_mind",
            draw=lambda world, rng, facts: {"new_day": some_day(rng, 2, 13, weekdays="12345")},
        ),
    ),
)


def _cancel(facts: Facts) -> Solution:
    booking = yield do("get_room_booking", booking_id=facts["booking_id"])
    must(booking["status"] == "booked", "it is cancelled already")
    if booking["people"] > facts.get("most_people", booking["people"]):
        return Reply(f"I left it: the {booking['room']} is booked for {booking['people']} people.", (booking["room"],))
    done = yield do("cancel_room_booking", booking_id=facts["booking_id"])
    return Reply(f"The {done['room']} is cancelled.", (done["room"],))


CANCEL_ROOM = WORDS.program(
    "cancel_room_booking",
    _draw_booking,
    _cancel,
    (
        WORDS.twist(
            "not if it is for many",
            "condition",
            draw=lambda world, rng, facts: {"most_people": rng.choice((3, 5, 6, 8))},
        ),
    ),
    again="booking_id",
)


def _smallest_free(booking: Record) -> Steps:
    """The smallest room of the booking's campus that is free at its time and seats its people."""
    free = yield do(
        "find_free_rooms",
        campus=booking["campus"],
        day=booking["day"],
        starts_at=booking["starts_at"],
        hours=booking["hours"],
        people=booking["people"],
    )
    return (yield choose(free, key=lambda each: each["seats"]))


def _complain(facts: Facts) -> Solution:
    booking = yield do("get_room_booking", booking_id=facts["booking_id"])
    must(booking["status"] == "booked", "it is cancelled already")
    room = None if facts.get("stay") else (yield from _smallest_free(booking))
    filed = yield do("file_complaint", student_id=facts["student_id"], room_id=booking["room_id"], topic=facts["topic"])
    case = filed["complaint_id"]
    if room is None:
        return Reply(f"Your complaint about the {filed['room']} is {case}.", (case, filed["room"]))
    done = yield do(
        "move_room_booking",
        booking_id=facts["booking_id"],
        room_id=room["room_id"],
        day=booking["day"],
        starts_at=booking["starts_at"],
    )
    return Reply(f"Your complaint is {case}, and you have the {done['room']} instead.", (case, done["room"]))


COMPLAIN = WORDS.program(
    "complain_and_change_room",
    lambda world, rng: {**_draw_booking(world, rng), "topic": rng.choice(COMPLAINT_TOPICS)},
    _complain,
    (WORDS.twist("staying after all", "change_of_mind", sets={"stay": True}),),
)

ROOMS = (BOOK, MOVE_ROOM, CANCEL_ROOM, COMPLAIN)
