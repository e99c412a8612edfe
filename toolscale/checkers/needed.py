"""What an agent must have looked at: the look-ups behind operation completeness (paper, section 4).

A golden read is needed where something comes from it: a fact to tell, an argument of a later call that is a write or
needed itself; or where the policy names its function. It asks for the entries that its arguments name, not for what the
function joined along the way.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toolscale.artifacts import CallOutcome, EntryRef, EnvironmentSpec, Json, Task
from toolscale.checkers.parameters import enumerated
from toolscale.checkers.phrasing import worded
from toolscale.checkers.results import holds, readable
from toolscale.checkers.values import leaves, spoken
from toolscale.checkers.wording import fold
from toolscale.environment import Replay, equal

Entries = tuple[EntryRef, ...]
"""Entries that one read shows, sorted."""


@dataclass(frozen=True)
class Need:
    """Something to find out: the golden reads that tell it, each as the entries it shows. One of them is enough."""

    ways: tuple[Entries, ...]

    def met(self, outcomes: Sequence[CallOutcome]) -> bool:
        """Whether the calls saw all entries of one way."""
        return any(saw(outcomes, way) for way in self.ways)


def saw(outcomes: Sequence[CallOutcome], entries: Entries) -> bool:
    """Whether the calls saw every entry: looked it up or wrote it, or have its key in what a scan of its table gave."""
    return all(any(_shows(done, entry) for done in outcomes) for entry in entries)


def needs(task: Task, replay: Replay, spec: EnvironmentSpec) -> list[Need]:
    """What the task's golden calls, which all returned, had to find out by reading."""
    return _Needs(task, replay, spec).found()


class _Needs:
    """Follows facts and arguments back to the golden reads that they come from."""

    def __init__(self, task: Task, replay: Replay, spec: EnvironmentSpec) -> None:
        self.task, self.outcomes, self.spec = task, replay.outcomes, spec
        self.instruction = fold(task.instruction)
        self.parameters = {function.name: function.parameters for function in spec.callable}
        self.declared_writes = {function.name for function in spec.callable if function.kind == "write"}
        self.texts = [readable(done.result) for done in replay.outcomes]
        self.named = [_named(done) for done in replay.outcomes]
        self.needed: set[int] = set()
        self.needs: dict[Need, None] = {}

    def found(self) -> list[Need]:
        for fact in self.task.communicate_info:
            self._trace_fact(fact)
        # From the last to the first: by the time a read is reached, all that may need it has been seen.
        for position in reversed(range(len(self.outcomes))):
            done = self.outcomes[position]
            if not done.wrote and _mentions(self.spec.policy, done.name):
                self._require([position])
            if done.wrote or done.name in self.declared_writes or position in self.needed:
                for value in self._arguments(done):
                    self._trace_argument(value, position)
        if not self.needs and self.task.communicate_info and not any(done.wrote for done in self.outcomes):
            self._require_any()
        return list(self.needs)

    def _require_any(self) -> None:
        """Of a question that searches answer, ask for some entry that they looked up: who recites looks up none."""
        if touched := sorted({entry for done in self.outcomes for entry in done.looked_up}):
            self.needs[Need(tuple((entry,) for entry in touched))] = None

    def _trace_fact(self, fact: str) -> None:
        if worded(fact, self.instruction, self.spec.now):
            return
        everywhere = range(len(self.outcomes))
        # A fact that stands in no result was worked out from some of them, and nobody can say from which.
        self._require([at for at in everywhere if holds(self.texts[at], fact)] or everywhere)

    def _trace_argument(self, value: Json, position: int) -> None:
        first_use = next(at for at in range(position + 1) if _uses(self.outcomes[at], value))
        self._require([at for at in range(first_use) if holds(self.texts[at], value)])

    def _require(self, sources: Sequence[int]) -> None:
        """Note that one of these calls must have been made, or one that shows the same."""
        if any(self.outcomes[at].wrote for at in sources):
            return  # it is told to whoever writes
        if len(sources) == 1:
            self.needed.add(sources[0])
        ways = {self._way(at, sources) for at in sources}
        if ways and () not in ways:
            self.needs[Need(tuple(sorted(ways)))] = None

    def _way(self, at: int, sources: Sequence[int]) -> Entries:
        """The entries that a read names. A search names none, and stands for those of the others that it shows."""
        of_others = {entry for other in sources for entry in self.named[other]}
        return self.named[at] or tuple(entry for entry in sorted(of_others) if _shows(self.outcomes[at], entry))

    def _arguments(self, done: CallOutcome) -> Iterator[Json]:
        """The values that the agent has to find: the user does not say them and the parameters do not list them."""
        parameters = self.parameters.get(done.name, {})
        arguments: dict[str, Json] = done.arguments
        for path, value in leaves(arguments):
            listed = value is None or isinstance(value, bool) or _any_equal(value, enumerated(parameters, path))
            if not listed and not worded(value, self.instruction, self.spec.now):
                yield value


def _named(done: CallOutcome) -> Entries:
    """The entries that a call looked up by a key that its arguments give."""
    given = {str(value) for _, value in leaves(dict(done.arguments))}
    return tuple(sorted({entry for entry in done.looked_up if entry.key in given}))


def _shows(done: CallOutcome, entry: EntryRef) -> bool:
    if entry in done.looked_up or entry in done.wrote:
        return True
    return done.ok and entry.table in done.scanned and any(text == entry.key for text in spoken(done.result))


def _uses(done: CallOutcome, value: Json) -> bool:
    return any(equal(value, leaf) for _, leaf in leaves(dict(done.arguments)))


def _any_equal(value: Json, others: Sequence[Json]) -> bool:
    return any(equal(value, other) for other in others)


def _mentions(policy: str, function: str) -> bool:
    """Whether the policy names the function: as code, or in its own words ("get the customer", "check a student's
    eligibility"). One whose name is an ordinary word has to stand there as code."""
    name = re.escape(function)
    if "_" not in function:
        return bool(re.search(rf"`{name}\b|\b{name}\(", policy))
    in_words = _BETWEEN.join(map(re.escape, function.split("_")))
    return bool(re.search(rf"\b{name}\b|\b{in_words}\b", policy, re.IGNORECASE))


_BETWEEN = r"(?:\s+(?:the|an?|each|every|any|their|his|her|its|your|\w+['\u2019]s))*\s+"
