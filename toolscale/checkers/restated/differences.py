"""What a request in other words loses or adds, held against the request that it stands for.

Only the facts and the old words are believed. What cannot be told apart from a change is one: the old words are sound,
so nothing is lost with the new ones.
"""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from toolscale.artifacts import FactKind, Goal, Task
from toolscale.checkers.asked import AskedItem, questions
from toolscale.checkers.facts import EnvironmentFacts
from toolscale.checkers.parameters import enumerated
from toolscale.checkers.restated.marks import MARK, Marked, described, marked, readable, values_of
from toolscale.checkers.restated.names import names_of_records, true_names
from toolscale.checkers.restated.senses import (
    Senses,
    denied_acts,
    denied_values,
    directions,
    senses_of,
    superlatives,
)
from toolscale.checkers.restated.stems import stem, stems
from toolscale.checkers.restated.wishes import (
    additions,
    dealings,
    is_known,
    is_spoken_of,
    names,
    others,
    promises,
    times,
    wishes,
)
from toolscale.checkers.said import fact_of
from toolscale.checkers.wording import fold, stands_in

_RIGHT = (
    r"(?:no,? wait|no|wait|sorry|i mean|i meant|meant|make (?:that|it)|rather(?! than)|actually|correction:?|should be"
    r"|instead(?! of))"
)
_WRONG = r"(?:not|instead of|rather than|said|wrote|put|wanted|thought|had|forget|scratch|strike|was going to say)"
_FEW_WORDS = r",?(?: (?!not\b|n't|instead|rather)[\w'-]+){0,3},? "
_DIRECT_QUESTION = re.compile(
    r"\b(?:when|what|how)\b (?:\w+ ){0,3}?"
    r"(?:is|are|was|were|do|does|did|will|would|can|could|has|have|must|should)\b[^.!?\n]*\?",
    re.IGNORECASE,
)
_NO_ACTS = frozenset(
    map(
        stem,
        [
            "worry",
            "hesitate",
            "forget",
            "mind",
            "guess",
            "believe",
            "think",
            "know",
            "care",
            "remember",
            "miss",
            "stop",
        ],
    )
)
"""What people say not to do and mean nothing by it: "don't worry"."""


@dataclass(frozen=True)
class Restated:
    """A request in other words: the new text, and of each fact to tell which of its words ask for it."""

    text: str
    asked: Mapping[str, str]


def differences(task: Task, new: Restated, facts: EnvironmentFacts) -> Iterator[str]:
    """What the new words lose, turn round or add, one sentence each; nothing if they say the same."""
    held = _Held(task, new, facts)
    yield from held.lost()
    yield from held.added()
    yield from held.turned()


