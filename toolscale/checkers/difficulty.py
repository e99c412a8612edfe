"""What makes a task hard, read from what its golden calls and facts do and not from what its author claims.

| type | told by |
| --- | --- |
| look-up | a fact, or an argument of a write, that the user does not say stands in a result |
| multi-hop | what tells it was itself asked with an argument that an earlier read found out |
| dependent | an argument of a write comes from an earlier write, or from a read that shows what that write changed |
| arithmetic | a fact or an argument is a figure that nothing states, but a small sum, share or the like of some |
| conditional | the user states a condition: read from the words |
| refusal | no golden call writes where the user asks for what a function would write, or an assertion says "refused" |
| recovery | the user states a condition and names another entry, by its key, with which a golden write is refused |
"""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice

from toolscale.artifacts import DIFFICULTIES, Call, CallOutcome, Difficulty, GoldenCall, Json, Task
from toolscale.artifacts.base import JsonPath
from toolscale.checkers.arithmetic import Figures, figure_of, worked_out
from toolscale.checkers.context import GateContext
from toolscale.checkers.parameters import enumerated
from toolscale.checkers.phrasing import worded
from toolscale.checkers.results import holds, readable
from toolscale.checkers.values import leaves, replaced
from toolscale.checkers.wording import fold, stands_in
from toolscale.environment import equal

_COURTESY = re.compile(
    r"\bif (?:that is even |at all )?possible|\bif you (?:can|could|would|please|don't|do not)\b|\bas if\b"
    r"|\bif needed\b|\b(?:know|see|check|tell me|ask(?:ed)?|wonder(?:ing)?|sure|hear) if\b"
    r"|\bif i (?:may|understand|remember)\b"
)
_CONDITION = re.compile(
    r"\b(?:if|unless|otherwise|provided(?: that)?|as long as|in (?:that|the) case|in case|failing (?:that|which)"
    r"|subject to|depending on|or else)\b|[,;:] else\b"
    r"|(?:^|[.,;:!?] |\band |\bbut )should (?:that|this|it|there|they|none|no|my|the)\b"
)
_REFUSED = re.compile(
    r"\b(?:refus\w+|declin\w+|den(?:y|ies|ied)|(?:should|must|do(?:es)?|can|may) ?not (?:be )?"
    r"(?:cancel|change|modify|book|offer|refund|process|proceed|exchange|return|approve|issue|compensate|update)\w*)\b",
    re.IGNORECASE,
)
_ASKING = r"(?:please|kindly|(?:want|wish|like|need|have) (?:you )?to|(?:can|could|would) you|^)"
_MOST_WISHES = 4
"""Other entries that the user names of which each is tried in a golden write."""


def difficulty_of(task: Task, context: GateContext) -> list[Difficulty]:
    """The types of difficulty that a task has, in the order of `DIFFICULTIES`.

    Its golden calls must return; of a task that is judged on what is said alone, only the words are read.
    """
    golden = context.golden(task)
    if golden.faults:
        return []
    return _Reading(task, golden.replay.outcomes, context).types


