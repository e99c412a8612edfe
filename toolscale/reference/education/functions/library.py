"""The library: finding books, renewing loans, reserving."""

from datetime import date
from typing import Any, Literal

from ._shared import Database, _allowed, _days_later, _find, _new_key, _today

WRITES = {"renew_loan", "reserve_book", "cancel_reservation"}

RENEWALS = 2
RESERVATIONS = 3
FINE_A_DAY = 0.5


def _fine(loan: dict[str, Any]) -> float:
    days = (date.fromisoformat(_today()) - date.fromisoformat(loan["due_on"])).days
    return round(max(0, days) * FINE_A_DAY, 2)


def find_books(db: Database, title: str | None = None, subject: str | None = None) -> list[dict[str, Any]]:
    """Books by a part of the title or by subject, newest first, with free copies and the length of the queue.

    title: a part of the title, in any case.
    subject: a department, such as History.
    """
    found = [
        dict(each)
        for each in db["books"].values()
        if (title is None or title.lower() in each["title"].lower())
        and (subject is None or subject.lower() == each["subject"].lower())
    ]
    return sorted(found, key=lambda each: (-each["year"], each["book_id"]))


def list_loans(db: Database, student_id: str) -> list[dict[str, Any]]:
    """The books a student has on loan by date due, with renewals so far, how many wait for the book, and fines.

    student_id: whose loans.
    """
    _find(db, "students", student_id, "student")
    found = [
        {
            **each,
            "title": db["books"][each["book_id"]]["title"],
            "queue": db["books"][each["book_id"]]["queue"],
            "fine": _fine(each),
        }
        for each in db["loans"].values()
        if each["student_id"] == student_id and each["status"] == "on loan"
    ]
    return sorted(found, key=lambda each: (each["due_on"], each["loan_id"]))


def get_loan(db: Database, loan_id: str) -> dict[str, Any]:
    """A loan: the book and its author, when it is due, renewals so far, how many wait for the book.

    loan_id: such as LN-4F82A1.
    """
    loan = _find(db, "loans", loan_id, "loan")
    book = db["books"][loan["book_id"]]
    return {**loan, "title": book["title"], "author": book["author"], "queue": book["queue"], "fine": _fine(loan)}


def renew_loan(db: Database, loan_id: str) -> dict[str, Any]:
    """Lend a book for another period, counted from the day it is due: at most twice, not when overdue, and not while
    somebody else waits for it.

    loan_id: such as LN-4F82A1.
    """
    loan = _find(db, "loans", loan_id, "loan")
    book = db["books"][loan["book_id"]]
    if loan["status"] != "on loan":
        raise ValueError(f"{loan_id} is {loan['status']}")
    if loan["due_on"] < _today():
        raise ValueError(f"{book['title']} was due on {loan['due_on']}; it must be brought back")
    if loan["renewals"] >= RENEWALS:
        raise ValueError(f"{book['title']} was renewed {RENEWALS} times already, which is the limit")
    if book["queue"]:
        raise ValueError(f"{book['queue']} others wait for {book['title']}")
    loan.update(due_on=_days_later(loan["due_on"], book["loan_days"]), renewals=loan["renewals"] + 1)
    return {**loan, "title": book["title"]}


def list_reservations(db: Database, student_id: str) -> list[dict[str, Any]]:
    """The books that are set aside for a student or queued for.

    student_id: whose reservations.
    """
    _find(db, "students", student_id, "student")
    return [
        {**each, "title": db["books"][each["book_id"]]["title"]}
        for each in db["reservations"].values()
        if each["student_id"] == student_id and each["status"] != "cancelled"
    ]


def reserve_book(
    db: Database, student_id: str, book_id: str, pickup: Literal["city", "harbour", "hill"]
) -> dict[str, Any]:
    """Have a free copy set aside for three days at a campus library, or queue if all are out. At most three
    reservations for each student.

    student_id: who reserves.
    book_id: from find_books.
    pickup: the campus where it will be fetched.
    """
    _allowed(pickup, ("city", "harbour", "hill"), "pickup")
    _find(db, "students", student_id, "student")
    book = _find(db, "books", book_id, "book")
    held = [
        each
        for each in db["reservations"].values()
        if each["student_id"] == student_id and each["status"] != "cancelled"
    ]
    if any(each["book_id"] == book_id for each in held):
        raise ValueError(f"the student has reserved {book['title']} already")
    if any(
        (each["student_id"], each["book_id"], each["status"]) == (student_id, book_id, "on loan")
        for each in db["loans"].values()
    ):
        raise ValueError(f"the student has {book['title']} on loan")
    if len(held) >= RESERVATIONS:
        raise ValueError(f"the student has {len(held)} reservations; {RESERVATIONS} are the limit")
    free = book["copies_free"] > 0
    book["copies_free" if free else "queue"] += -1 if free else 1
    key = _new_key("RV")
    db["reservations"][key] = {
        "reservation_id": key,
        "student_id": student_id,
        "book_id": book_id,
        "pickup": pickup,
        "status": "ready" if free else "queued",
        "position": None if free else book["queue"],
        "reserved_on": _today(),
    }
    return {**db["reservations"][key], "title": book["title"], "author": book["author"]}


def cancel_reservation(db: Database, reservation_id: str) -> dict[str, Any]:
    """Cancel a reservation. A copy set aside is free again; in a queue, those behind move up.

    reservation_id: such as RV-4F82A1.
    """
    reservation = _find(db, "reservations", reservation_id, "reservation")
    if reservation["status"] == "cancelled":
        raise ValueError(f"{reservation_id} is cancelled already")
    book, position = db["books"][reservation["book_id"]], reservation["position"]
    if reservation["status"] == "ready":
        book["copies_free"] += 1
    else:
        book["queue"] -= 1
        for other in db["reservations"].values():
            if (other["book_id"], other["status"]) == (book["book_id"], "queued") and other["position"] > position:
                other["position"] -= 1
    was = reservation["status"]
    reservation.update(status="cancelled", position=None)
    return {"reservation_id": reservation_id, "title": book["title"], "was": was, "place_in_queue": position}
