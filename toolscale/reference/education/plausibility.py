"""What a student office would find odd in a set of entries, and how to make one odd."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from toolscale.artifacts import Database
from toolscale.reference.moments import TODAY, age, minutes_between

Record = dict[str, Any]
TODAY_ISO = TODAY.isoformat()


def implausible(entries: Database) -> list[str]:
    """One sentence for each fault, judged on these entries alone; empty if all is well."""
    return [
        f"{table} {key}: {reason}"
        for table, rule in _RULES.items()
        for key, record in entries.get(table, {}).items()
        for reason in rule(record, entries)
    ]


def blemish(entries: Database, rng: Random) -> None:
    """Spoil one entry in place: still valid by the schema, its references whole, but implausible."""
    table = rng.choice([name for name, records in sorted(entries.items()) if records and name in _SPOILS])
    entries[table][rng.choice(sorted(entries[table]))].update(_SPOILS[table])


def _term(record: Record, entries: Database) -> Iterator[str]:
    if not record["enrol_until"] < record["starts_on"] < record["withdraw_until"] < record["ends_on"]:
        yield "its days are out of order"


def _course(record: Record, entries: Database) -> Iterator[str]:
    if not 100 <= record["fee"] <= 1500:
        yield f"a course for {record['fee']:.2f} EUR"
    if record["course_id"] in record["prerequisites"]:
        yield "it is its own prerequisite"
    for each in record["prerequisites"]:
        needed: Any = entries.get("courses", {}).get(each)
        if needed and needed["level"] >= record["level"]:
            yield f"its prerequisite {each} is of no lower level"


def _section(record: Record, entries: Database) -> Iterator[str]:
    if not "07:30" <= record["starts_at"] < record["ends_at"] <= "21:00":
        yield f"it meets from {record['starts_at']} to {record['ends_at']}"
    if record["places_left"] > record["capacity"]:
        yield "more places are left than there are"
    if record["places_left"] and record["waiting"]:
        yield "students wait although places are left"


def _student(record: Record, entries: Database) -> Iterator[str]:
    if not 16 <= age(record["birth_date"]) <= 90:
        yield f"a student of {age(record['birth_date'])} years"
    if record["credits_earned"] > 70 * record["year"]:
        yield f"{record['credits_earned']} credits in year {record['year']}"


def _enrolment(record: Record, entries: Database) -> Iterator[str]:
    if (record["status"] == "completed") != (record["points"] is not None):
        yield "points go with a completed course, and only with one"
    if (record["status"] == "waitlisted") != (record["position"] is not None):
        yield "a position goes with a waiting list, and only with one"
    if record["published_on"] and record["published_on"] < record["enrolled_on"]:
        yield "its result came out before it began"
    if record["enrolled_on"] > TODAY_ISO:
        yield "it was made in the future"


def _assignment(record: Record, entries: Database) -> Iterator[str]:
    if record["weight_percent"] > 80:
        yield f"a single assignment of {record['weight_percent']}%"
    if not "2026-09-01" <= record["due_at"][:10] <= "2026-12-31":
        yield "it is due outside of the term"


def _submission(record: Record, entries: Database) -> Iterator[str]:
    if record["submitted_at"][:10] > TODAY_ISO:
        yield "it was handed in tomorrow or later"


def _extension(record: Record, entries: Database) -> Iterator[str]:
    task: Any = entries.get("assignments", {}).get(record["assignment_id"])
    if task and minutes_between(task["due_at"], record["due_at"]) != 1440 * record["days"]:
        yield f"it is not {record['days']} days later"
    if record["granted_on"] > record["due_at"][:10]:
        yield "it was granted after the new deadline"


def _appeal(record: Record, entries: Database) -> Iterator[str]:
    if record["decision_by"] <= record["filed_on"]:
        yield "it is decided before it is filed"
    enrolment: Any = entries.get("enrolments", {}).get(record["enrolment_id"])
    if enrolment and enrolment["student_id"] != record["student_id"]:
        yield "it is about somebody else's result"


def _exam(record: Record, entries: Database) -> Iterator[str]:
    if not "07:30" <= record["starts_at"][11:] <= "18:00":
        yield f"an exam at {record['starts_at'][11:]}"
    if not 10 <= record["fee"] <= 150:
        yield f"an exam for {record['fee']:.2f} EUR"


def _resit(record: Record, entries: Database) -> Iterator[str]:
    if not 10 <= record["fee"] <= 150:
        yield f"a resit for {record['fee']:.2f} EUR"
    enrolment: Any = entries.get("enrolments", {}).get(record["enrolment_id"])
    if enrolment and (enrolment["points"] or 0) >= 50:
        yield "the course is passed"


def _invoice(record: Record, entries: Database) -> Iterator[str]:
    if record["paid"] > record["amount"]:
        yield "more was paid than was asked for"
    if (record["status"] == "paid") != (record["paid"] == record["amount"]):
        yield f"it is {record['status']} with {record['paid']:.2f} of {record['amount']:.2f} EUR paid"


def _scholarship(record: Record, entries: Database) -> Iterator[str]:
    if not 100 <= record["amount"] <= 20000:
        yield f"a scholarship of {record['amount']:.2f} EUR"


def _application(record: Record, entries: Database) -> Iterator[str]:
    if record["submitted_on"] > TODAY_ISO:
        yield "it was submitted in the future"


def _book(record: Record, entries: Database) -> Iterator[str]:
    if record["copies_free"] > record["copies"]:
        yield "more copies are free than there are"
    if record["copies_free"] and record["queue"]:
        yield "a queue for a book that is in"


def _loan(record: Record, entries: Database) -> Iterator[str]:
    if record["borrowed_on"] >= record["due_on"] or record["borrowed_on"] > TODAY_ISO:
        yield "it was borrowed after it is due, or in the future"


def _reservation(record: Record, entries: Database) -> Iterator[str]:
    if (record["status"] == "queued") != (record["position"] is not None):
        yield "a position goes with a queue, and only with one"
    if record["reserved_on"] > TODAY_ISO:
        yield "it was reserved in the future"


def _room(record: Record, entries: Database) -> Iterator[str]:
    if record["seats"] > 60:
        yield f"a study room with {record['seats']} seats"


def _room_booking(record: Record, entries: Database) -> Iterator[str]:
    if not "08:00" <= record["starts_at"] < record["ends_at"] <= "21:00":
        yield f"from {record['starts_at']} to {record['ends_at']}"
    room: Any = entries.get("rooms", {}).get(record["room_id"])
    if room and record["people"] > room["seats"]:
        yield f"{record['people']} people on {room['seats']} seats"


def _document(record: Record, entries: Database) -> Iterator[str]:
    if record["ready_on"] < record["ordered_on"]:
        yield "it was ready before it was ordered"
    if not 3 <= record["fee"] / record["copies"] <= 30:
        yield f"{record['fee']:.2f} EUR for {record['copies']} copies"


def _consultation(record: Record, entries: Database) -> Iterator[str]:
    if not "07:30" <= record["starts_at"][11:] <= "19:00":
        yield f"a consultation at {record['starts_at'][11:]}"
    if (record["status"] == "booked") != (record["student_id"] is not None):
        yield "a booked one has a student, and only a booked one"


def _complaint(record: Record, entries: Database) -> Iterator[str]:
    if record["answer_by"] <= record["filed_on"]:
        yield "it is answered before it is filed"


_RULES: dict[str, Callable[[Record, Database], Iterator[str]]] = {
    "terms": _term,
    "courses": _course,
    "sections": _section,
    "students": _student,
    "enrolments": _enrolment,
    "assignments": _assignment,
    "submissions": _submission,
    "extensions": _extension,
    "appeals": _appeal,
    "exams": _exam,
    "resits": _resit,
    "invoices": _invoice,
    "scholarships": _scholarship,
    "applications": _application,
    "books": _book,
    "loans": _loan,
    "reservations": _reservation,
    "rooms": _room,
    "room_bookings": _room_booking,
    "documents": _document,
    "consultations": _consultation,
    "complaints": _complaint,
}

_SPOILS: dict[str, Record] = {
    "terms": {"ends_on": "2020-01-31"},
    "courses": {"fee": 98000.0},
    "sections": {"starts_at": "02:00", "ends_at": "04:00"},
    "students": {"birth_date": "1874-05-12"},
    "enrolments": {"enrolled_on": "2041-02-03"},
    "assignments": {"due_at": "2031-07-01T12:00"},
    "submissions": {"submitted_at": "2031-07-01T12:00"},
    "extensions": {"granted_on": "2031-07-01"},
    "appeals": {"decision_by": "2019-03-01"},
    "exams": {"starts_at": "2027-01-12T03:00"},
    "resits": {"fee": 9900.0},
    "invoices": {"paid": 88000.0},
    "scholarships": {"amount": 3000000.0},
    "applications": {"submitted_on": "2033-01-01"},
    "books": {"copies": 1, "copies_free": 40},
    "loans": {"borrowed_on": "2033-01-01"},
    "reservations": {"reserved_on": "2033-01-01"},
    "rooms": {"seats": 4000},
    "room_bookings": {"starts_at": "22:00", "ends_at": "23:30"},
    "documents": {"fee": 7200.0},
    "consultations": {"starts_at": "2026-11-30T02:10"},
    "complaints": {"answer_by": "2019-03-01"},
}
