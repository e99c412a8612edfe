"""The JSON in a text that a model wrote: where it stands, what it says, and what it was meant to say.

The text is a stranger's. Everything here takes time in proportion to its length, and no more than a bounded amount of
repair.
"""

import json
import re
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple, NoReturn

from toolscale.artifacts.strict_json import deeper_than
from toolscale.llm.wellformed import well_formed

DEEPEST = 64
"""Levels of lists and objects in an answer. More is nonsense, and would end the recursion of whoever reads it."""

LONGEST = 2_000_000
"""Characters of an answer: four times what any model says at once."""

_TOO_DEEP = f"the answer nests deeper than {DEEPEST} levels"
_MOST_PLACES = 8
_MOST_REPAIR = 2_000_000
"""Characters that the repair may look at: enough for some 300,000 characters, at most a second of work."""

_END_OF_THOUGHT = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_THOUGHT = re.compile(r"\s*<(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]{0,8}```", re.MULTILINE)
_MARK = re.compile(r"""\\.|["'{}\[\]]""", re.DOTALL)
_BLANKS = 32
"""How far a quotation mark is looked around for the comma, colon or bracket that makes it one."""
_LEFT_OUT = re.compile(r"[\[{,]\s{0,20}(?:\.\.\.|…)")


class TooDeep(ValueError):  # noqa: N818 - the name says what happened
    """The value nests deeper than ``DEEPEST`` levels."""


class _Span(NamedTuple):
    """An outermost pair of brackets in a text."""

    start: int
    end: int
    unclosed: int = 0
    """Brackets that the text never closes; more than there are if it ends within a string."""


def places(raw: str, *, cut_off: bool = False) -> list[str]:
    """The parts of a text that may be the answer, the likeliest first.

    That is all of it; else, with the model's thoughts left out, its fenced blocks and then whatever stands in brackets,
    the last first: a model that thinks aloud ends with what it means. Of a text that was cut off only the last block
    and the last brackets count, and no row of values: the rest of it may be missing.
    """
    said = after_thoughts(raw)
    most = 1 if cut_off else _MOST_PLACES
    in_brackets = _alone(said) if cut_off else _in_brackets(said)
    found = [raw.strip(), *_last(_fenced(said), most), *_last(in_brackets, most)]
    return [place for place in dict.fromkeys(found) if place]


def loaded(text: str) -> Any:
    """The value of a JSON text, all its strings well-formed.

    Raises:
        TooDeep: it nests deeper than ``DEEPEST`` levels.
        ValueError: it is not JSON; ``NaN`` and numbers beyond a float are none.
    """
    try:
        value = json.loads(text, parse_constant=_no_number)
    except RecursionError:
        raise TooDeep(_TOO_DEEP) from None
    return sound(value)


def repaired(text: str) -> Any:
    """The value that a text was meant to spell: trailing commas, comments, Python's literals, missing brackets.

    Raises:
        TooDeep: it nests deeper than ``DEEPEST`` levels.
        ValueError: it is beyond repair, leaves something out ("..."), or ends where more may have been meant to come.
    """
    spans = list(islice(_spans(text), 2))
    if [(span.start, span.end) for span in spans] != [(0, len(text))] or _LEFT_OUT.search(text) or _breaks_off(text):
        raise ValueError("not repaired")
    from json_repair import repair_json

    try:
        value = repair_json(_Metered(text), return_objects=True, skip_json_loads=True)
    except Exception as error:  # it was not written for hostile texts, and may end in any way
        raise ValueError("not repaired") from error
    if not isinstance(value, dict if text[0] == "{" else list):
        raise ValueError("not repaired")
    return sound(value)


