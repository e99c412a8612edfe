"""How domains are proposed: in small calls side by side, what is refused once more with the reasons, then no more."""

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from textwrap import shorten
from typing import Any, NamedTuple

from pydantic import BaseModel

from toolscale.errors import UserError
from toolscale.llm import BudgetSpent, Gateway, GatewayError, Unanswerable
from toolscale.prompts import render
from toolscale.proposals.nearness import Known
from toolscale.proposals.proposal import (
    FEWEST_FIELDS,
    FEWEST_TABLES,
    LONGEST,
    MOST_FIELDS,
    MOST_TABLES,
    SHORTEST,
    Proposal,
    Worded,
)
from toolscale.proposals.sieve import Accepted, Refusal, Sieve
from toolscale.proposals.spread import Place, Wanted, calls
from toolscale.proposals.tree import divisions
from toolscale.stages import ROLES, Stage

STAGE: Stage = "domains"

LEDGER = "all_domains"
"""What the ledger has as the domain of these calls, which are for no one domain."""

DESCRIBED = 60
"""Domains that a call is told of with their first sentence."""

NAMED = 300
"""Other domains that it is told of by name alone."""

FIRST_SENTENCE = 240
"""Characters of a first sentence."""


@dataclass(frozen=True)
class There:
    """What proposals must differ from, and what they are to be like."""

    known: Sequence[Known]
    names: frozenset[str]
    """Names that are taken, also by files that cannot be read."""
    examples: Sequence[Known] = ()


@dataclass
class Proposed:
    """What came of asking for proposals."""

    accepted: list[Proposal] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    """Accepted all the same: what is near to another domain, but was proposed for a topic of a user's own."""
    unanswered: list[str] = field(default_factory=list)
    """Calls that brought no answer that could be read, one line each."""
    missing: Counter[Place] = field(default_factory=Counter)
    """How many fewer came than were wanted, by place."""
    stopped: BudgetSpent | None = None
    """What ended it before everything was asked."""


Kept = Callable[[Sequence[Proposal]], None]
"""Hears of the proposals of each wave of calls as soon as they are accepted."""

Told = Callable[[int, int, Mapping[str, int]], None]
"""Hears of how many proposals are accepted, of how many are wanted, and of how many were refused."""

Heard = Callable[[Refusal], None]
"""Hears of each refusal as soon as it is certain."""


async def propose_domains(
    wanted: Wanted, there: There, gateway: Gateway, *, seed: int, kept: Kept, told: Told, heard: Heard
) -> Proposed:
    """Let the teacher propose domains, and a program compare them with each other and with what is there.

    All places are asked for side by side. Where proposals were refused, or did not come, it is asked once more, with
    the reasons.

    Raises:
        GatewayError: the teacher could not be had; what was accepted by then was handed to `kept`.
    """
    sieve, still, found = Sieve(there.known, there.names), _Open(wanted), Proposed()
    sent_back: Sequence[Refusal] = ()
    wanted_in_all, wave = sum(wanted.values()), 0

    while still.left.total() and found.stopped is None:
        prompts = [(places, _prompt(places, there, sieve.known, sent_back)) for places in calls(still.left)]
        asking = [_ask(places, prompt, gateway, seed=seed, wave=wave) for places, prompt in prompts]
        answers: list[_Answered] = []
        accepted: list[Accepted] = []
        sent_back = []
        async for came in _in_order(asking):
            answers += came
            so_far = len(sieve.refused)
            accepted += sieve.sift([(each.places, each.proposals) for each in came])
            for refusal in sieve.refused[so_far:]:
                sent_back.append(refusal)
                heard(refusal)
            told(len(found.accepted) + len(accepted), wanted_in_all, {"refused": len(sieve.refused)})
        found.accepted += (proposals := [each.proposal for each in accepted])
        # Only whole waves are kept: a run that is killed in one asks the same again, and is answered from the store.
        kept(proposals)
        _hear_errors(answers, found)
        asked = Counter({place: n for each in answers if each.asked for place, n in each.places.items()})
        found.missing += still.settle(asked, Counter(each.place for each in accepted))
        wave += 1
    found.missing += still.left
    found.refused, found.warnings = sieve.refused, sieve.warnings
    return found


class _Open:
    """What is still wanted, and how much of it for the second time."""

    def __init__(self, wanted: Wanted) -> None:
        self.left = Counter(wanted)
        self._again: Counter[Place] = Counter()

    def settle(self, asked: Counter[Place], filled: Counter[Place]) -> Counter[Place]:
        """Take in what came of a wave. What was missed for the second time is given up: how much, and where."""
        missed = asked - filled
        given_up = missed & self._again
        self._again = missed - given_up
        self.left -= filled + given_up
        return given_up