class _Reading:
    """A task's golden calls with what is asked of them."""

    def __init__(self, task: Task, outcomes: Sequence[CallOutcome], context: GateContext) -> None:
        self.task, self.outcomes, self.context = task, outcomes, context
        self.instruction = fold(task.instruction)
        self.texts = [readable(done.result) for done in outcomes]

    @property
    def types(self) -> list[Difficulty]:
        """All types that hold."""
        held = {
            "look-up": bool(self.tellers),
            "multi-hop": any(self._asked_with_a_find(at) for at in self.tellers),
            "arithmetic": self._works_out(),
            "conditional": self.conditional,
            "refusal": self._refuses(),
            "recovery": self._recovers(),
            "dependent": self._depends(),
        }
        return [name for name in DIFFICULTIES if held[name]]

    @cached_property
    def conditional(self) -> bool:
        """Whether the user states a condition, as far as words tell."""
        return bool(_CONDITION.search(_COURTESY.sub(" ", self.instruction)))

    @cached_property
    def tellers(self) -> set[int]:
        """Reads that tell a fact, or an argument of a write, directly or by way of another such read."""
        everywhere = range(len(self.outcomes))
        facts = {self._first(fact, everywhere) for fact in self.task.communicate_info if not self._said(fact)}
        waiting = [at for at in facts if at is not None]
        waiting += [at for position, _ in self._writes() for at in self._sources(position)]
        found: set[int] = set()
        while waiting:
            at = waiting.pop()
            if at not in found and not self.outcomes[at].wrote:
                found.add(at)
                waiting += self._sources(at)
        return found

    def _asked_with_a_find(self, position: int) -> bool:
        return any(not self.outcomes[at].wrote for at in self._sources(position))

    def _depends(self) -> bool:
        """Whether an argument of a write is what an earlier write led to."""
        return any(
            source is not None and self._owed_to_a_write(source, value)
            for at, done in self._writes()
            for _, value in self._found_arguments(done)
            for source in (self._first(value, range(at)),)
        )

    def _owed_to_a_write(self, at: int, value: Json) -> bool:
        """Whether a call told a value as it wrote, or tells it only since one before it wrote.

        What stood in an entry before it was written is no outcome: many functions return the whole record.
        """
        if any(
            _any_equal(value, [leaf for _, leaf in leaves(dict(each.arguments))]) for each in self.outcomes[: at + 1]
        ):
            return False  # it is told what it was given
        done = self.outcomes[at]
        if done.wrote:
            return not any(holds(text, value) for text in self._records_before(done))
        changed = {entry for earlier in self.outcomes[:at] for entry in earlier.wrote}
        if not changed & {*done.looked_up} and not {entry.table for entry in changed} & {*done.scanned}:
            return False
        (untouched,) = self.context.sandbox.run([self.task.golden_calls[at]], self.task.start).outcomes
        return not holds(readable(untouched.result), value)

    def _records_before(self, done: CallOutcome) -> Iterator[str]:
        """The entries that a call worked on, as they were before any call."""
        for entry in (*done.looked_up, *done.wrote):
            table = self.context.facts.spec.database.get(entry.table)
            if isinstance(table, dict) and entry.key in table:
                yield readable(table[entry.key])

    def _sources(self, position: int) -> list[int]:
        """The calls that first told the arguments of a call that the user does not say."""
        found = (self._first(value, range(position)) for _, value in self._found_arguments(self.outcomes[position]))
        return [at for at in found if at is not None]

    def _first(self, value: Json, positions: Sequence[int]) -> int | None:
        return next((at for at in positions if holds(self.texts[at], value)), None)

    def _writes(self) -> Iterator[tuple[int, CallOutcome]]:
        return ((at, done) for at, done in enumerate(self.outcomes) if self.context.facts.is_write(done))

    def _found_arguments(self, done: CallOutcome) -> Iterator[tuple[JsonPath, Json]]:
        """Arguments that neither the user says nor the parameters list."""
        parameters = self.context.facts.parameters.get(done.name, {})
        arguments: dict[str, Json] = done.arguments
        for path, value in leaves(arguments):
            listed = value is None or isinstance(value, bool) or _any_equal(value, enumerated(parameters, path))
            if not listed and not self._said(value):
                yield path, value

    def _said(self, value: Json) -> bool:
        return worded(value, self.instruction, self.context.facts.spec.now)

    def _works_out(self) -> bool:
        """Whether a figure is told, or written, that no result and no word of the user states."""
        unstated = [
            (figure, len(self.outcomes))
            for fact in self.task.communicate_info
            if not self._said(fact) and not any(holds(text, fact) for text in self.texts)
            for figure in (figure_of(fact),)
        ]
        unstated += [
            (figure_of(str(value)), at)
            for at, done in self._writes()
            for _, value in self._found_arguments(done)
            if isinstance(value, int | float) and self._first(value, range(at)) is None
        ]
        return any(
            figure is not None
            and worked_out(figure, Figures.of([done.result for done in self.outcomes[:before]], self.task.instruction))
            for figure, before in unstated
        )

    def _refuses(self) -> bool:
        if any(_REFUSED.search(said) for said in self.task.nl_assertions):
            return True
        if any(True for _ in self._writes()) or not self.task.database_judged:
            return False
        verbs = {name.split("_")[0] for name, kind in self.context.facts.kinds.items() if kind == "write"}
        verb = "|".join(map(re.escape, sorted(verbs)))
        return bool(verbs) and bool(re.search(rf"{_ASKING}(?: \w+)? (?:{verb})\b", self.instruction))

    def _recovers(self) -> bool:
        """Whether a golden write is refused with another entry that the user names in place of one of its own."""
        if not self.conditional:
            return False
        return any(
            self._is_refused(at, replaced(dict(done.arguments), path, other))
            for at, done in self._writes()
            for path, value in leaves(dict(done.arguments))
            for other in self._wished(value)
        )

    def _wished(self, value: Json) -> list[str]:
        """Keys beside a key that the user names and no golden write takes."""
        if not isinstance(value, str):
            return []
        taken = [leaf for _, done in self._writes() for _, leaf in leaves(dict(done.arguments))]
        wished = (
            key
            for key in self.context.facts.keys_beside(value)
            if fold(key) in self.instruction and stands_in(fold(key), self.instruction) and key not in taken
        )
        return list(islice(wished, _MOST_WISHES))

    def _is_refused(self, at: int, arguments: dict[str, Json]) -> bool:
        """Whether the call errs with these arguments, or breaks a rule of the environment."""
        sandbox = self.context.sandbox
        before: list[Call | GoldenCall] = [*self.task.golden_calls[:at]]
        tried = sandbox.run([*before, Call(name=self.outcomes[at].name, arguments=arguments)], self.task.start)
        if not tried.ok:
            return tried.alive
        return any(broken.position == at for broken in (sandbox.broken_rules(tried) if sandbox.spec.rules else ()))


def _any_equal(value: Json, others: Sequence[Json]) -> bool:
    return any(equal(value, other) for other in others)
