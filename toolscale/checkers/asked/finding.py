"""Finding the questions of an instruction: what a user asks to be told, as a value.

Only what is certain is a question here: a right task that is refused costs more than a wrong one that is kept. A
request for an action ("can you book ...?"), a rhetorical question, a yes or no, a report of how it went, and whatever
is asked under a condition ("if it costs more, tell me the price") are none.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from toolscale.artifacts import FactKind
from toolscale.checkers.asked import words
from toolscale.checkers.said import FACT_KINDS

Kinds = frozenset[FactKind]

_ANY: Kinds = frozenset(FACT_KINDS)
_HOW_MUCH: Kinds = frozenset({"amount", "count", "quantity", "number", "words"})
_HOW_LONG: Kinds = _HOW_MUCH | {"date", "time"}
_WHEN: Kinds = frozenset({"date", "time", "quantity", "number", "words"})
_WHO: Kinds = frozenset({"name", "words", "id"})

_SENTENCE = re.compile(
    r"(?:[^.!?\n]|(?<=\b[dm]r)\.|(?<=\bm[rs]s)\.|(?<=\bms)\.|(?<=\bst)\.|(?<=\bno)\.(?= ?\d)|"
    r"(?<=[ap]\.m)\.(?= [a-z,])|\.(?=[a-z\d]))+[.!?]*"
)
_FAR_APART = 40
"""Characters between two places of an instruction that may well speak of one thing."""


@dataclass(frozen=True)
class AskedItem:
    """Something that the user asks to be told: its words, where they stand, and what kinds of fact can answer it."""

    text: str
    start: int
    end: int
    kinds: Kinds

    @property
    def telling(self) -> frozenset[str]:
        """Its words that say what it asks."""
        return frozenset(re.findall(r"[\w-]+", self.text)) - words.IDLE

    @property
    def for_somebody(self) -> bool:
        """Whether it asks who."""
        return self.kinds == _WHO


@lru_cache(maxsize=256)
def questions(instruction: str, *, under_conditions: bool = False) -> tuple[AskedItem, ...]:
    """What the instruction asks to be told without a condition, or on one too, each thing once."""
    found: list[AskedItem] = []
    for start, sentence in _sentences(instruction):
        if under_conditions or not words.UNDER_A_CONDITION.search(words.POLITE_IF.sub("", sentence)):
            for question in _asked_in(sentence, start):
                if not any(_same(question, other) for other in found):
                    found.append(question)
    return tuple(found)


@lru_cache(maxsize=256)
def may_lapse(instruction: str) -> bool:
    """Whether the instruction says that something is not to be done on some condition: what is asked of it lapses."""
    return any(
        words.CONDITION.search(words.POLITE_IF.sub("", sentence)) and words.NOT_DONE.search(sentence)
        for _, sentence in _sentences(instruction)
    )


def leaves_a_choice(instruction: str) -> bool:
    """Whether anything hangs on a condition, or on which of several is the cheapest or the like."""
    return any(
        words.CONDITION.search(words.POLITE_IF.sub("", sentence)) or words.CHOICE.search(sentence)
        for _, sentence in _sentences(instruction)
    )


def asking_sentences(instruction: str) -> Iterator[str]:
    """The sentences in which the user may ask to be told something, on a condition or not, in lower case."""
    for _, sentence in _sentences(instruction):
        if sentence.endswith("?") or words.CUE.search(sentence) or words.ON_THE_WAY.search(sentence):
            yield sentence


def _sentences(instruction: str) -> Iterator[tuple[int, str]]:
    """The sentences with their places, in lower case and with one kind of apostrophe; all keep their lengths."""
    text = "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in instruction)
    text = text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").replace("\t", " ")
    for found in _SENTENCE.finditer(text):
        if sentence := found[0].strip():
            yield found.start() + len(found[0]) - len(found[0].lstrip()), sentence


def _asked_in(sentence: str, start: int) -> Iterator[AskedItem]:
    covered = 0
    for cue in words.CUE.finditer(sentence):
        if cue.start() >= covered and not _is_not_meant(sentence[: cue.start()]):
            for item, place in _items(sentence, cue.end(), only_values=cue["value"] is not None):
                covered = place + len(item)
                yield _question(item, start + place)
    for clause, place in _put_directly(sentence):
        if place >= covered:
            yield _question(clause, start + place)


def _is_not_meant(before: str) -> bool:
    """Whether the words before a cue say that it is not the user who asks, or not now."""
    return not words.DO_NOT_FORGET.search(before) and bool(
        words.NOT_ASKED.search(before) or words.BY_OTHERS.search(before)
    )


def _items(sentence: str, position: int, *, only_values: bool) -> Iterator[tuple[str, int]]:
    """What is listed after the words that ask for it, up to the first thing that is no question."""
    noun = words.VALUE_ITEM if only_values else words.NOUN_ITEM
    while position < len(sentence):
        between = words.BETWEEN_ITEMS.search(sentence, position)
        item = sentence[position : between.start() if between else len(sentence)].rstrip(" .!?")
        if not (words.WH_ITEM.match(item) or (noun.match(item) and not words.STATEMENT.match(item))):
            return
        if not words.REPORT.match(item):
            yield item, position
        position = between.end() if between else len(sentence)


def _put_directly(sentence: str) -> Iterator[tuple[str, int]]:
    """The questions that are put as such: "when is it?", and, at the start of a sentence, "what do I owe"."""
    begins = list(words.CLAUSE.finditer(sentence))
    ends = [*(found.start() for found in begins), len(sentence)][1:]
    for found, end in zip(begins, ends, strict=False):
        clause = sentence[found.end() : end].rstrip(" .!?,")
        first = found.start() == 0
        marked = sentence.endswith("?") or (first and words.WITHOUT_A_MARK.match(clause))
        idle = words.RHETORICAL.match(clause) or words.REPORT.match(clause)
        if marked and not idle and _is_direct(clause, first=first):
            yield clause, found.end()


def _is_direct(clause: str, *, first: bool) -> bool:
    """True if the words are put as a question: "when is it", and not "when I am there"."""
    wh = words.WH_ITEM.match(clause)
    if wh is None:
        return False
    rest = clause[wh.end() :].lstrip()
    if len(rest.split()) <= 1 and not first:
        return True  # "..., and at what time?"
    if wh["wh"].endswith(("when", "where", "who", "whom")):
        return bool(words.AUXILIARY_NEXT.match(rest)) or (first and wh["wh"].startswith("who"))
    return first or bool(words.AUXILIARY_NEAR.match(rest))


def _question(item: str, start: int) -> AskedItem:
    return AskedItem(item, start, start + len(item), _kinds(item))


def _kinds(item: str) -> Kinds:
    wh = words.WH_ITEM.match(item)
    if wh is None:
        noun = re.sub(rf"^{words.FILLED}(?:(?:the|my|our|its|their|his|her|your|both|each|exact|new) )*", "", item)
        return _HOW_MUCH if words.MONEY_ITEM.match(noun) else _ANY
    if re.search(r"how (?:much|many|few)$", wh["wh"]):
        return _HOW_MUCH
    if "how" in wh["wh"]:
        return _HOW_LONG
    if re.search(r"when$|what time$", wh["wh"]):
        return _WHEN
    return _WHO if re.match(r"whom?$", wh["wh"]) else _ANY


def _same(one: AskedItem, other: AskedItem) -> bool:
    """Whether two questions may ask for one thing: the words of one say nothing that those of the other do not."""
    if not one.kinds & other.kinds:
        return False
    if words.NAMES_IT.match(one.text) and re.search(r"\b(?:which|what)\b", other.text):
        return True
    mine, theirs = one.telling, other.telling
    if mine and theirs:
        return mine <= theirs or theirs <= mine
    apart = one.start > other.end + _FAR_APART or other.start > one.end + _FAR_APART
    return apart or (mine == theirs and one.kinds == other.kinds != _ANY)
