"""What the university offers: terms, departments, scholarships and study rooms."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from toolscale.reference.catalogues import Words, read_table
from toolscale.reference.documents import read_document

_HERE = Path(__file__).parent


class Term(NamedTuple):
    """A term, with the last days to enrol and to withdraw."""

    term_id: str
    name: str
    starts_on: str
    ends_on: str
    enrol_until: str
    withdraw_until: str


class Scholarship(NamedTuple):
    """A scholarship in EUR; of one department, or of all."""

    name: str
    amount: float
    department: str | None
    least_average: float
    least_credits: int
    apply_until: str


class Room(NamedTuple):
    """A study room."""

    room_id: str
    name: str
    campus: str
    seats: int
    equipment: Words


class Assignment(NamedTuple):
    """What is handed in; an extension of no days is none."""

    title: str
    weight_percent: int
    longest_extension_days: int


class Department(NamedTuple):
    """A department: the letters of its course numbers, two courses for each of three levels, and its bookshelf."""

    letters: str
    campus: str
    fee_per_credit: float
    titles: tuple[str, str, str, str, str, str]
    assignments: tuple[Assignment, ...]
    books: tuple[str, ...]


TERMS = read_table(_HERE / "terms.csv", Term)
SCHOLARSHIPS = read_table(_HERE / "scholarships.csv", Scholarship)
ROOMS = read_table(_HERE / "rooms.csv", Room)
SUBJECTS: Mapping[str, Department] = read_document(_HERE / "departments.yaml", dict[str, Department])
"""Department -> what it teaches. Level 2 asks for a course of level 1, level 3 for one of level 2."""
ASSIGNMENTS = {name: each.assignments for name, each in SUBJECTS.items()}
BOOKS = {name: each.books for name, each in SUBJECTS.items()}
CREDITS = {1: 5, 2: 6, 3: 8}
"""Level -> credits of a course."""
