"""The door to folders that people fill: the files in them, and what is passed over and why.

An editor puts its locks and backups there, which may be links to nothing; a folder may be called like a file; and
reading a pipe would never end.
"""

import logging
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from toolscale.errors import UserError
from toolscale.printable import as_a_line

if TYPE_CHECKING:
    from upath import UPath

PathT = TypeVar("PathT", bound="Path | UPath")


@dataclass(frozen=True)
class Listing(Generic[PathT]):
    """What lies in a folder, in the order of the paths."""

    files: list[PathT]
    passed_over: list[str]
    """One line each: what it is called, and why it is not read."""


def listing(folder: PathT, *patterns: str, deep: bool = False) -> Listing[PathT]:
    """The regular files of a folder whose names match one of the patterns, or all; `deep` takes those further down too.

    What is hidden is left out without a word, as is a folder that nobody would take for a file.
    """
    files: list[PathT] = []
    odd: list[str] = []
    try:
        found: list[Any] = sorted(folder.rglob("*") if deep else folder.iterdir()) if folder.is_dir() else []
    except OSError as error:
        return Listing([], [f"{folder}: cannot be listed ({error.strerror})"])
    for each in found:
        if any(part.startswith(".") for part in each.relative_to(folder).parts) or not _matches(each.name, patterns):
            continue
        why = not_a_file(each)
        if why is None:
            files.append(each)
        elif why != _FOLDER or (patterns and not deep):
            odd.append(f"{each}: {why}")
    return Listing(files, odd)


def files_in(folder: PathT, *patterns: str, deep: bool = False) -> list[PathT]:
    """The files of a `listing`; what was passed over is told once in the log."""
    found = listing(folder, *patterns, deep=deep)
    for line in found.passed_over:
        _tell(line)
    return found.files


def not_a_file(place: "Path | UPath") -> str | None:
    """Why there is nothing to be read at a place where something lies; None if it is a regular file."""
    try:
        if place.is_file():
            return None
        return _FOLDER if place.is_dir() else "no regular file" if place.exists() else "a link to nothing"
    except OSError as error:
        return f"cannot be seen ({error.strerror})"


def read_at_most(file: "Path | UPath", most: int) -> bytes:
    """The content of a file.

    Raises:
        UserError: it is no regular file, cannot be read, or has more bytes.
    """
    if (why := not_a_file(file)) and (file.exists() or file.is_symlink()):
        raise UserError(f"{file}: {why}; put a file in its place, or take it away")
    try:
        with file.open("rb") as opened:
            content: bytes = opened.read(most + 1)
    except OSError as error:
        raise UserError(f"{file}: cannot be read ({error.strerror or error})") from None
    if len(content) > most:
        raise UserError(f"{file}: over {most:,} bytes, which is too much for what it should hold")
    return content


_FOLDER = "a folder"


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return not patterns or any(fnmatchcase(name, pattern) for pattern in patterns)


@cache
def _tell(line: str) -> None:
    logging.getLogger(__name__).warning("toolscale: passed over %s", as_a_line(line))