def fault_of(text: str) -> str:
    """What keeps a text that looks like JSON from being read; empty if it looks like none."""
    if text[:1] not in ("{", "["):
        return ""
    if _LEFT_OUT.search(text):
        return "the answer leaves something out (...): write everything out"
    try:
        json.loads(text, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        if _breaks_off(text) and (error.pos >= len(text) or error.msg.startswith("Unterminated")):
            return "the answer ends before its brackets are closed, as one does that was cut off: write it to its end"
        return f"the JSON in the answer is broken: {error}"
    except (ValueError, RecursionError) as error:
        return f"the JSON in the answer is broken: {error}"
    return ""


def sound(value: Any) -> Any:
    """The value as JSON has it, all its strings well-formed.

    Raises:
        TooDeep: it nests deeper than ``DEEPEST`` levels.
        ValueError: it holds what JSON has not.
    """
    if deeper_than(value, DEEPEST):
        raise TooDeep(_TOO_DEEP)
    return json.loads(well_formed(json.dumps(value, ensure_ascii=False, allow_nan=False)))


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def after_thoughts(raw: str) -> str:
    """What was said once the thinking was over; nothing if it never was. Some models leave out the opening mark."""
    ends = deque(_END_OF_THOUGHT.finditer(raw), maxlen=1)
    if ends:
        return raw[ends[0].end() :]
    return "" if _THOUGHT.match(raw) else raw


def _fenced(text: str) -> Iterator[str]:
    """The insides of fenced blocks; a block that is never closed reaches to the end."""
    marks = _FENCE.finditer(text)
    for opening in marks:
        start = text.find("\n", opening.end())
        closing = next(marks, None)
        end = closing.start() if closing else len(text)
        if start != -1:
            yield text[start:end].strip()


def _breaks_off(text: str) -> bool:
    """Whether the end may be missing. Models forget the last brace; whose list is open may have had more to say."""
    last = next(iter(deque(_spans(text), maxlen=1)), _Span(0, 0))
    return last.unclosed > 1 or (last.unclosed == 1 and (text[last.start] == "[" or bool(_BEFORE_A_VALUE.search(text))))


_BEFORE_A_VALUE = re.compile(r'(?:[{,:]|[{,]\s*"(?:[^"\\]|\\.)*")\s*$')
"""The end of an object in which a member, or its value, was still to come."""


def _alone(text: str) -> Iterator[str]:
    """The last brackets of a text, where they are closed and follow no others at once."""
    run = next(iter(deque(_runs(text), maxlen=1)), [])
    if len(run) == 1 and not run[0].unclosed:
        yield text[run[0].start : run[0].end]


def _in_brackets(text: str) -> Iterator[str]:
    """Whatever stands in brackets, outermost only. What follows one another with nothing between is one list."""
    for run in _runs(text):
        yield _joined([text[span.start : span.end] for span in run])


def _runs(text: str) -> Iterator[list[_Span]]:
    """What stands in brackets, those together that follow one another with nothing between."""
    run: list[_Span] = []
    for span in _spans(text):
        if run and text[run[-1].end : span.start].strip(" \t\r\n,;"):
            yield run
            run = []
        run.append(span)
    if run:
        yield run


def _joined(run: list[str]) -> str:
    return run[0] if len(run) == 1 else f"[{','.join(run)}]"


def _spans(text: str) -> Iterator[_Span]:
    """Each outermost pair of brackets; one that is never closed reaches to the end."""
    depth, start, quote = 0, 0, ""
    for mark in _MARK.finditer(text):
        sign = mark[0]
        if quote:
            if sign == quote and (sign == '"' or _next(text, mark.end()) in ",:]}"):
                quote = ""
        elif sign in "{[":
            start = start if depth else mark.start()
            depth += 1
        elif sign in "}]" and depth:
            depth -= 1
            if not depth:
                yield _Span(start, mark.end())
        elif depth and (sign == '"' or (sign == "'" and _previous(text, mark.start()) in "{[,:")):
            quote = sign
    if depth:
        yield _Span(start, len(text.rstrip()), depth + bool(quote))


def _previous(text: str, place: int) -> str:
    return text[max(0, place - _BLANKS) : place].rstrip()[-1:] or " "


def _next(text: str, place: int) -> str:
    return text[place : place + _BLANKS].lstrip()[:1]


def _last(found: Iterator[str], most: int) -> list[str]:
    return list(deque(found, maxlen=most))[::-1]


class _Metered(str):
    """A text that may be looked at so many times: the library's guesses take quadratic time on some texts."""

    __slots__ = ("_left",)

    def __init__(self, text: str) -> None:
        self._left = _MOST_REPAIR

    def __getitem__(self, place: Any) -> str:
        found = str.__getitem__(self, place)
        self._left -= 1 + len(found) // 64
        if self._left < 0:
            raise _Spent
        return found


class _Spent(Exception):  # noqa: N818 - never leaves this file
    """The repair took too long."""
