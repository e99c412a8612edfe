"""Reads a user's words back into goals, by the templates that could have worded them."""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any, NamedTuple

from toolscale.reference.domain import ReferenceDomain, reference_domain
from toolscale.reference.program import Described, Goal, Program, Twist, calls
from toolscale.reference.voices import VOICES
from toolscale.templates.template import compiled, literal_length, recognise


class UserRequest(NamedTuple):
    """What a user's words come to: the goals in order, and who the user is, as far as was said."""

    goals: tuple[Goal, ...]
    user: Mapping[str, Any]
    fixed: int = 0
    """Letters of fixed text in the templates of the requests: of two readings, the one with more is meant."""


@lru_cache(maxsize=2048)
def understand(domain_name: str, text: str) -> UserRequest:
    """The goals in a text, one template a line; lines that no template words are small talk and left out."""
    domain = reference_domain(domain_name)
    goals: list[Goal] = []
    user: dict[str, Any] = {}
    fixed = 0
    for line in map(str.strip, text.splitlines()):
        if identity := _identity_in(line, domain):
            user.update(identity)
        elif goals and (twist := _twist_in(line, goals[-1].program, domain)):
            goals[-1] = goals[-1].with_twist(*twist)
        elif goals and (another := _again_in(line, goals[-1].program)):
            goals[-1] = replace(goals[-1], repeats=(*goals[-1].repeats, another))
        elif found := _matches(line, domain):
            length, program, facts = found[0]
            goals.append(replace(_goal(program, facts, domain), instead=_is_instead(line)))
            fixed += length
    return UserRequest(tuple(replace(goal, drawn={**user, **goal.drawn}) for goal in goals), user, fixed)


def programs_in(line: str, domain: ReferenceDomain) -> list[tuple[Program, dict[str, Any]]]:
    """Every program that could have worded the line, the one with the most fixed text first.

    What voices put before a request does not count.
    """
    return [(program, facts) for _, program, facts in _matches(line, domain)]


def _matches(line: str, domain: ReferenceDomain) -> list[tuple[int, Program, dict[str, Any]]]:
    """The same, with how much fixed text each has."""
    for said in dict.fromkeys((line, line[_before_a_request(domain.name).match(line).end() :])):  # type: ignore[union-attr]
        best: dict[str, tuple[int, Program, dict[str, Any]]] = {}
        for program in domain.programs:
            for template in program.voices.values():
                if (facts := recognise(template, said)) is not None:
                    match = (literal_length(template), program, facts)
                    best[program.name] = max(best.get(program.name, match), match, key=lambda each: each[0])
        if best:
            return sorted(best.values(), key=lambda each: -each[0])
    return []


@cache
def _before_a_request(domain_name: str) -> re.Pattern[str]:
    """Matches the openings, asides and connectors that a line begins with; nothing if there are none."""
    sentences = [
        *(text for voice in VOICES.values() for text in (voice.openings, voice.asides)),
        *reference_domain(domain_name).about.asides,
    ]
    connectors = "|".join(compiled(voice.connectors).regex.pattern for voice in VOICES.values())
    connectors = f"{connectors}|{_otherwise().pattern}"
    spoken = "|".join(compiled(text).regex.pattern for text in sentences)
    return re.compile(rf"(?:(?:{spoken}) +|{connectors})*", re.IGNORECASE)


@cache
def _otherwise() -> re.Pattern[str]:
    """Matches what leads over to a request that stands in for the one before."""
    return re.compile("|".join(compiled(voice.otherwise).regex.pattern for voice in VOICES.values()), re.IGNORECASE)


def _is_instead(line: str) -> bool:
    return _otherwise().match(line) is not None


def _goal(program: Program, facts: dict[str, Any], domain: ReferenceDomain) -> Goal:
    """The goal, with ids that are only described told from ids that are given."""
    described = []
    for description in domain.descriptions:
        phrase = facts.get(description.slot)
        for template in description.voices.values() if isinstance(phrase, str) else ():
            if (drawn := recognise(template, str(phrase))) is not None:
                described.append(Described(description, drawn))
                del facts[description.slot]
                break
    return Goal(program, facts, described=tuple(described))


def _identity_in(line: str, domain: ReferenceDomain) -> dict[str, Any] | None:
    """Who the user is. An identity is one word, so that a sentence is not taken for one."""
    templates = sorted(domain.about.identity.values(), key=literal_length, reverse=True)
    read = (recognise(template, line) for template in templates)
    return next((facts for facts in read if facts and " " not in str(facts[domain.identity])), None)


def _twist_in(line: str, program: Program, domain: ReferenceDomain) -> tuple[Twist, dict[str, Any]] | None:
    for twist in (*program.twists, *domain.twists):
        if twist.takes and not twist.of_all and not calls(program.solve, frozenset(twist.takes)):
            continue
        for template in twist.voices.values():
            facts = recognise(template, line)
            if facts is not None:
                return twist, facts
    return None


def _again_in(line: str, program: Program) -> str | None:
    """The further value of the slot that the program can repeat."""
    if not program.again:
        return None
    found = (recognise(voice.again, line) for voice in VOICES.values())
    return next((str(facts["again"]) for facts in found if facts), None)
