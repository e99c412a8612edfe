"""Gate: the task is not a near-duplicate of a kept one, neither by its words nor as the same task for another entity.

MinHash finds the pairs that may be near, and their exact Jaccard similarity decides. Which of two stays follows from
their ids, so the order in which tasks came does not matter.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from toolscale.artifacts import EnvironmentSpec, GateOutcome, GoldenCall, Json, Task, canonical_json
from toolscale.checkers.gates.outcomes import not_evaluated, outcome
from toolscale.checkers.values import leaves, replaced
from toolscale.checkers.wording import fold

NEAR = 0.85
"""Two texts with a greater Jaccard similarity are near-duplicates."""

_WORDS_TOGETHER = 3
_HASHES, _BANDS = 128, 32
"""A pair at `NEAR` shares none of 32 bands of 4 hashes once in 10^10: what MinHash misses is not worth looking for."""

_MAYBE_NEAR = 0.65
"""What the hashes must estimate of a pair before its grams are compared. At `NEAR` the estimate is off by so much once
in 10^10; and of a million texts each shares a band with hundreds that are nowhere near."""

_HASHED_AT_ONCE = 1000

_WORD = re.compile(r"\w+(?:[-'.:]\w+)*")
_ENTITY = "\N{BULLET}"

Shingles = frozenset[tuple[str, ...]]


class TaskText(NamedTuple):
    """What the gate compares of a task. It is small, and so the tasks of a thousand domains can be compared."""

    id: str
    said: str
    """The words of the instruction, folded."""
    masked: str
    """The same, with whatever names an entity or a figure masked."""
    calls: str
    """The golden calls with each entity's name replaced by its number, in the order of first mention."""


def distinct(tasks: Sequence[Task], environments: Mapping[str, EnvironmentSpec]) -> dict[str, GateOutcome]:
    """Task id -> the gate's outcome. Of near-duplicates the one with the smallest id passes.

    `environments` has each task's domain; its database says which values are names of entities.
    """
    of_domain: dict[str, list[Task]] = defaultdict(list)
    for task in tasks:
        of_domain[task.domain].append(task)
    return compared(text for name, own in of_domain.items() for text in texts_of(own, environments.get(name)))


def texts_of(tasks: Iterable[Task], environment: EnvironmentSpec | None) -> list[TaskText]:
    """What is compared of the tasks of a domain."""
    entities = _keys(environment) if environment else frozenset()
    return [
        TaskText(task.id, " ".join(_words(task.instruction)), " ".join(_masked(task, entities)), _calls(task, entities))
        for task in tasks
    ]


def compared(texts: Iterable[TaskText]) -> dict[str, GateOutcome]:
    """Task id -> the gate's outcome among all of these tasks."""
    ordered = sorted(texts, key=lambda each: each.id)
    calls = Counter(text.calls for text in ordered)
    same_words, same_task = _Index(), _Index()
    outcomes: dict[str, GateOutcome] = {}
    for text, words, of_words in _hashed(ordered, lambda text: text.said):
        reasons = list(_same_words(words, same_words.near(of_words)))
        if not reasons and calls[text.calls] > 1:
            [(_, masked, of_masked)] = _hashed([text], lambda text: text.masked)
            reasons = list(_same_for_another(text.calls, masked, same_task.near(of_masked)))
            if not reasons:
                same_task.add(text, of_masked)
        if not reasons:
            same_words.add(text, of_words)
        outcomes[text.id] = (
            outcome("distinct", reasons[:1])
            if text.said
            else not_evaluated("distinct", "the task carries no instruction", passed=True)
        )
    return outcomes


def shingles(text: str) -> Shingles:
    """The text as its word 3-grams; a shorter one is one gram. Case, punctuation and spelling variants are folded."""
    return _grams(_words(text))


def similarity(one: Collection[object], other: Collection[object]) -> float:
    """Jaccard similarity of two sets; that of two empty ones is 0."""
    shared = len(set(one) & set(other))
    return shared / (len(one) + len(other) - shared) if shared else 0.0


class _Index:
    """Kept tasks, found again by what may be near them."""

    def __init__(self) -> None:
        from rensa import RMinHashLSH

        self._index = RMinHashLSH(threshold=NEAR, num_perm=_HASHES, num_bands=_BANDS)
        self._kept: list[tuple[TaskText, Any]] = []

    def add(self, text: TaskText, hashes: Any) -> None:
        self._index.insert(len(self._kept), hashes)
        self._kept.append((text, hashes))

    def near(self, hashes: Any) -> list[TaskText]:
        """In the order in which they were kept."""
        found = (self._kept[place] for place in sorted(set(self._index.query(hashes))))
        return [text for text, its_own in found if hashes.jaccard(its_own) > _MAYBE_NEAR]


def _hashed(texts: Sequence[TaskText], read: Callable[[TaskText], str]) -> Iterator[tuple[TaskText, Shingles, Any]]:
    """Each with the grams of its words, and their hashes."""
    from rensa import RMinHash

    for first in range(0, len(texts), _HASHED_AT_ONCE):
        some = texts[first : first + _HASHED_AT_ONCE]
        grams = [_grams(read(text).split()) for text in some]
        tokens = [sorted(map(" ".join, each)) for each in grams]
        yield from zip(some, grams, RMinHash.from_token_sets(tokens, num_perm=_HASHES, seed=0), strict=True)


def _words(text: str) -> list[str]:
    return _WORD.findall(fold(text))


def _masked(task: Task, entities: frozenset[str]) -> list[str]:
    named = {
        word
        for call in task.golden_calls
        for _, leaf in leaves(call.arguments)
        if isinstance(leaf, str) and leaf in entities
        for word in _words(leaf)
    }
    words = _words(task.instruction)
    return [_ENTITY if word in named or any(map(str.isdigit, word)) else word for word in words]


def _calls(task: Task, entities: frozenset[str]) -> str:
    numbers: dict[str, int] = {}
    return canonical_json([[call.name, _anonymous(call, entities, numbers)] for call in task.golden_calls])


def _anonymous(call: GoldenCall, entities: frozenset[str], numbers: dict[str, int]) -> Json:
    arguments: Json = dict(call.arguments)
    for path, leaf in leaves(call.arguments):
        if isinstance(leaf, str) and leaf in entities:
            arguments = replaced(arguments, path, f"{_ENTITY}{numbers.setdefault(leaf, len(numbers))}")
    return arguments


def _same_words(words: Shingles, kept: Iterable[TaskText]) -> Iterator[str]:
    for other in kept:
        near = similarity(words, _grams(other.said.split()))
        if near > NEAR:
            yield f"a near-duplicate of {other.id}: their instructions have a Jaccard similarity of {near:.2f}"


def _same_for_another(calls: str, masked: Shingles, kept: Iterable[TaskText]) -> Iterator[str]:
    for other in kept:
        near = similarity(masked, _grams(other.masked.split())) if other.calls == calls else 0.0
        if near > NEAR:
            yield (
                f"{other.id} for other entities: the golden calls are equal up to entities, and so are the "
                f"instructions, with a Jaccard similarity of {near:.2f}"
            )


def _grams(words: Sequence[str]) -> Shingles:
    if not words:
        return frozenset()
    return frozenset(tuple(words[at : at + _WORDS_TOGETHER]) for at in range(max(1, len(words) - _WORDS_TOGETHER + 1)))


def _keys(environment: EnvironmentSpec) -> frozenset[str]:
    """The keys of all records."""
    return frozenset(key for table in environment.database.values() if isinstance(table, dict) for key in table)
