"""The university's policy as predicates on calls (docs/environment-format.md)."""

from datetime import date, datetime, timedelta
from typing import Any

Record = dict[str, Any]
Database = dict[str, dict[str, Record]]


def _today() -> str:
    return datetime.now().date().isoformat()


def _later(day: str, days: int) -> str:
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


def _added(table: str, before: Database, after: Database) -> list[Record]:
    if len(after[table]) == len(before[table]):
        return []
    return [record for key, record in after[table].items() if key not in before[table]]


def _course(database: Database, enrolment: Record) -> Record:
    return database["courses"][database["sections"][enrolment["section_id"]]["course_id"]]


def _new_places(call: Record, before: Database, after: Database) -> list[Record]:
    """Places and waiting list entries that the call made, or moved to another section."""
    if call["name"] == "move_to_section":
        return [after["enrolments"][call["arguments"]["enrolment_id"]]]
    return _added("enrolments", before, after)


def prerequisites_passed(before: Database, call: Record, after: Database) -> str | None:
    """A place or a waiting list needs every prerequisite of the course passed with at least 50 points."""
    for enrolment in _added("enrolments", before, after):
        passed = {
            _course(after, each)["course_id"]
            for each in after["enrolments"].values()
            if each["student_id"] == enrolment["student_id"] and (each["points"] or 0) >= 50
        }
        missing = set(_course(after, enrolment)["prerequisites"]) - passed
        if missing:
            return f"{enrolment['enrolment_id']} without {', '.join(sorted(missing))}"
    return None


def nothing_while_overdue(before: Database, call: Record, after: Database) -> str | None:
    """While money is overdue, no place, no waiting list and no document is given."""
    given = _added("enrolments", before, after) + _added("documents", before, after)
    students = {each["student_id"] for each in given}
    for invoice in before["invoices"].values() if students else ():
        if invoice["student_id"] in students and invoice["status"] == "open" and invoice["due_on"] < _today():
            return f"invoice {invoice['invoice_id']} is overdue"
    return None


def at_most_thirty_credits(before: Database, call: Record, after: Database) -> str | None:
    """At most 30 credits a term."""
    for enrolment in _added("enrolments", before, after):
        term = after["sections"][enrolment["section_id"]]["term_id"]
        credits = sum(
            _course(after, each)["credits"]
            for each in after["enrolments"].values()
            if each["student_id"] == enrolment["student_id"]
            and (each["status"] == "enrolled" or each is enrolment)
            and after["sections"][each["section_id"]]["term_id"] == term
        )
        if credits > 30:
            return f"{credits} credits in {term}"
    return None


def no_two_courses_at_once(before: Database, call: Record, after: Database) -> str | None:
    """Two courses of a student never meet at the same time."""
    for enrolment in _new_places(call, before, after):
        section = after["sections"][enrolment["section_id"]]
        for other in after["enrolments"].values():
            same = other["student_id"] == enrolment["student_id"] and other["status"] == "enrolled"
            if not same or other["enrolment_id"] == enrolment["enrolment_id"]:
                continue
            held = after["sections"][other["section_id"]]
            when = [(each["term_id"], each["weekday"]) for each in (section, held)]
            if when[0] == when[1] and max(section["starts_at"], held["starts_at"]) < min(
                section["ends_at"], held["ends_at"]
            ):
                return f"{enrolment['enrolment_id']} meets while {other['enrolment_id']} does"
    return None


def waiting_only_for_full_sections(before: Database, call: Record, after: Database) -> str | None:
    """A waiting list is only for a section without free places; a student is on three at most."""
    for enrolment in _added("enrolments", before, after):
        if enrolment["status"] == "waitlisted":
            waits = [
                each
                for each in after["enrolments"].values()
                if each["student_id"] == enrolment["student_id"] and each["status"] == "waitlisted"
            ]
            if before["sections"][enrolment["section_id"]]["places_left"] or len(waits) > 3:
                return f"{enrolment['enrolment_id']} waits for a section with places, or on {len(waits)} lists"
    return None


def no_place_beyond_capacity(before: Database, call: Record, after: Database) -> str | None:
    """No place is given in a section that is full."""
    for enrolment in _new_places(call, before, after):
        section = before["sections"][enrolment["section_id"]]
        if enrolment["status"] == "enrolled" and section["places_left"] < 1:
            return f"{section['section_id']} is full"
    return None


def drop_before_and_withdraw_after(before: Database, call: Record, after: Database) -> str | None:
    """A course is dropped before its term begins, which waives the fee, and withdrawn from afterwards, until the term's
    last day for it, which does not."""
    if call["name"] not in ("drop_course", "withdraw_from_course"):
        return None
    enrolment = before["enrolments"][call["arguments"]["enrolment_id"]]
    term = before["terms"][before["sections"][enrolment["section_id"]]["term_id"]]
    if call["name"] == "drop_course" and term["starts_on"] <= _today():
        return f"{enrolment['enrolment_id']} was dropped in its term"
    if call["name"] == "withdraw_from_course" and not term["starts_on"] <= _today() <= term["withdraw_until"]:
        return f"{enrolment['enrolment_id']} was withdrawn from out of time"
    return None


def extensions_within_limits(before: Database, call: Record, after: Database) -> str | None:
    """A deadline is extended once, before it has passed, by no more days than the assignment allows; a student has
    three extensions at most."""
    for extension in _added("extensions", before, after):
        task = after["assignments"][extension["assignment_id"]]
        own = [each for each in after["extensions"].values() if each["student_id"] == extension["student_id"]]
        same = [each for each in own if each["assignment_id"] == extension["assignment_id"]]
        if extension["days"] > task["longest_extension_days"] or task["due_at"][:10] < _today():
            return f"{extension['days']} days for {task['assignment_id']}, due {task['due_at']}"
        if len(own) > 3 or len(same) > 1:
            return f"{len(own)} extensions, {len(same)} of them for {task['assignment_id']}"
    return None


