"""A user's own topics: a text file with one a line. Odd lines are told by their number and passed over.

Blank lines and comments (`#`) are for whoever reads the file.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from toolscale.artifacts.base import as_name
from toolscale.input_files import read_at_most
from toolscale.proposals.proposal import in_one_line

LARGEST = 2**20
"""Bytes of a file of topics."""

LONGEST = 200
"""Characters of a topic."""


@dataclass(frozen=True)
class Topics:
    """What a file of topics holds."""

    topics: list[str] = field(default_factory=list)
    passed_over: list[str] = field(default_factory=list)
    """One line for each line of the file that is no topic: its number, and why."""


def read_topics(file: Path, taken: Collection[str]) -> Topics:
    """The topics in a file; a line that is the name of a domain that exists (`taken`) is none.

    Raises:
        UserError: there is no such file, it cannot be read, or is too large.
    """
    found = Topics()
    seen: dict[str, int] = {}
    lines = read_at_most(file, LARGEST).removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if not lines[-1]:
        lines.pop()
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith(b"#"):
            continue
        topic, why = _topic(line, taken)
        if not why and (first := seen.setdefault(topic.casefold(), number)) != number:
            why = f"the same as line {first}"
        if why:
            found.passed_over.append(f"{file}, line {number}: {why}")
        else:
            found.topics.append(topic)
    return found


def _topic(line: bytes, taken: Collection[str]) -> tuple[str, str]:
    """The topic that a line holds, and why it is none."""
    try:
        text = line.decode().rstrip("\r")
    except UnicodeDecodeError:
        return "", "not UTF-8 text"
    topic = in_one_line(text)
    if not topic.isprintable():
        return "", "it holds characters that cannot be seen"
    if len(topic) > LONGEST:
        return "", f"{len(topic):,} characters; a topic has at most {LONGEST}"
    if not any(map(str.isalpha, topic)):
        return "", "no word is in it"
    if (name := as_name(topic)) in taken:
        return "", f"a domain `{name}` is there already"
    return topic, ""
