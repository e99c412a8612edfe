"""Templates that word a request, and read the same facts back out of it.

A template is one line of text with slots: ``Please move booking {booking_id} to {date:date}.`` Rendering fills the
slots; recognising matches a whole line and gives the facts back. Codecs: ``{x}`` text as it is, ``{x:int}``,
``{x:money}`` (two decimals), ``{x:date}`` (ISO date worded as 24 November 2026), ``{x:list}`` (A, B and C).
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from typing import Any

_SLOT = re.compile(r"\{(\w+)(?::(\w+))?\}")


@dataclass(frozen=True)
class _Codec:
    pattern: str
    write: Callable[[Any], str]
    read: Callable[[str], Any]


def _write_date(value: str) -> str:
    day = date.fromisoformat(value)
    return f"{day.day} {day:%B %Y}"


def _read_date(text: str) -> str:
    return datetime.strptime(text, "%d %B %Y").date().isoformat()


def _write_list(values: list[str]) -> str:
    return values[0] if len(values) == 1 else f"{', '.join(values[:-1])} and {values[-1]}"


_CODECS = {
    "text": _Codec(r".+?", str, str),
    "int": _Codec(r"\d+", str, int),
    "money": _Codec(r"\d+\.\d\d", lambda value: f"{value:.2f}", float),
    "date": _Codec(r"\d{1,2} [A-Z][a-z]+ \d{4}", _write_date, _read_date),
    "list": _Codec(r".+?", _write_list, lambda text: re.split(r", | and ", text)),
}


def render(template: str, facts: Mapping[str, Any]) -> str:
    """The template with its slots filled.

    Raises:
        KeyError: a slot has no fact.
    """
    return _SLOT.sub(lambda slot: _CODECS[slot[2] or "text"].write(facts[slot[1]]), template)


def slots(template: str) -> set[str]:
    """The names of a template's slots."""
    return {slot[1] for slot in _SLOT.finditer(template)}


def recognise(template: str, line: str) -> dict[str, Any] | None:
    """The facts that the line gives, if it is this template's wording from end to end."""
    match = _pattern(template).fullmatch(line.strip())
    if not match:
        return None
    codecs = {slot[1]: _CODECS[slot[2] or "text"] for slot in _SLOT.finditer(template)}
    try:
        return {name: codecs[name].read(text) for name, text in match.groupdict().items()}
    except ValueError:
        return None


def literal_length(template: str) -> int:
    """How much of a template is fixed text; of two templates that match, the longer one is meant."""
    return len(_SLOT.sub("", template))


@lru_cache(maxsize=4096)
def _pattern(template: str) -> re.Pattern[str]:
    pieces, end, seen = [], 0, set()
    for slot in _SLOT.finditer(template):
        pieces.append(re.escape(template[end : slot.start()]))
        name = slot[1]
        pieces.append(f"(?P={name})" if name in seen else f"(?P<{name}>{_CODECS[slot[2] or 'text'].pattern})")
        seen.add(name)
        end = slot.end()
    pieces.append(re.escape(template[end:]))
    return re.compile("".join(pieces), re.IGNORECASE)
