"""What a student office would find odd in a set of entries, and how to make one odd."""

from collections.abc import Iterator
from pathlib import Path

from toolscale.reference.education.schema import SCHEMA
from toolscale.reference.moments import minutes_between
from toolscale.reference.plausibility import Entries, Plausibility
from toolscale.reference.program import Record


def _course(record: Record, entries: Entries) -> Iterator[str]:
    if record["course_id"] in record["prerequisites"]:
        yield "it is its own prerequisite"
    for each in record["prerequisites"]:
        needed = entries.get("courses", {}).get(each)
        if needed and needed["level"] >= record["level"]:
            yield f"its prerequisite {each} is of no lower level"


def _student(record: Record, entries: Entries) -> Iterator[str]:
    if record["credits_earned"] > 70 * record["year"]:
        yield f"{record['credits_earned']} credits in year {record['year']}"


def _extension(record: Record, entries: Entries) -> Iterator[str]:
    task = entries.get("assignments", {}).get(record["assignment_id"])
    if task and minutes_between(task["due_at"], record["due_at"]) != 1440 * record["days"]:
        yield f"it is not {record['days']} days later"


def _document(record: Record, entries: Entries) -> Iterator[str]:
    if not 3 <= record["fee"] / record["copies"] <= 30:
        yield f"{record['fee']:.2f} EUR for {record['copies']} copies"


_PLAUSIBILITY = Plausibility(
    SCHEMA,
    Path(__file__).with_name("plausible.yaml"),
    {"courses": _course, "students": _student, "extensions": _extension, "documents": _document},
    by_table=True,
)
implausible, blemish = _PLAUSIBILITY.implausible, _PLAUSIBILITY.blemish
