"""Study rooms: finding a free one, booking, changing and cancelling, and complaints about them."""

from typing import Any, Literal

from ._shared import Database, _allowed, _day, _days_later, _find, _new_key, _today

WRITES = {"book_room", "move_room_booking", "cancel_room_booking", "file_complaint"}

MOST_HOURS = 3
DAYS_AHEAD = 14
OPENS = "08:00"
CLOSES = "21:00"
ANSWER_DAYS = 10


def _end(starts_at: str, hours: int) -> str:
    hour, colon, minute = starts_at.partition(":")
    if not colon or not (hour.isdigit() and minute in ("00", "30")):
        raise ValueError("times are on the hour or the half hour, such as 14:30")
    if not 1 <= hours <= MOST_HOURS:
        raise ValueError(f"a room is booked for one to {MOST_HOURS} hours")
    ends_at = f"{int(hour) + hours:02}:{minute}"
    if not OPENS <= starts_at < ends_at <= CLOSES:
        raise ValueError(f"study rooms are open from {OPENS} to {CLOSES}")
    return ends_at


def _bookable(day: str) -> None:
    if not _today() <= _day(day) <= _days_later(_today(), DAYS_AHEAD):
        raise ValueError(f"rooms are booked for today and the next {DAYS_AHEAD} days")


def _is_free(db: Database, room_id: str, day: str, starts_at: str, ends_at: str, but: str = "") -> bool:
    return not any(
        each["room_id"] == room_id
        and each["day"] == day
        and each["status"] == "booked"
        and each["booking_id"] != but
        and starts_at < each["ends_at"]
        and each["starts_at"] < ends_at
        for each in db["room_bookings"].values()
    )


def _free_that_day(db: Database, student_id: str, day: str, but: str = "") -> None:
    for each in db["room_bookings"].values():
        own = each["student_id"] == student_id and each["status"] == "booked" and each["booking_id"] != but
        if own and each["day"] == day:
            raise ValueError(f"the student has a room on {day} already: {each['booking_id']}")


def _booked(db: Database, booking_id: str) -> dict[str, Any]:
    booking = _find(db, "room_bookings", booking_id, "room booking")
    if booking["status"] != "booked":
        raise ValueError(f"{booking_id} is {booking['status']}")
    if booking["day"] < _today():
        raise ValueError(f"{booking_id} was on {booking['day']}")
    return booking


def find_free_rooms(
    db: Database, campus: Literal["city", "harbour", "hill"], day: str, starts_at: str, hours: int, people: int
) -> list[dict[str, Any]]:
    """Study rooms of a campus that are free for that time and have seats enough, the smallest first.

    campus: which campus.
    day: YYYY-MM-DD.
    starts_at: HH:MM, on the hour or half hour.
    hours: for how long, 1 to 3.
    people: how many will come.
    """
    _bookable(day)
    ends_at = _end(starts_at, hours)
    found = [
        dict(room)
        for room in db["rooms"].values()
        if room["campus"] == campus
        and room["seats"] >= people
        and _is_free(db, room["room_id"], day, starts_at, ends_at)
    ]
    return sorted(found, key=lambda each: each["seats"])


def find_rooms(db: Database, name: str) -> list[dict[str, Any]]:
    """Study rooms by a part of the name.

    name: a part of the name, in any case.
    """
    return [dict(room) for room in db["rooms"].values() if name.lower() in room["name"].lower()]


def list_room_bookings(db: Database, student_id: str) -> list[dict[str, Any]]:
    """A student's coming study room bookings, by day.

    student_id: whose bookings.
    """
    _find(db, "students", student_id, "student")
    found = [
        {**each, "room": db["rooms"][each["room_id"]]["name"], "campus": db["rooms"][each["room_id"]]["campus"]}
        for each in db["room_bookings"].values()
        if each["student_id"] == student_id and each["status"] == "booked" and each["day"] >= _today()
    ]
    return sorted(found, key=lambda each: (each["day"], each["starts_at"]))


def get_room_booking(db: Database, booking_id: str) -> dict[str, Any]:
    """A study room booking: the room's name, campus, seats and equipment, and for how many hours it is.

    booking_id: such as RB-4F82A1.
    """
    booking = _find(db, "room_bookings", booking_id, "room booking")
    room = db["rooms"][booking["room_id"]]
    hours = int(booking["ends_at"][:2]) - int(booking["starts_at"][:2])
    place = {field: room[field] for field in ("campus", "seats", "equipment")}
    return {**booking, "hours": hours, "room": room["name"], **place}