@dataclass(frozen=True)
class _Held:
    """Two wordings of one request."""

    task: Task
    new: Restated
    facts: EnvironmentFacts

    def lost(self) -> Iterator[str]:
        """Facts that are not said any more, and questions that nobody asks."""
        for mark, value in self._before.marks.items():
            if mark not in self._after.marks and not described(value, self._after.text):
                yield f"{value!r} is gone"
        for fact in self.task.asked:
            words = self.new.asked.get(fact, "")
            if not words.strip() or words not in self.new.text:
                yield f"nothing asks for {fact!r}"

    def added(self) -> Iterator[str]:
        """Figures, names, times, claims, wishes and questions that are new."""
        yield from (f"{each!r} is new" for each in (*self._new_figures(), *self._new_names()))
        after, known = self._after.text, self._known_words
        yield from (f"{each!r} is new" for each in sorted(times(after) - times(known)))
        claimed = (dealings(after) - set(re.findall(r"\w+", known))) | (promises(after) - promises(known))
        yield from (f"it claims that something was done, {each!r}" for each in sorted(claimed))
        yield from (f"it is about {each!r} too" for each in sorted(others(after) - others(known)))
        for value in sorted(self._values_of_its_calls):
            if stands_in(value, after) and not stands_in(value, known):
                yield f"it says {value!r}, which a call could be given"
        yield from self._new_wishes()
        yield from self._new_questions()

    def turned(self) -> Iterator[str]:
        """Limits, conditions, superlatives, denials, ways and corrections that mean something else now."""
        yield from _turned_limits(self._old_senses, self._new_senses, self._after)
        yield from _turned_conditions(self._old_senses, self._new_senses)
        yield from self._lost_bounds()
        yield from self._turned_choices()
        yield from self._turned_denials()
        yield from self._turned_ways()
        yield from self._turned_corrections()

    def _new_figures(self) -> Iterator[object]:
        in_known = marked(self._known_info, values_of(self._goals), self.facts.spec.now)
        yield from sorted(self._after.other_figures - self._before.other_figures - in_known.other_figures)
        for mark in sorted(self._after.marks.keys() - self._before.marks.keys() - in_known.marks.keys()):
            yield self._after.marks[mark]

    def _new_names(self) -> Iterator[str]:
        known = self._all_that_is_known.casefold()
        yield from (name for name in sorted(names(self.new.text)) if name.casefold() not in known)
        said, before = fold(self.new.text), fold(self._all_that_is_known)
        for name in sorted(set(names_of_records(self.facts))):
            if name.casefold() in said and stands_in(fold(name), said) and not stands_in(fold(name), before):
                yield name

    def _new_wishes(self) -> Iterator[str]:
        known = self._spoken_of
        for verb, words in wishes(self._after.text):
            if not is_spoken_of(verb, words, known) and not self._asks(words):
                yield f"it also wants {' '.join(f'{verb}{words}'.split())!r}"
        for word in sorted(additions(self._after.text)):
            if not is_known(word, known):
                yield f"it also speaks of {word!r}"

    def _new_questions(self) -> Iterator[str]:
        kinds = {fact_of(fact, self.task.fact_kinds.get(fact)).kind for fact in self.task.asked}
        before = _unanswered(self._text, list(self.task.asked.values()), kinds)
        after = _unanswered(self.new.text, list(self.new.asked.values()), kinds)
        hanging = sum(
            goal.bound is not None for goal in self._goals
        )  # what they ask may not be told, so nothing quotes it
        unheard = [each for each in after if each.telling and not stems(each.text) & self._spoken_of]
        if unheard or len(after) > len(before) + hanging:
            yield f"it also asks {(unheard or after)[-1].text!r}"

    def _asks(self, words: str) -> bool:
        """Whether the words of a wish are those of a question."""
        asked = [readable(each).strip() for each in self.new.asked.values()]
        return any(each in words or words.strip() in each for each in asked)

    def _lost_bounds(self) -> Iterator[str]:
        for goal in self._goals:
            if goal.bound is not None:
                marks = {mark for mark, value in self._after.marks.items() if value == goal.bound.figure}
                if not any(marks & each.figures for each in self._new_senses.conditions):
                    yield f"nothing hangs on {goal.bound.figure:g}"

    def _turned_choices(self) -> Iterator[str]:
        old, new = self._old_senses.superlatives, self._new_senses.superlatives
        for kind in sorted(new - old - superlatives(self._known_words)):
            yield f"what is {kind!r} is asked for"
        for kind in sorted(old - new):
            yield f"what is {kind!r} is not asked for any more"

    def _turned_denials(self) -> Iterator[str]:
        old, before, after = self._old_senses, self._before.text, self._after.text
        if old.denied and not self._new_senses.denied and not old.conditions and not old.implied:
            yield "no denial is left"
        for verb in sorted(denied_acts(after) - denied_acts(before) - _NO_ACTS):
            yield f"something is not to be done now, {verb!r}"
        corrected = {mark for pair in self._alike.items() for mark in pair}
        for mark in sorted(denied_values(after) - denied_values(before) - corrected):
            yield f"{self._after.marks[mark]!r} is not what is meant any more"

    def _turned_ways(self) -> Iterator[str]:
        before = directions(self._before.text)
        for way, mark in sorted(directions(self._after.text) - before):
            if ("to" if way == "from" else "from", mark) in before:
                yield f"{self._after.marks[mark]!r} is where one goes {way}"

    def _turned_corrections(self) -> Iterator[str]:
        marks = {value: mark for mark, value in self._after.marks.items()}
        for wrong, right in self._corrected:
            if {wrong, right} <= marks.keys() and not _corrects(self._after.text, marks[wrong], marks[right]):
                yield f"it does not put {right!r} in place of {wrong!r}"

    @cached_property
    def _corrected(self) -> list[tuple[object, object]]:
        """What the user says first, and what they mean: the values of the second line that has the first."""
        found: list[tuple[object, object]] = []
        for goal in self._goals:
            lines = [self._values_in(line) for line in self._before.text.splitlines() if goal.at_first is not None]
            correction = [values for values in lines if goal.at_first in values][1:2]
            found += [(goal.at_first, value) for values in correction for value in values if value != goal.at_first]
        return found

    def _values_in(self, line: str) -> list[object]:
        return [self._before.marks[mark] for mark in re.findall(MARK, line)]

    @cached_property
    def _alike(self) -> dict[str, str]:
        """The mark of what is meant -> that of what was said first."""
        marks = {value: mark for mark, value in {**self._before.marks, **self._after.marks}.items()}
        return {marks[right]: marks[wrong] for wrong, right in self._corrected}

    @cached_property
    def _goals(self) -> Sequence[Goal]:
        return self.task.lineage.goals

    @cached_property
    def _before(self) -> Marked:
        return marked(self._text, values_of(self._goals), self.facts.spec.now)

    @cached_property
    def _after(self) -> Marked:
        return marked(self.new.text, values_of(self._goals), self.facts.spec.now)

    @cached_property
    def _old_senses(self) -> Senses:
        return senses_of(self._before, self._alike)

    @cached_property
    def _new_senses(self) -> Senses:
        return senses_of(self._after, self._alike)

    @cached_property
    def _text(self) -> str:
        return self.task.user_scenario.instructions.reason_for_call if self.task.user_scenario else ""

    @cached_property
    def _known_info(self) -> str:
        return self.task.user_scenario.instructions.known_info if self.task.user_scenario else ""

    @cached_property
    def _all_that_is_known(self) -> str:
        """All that may be said: the old words, who speaks, and the names of what the ids stand for."""
        persona = self.task.user_scenario.persona if self.task.user_scenario else ""
        called = [name for found in true_names(self.task, self.facts).values() for name in found]
        return "\n".join([self.task.instruction, persona, *called])

    @cached_property
    def _known_words(self) -> str:
        return readable(self._all_that_is_known)

    @cached_property
    def _spoken_of(self) -> set[str]:
        """The stems of what is known to be wanted: the old words, the purposes, what the golden calls do."""
        purposes = " ".join([self.task.intent, *self.task.nl_assertions])
        calls = " ".join(call.name.replace("_", " ") for call in self.task.golden_calls)
        return stems(self._known_words) | stems(purposes) | stems(calls)

    @cached_property
    def _values_of_its_calls(self) -> set[str]:
        """The values that parameters of its calls can take and that no call takes."""
        called = {call.name for call in self.task.golden_calls}
        offered = [
            value
            for function in self.facts.spec.functions
            if function.name in called
            for name in _properties(function.parameters)
            for value in enumerated(function.parameters, (name,))
        ]
        given = [value for call in self.task.golden_calls for value in call.arguments.values()]
        return {
            value.replace("_", " ").casefold() for value in offered if isinstance(value, str) and value not in given
        }


