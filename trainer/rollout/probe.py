"""A short conversation that tells what a chat template makes of turns when they are past.

The trainer appends, so what the policy has read stays as it was. A server writes every prompt anew, and some templates
then write earlier turns otherwise: without an empty thought, without the system prompt, with the tools further down.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from toolscale.messages import Message
from trainer.rollout.chat_template import call

ARGUMENTS = {"city": "Ulm", "days": 3, "wet": True}
CALL = call("probe_tool", ARGUMENTS)
TOOL = {
    "type": "function",
    "function": {
        "name": "probe_tool",
        "description": "Probe.",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string"},
                "days": {"type": "integer"},
                "wet": {"type": "boolean"},
                "in_no_call": {"type": "string"},
            },
            "required": ["city"],
        },
    },
}
OPENING: Sequence[Message] = (
    {"role": "system", "content": "@@system@@"},
    {"role": "user", "content": "@@asked@@"},
)
CALLING: Message = {"role": "assistant", "content": "", "tool_calls": [CALL]}
THOUGHT = "@@thought@@"
TOLD = {
    "the system prompt": "@@system@@",
    "the tools": "in_no_call",
    "what the user asked": "@@asked@@",
    "what a tool answered": "@@answer@@",
    "what another tool answered": "@@another@@",
    "what the user said then": "@@again@@",
}
"""What is told to the model; all of it has to stand in what it learns from."""
SAID = {"what the model thought": THOUGHT, "what the model said": "@@words@@"}


class Turn(NamedTuple):
    """A message of the model, and what it hears then."""

    said: Message
    heard: Message
    when: str


TURNS = (
    Turn(CALLING, {"role": "tool", "tool_call_id": CALL["id"], "content": "@@answer@@"}, "once a tool has answered"),
    Turn(CALLING, {"role": "tool", "tool_call_id": CALL["id"], "content": "@@another@@"}, "after a second call"),
    Turn(
        {"role": "assistant", "content": "@@words@@"},
        {"role": "user", "content": "@@again@@"},
        "once the user speaks again",
    ),
)


class Prompt(NamedTuple):
    """What the model has before it."""

    text: str
    starts: Sequence[int]
    """Where each of its own messages starts."""


def untold(text: str) -> list[str]:
    """What a text leaves out of all that is told."""
    return [name for name, mark in TOLD.items() if mark not in text]


def changes(appended: Prompt, anew: str, call: str) -> Iterator[str]:
    """In what a prompt that is written anew differs from the one that was only appended to, where `call` stands.

    Yields:
        What the template does, to be read after "it".
    """
    if appended.text == anew:
        return
    parts = {name: mark for name, mark in {**TOLD, **SAID}.items() if mark in appended.text}
    lost = [name for name, mark in parts.items() if mark not in anew]
    moved = _moved(appended.text, anew, [mark for mark in parts.values() if mark in anew])
    if lost:
        yield f"leaves out {_listed(lost)}"
    if moved:
        yield f"moves {_listed(name for name, mark in parts.items() if mark in moved)}"
    if call not in anew:
        yield f"writes {call!r} another way"
    elif not lost and not moved:
        yield _first_change(appended, anew)


def _moved(appended: str, anew: str, marks: Sequence[str]) -> set[str]:
    before, after = sorted(marks, key=appended.index), sorted(marks, key=anew.index)
    matched = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return {mark for change, start, end, *_ in matched if change != "equal" for mark in before[start:end]}


def _first_change(appended: Prompt, anew: str) -> str:
    before, after = _words(appended.text), _words(anew)
    matched = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    _, start, end, first, last = next(each for each in matched if each[0] != "equal")
    was, is_now = "".join(before[start:end]), "".join(after[first:last])
    where = " before a message of the model" if len("".join(before[:end])) in appended.starts else ""
    if not is_now:
        return f"leaves out {was!r}{where}"
    return f"adds {is_now!r}{where}" if not was else f"writes {is_now!r} where {was!r} stood"


def _words(text: str) -> list[str]:
    """Words, white space and special tokens, each whole."""
    return re.findall(r"<[^<>\s]*>|\[[^\[\]\s]*\]|\w+|\s+|.", text)


def _listed(names: Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
