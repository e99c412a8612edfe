"""Reads a user's words back into goals, by the templates that could have worded them."""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

from toolscale.reference.domain import ReferenceDomain, reference_domain
from toolscale.reference.program import Goal, Program, Twist
from toolscale.reference.wording import literal_length, recognise

CONNECTORS: Mapping[str, str] = {
    "plain": "One more thing: ",
    "terse": "also: ",
    "chatty": "Oh, and while I have you: ",
    "formal": "In addition: ",
    "hurried": "And quickly: ",
    "non_native": "And also please: ",
}
"""Voice -> how a user goes on to a second goal."""


class Request(NamedTuple):
    """What a user's words come to: the goals in order, and who the user is, as far as was said."""

    goals: tuple[Goal, ...]
    user: Mapping[str, Any]


@lru_cache(maxsize=2048)
def understand(domain_name: str, text: str) -> Request:
    """The goals in a text, one template a line; lines that no template words are small talk and left out."""
    domain = reference_domain(domain_name)
    goals: list[Goal] = []
    user: dict[str, Any] = {}
    for line in map(str.strip, text.splitlines()):
        if identity := _identity_in(line, domain):
            user.update(identity)
        elif goals and (twist := _twist_in(line, goals[-1].program)):
            goals[-1] = goals[-1].with_twist(*twist)
        elif found := _program_in(line, domain):
            program, facts = found
            goals.append(Goal(program, facts))
    return Request(tuple(replace(goal, drawn={**user, **goal.drawn}) for goal in goals), user)


def programs_in(line: str, domain: ReferenceDomain) -> list[tuple[Program, dict[str, Any]]]:
    """Every program that could have worded the line, the one with the most fixed text first."""
    plain = _without_connector(line)
    found = [
        (literal_length(template), program, facts)
        for program in domain.programs
        for template in program.voices.values()
        if (facts := recognise(template, plain)) is not None
    ]
    return [(program, facts) for _, program, facts in sorted(found, key=lambda match: -match[0])]


def _identity_in(line: str, domain: ReferenceDomain) -> dict[str, Any] | None:
    templates = sorted(domain.identity_lines.values(), key=literal_length, reverse=True)
    return next((facts for template in templates if (facts := recognise(template, line))), None)


def _program_in(line: str, domain: ReferenceDomain) -> tuple[Program, dict[str, Any]] | None:
    return next(iter(programs_in(line, domain)), None)


def _twist_in(line: str, program: Program) -> tuple[Twist, dict[str, Any]] | None:
    for twist in program.twists:
        for template in twist.voices.values():
            facts = recognise(template, line)
            if facts is not None:
                return twist, facts
    return None


def _without_connector(line: str) -> str:
    for connector in CONNECTORS.values():
        if line.startswith(connector):
            return line[len(connector) :]
    return line
