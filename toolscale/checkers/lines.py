"""The lines of a trajectories file, one after the other: whatever the file's size, few bytes of it are held."""

from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import BinaryIO, NamedTuple

from toolscale.artifacts.strict_json import read_json
from toolscale.checkers.recorded import BadTrajectoryError
from toolscale.errors import UserError

LONGEST = 16 * 2**20
"""Bytes of a line. A trajectory that takes more is no conversation that anybody had."""

_PART = 2**16


class Line(NamedTuple):
    """A line, or the beginning of one that is too long."""

    number: int
    text: bytes

    def whole(self) -> bytes:
        """The line. Raises `BadTrajectoryError` if it is too long to be read."""
        if len(self.text) > LONGEST:
            raise BadTrajectoryError(f"the line is longer than {LONGEST // 2**20} MiB")
        return self.text


@contextmanager
def lines_of(file: Path) -> Iterator[Iterator[Line]]:
    """The lines of a file that are not blank; a pipe will do too.

    Raises:
        UserError: it cannot be read, or is a JSON array over many lines or in one that is too long.
    """
    try:
        opened = file.open("rb")
    except OSError as error:
        raise UserError(f"{file}: cannot be read ({error.strerror}); give a file of JSON lines") from error
    with opened:
        lines = _lines(opened, file)
        first = next(lines, None)
        if first is not None:
            _refuse_array(first, file)
        yield _after(first, lines)


def _after(first: Line | None, lines: Iterator[Line]) -> Iterator[Line]:
    if first is not None:
        yield first
        yield from lines


def _lines(file: BinaryIO, path: Path) -> Iterator[Line]:
    for number in count(1):
        try:
            text = file.readline(LONGEST + 1)
            if not text:
                return
            if len(text) > LONGEST:
                _skip_to_the_end_of_the_line(file, text)
        except OSError as error:
            raise UserError(
                f"{path}: line {number} cannot be read ({error.strerror}); the lines before it can"
            ) from error
        if number == 1:
            text = text.removeprefix(BOM_UTF8)
        if text.strip():
            yield Line(number, text)


def _skip_to_the_end_of_the_line(file: BinaryIO, read: bytes) -> None:
    while read and not read.endswith(b"\n"):
        read = file.readline(_PART)


def _refuse_array(first: Line, file: Path) -> None:
    """See that the file is no JSON array. One that stands whole in a line is a bad line like others."""
    if not first.text.lstrip().startswith(b"["):
        return
    try:
        read_json(first.whole())
    except (ValueError, BadTrajectoryError):
        raise UserError(
            f"{file} holds a JSON array: write each trajectory of it on a line of its own, as `jq -c '.[]'` does"
        ) from None
