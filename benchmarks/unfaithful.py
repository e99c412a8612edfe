"""Versions of a reworded request that say something else: one thing in each is dropped, changed, added or turned."""

import re
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

from toolscale.artifacts import Task
from toolscale.synthesis.rewording import literals

_OPPOSITE_LIMITS = (
    *(("more than", "less than"), ("at most", "at least"), ("before", "after"), ("above", "below"), ("over", "under")),
    *(("up to", "from"), ("until", "after"), ("higher than", "lower than"), ("later than", "earlier than")),
)
_OPPOSITE_CHOICES = (
    *(("cheapest", "dearest"), ("newest", "oldest"), ("earliest", "latest"), ("lowest", "highest")),
    *(("nearest", "furthest"), ("smallest", "largest"), ("most recently", "longest ago"), ("soonest", "latest")),
)
_CONDITIONS_TURNED = (("only if", "unless"), ("if", "unless"), ("unless", "if"), ("if", "if not"))
_DENIALS_LOST = (
    *((r"don't ", ""), (r"do not ", ""), (r"not ", ""), (r"isn't", "is"), (r"can't", "can"), (r"won't", "will")),
    *((r"never ", ""), ("nothing else", "everything else"), ("without", "with")),
)
_ADDED = {
    "a question": (" And what time do you close on Saturdays?", " Tell me what a parking space costs, too."),
    "a wish": (" Please also email me a confirmation.", " And cancel everything else I have with you."),
    "a condition": (" But only if it costs nothing.", " Do it only if the manager agrees."),
    "a fact": (
        *(" It is for Mr Henderson.", " I need it by 3 May.", " My number is QX-9931.", " I want it done tomorrow."),
        *(" I already paid for it last week.", " You told me it would be free."),
    ),
}


class Change(NamedTuple):
    """A request that says something else, and in what."""

    kind: str
    what: tuple[str, str]
    text: str
    asked: Mapping[str, str]


def unfaithful(task: Task, text: str, asked: Mapping[str, str]) -> Iterator[Change]:
    """Unfaithful versions of a faithful rewording; few of them happen to say the same."""
    for kind, changes in (
        ("a limit turned", _both_ways(_OPPOSITE_LIMITS)),
        ("a choice turned", _both_ways(_OPPOSITE_CHOICES)),
        ("a condition turned", _CONDITIONS_TURNED),
        ("a denial lost", _DENIALS_LOST),
    ):
        for old, new in changes:
            changed = re.sub(rf"(?<![\w-]){old}(?![\w-])", new, text, count=1, flags=re.IGNORECASE)
            if changed != text:
                yield Change(kind, (old, new), changed, asked)
    forbidden = re.sub(
        r"\b([Pp]lease) (?!don't|do not|tell|let|say|give|also|write)(\w+)", r"\1 don't \2", text, count=1
    )
    if forbidden != text:
        yield Change("a denial added", ("please", "please don't"), forbidden, asked)
    for kind, added in _ADDED.items():
        yield from (Change(f"{kind} added", ("", each), text + each, asked) for each in added)
    yield from _without_conditions(text, asked)
    yield from _with_other_facts(task, text, asked)
    for words in asked.values():
        if words and words in text:
            yield Change("a question lost", (words, ""), text.replace(words, "that is all"), asked)


def _both_ways(pairs: tuple[tuple[str, str], ...]) -> Iterator[tuple[str, str]]:
    for one, other in pairs:
        yield from ((one, other), (other, one))


def _without_conditions(text: str, asked: Mapping[str, str]) -> Iterator[Change]:
    sentences = re.split(r"(?<=[.!?])\s+", text)
    for place, sentence in enumerate(sentences):
        if len(sentences) > 1 and re.search(r"\b(?:if|unless|only|should)\b", sentence, re.IGNORECASE):
            rest = " ".join(sentences[:place] + sentences[place + 1 :])
            yield Change("a condition lost", (sentence, ""), rest, asked)


def _with_other_facts(task: Task, text: str, asked: Mapping[str, str]) -> Iterator[Change]:
    said = [each for each in literals(task) if each in text]
    for each in said:
        yield Change("a fact lost", (each, "it"), text.replace(each, "it"), asked)
        if re.fullmatch(r"\d+(?:\.\d+)?", each):
            more = f"{float(each) + 1:g}"
            changed = re.sub(rf"(?<![\w.,-]){re.escape(each)}(?![\w-])", more, text)
            yield Change("a fact changed", (each, more), changed, asked)
    for one, other in combinations(said, 2):
        if _kind(one) == _kind(other) != "word" and one not in other and other not in one:
            exchanged = {fact: _exchanged(words, one, other) for fact, words in asked.items()}
            yield Change("facts exchanged", (one, other), _exchanged(text, one, other), exchanged)


def _kind(value: str) -> str:
    """Of what kind a value looks: only like ones are taken for one another."""
    if re.fullmatch(r"\d+(?:\.\d+)?", value):
        return "number"
    if re.search(r"\d", value):
        return "id" if re.fullmatch(r"[A-Z]+-\w+", value) else "day"
    return "name" if value[0].isupper() else "word"


def _exchanged(text: str, one: str, other: str) -> str:
    return text.replace(one, "\0").replace(other, one).replace("\0", other)