class _Answer(BaseModel):
    proposals: list[Worded]


class _Answered(NamedTuple):
    """A call, and what came of it."""

    places: Mapping[Place, int]
    proposals: Sequence[Worded] = ()
    error: GatewayError | UserError | None = None

    @property
    def asked(self) -> bool:
        """False if the budget did not allow the call."""
        return not isinstance(self.error, BudgetSpent)


async def _in_order(asking: Sequence[Coroutine[Any, Any, _Answered]]) -> AsyncIterator[list[_Answered]]:
    """The answers in the order of their calls, each as soon as those before it are there.

    Which of two proposals alike is accepted must not depend on which came first.
    """
    left = [asyncio.ensure_future(each) for each in asking]
    try:
        while left:
            await left[0]
            ready = list(takewhile(asyncio.Task.done, left))
            del left[: len(ready)]
            yield [each.result() for each in ready]
    finally:
        for each in left:
            each.cancel()


async def _ask(
    places: Mapping[Place, int], prompt: list[dict[str, Any]], gateway: Gateway, *, seed: int, wave: int
) -> _Answered:
    """Ask for proposals in a few places. An error is handed back: it must not take the other answers with it."""

    def too_many(answer: _Answer) -> list[str]:
        asked, came = sum(places.values()), len(answer.proposals)
        return [f"there are {came} proposals; give {asked}"] if came > 2 * asked else []

    try:
        answer = await gateway.typed(
            ROLES[STAGE],
            prompt,
            _Answer,
            check=too_many,
            stage=STAGE,
            domain=LEDGER,
            task=", ".join(place.topic or place.division for place in places),
            seed=seed,
            sample=wave,
        )
    except (GatewayError, UserError) as error:
        return _Answered(places, error=error)
    return _Answered(places, answer.proposals)


def _hear_errors(answers: Sequence[_Answered], found: Proposed) -> None:
    """Note what went wrong with calls; raise what would go wrong with any other too."""
    for each in answers:
        if isinstance(each.error, BudgetSpent):
            found.stopped = each.error
        elif isinstance(each.error, Unanswerable):
            places = ", ".join(place.shown for place in each.places)
            found.unanswered.append(f"{places}: {'; '.join(each.error.reasons)}")
        elif each.error is not None:
            raise each.error


def _prompt(
    places: Mapping[Place, int], there: There, known: Sequence[Known], sent_back: Sequence[Refusal]
) -> list[dict[str, Any]]:
    asked = {place.shown for place in places}
    topics = any(place.topic for place in places)
    described, named = _neighbours(places, known)
    by_name = {each.name: each for each in known}
    return render(
        "domains",
        places=[
            {
                "topic": place.topic,
                "code": place.division,
                "name": "" if place.topic else divisions()[place.division].name,
                "count": count,
            }
            for place, count in places.items()
        ],
        divisions=", ".join(f"{each.code} {each.name}" for each in divisions().values()) if topics else "",
        examples=[_example(each) for each in there.examples],
        there=[_line(each) for each in described],
        others=[each.name for each in named],
        refused=[
            {
                "name": each.name,
                "reasons": "; ".join(each.reasons),
                "like": _line(by_name[each.like]) if each.like in by_name else "",
            }
            for each in sent_back
            if each.place in asked
        ],
        shortest=SHORTEST,
        longest=LONGEST,
        tables=f"{FEWEST_TABLES} to {MOST_TABLES}",
        fields=f"{FEWEST_FIELDS} to {MOST_FIELDS}",
    )


def _neighbours(places: Mapping[Place, int], known: Sequence[Known]) -> tuple[Sequence[Known], Sequence[Known]]:
    """The domains that a call would most likely repeat, to be described; and the others, to be named.

    Those of its sections come first, then those that nobody placed, then the rest, the latest before the earlier.
    """
    sections = {place.section for place in places}
    near = [each for each in known if sections == {""} or each.section in {*sections, ""}]
    near.sort(key=lambda each: each.section not in sections)
    taken = {each.name for each in near}
    rest = [each for each in reversed(known) if each.name not in taken]
    return near[:DESCRIBED], [*near[DESCRIBED:], *rest][:NAMED]


def _line(known: Known) -> str:
    return f"`{known.name}`: {_first_sentence(known.description)}"


def _first_sentence(text: str) -> str:
    return shorten(re.split(r"(?<=[.!?])\s", text.strip(), maxsplit=1)[0], FIRST_SENTENCE, placeholder=" ...")


def _example(known: Known) -> dict[str, Any]:
    tables = [{"name": table, "fields": list(fields)} for table, fields in known.tables.items()]
    return {"name": known.name, "description": known.description, "tables": tables}