def appeals_in_time_and_once(before: Database, call: Record, after: Database) -> str | None:
    """An appeal is filed within 21 days of publication, and once for a result."""
    for appeal in _added("appeals", before, after):
        published = after["enrolments"][appeal["enrolment_id"]]["published_on"]
        if _later(published, 21) < _today():
            return f"the result was published on {published}"
        if any(each["enrolment_id"] == appeal["enrolment_id"] for each in before["appeals"].values()):
            return f"{appeal['enrolment_id']} was appealed before"
    return None


def resits_only_of_failed_courses(before: Database, call: Record, after: Database) -> str | None:
    """Only a failed course is sat again, below 50 points; a registration is cancelled at least seven days before."""
    for resit in _added("resits", before, after):
        if after["enrolments"][resit["enrolment_id"]]["points"] >= 50:
            return f"{resit['enrolment_id']} is passed"
    if call["name"] == "cancel_resit":
        exam = after["exams"][after["resits"][call["arguments"]["resit_id"]]["exam_id"]]
        if exam["starts_at"][:10] < _later(_today(), 7):
            return f"the exam is on {exam['starts_at']}"
    return None


def invoices_paid_as_they_stand(before: Database, call: Record, after: Database) -> str | None:
    """No more is paid than remains. From 200.00 EUR up, an invoice that is not yet due is split once, into two to four
    instalments."""
    if call["name"] not in ("pay_invoice", "split_invoice"):
        return None
    old = before["invoices"][call["arguments"]["invoice_id"]]
    new = after["invoices"][old["invoice_id"]]
    if new["paid"] > new["amount"]:
        return f"{new['paid']} EUR paid of {new['amount']}"
    if new["instalments"] != old["instalments"]:
        remaining = old["amount"] - old["paid"]
        if old["instalments"] > 1 or remaining < 200 or old["due_on"] < _today() or not 2 <= new["instalments"] <= 4:
            return f"{old['invoice_id']} was split, with {remaining:.2f} EUR due on {old['due_on']}"
    return None


def scholarships_by_their_terms(before: Database, call: Record, after: Database) -> str | None:
    """A scholarship is applied for by those who meet its conditions, until its last day."""
    for application in _added("applications", before, after):
        student, asked = (
            after["students"][application["student_id"]],
            after["scholarships"][application["scholarship_id"]],
        )
        if student["average"] < asked["least_average"] or student["credits_earned"] < asked["least_credits"]:
            return f"{student['student_id']} does not meet the conditions of the {asked['name']}"
        if asked["department"] not in (None, student["programme"]) or asked["apply_until"] < _today():
            return f"the {asked['name']} is for others, or closed"
    return None


def renewals_within_limits(before: Database, call: Record, after: Database) -> str | None:
    """A loan is renewed twice at most, not when it is overdue, and not while somebody waits for the book."""
    if call["name"] == "renew_loan":
        loan = before["loans"][call["arguments"]["loan_id"]]
        book = before["books"][loan["book_id"]]
        if loan["renewals"] >= 2 or loan["due_on"] < _today() or book["queue"]:
            return f"{loan['loan_id']}: {loan['renewals']} renewals, due {loan['due_on']}, {book['queue']} waiting"
    return None


def one_consultation_at_a_time(before: Database, call: Record, after: Database) -> str | None:
    """A student sees each teacher in one coming consultation at a time, and no two teachers at the same time."""
    for key, slot in after["consultations"].items():
        if slot["student_id"] is None or slot == before["consultations"].get(key):
            continue
        for other_key, other in after["consultations"].items():
            if other_key == key or other["student_id"] != slot["student_id"] or other["starts_at"][:10] < _today():
                continue
            if other["instructor_id"] == slot["instructor_id"] or other["starts_at"] == slot["starts_at"]:
                return f"{slot['student_id']} has {other_key} already"
    return None


def rooms_for_one_group_at_a_time(before: Database, call: Record, after: Database) -> str | None:
    """A study room is booked for one to three hours, within two weeks, for no more people than it seats, once a day for
    each student, and never twice at the same time."""
    if call["name"] not in ("book_room", "move_room_booking"):
        return None
    changed = [each for key, each in after["room_bookings"].items() if each != before["room_bookings"].get(key)]
    for booking in changed:
        room = after["rooms"][booking["room_id"]]
        if booking["people"] > room["seats"] or not _today() <= booking["day"] <= _later(_today(), 14):
            return f"{booking['people']} people in {room['name']} on {booking['day']}"
        if not 1 <= int(booking["ends_at"][:2]) - int(booking["starts_at"][:2]) <= 3:
            return f"{booking['booking_id']} lasts from {booking['starts_at']} to {booking['ends_at']}"
        for other in after["room_bookings"].values():
            if other["booking_id"] == booking["booking_id"] or other["status"] != "booked":
                continue
            overlap = booking["starts_at"] < other["ends_at"] and other["starts_at"] < booking["ends_at"]
            same_room = other["room_id"] == booking["room_id"] and overlap
            if other["day"] == booking["day"] and (same_room or other["student_id"] == booking["student_id"]):
                return f"{booking['booking_id']} collides with {other['booking_id']}"
    return None
