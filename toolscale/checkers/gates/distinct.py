"""Gate: the task is not a near-duplicate of a kept one, neither by its words nor as the same task for another entity.

MinHash finds the pairs that may be near, and their exact Jaccard similarity decides. Which of two stays follows from
their ids, so the order in which tasks came does not matter.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from toolscale.artifacts import EnvironmentSpec, GateOutcome, GoldenCall, Json, Task, canonical_json
from toolscale.checkers.gates.outcomes import not_evaluated, outcome
from toolscale.checkers.values import leaves, replaced
from toolscale.checkers.wording import fold

NEAR = 0.85
"""Two texts with a greater Jaccard similarity are near-duplicates."""

_WORDS_TOGETHER = 3
_HASHES, _BANDS = 128, 32
"""A pair at `NEAR` shares none of 32 bands of 4 hashes once in 10^10: what MinHash misses is not worth looking for."""

_WORD = re.compile(r"\w+(?:[-'.:]\w+)*")
_ENTITY = "\N{BULLET}"

Shingles = frozenset[tuple[str, ...]]


def distinct(tasks: Sequence[Task], environments: Mapping[str, EnvironmentSpec]) -> dict[str, GateOutcome]:
    """Task id -> the gate's outcome. Of near-duplicates the one with the smallest id passes.

    `environments` has each task's domain; its database says which values are names of entities.
    """
    entities = {domain: _keys(environment) for domain, environment in environments.items()}
    texts = [_Text(task, entities.get(task.domain, frozenset())) for task in sorted(tasks, key=lambda each: each.id)]
    candidates = _candidates([text.shingles for text in texts])
    kept: set[int] = set()
    alike: dict[str, list[int]] = defaultdict(list)
    outcomes = {}
    for position, text in enumerate(texts):
        before = sorted(kept.intersection(candidates[position]))
        reasons = [*_same_words(text, (texts[each] for each in before))]
        reasons += _same_for_another(text, (texts[each] for each in alike[text.calls]))
        if not reasons:
            kept.add(position)
            alike[text.calls].append(position)
        outcomes[text.task.id] = (
            outcome("distinct", reasons[:1])
            if text.shingles
            else not_evaluated("distinct", "the task carries no instruction", passed=True)
        )
    return outcomes


def shingles(text: str) -> Shingles:
    """The text as its word 3-grams; a shorter one is one gram. Case, punctuation and spelling variants are folded."""
    return _grams(_WORD.findall(fold(text)))


def similarity(one: Collection[object], other: Collection[object]) -> float:
    """Jaccard similarity of two sets; that of two empty ones is 0."""
    shared = len(set(one) & set(other))
    return shared / (len(one) + len(other) - shared) if shared else 0.0


@dataclass(frozen=True)
class _Text:
    """A task as the gate sees it."""

    task: Task
    entities: frozenset[str]

    @cached_property
    def shingles(self) -> Shingles:
        return shingles(self.task.instruction)

    @cached_property
    def calls(self) -> str:
        """The golden calls with each entity's name replaced by its number, in the order of first mention."""
        numbers: dict[str, int] = {}
        return canonical_json([[call.name, self._anonymous(call, numbers)] for call in self.task.golden_calls])

    @cached_property
    def anonymous(self) -> Shingles:
        """The instruction's grams, with whatever names an entity or a figure masked."""
        named = {
            word
            for call in self.task.golden_calls
            for _, leaf in leaves(call.arguments)
            if isinstance(leaf, str) and leaf in self.entities
            for word in _WORD.findall(fold(leaf))
        }
        words = _WORD.findall(fold(self.task.instruction))
        return _grams([_ENTITY if word in named or any(map(str.isdigit, word)) else word for word in words])

    def _anonymous(self, call: GoldenCall, numbers: dict[str, int]) -> Json:
        arguments: Json = dict(call.arguments)
        for path, leaf in leaves(call.arguments):
            if isinstance(leaf, str) and leaf in self.entities:
                arguments = replaced(arguments, path, f"{_ENTITY}{numbers.setdefault(leaf, len(numbers))}")
        return arguments


def _same_words(text: _Text, kept: Iterator[_Text]) -> Iterator[str]:
    for other in kept:
        near = similarity(text.shingles, other.shingles)
        if near > NEAR:
            yield f"a near-duplicate of {other.task.id}: their instructions have a Jaccard similarity of {near:.2f}"


def _same_for_another(text: _Text, kept: Iterator[_Text]) -> Iterator[str]:
    for other in kept:
        near = similarity(text.anonymous, other.anonymous)
        if near > NEAR:
            yield (
                f"{other.task.id} for other entities: the golden calls are equal up to entities, and so are the "
                f"instructions, with a Jaccard similarity of {near:.2f}"
            )


def _grams(words: Sequence[str]) -> Shingles:
    if not words:
        return frozenset()
    return frozenset(tuple(words[at : at + _WORDS_TOGETHER]) for at in range(max(1, len(words) - _WORDS_TOGETHER + 1)))


def _candidates(texts: Sequence[Shingles]) -> list[list[int]]:
    """For each text the positions of those that may be near it."""
    from rensa import RMinHash, RMinHashLSH

    index = RMinHashLSH(threshold=NEAR, num_perm=_HASHES, num_bands=_BANDS)
    hashes = RMinHash.from_token_sets([sorted(map(" ".join, text)) for text in texts], num_perm=_HASHES, seed=0)
    index.insert_many(hashes)
    return [list(found) for found in index.query_all(hashes)]


def _keys(environment: EnvironmentSpec) -> frozenset[str]:
    """The keys of all records."""
    return frozenset(key for table in environment.database.values() if isinstance(table, dict) for key in table)