def book_room(
    db: Database, student_id: str, room_id: str, day: str, starts_at: str, hours: int, people: int
) -> dict[str, Any]:
    """Book a free study room, one a day for each student, at most two weeks ahead and for three hours.

    student_id: who books.
    room_id: from find_free_rooms.
    day: YYYY-MM-DD.
    starts_at: HH:MM, on the hour or half hour, from 08:00.
    hours: 1 to 3, until 21:00 at the latest.
    people: how many will come; the room must seat them.
    """
    _find(db, "students", student_id, "student")
    room = _find(db, "rooms", room_id, "room")
    _bookable(day)
    ends_at = _end(starts_at, hours)
    if not 1 <= people <= room["seats"]:
        raise ValueError(f"{room['name']} seats {room['seats']}")
    _free_that_day(db, student_id, day)
    if not _is_free(db, room_id, day, starts_at, ends_at):
        raise ValueError(f"{room['name']} is taken on {day} between {starts_at} and {ends_at}")
    key = _new_key("RB")
    db["room_bookings"][key] = {
        "booking_id": key,
        "student_id": student_id,
        "room_id": room_id,
        "day": day,
        "starts_at": starts_at,
        "ends_at": ends_at,
        "people": people,
        "status": "booked",
    }
    return {**db["room_bookings"][key], "room": room["name"], "equipment": room["equipment"]}


def move_room_booking(db: Database, booking_id: str, room_id: str, day: str, starts_at: str) -> dict[str, Any]:
    """Move a booking to another room, day or time, for as long and for as many as before.

    booking_id: a coming booking.
    room_id: the room to have then; it may stay the same.
    day: YYYY-MM-DD; it may stay the same.
    starts_at: HH:MM; it may stay the same.
    """
    booking, room = _booked(db, booking_id), _find(db, "rooms", room_id, "room")
    _bookable(day)
    hours = int(booking["ends_at"][:2]) - int(booking["starts_at"][:2])
    ends_at = _end(starts_at, hours)
    if (booking["room_id"], booking["day"], booking["starts_at"]) == (room_id, day, starts_at):
        raise ValueError("that is how it is booked already")
    if room["seats"] < booking["people"]:
        raise ValueError(f"{room['name']} seats {room['seats']}, the booking is for {booking['people']}")
    _free_that_day(db, booking["student_id"], day, but=booking_id)
    if not _is_free(db, room_id, day, starts_at, ends_at, but=booking_id):
        raise ValueError(f"{room['name']} is taken on {day} between {starts_at} and {ends_at}")
    booking.update(room_id=room_id, day=day, starts_at=starts_at, ends_at=ends_at)
    return {**booking, "room": room["name"]}


def cancel_room_booking(db: Database, booking_id: str) -> dict[str, Any]:
    """Cancel a coming study room booking.

    booking_id: such as RB-4F82A1.
    """
    booking = _booked(db, booking_id)
    booking["status"] = "cancelled"
    return {**booking, "room": db["rooms"][booking["room_id"]]["name"]}


def file_complaint(
    db: Database,
    student_id: str,
    room_id: str,
    topic: Literal["heating", "noise", "broken furniture", "cleanliness"],
) -> dict[str, Any]:
    """File a complaint about a study room; it is answered within ten days. One open complaint on a topic and room.

    student_id: who complains.
    room_id: which room.
    topic: what is wrong.
    """
    _allowed(topic, ("heating", "noise", "broken furniture", "cleanliness"), "topic")
    _find(db, "students", student_id, "student")
    room = _find(db, "rooms", room_id, "room")
    for each in db["complaints"].values():
        same = (each["student_id"], each["room_id"], each["topic"]) == (student_id, room_id, topic)
        if same and each["status"] == "open":
            raise ValueError(f"{each['complaint_id']} on that is open; an answer comes by {each['answer_by']}")
    key = _new_key("CP")
    db["complaints"][key] = {
        "complaint_id": key,
        "student_id": student_id,
        "room_id": room_id,
        "topic": topic,
        "filed_on": _today(),
        "answer_by": _days_later(_today(), ANSWER_DAYS),
        "status": "open",
    }
    return {**db["complaints"][key], "room": room["name"]}
