"""Reads a user's words back into goals of task programs, by the templates that could have worded them.

Lines are joined by what `toolscale/programs/words.py` says; those that no template words are small talk and left out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any, NamedTuple

from toolscale.artifacts import Bound, DrawnTwist, Fact, Facts, Goal, ProgramTwist, TaskProgram
from toolscale.programs.words import AGAIN, CORRECTION, LEADS, TOTAL, spelt_as
from toolscale.reference.domain import ReferenceDomain, reference_domain
from toolscale.reference.recogniser import UserRequest, understand
from toolscale.reference.voices import VOICES
from toolscale.templates.template import compiled, literal_length, recognise


class Request(NamedTuple):
    """What a user's words come to."""

    goals: tuple[Goal, ...] = ()
    """In order. What a user only describes is not among the facts, nor who they are if they did not say it."""
    known: bool = False
    """Whether the user said who they are."""
    fixed: int = 0
    """Letters of fixed text in the templates of the requests: of two readings, the one with more is meant."""


def read_back(domain_name: str, text: str) -> UserRequest | Request:
    """What the words come to: in the domain's own programs, or in its task programs, whichever say more of them."""
    own, drawn = understand(domain_name, text), requests_in(domain_name, text)
    return drawn if drawn.fixed > own.fixed else own


@lru_cache(maxsize=2048)
def requests_in(domain_name: str, text: str) -> Request:
    """The goals that the words of a domain's task programs put so."""
    domain = reference_domain(domain_name)
    if not domain.task_programs:
        return Request()
    reading = _Reading(domain)
    for line in map(str.strip, text.splitlines()):
        reading.hear(line)
    return reading.request()


@dataclass
class _Wanted:
    """A goal as it is heard."""

    program: TaskProgram
    text: str
    """The template of its request."""
    facts: Facts
    twists: list[DrawnTwist]
    joined: str = "also"
    bound: Bound | None = None
    at_first: Fact | None = None
    repeats: list[Fact] = field(default_factory=list)
    totals: list[str] = field(default_factory=list)


class _Lead(NamedTuple):
    """What leads over to a request, and the request without it."""

    joined: str
    called: str
    above: float | None
    below: float | None
    rest: str


class _Reading:
    """One message, line by line."""

    def __init__(self, domain: ReferenceDomain) -> None:
        self._domain = domain
        self._wanted: list[_Wanted] = []
        self._others: list[str] = []
        """Lines that word no request, among them who the user is."""
        self._fixed = 0

    def hear(self, line: str) -> None:
        """Take in one line."""
        lead = _lead(line) if self._wanted else None
        bound = self._bound(lead) if lead else None
        if lead and lead.joined == "if" and bound is None:
            lead = None
        if lead is None and self._wanted and self._adds(line, self._wanted[-1]):
            return
        found = self._request(lead.rest if lead else line)
        if found is None:
            self._others.append(line)
            return
        wanted, fixed = found
        if lead:
            wanted.joined, wanted.bound = lead.joined, bound
        self._wanted.append(wanted)
        self._fixed += fixed

    def request(self) -> Request:
        """What all lines come to."""
        if not self._wanted:
            return Request()
        first = self._wanted[0].program
        known = self._identity(first)
        goals = []
        for wanted in self._wanted:
            facts = {**known, **wanted.facts} if wanted.program.name == first.name else dict(wanted.facts)
            if first.user in known:
                facts.setdefault(wanted.program.user, known[first.user])
            goals.append(
                Goal.model_validate(
                    {
                        "program": wanted.program.name,
                        "draw": "",
                        "facts": facts,
                        "twists": wanted.twists,
                        "repeats": wanted.repeats,
                        "at_first": wanted.at_first,
                        "totals": wanted.totals,
                        "joined": wanted.joined,
                        "bound": wanted.bound,
                    }
                )
            )
        said = all(wanted.program.user in goal.facts for wanted, goal in zip(self._wanted, goals, strict=True))
        return Request(tuple(goals), said, self._fixed)

    def _request(self, line: str) -> tuple[_Wanted, int] | None:
        """The request that a line words, by the template with the most fixed text."""
        opened = _openings(self._domain.name).match(line)
        found = [
            (literal_length(wording.text), program, wording.text, facts)
            for said in dict.fromkeys((line[opened.end() :] if opened else line, line))
            for program in self._domain.task_programs
            for wording in program.wordings
            if (facts := recognise(wording.text, said)) is not None
        ]
        if not found:
            return None
        fixed, program, text, facts = max(found, key=lambda each: each[0])
        return _Wanted(program, text, facts, list(_described(program, facts))), fixed

    def _adds(self, line: str, last: _Wanted) -> bool:
        """Whether the line adds to the last request, which takes it in then."""
        program = last.program
        additions: list[tuple[int, Any]] = []
        for twist in program.twists:
            for template in () if twist.replaces else twist.wordings:
                if (drawn := _drawn(twist, template, line, last.facts)) is not None:
                    additions.append((literal_length(template), drawn))
        if additions:
            last.twists.append(max(additions, key=lambda each: each[0])[1])
            return True
        if program.again and (read := recognise(spelt_as(AGAIN, last.text, program.again), line)):
            last.repeats.append(read["again"])
        elif program.changes and (read := _corrected(program, last.text, line)):
            last.at_first, last.facts[program.changes] = last.facts[program.changes], read["instead"]
        elif (read := recognise(TOTAL, line)) and (name := _called(program, read["called"])):
            last.totals.append(name)
        else:
            return False
        return True

    def _bound(self, lead: _Lead) -> Bound | None:
        """What a request hangs on: an answer to the latest goal before it that has one so called."""
        for place in reversed(range(len(self._wanted))):
            if lead.called and (name := _called(self._wanted[place].program, lead.called)):
                return Bound(goal=place, answer=name, above=lead.above, below=lead.below)
        return None

    def _identity(self, program: TaskProgram) -> Facts:
        """Who the user is, and what else they say with it. A key is one word, so that no sentence is taken for one."""
        found: list[tuple[int, Facts]] = []
        for line in self._others:
            for template in {wording.known for wording in program.wordings}:
                facts = recognise(template, line)
                if facts and " " not in str(facts.get(program.user, " ")):
                    found.append((literal_length(template), facts))
        return max(found, key=lambda each: each[0])[1] if found else {}


