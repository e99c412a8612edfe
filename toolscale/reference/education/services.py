"""What students use beside their courses: the library, study rooms, documents, scholarships, complaints."""

from random import Random
from typing import Any

from toolscale.reference.education.functions.office import DOCUMENT_FEE, POSTAGE
from toolscale.reference.education.schema import CAMPUSES, COMPLAINT_TOPICS, DOCUMENTS
from toolscale.reference.education.standing import Table
from toolscale.reference.ids import Ids
from toolscale.reference.moments import day, some_day

Record = dict[str, Any]


def loans_of(tables: dict[str, Table], student: str, rng: Random, ids: Ids) -> Table:
    """Two to six books on loan, some of them renewed, a few of them overdue."""
    loans: Table = {}
    for book in rng.sample(sorted(tables["books"]), rng.randint(2, 6)):
        key, renewals = ids.hex("LN"), rng.choice((0, 0, 0, 0, 1, 1, 2))
        days = tables["books"][book]["loan_days"]
        left = rng.randint(1, 12) if rng.random() < 0.85 else -rng.randint(1, 6)
        loans[key] = {
            "loan_id": key,
            "student_id": student,
            "book_id": book,
            "borrowed_on": day(left - days * (renewals + 1)),
            "due_on": day(left),
            "renewals": renewals,
            "status": "on loan" if rng.random() < 0.9 else "returned",
        }
    return loans


def reservation_of(tables: dict[str, Table], student: str, borrowed: set[str], rng: Random, ids: Ids) -> Table:
    """A book set aside or queued for, one that the student has not on loan."""
    book = tables["books"][rng.choice([key for key in sorted(tables["books"]) if key not in borrowed])]
    key, free = ids.hex("RV"), book["copies_free"]
    if not free:
        book["queue"] += 1
    return {
        key: {
            "reservation_id": key,
            "student_id": student,
            "book_id": book["book_id"],
            "pickup": rng.choice(CAMPUSES),
            "status": "ready" if free else "queued",
            "position": None if free else book["queue"],
            "reserved_on": day(-rng.randint(0, 2)),
        }
    }


class Porter:
    """Gives out study rooms so that nobody is booked into a room that is taken."""

    def __init__(self, tables: dict[str, Table], rng: Random, ids: Ids) -> None:
        self._rooms = tables["rooms"]
        self._rng = rng
        self._ids = ids
        self._taken: set[tuple[str, str, str]] = set()

    def bookings_of(self, student: str) -> Table:
        """Up to four bookings of the next fortnight, on different days."""
        bookings: Table = {}
        days = {some_day(self._rng, 1, 12, weekdays="12345") for _ in range(self._rng.choice((2, 3, 4)))}
        for when in sorted(days):
            room = self._rooms[self._rng.choice([key for key, each in self._rooms.items() if each["seats"] > 2])]
            start = self._rng.choice(("09:00", "11:00", "13:00", "15:00", "17:00"))
            if (room["room_id"], when, start) in self._taken:
                continue
            self._taken.add((room["room_id"], when, start))
            key = self._ids.hex("RB")
            bookings[key] = {
                "booking_id": key,
                "student_id": student,
                "room_id": room["room_id"],
                "day": when,
                "starts_at": start,
                "ends_at": f"{int(start[:2]) + self._rng.choice((1, 2))}:00".zfill(5),
                "people": self._rng.randint(2, min(6, room["seats"])),
                "status": "booked" if self._rng.random() < 0.9 else "cancelled",
            }
        return bookings


def document_of(student: str, rng: Random, ids: Ids) -> Table:
    """A document ordered some weeks ago."""
    key, ago, copies = ids.hex("DO"), rng.randint(8, 60), rng.randint(1, 3)
    delivery = rng.choice(("post", "pickup"))
    return {
        key: {
            "document_id": key,
            "student_id": student,
            "kind": rng.choice(DOCUMENTS),
            "language": rng.choice(("English", "German", "French", "Spanish")),
            "copies": copies,
            "delivery": delivery,
            "fee": DOCUMENT_FEE * copies + (POSTAGE if delivery == "post" else 0),
            "ordered_on": day(-ago),
            "ready_on": day(-ago + 3),
        }
    }


def applications_of(tables: dict[str, Table], student: Record, rng: Random, ids: Ids) -> Table:
    """Applications for scholarships whose terms the student meets: perhaps one pending, perhaps one decided."""
    met = [
        each
        for each in tables["scholarships"].values()
        if each["department"] in (None, student["programme"])
        and each["least_average"] <= student["average"]
        and each["least_credits"] <= student["credits_earned"]
    ]
    applications: Table = {}
    for scholarship in rng.sample(met, min(len(met), rng.choice((0, 1, 1)))):
        key = ids.hex("SA")
        applications[key] = {
            "application_id": key,
            "student_id": student["student_id"],
            "scholarship_id": scholarship["scholarship_id"],
            "payout": rng.choice(("tuition", "bank account")),
            "status": rng.choice(("submitted", "submitted", "submitted", "rejected")),
            "submitted_on": day(-rng.randint(2, 20)),
        }
    return applications


def complaint_of(tables: dict[str, Table], student: str, rng: Random, ids: Ids) -> Table:
    """A complaint about a study room."""
    key, ago = ids.hex("CP"), rng.randint(1, 25)
    return {
        key: {
            "complaint_id": key,
            "student_id": student,
            "room_id": rng.choice(sorted(tables["rooms"])),
            "topic": rng.choice(COMPLAINT_TOPICS),
            "filed_on": day(-ago),
            "answer_by": day(-ago + 10),
            "status": "open" if ago < 10 else "answered",
        }
    }
