"""Programs about study rooms: booking, moving, cancelling, complaining."""

from random import Random

from toolscale.reference.education.programs.shared import Record, a_student, must
from toolscale.reference.education.schema import CAMPUSES, COMPLAINT_TOPICS
from toolscale.reference.moments import some_clock, some_day
from toolscale.reference.program import Facts, Policy, Program, Reply, Steps, Twist, World, choose, do, pick


def _draw_room(world: World, rng: Random) -> Facts:
    return {
        "student_id": a_student(world, rng),
        "campus": rng.choice(CAMPUSES),
        "day": some_day(rng, 1, 13, weekdays="123456"),
        "time": some_clock(rng, "09:00", "17:00"),
        "hours": rng.choice((2, 3)),
        "people": rng.choice((2, 3, 4, 5, 6)),
    }


def _book(facts: Facts) -> Policy:
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


BOOK = Program(
    "book_study_room",
    "Book the smallest study room that seats a group",
    {
        "plain": "[We are a study group of|We will be] {people:count} people. Please book us the smallest study room "
        "that seats us on the {campus} campus, {day:date} at {time:time}, for {hours:count} hours. Which room is it, "
        "and what is the booking number?",
        "terse": "study room, {campus} campus, {people:int} people, {day:date}, {time:time}, {hours:int} hours, "
        "smallest that fits. room + booking no?",
        "chatty": "There are {people:count} of us with an exam to fear! Could we have the smallest study room that we "
        "fit in, on the {campus} campus, {day:date} from {time:time}, for {hours:count} hours, and tell me which room "
        "and the booking number?",
        "formal": "For a group of {people:count} I request the smallest suitable study room on the {campus} campus, "
        "{day:date} at {time:time}, for the duration of {hours:count} hours; kindly state the room and the booking "
        "number.",
        "non_native": "We are {people:count} students and need the most small room for us at {campus} campus, "
        "{day:date}, {time:time}, during {hours:count} hours; which room and which number of booking?",
        "hurried": "Smallest study room for {people:count}, {campus} campus, {day:date}, {time:time}, {hours:count} "
        "hours, which room, what number?",
    },
    _draw_room,
    _book,
    (
        Twist(
            "with equipment",
            "constraint",
            {
                "plain": "It must have a {with}.",
                "terse": "needs a {with}.",
                "chatty": "And we cannot do without a {with}, so it has to have one!",
                "formal": "The presence of a {with} is indispensable.",
            },
            draw=lambda world, rng, facts: {"with": rng.choice(("whiteboard", "screen"))},
        ),
        Twist(
            "the largest instead",
            "change_of_mind",
            {
                "plain": "On second thoughts, take the largest one that is free then, not the smallest.",
                "terse": "no, the largest free one.",
                "chatty": "Oh, why squeeze, give us the largest one that is free!",
                "formal": "We should, after all, prefer the largest one available.",
            },
            sets={"largest": True},
        ),
        Twist(
            "one more comes",
            "change_of_mind",
            {
                "plain": "Wait, we are {people:count} now.",
                "terse": "correction: {people:int} people.",
                "chatty": "Oh dear, the group chat is exploding, so now we are {people:count}!",
                "formal": "The group has grown, so please reckon with {people:count}.",
            },
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


def _move(facts: Facts) -> Policy:
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


MOVE_ROOM = Program(
    "move_room_booking",
    "Move a study room booking to another time, in the same room if that is free",
    {
        "plain": "Please move {booking_id} so that it starts at {time:time}, in the same room if that is free then, "
        "else in the smallest one of that campus that seats us. Which room do we have then, and until what time?",
        "terse": "shift {booking_id}: start at {time:time} instead, same room if free, else smallest there that fits. "
        "room + until when?",
        "chatty": "My group are a bunch of late risers, so could you shift {booking_id} to start at {time:time}? The "
        "same room if you can, otherwise the smallest on that campus that we fit in, and tell me which and until "
        "when!",
        "formal": "I request that {booking_id} be rescheduled to start at {time:time}, in the same room if vacant, or "
        "else in the smallest adequate one of that campus; please state the room and the end.",
        "non_native": "Please change {booking_id} to begin at {time:time}, same room if it is free, if not the most "
        "small of the campus for us; which room and until which hour?",
        "confused": "Something came up, so {booking_id} must start at {time:time} now, same room if nobody is in it, "
        "else the smallest there that we fit in, and which room is it then and until when?",
    },
    _draw_move,
    _move,
    (
        Twist(
            "another day too",
            "change_of_mind",
            {
                "plain": "And it is to be on {new_day:date} now, that suits everybody.",
                "terse": "and on {new_day:date}.",
                "chatty": "Oh, and it cannot stay on that day either, so on {new_day:date}, please!",
                "formal": "The day, too, is to be changed, to {new_day:date}.",
            },
            draw=lambda world, rng, facts: {"new_day": some_day(rng, 2, 13, weekdays="12345")},
        ),
    ),
)


def _cancel(facts: Facts) -> Policy:
    booking = yield do("get_room_booking", booking_id=facts["booking_id"])
    must(booking["status"] == "booked", "it is cancelled already")
    if booking["people"] > facts.get("most_people", booking["people"]):
        return Reply(f"I left it: the {booking['room']} is booked for {booking['people']} people.", (booking["room"],))
    done = yield do("cancel_room_booking", booking_id=facts["booking_id"])
    return Reply(f"The {done['room']} is cancelled.", (done["room"],))


CANCEL_ROOM = Program(
    "cancel_room_booking",
    "Cancel a study room booking and learn which room it was",
    {
        "plain": "[Our group has fallen apart|We meet at my place now|Half of us are ill], so please cancel "
        "{booking_id}. What was the name of that room?",
        "terse": "cancel {booking_id}. which room was it?",
        "chatty": "We decided to study in the café after all, the cake is better, so cancel {booking_id}! What was "
        "that room called again?",
        "formal": "Please cancel {booking_id} and state the name of the room, for my records.",
        "non_native": "We not come, please cancel {booking_id} and say how the room is called.",
        "hurried": "Cancel {booking_id}, and what was the room's name?",
    },
    _draw_booking,
    _cancel,
    (
        Twist(
            "not if it is for many",
            "condition",
            {
                "plain": "If it was for more than {most_people:int} people, leave it, they may still come, and just "
                "tell me the room.",
                "terse": "booked for more than {most_people:int}? then leave it, room only.",
                "chatty": "Hang on, if I booked it for more than {most_people:int} of us, keep it after all and only "
                "tell me the room!",
                "formal": "If it is made for more than {most_people:int} persons, uphold it and name the room.",
            },
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


def _complain(facts: Facts) -> Policy:
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


COMPLAIN = Program(
    "complain_and_change_room",
    "Complain about a booked room and have another one at the same time",
    {
        "plain": "I looked into the room of {booking_id}, and there is something wrong with it: {topic}. Please file a "
        "complaint about that, and give us another room of that campus at the same time, the smallest that seats us. "
        "I need the complaint's number and the name of the new room.",
        "terse": "room of {booking_id}, problem: {topic}. file complaint + move us to smallest other room there that "
        "fits, same time. complaint no + new room?",
        "chatty": "We were in the room of {booking_id} last week and I tell you, {topic}, that is not a joke! File a "
        "complaint, and find us the smallest other room on that campus at that time that we fit in, and what are the "
        "number and the new room?",
        "formal": "I must complain of the room of {booking_id}, the matter being {topic}. Please register this and "
        "transfer the booking to the smallest other adequate room of that campus at the same time, stating the number "
        "of the complaint and the new room.",
        "non_native": "In the room of {booking_id} is a problem, {topic}; please write complaint, and give other room "
        "of the campus for same hour, the smallest where we have place, and tell number of complaint and room.",
        "confused": "It is the room of {booking_id}, the trouble there is {topic}, so where do I complain, do that for "
        "me, and give us the smallest other one there that fits at that time, and what is the complaint's number and "
        "the new room?",
    },
    lambda world, rng: {**_draw_booking(world, rng), "topic": rng.choice(COMPLAINT_TOPICS)},
    _complain,
    (
        Twist(
            "staying after all",
            "change_of_mind",
            {
                "plain": "Come to think of it, we can live with it, so only file the complaint and leave the booking.",
                "terse": "no move after all, complaint only.",
                "chatty": "Ah, moving is a nuisance too, so let us stay, only file the complaint!",
                "formal": "On consideration the transfer may be omitted, the complaint alone is to be filed.",
            },
            sets={"stay": True},
        ),
    ),
)

ROOMS = (BOOK, MOVE_ROOM, CANCEL_ROOM, COMPLAIN)
