"""Seats as people say them: "row E, seats 2 and 3" for E2 and E3, "E2 to E4", "E2/E3"."""

import re
from collections.abc import Iterator

_JOINT = r"(?P<joint>, ?and |, ?| and | ?& ?| ?/ ?| ?- ?| to | through | until )"
_LISTED = re.sub(r"\?P<\w+>", "?:", rf"\d{{1,2}}(?:{_JOINT}\d{{1,2}})*")
_SEAT = re.compile(r"[A-Z]\d{1,2}")
_RANGE = re.compile(r" ?- ?| to | through | until ")


def is_seat(text: str) -> bool:
    """True for a row's letter and a number."""
    return _SEAT.fullmatch(text) is not None


def seat_spans(seat: str, text: str) -> Iterator[tuple[int, int]]:
    """Where a plain text, its number words in digits, names a seat by its row or among others."""
    row, number = seat[0].lower(), int(seat[1:])
    several = re.sub(r"\?P<\w+>", "?:", rf"\b{row}\d{{1,2}}(?:{_JOINT}{row}?\d{{1,2}})+")
    for pattern in (
        rf"\brow {row}\b[^.;!?\d]{{0,24}}({_LISTED})\b",
        rf"({_LISTED}) (?:in|of) row {row}\b",
        f"({several})\\b",
    ):
        for found in re.finditer(pattern, text):
            if number in _numbers(found[1].replace(row, "")):
                yield found.span()


def _numbers(listed: str) -> set[int]:
    """All numbers of a list, those within a range included."""
    numbers = [int(digits) for digits in re.findall(r"\d+", listed)]
    joints = re.split(r"\d+", listed)[1:-1]
    within = (
        range(one, other)
        for one, joint, other in zip(numbers, joints, numbers[1:], strict=False)
        if _RANGE.fullmatch(joint)
    )
    return {*numbers, *(number for each in within for number in each)}
