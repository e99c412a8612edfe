"""Which of a user's words bind a service, and which are talk of the user's own life.

Small talk may be left out of a request, or put into it, and the request is still the same. To tell it from what asks,
limits, denies, counts or claims something, one would have to understand it; so it is small talk only if each of its
words is one of a closed list (``everyday.txt``) that has no words for any of that, and none that the service uses.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from toolscale.checkers.facts import EnvironmentFacts
from toolscale.checkers.said.text import plain
from toolscale.checkers.stems import stem

_LIST = Path(__file__).with_name("everyday.txt")
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_STRANGE = re.compile(r"[^\w\s.,;:!'()&-]|_|\d|:\s*$")
_HANGS = re.compile(
    r"n't\b|\b(?:not|no|never|none|nothing|nobody|nowhere|neither|nor|without|cannot|cant|dont|hardly|barely|except|"
    r"if|unless|whether|otherwise|else|or|only|provided|providing|assuming|suppose|in case|"
    r"in (?:that|this|which|any) (?:case|event)|as long as|so long as|as soon as|once|when|whenever|while|until|till|"
    r"before|after|by the time|should|depending)\b"
)


def hangs(text: str) -> bool:
    """Whether words may be a condition or a denial: what shares a sentence with them might be meant by it, too."""
    return _HANGS.search(plain(text)) is not None


def binding(text: str, facts: EnvironmentFacts) -> Iterator[str]:
    """The words that make a text more than small talk; nothing if it is that."""
    yield from _STRANGE.findall(text)
    for word in _WORD.findall(plain(text)):
        if word not in _everyday() or stem(word) in facts.vocabulary:
            yield word


def small_talk(facts: EnvironmentFacts) -> dict[str, list[str]]:
    """The words of small talk with users of a service, by topic."""
    found: dict[str, list[str]] = {}
    for word, topic in _everyday().items():
        if stem(word) not in facts.vocabulary:
            found.setdefault(topic, []).append(word)
    return found


@cache
def _everyday() -> dict[str, str]:
    """Each word of small talk with its first topic."""
    found: dict[str, str] = {}
    for line in _LIST.read_text(encoding="utf-8").splitlines():
        topic, colon, words = line.partition(": ")
        if colon and not line.startswith("#"):
            found |= {word: topic for word in words.split() if word not in found}
    return found