def _described(program: TaskProgram, facts: Facts) -> Iterator[DrawnTwist]:
    """The twists by which a user describes a value, which is no fact then."""
    for twist in program.twists:
        phrase = facts.get(twist.replaces)
        if isinstance(phrase, str):
            others = {name: value for name, value in facts.items() if name != twist.replaces}
            drawn = (_drawn(twist, template, phrase, others) for template in twist.wordings)
            if read := next((each for each in drawn if each is not None), None):
                del facts[twist.replaces]
                yield read


def _drawn(twist: ProgramTwist, template: str, said: str, facts: Facts) -> DrawnTwist | None:
    """The twist with the facts that it adds, if the template words what is said; it may name others again."""
    read = recognise(template, said)
    if read is None or any(facts.get(name, value) != value for name, value in read.items()):
        return None
    return DrawnTwist(name=twist.name, facts={name: value for name, value in read.items() if name not in facts})


def _corrected(program: TaskProgram, text: str, line: str) -> Facts | None:
    """What a line takes back, and what it says instead, if it is a correction of the request."""
    templates = program.corrections or [CORRECTION]
    read = (recognise(spelt_as(each, text, program.changes), line) for each in templates)
    return next((facts for facts in read if facts is not None), None)


def _called(program: TaskProgram, called: str) -> str:
    """The answer that is so called; empty if there is none."""
    return next((name for name, answer in program.answers.items() if answer.called == called), "")


def _lead(line: str) -> _Lead | None:
    """What leads over to the request in a line, if anything does."""
    for joined, templates in LEADS.items():
        for pattern in map(compiled, templates):
            if match := pattern.regex.match(line):
                said = pattern.facts(match) or {}
                return _Lead(
                    joined,
                    str(said.get("called", "")),
                    _figure(said.get("above")),
                    _figure(said.get("below")),
                    line[match.end() :],
                )
    return None


def _figure(said: object) -> float | None:
    try:
        return None if said is None else float(str(said))
    except ValueError:
        return None


@cache
def _openings(domain_name: str) -> re.Pattern[str]:
    """Matches what a voice says before a first request; nothing if it says nothing."""
    sentences = [
        *(text for voice in VOICES.values() for text in (voice.openings, voice.asides)),
        *reference_domain(domain_name).about.asides,
    ]
    spoken = "|".join(compiled(text).regex.pattern for text in sentences)
    return re.compile(rf"(?:(?:{spoken}) +)*", re.IGNORECASE)
