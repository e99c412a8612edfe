"""Strings that match a regular expression, as far as sensible: look-around is for the caller to check."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from re import _parser  # type: ignore[attr-defined]  # the one parser that reads what `re.search` will read
from typing import Any, TypeVar

T = TypeVar("T")

_POOL = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ -_.,:;/+*#@!?()[]{}<>=&%$'\"\\|~^`\t\n"
"""Characters in the order in which they are preferred."""

_CATEGORIES = {
    "CATEGORY_DIGIT": re.compile(r"\d"),
    "CATEGORY_NOT_DIGIT": re.compile(r"\D"),
    "CATEGORY_SPACE": re.compile(r"\s"),
    "CATEGORY_NOT_SPACE": re.compile(r"\S"),
    "CATEGORY_WORD": re.compile(r"\w"),
    "CATEGORY_NOT_WORD": re.compile(r"\W"),
}


def matches(pattern: str, shortest: int = 0) -> Iterator[str]:
    """Strings that the pattern is made to match, short ones first; those of at least ``shortest`` characters too.

    Raises:
        re.error: it is not a regular expression of Python's.
    """
    parsed = _parser.parse(pattern)
    shortfall = max(0, shortest - len(_Writer(0, 0).write(parsed)))
    for variant in count():
        for surplus in dict.fromkeys((shortfall, 0)):
            writer = _Writer(variant, surplus)
            yield writer.write(parsed)
        if writer.spent:
            return


class _Writer:
    """Writes one match. The variant says which character is taken wherever there are several."""

    def __init__(self, variant: int, surplus: int) -> None:
        self._variant = variant
        self._surplus = surplus
        """Characters that are still wanted beyond the fewest: the first repetition that has room writes them."""
        self._groups: dict[int, str] = {}

    @property
    def spent(self) -> bool:
        """Whether the variant asked for more choices than there were: it repeats an earlier one."""
        return self._variant > 0

    def write(self, parsed: Iterable[tuple[Any, Any]]) -> str:
        return "".join(self._one(str(operation), argument) for operation, argument in parsed)

    def _one(self, operation: str, argument: Any) -> str:
        match operation:
            case "LITERAL":
                return chr(int(argument))
            case "NOT_LITERAL":
                return self._chosen([each for each in _POOL if ord(each) != argument])
            case "ANY":
                return self._chosen([each for each in _POOL if each != "\n"])
            case "IN":
                return self._chosen(_members(argument))
            case "BRANCH":
                return self.write(self._chosen(argument[1]))
            case "SUBPATTERN":
                group, _, _, inner = argument
                written = self.write(inner)
                if group is not None:
                    self._groups[group] = written
                return written
            case "GROUPREF":
                return self._groups.get(argument, "")
            case "ATOMIC_GROUP":
                return self.write(argument)
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                fewest, most, inner = argument
                more = min(self._surplus, int(most) - fewest)
                self._surplus -= more
                return "".join(self.write(inner) for _ in range(fewest + more))
        return ""  # an anchor, or look-around

    def _chosen(self, options: Sequence[T]) -> T:
        self._variant, choice = divmod(self._variant, len(options))
        return options[choice]


def _members(members: list[tuple[Any, Any]]) -> list[str]:
    """The characters of a class, those of the pool at least."""
    negated = str(members[0][0]) == "NEGATE"
    named = [chr(low) for kind, low in ((str(kind), _low(argument)) for kind, argument in members) if kind in _NAMING]
    pool = [*_POOL, *(each for each in named if each not in _POOL)]
    return [each for each in pool if any(_admits(member, each) for member in members) != negated]


_NAMING = ("LITERAL", "RANGE")


def _low(argument: Any) -> Any:
    return argument[0] if isinstance(argument, tuple) else argument


def _admits(member: tuple[Any, Any], character: str) -> bool:
    kind, argument = str(member[0]), member[1]
    match kind:
        case "LITERAL":
            return ord(character) == int(argument)
        case "RANGE":
            return bool(argument[0] <= ord(character) <= argument[1])
        case "CATEGORY":
            return _CATEGORIES[str(argument)].match(character) is not None
    return False
