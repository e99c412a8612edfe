"""The door to the terminal: all that a command prints goes through here or `toolscale.console`.

Names, reasons, errors and results were written by models and strangers. What they write is read and never obeyed: no
escape sequence, and no line that says what the program did not say.
"""

import json
import logging
import sys
from typing import Any, TextIO

from toolscale.printable import as_a_line, printable


def say(*lines: str, error: bool = False, to: TextIO | None = None) -> None:
    """Print lines. Each stays one line, whatever is in it. `error` prints them on standard error."""
    for line in lines:
        print(as_a_line(line), file=to or (sys.stderr if error else sys.stdout), flush=True)


def say_text(text: str, *, error: bool = False) -> None:
    """Print a text of several lines, such as a document: its line ends stay."""
    print(printable(text), file=sys.stderr if error else sys.stdout, flush=True)


def say_json(value: Any) -> None:
    """Print a value as one line of JSON. It is all ASCII, so that nothing in it acts on a terminal."""
    print(json.dumps(value).replace("\x7f", "\\u007f"), flush=True)


def guard_logs() -> None:
    """Make the log lines of a command that sets up no logging of its own harmless too."""
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(_OneLine("%(message)s"))


class _OneLine(logging.Formatter):
    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - the library's name
        return as_a_line(super().formatMessage(record))

    def format(self, record: logging.LogRecord) -> str:
        return printable(super().format(record))