def _properties(parameters: Mapping[str, object]) -> list[str]:
    found = parameters.get("properties")
    return list(found) if isinstance(found, Mapping) else []


def _turned_limits(old: Senses, new: Senses, words: Marked) -> Iterator[str]:
    for figure, side in sorted(new.sides - old.sides - old.weak):
        yield f"{words.marks.get(figure, figure)!r} bounds now what is {side}"
    for figure, side in sorted(old.sides - new.sides - new.weak):
        yield f"{words.marks.get(figure, figure)!r} does not bound what is {side} any more"
    for figure, side in sorted(new.weak):
        if any(each == figure and other != side for each, other in old.sides | old.weak):
            yield f"{words.marks.get(figure, figure)!r} bounds now what is {side}"


def _turned_conditions(old: Senses, new: Senses) -> Iterator[str]:
    """Conditions without a figure; those with one are limits."""
    before, after = (sorted(each.done for each in senses.conditions if not each.figures) for senses in (old, new))
    if len(after) > len(before) + old.implied:
        yield "something hangs on a further condition"
    if len(after) + new.restated + new.implied < len(before):
        yield "a condition is gone"
    if len(before) == len(after) and before != after:
        yield "what hangs on a condition is done where it was not"


def _unanswered(text: str, asked: Sequence[str], kinds: Set[FactKind]) -> list[AskedItem]:
    """The questions of a text, on a condition or not, that none of the words cover which are known to ask.

    One that only says "what does it cost" may ask again for what is known to be asked.
    """
    found = list(questions(text, under_conditions=True))
    direct = (AskedItem(each[0], *each.span(), frozenset()) for each in _DIRECT_QUESTION.finditer(text))
    found += [each for each in direct if not any(_meet(each, (other.start, other.end)) for other in found)]
    spans = [each.span() for words in asked if words for each in re.finditer(re.escape(words), text)]
    return [each for each in found if not any(_meet(each, span) for span in spans) and not _asks_again(each, kinds)]


def _asks_again(question: AskedItem, kinds: Set[FactKind]) -> bool:
    return not question.telling - {"instead", "again"} and bool(question.kinds & kinds)


def _meet(question: AskedItem, span: tuple[int, int]) -> bool:
    return question.start < span[1] and span[0] < question.end


def _corrects(text: str, wrong: str, right: str) -> bool:
    """Whether marked words put one value in the place of another, and not the other way round."""
    so, otherwise = _signs(text, wrong, right), _signs(text, right, wrong)
    return so > otherwise or (so == otherwise > 0 and text.rfind(right) > text.rfind(wrong))


def _signs(text: str, wrong: str, right: str) -> int:
    return sum(
        re.search(rf"{words}{_FEW_WORDS}{value}", text) is not None
        for words, value in ((_WRONG, wrong), (_RIGHT, right))
    )
