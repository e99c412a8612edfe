"""The university's world: entries of nine subjects, consistent with each other, from a seed."""

from collections.abc import Callable
from random import Random
from typing import Any

from toolscale.artifacts import Database
from toolscale.reference.education.services import (
    Porter,
    applications_of,
    complaint_of,
    document_of,
    loans_of,
    reservation_of,
)
from toolscale.reference.education.standing import (
    Table,
    assignments_of,
    consultations_of,
    exams_of,
    sections_of,
    standing_tables,
)
from toolscale.reference.education.studies import (
    Registrar,
    appeals_of,
    book_consultations,
    hand_ins_of,
    resits_of,
    students_of,
)
from toolscale.reference.ids import Ids
from toolscale.reference.people import People
from toolscale.reference.places import COUNTRIES

Record = dict[str, Any]

_COUNTRIES = tuple(code for code in COUNTRIES if code not in ("CZ", "PL"))
"""Where people come from. Surnames that follow the sex of the bearer would not match the first names."""


def world(seed: int) -> dict[str, Database]:
    """Subject -> table -> key -> record, in an order in which every reference points backwards."""
    rng = Random(f"education {seed}")
    ids, people = Ids(rng), People(seed, _COUNTRIES)
    tables = standing_tables(rng, ids, people)
    tables["sections"] = sections_of(tables, rng, ids)
    tables["assignments"] = assignments_of(tables, tables["sections"], rng, ids)
    tables["exams"] = exams_of(tables, rng, ids)
    tables["consultations"] = consultations_of(tables, rng, ids)
    tables["students"] = students_of(tables, rng, ids, people)
    book_consultations(tables, rng)
    registrar = Registrar(tables, rng, ids)
    for student in tables["students"].values():
        registrar.enrol(student)
    tables["enrolments"], tables["invoices"] = registrar.enrolments, registrar.invoices
    tables["appeals"] = appeals_of(registrar.enrolments, rng, ids)
    tables["resits"] = resits_of(tables, registrar.enrolments, rng, ids)
    tables |= hand_ins_of(tables, registrar.enrolments, rng, ids)
    tables |= _services(tables, rng, ids)
    return _by_subject(tables)


def _services(tables: dict[str, Table], rng: Random, ids: Ids) -> dict[str, Table]:
    """What each student has borrowed, reserved, booked, ordered, applied for and complained of."""
    names = ("loans", "reservations", "room_bookings", "documents", "applications", "complaints")
    found: dict[str, Table] = {name: {} for name in names}
    porter = Porter(tables, rng, ids)
    for key, student in tables["students"].items():
        loans = loans_of(tables, key, rng, ids)
        found["loans"] |= loans
        if rng.random() < 0.6:
            borrowed = {each["book_id"] for each in loans.values()}
            found["reservations"] |= reservation_of(tables, key, borrowed, rng, ids)
        found["room_bookings"] |= porter.bookings_of(key)
        found["applications"] |= applications_of(tables, student, rng, ids)
        if rng.random() < 0.3:
            found["documents"] |= document_of(key, rng, ids)
        if rng.random() < 0.25:
            found["complaints"] |= complaint_of(tables, key, rng, ids)
    return found


def _by_subject(tables: dict[str, Table]) -> dict[str, Database]:
    terms = {key: each["term_id"] for key, each in tables["sections"].items()}
    coming = {key for key, term in terms.items() if term == "spring-2027"}
    ahead = {key for key, each in tables["enrolments"].items() if each["section_id"] in coming}

    def part(table: str, keep: Callable[[Record], bool]) -> Table:
        return {key: each for key, each in tables[table].items() if keep(each)}

    def whole(*names: str) -> Database:
        return {name: tables[name] for name in names}

    return {
        "terms, courses and teachers": whole("terms", "courses", "instructors"),
        "rooms, books and scholarships": whole("rooms", "books", "scholarships"),
        "sections of the spring term 2027": {"sections": part("sections", lambda each: each["section_id"] in coming)},
        "sections of the year 2026": {
            "sections": part("sections", lambda each: each["section_id"] not in coming),
            **whole("assignments", "exams"),
        },
        "students": whole("students"),
        "consultation hours": whole("consultations"),
        "studies of the year 2026": {
            "enrolments": part("enrolments", lambda each: each["enrolment_id"] not in ahead),
            "invoices": part("invoices", lambda each: each["enrolment_id"] not in ahead),
            **whole("appeals", "resits", "submissions", "extensions"),
        },
        "places for the spring term 2027": {
            "enrolments": part("enrolments", lambda each: each["enrolment_id"] in ahead),
            "invoices": part("invoices", lambda each: each["enrolment_id"] in ahead),
        },
        "library and study rooms": whole("loans", "reservations", "room_bookings", "complaints"),
        "documents and applications": whole("documents", "applications"),
    }
