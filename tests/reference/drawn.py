"""A few tasks of each reference domain, drawn from fixed seeds and solved once for all tests that look at them."""

from functools import cache
from random import Random
from typing import Any, NamedTuple

from tests.reference.rehearsal import Rehearsed, Stage, rehearse
from toolscale.artifacts import Call, Task
from toolscale.checkers.results import holds, readable
from toolscale.environment import Session
from toolscale.reference.enact import strictly
from toolscale.reference.program import CallRefused, Goal, Reply, pursue
from toolscale.reference.recogniser import understand
from toolscale.synthesis.drafts import as_task


class Drawn(NamedTuple):
    """A task with who asks, what is asked, and what came of each request."""

    stage: Stage
    made: Rehearsed
    task: Task
    user: dict[str, Any]
    """The user's own record."""
    goals: tuple[Goal, ...]
    answers: list[list[tuple[Call, Any]]]
    """Goal by goal, the calls and what they returned."""
    replies: list[Reply]
    stale: set[str]
    """What was told of a request and is no longer so after a later one."""


@cache
def stage_of(name: str) -> Stage:
    """The domain on its stage."""
    return Stage(name)


@cache
def drawn(name: str, programs: int = 4, depth: int = 2, seed: int = 0) -> list[Drawn]:
    """Tasks of so many programs of the domain, and what evolution makes of each."""
    stage = stage_of(name)
    chosen = Random(f"{name} {seed}").sample(stage.domain.programs, programs)
    return [_solved(stage, made) for made in rehearse(stage, chosen, 1, 60, depth) if not made.infeasible]


def _solved(stage: Stage, made: Rehearsed) -> Drawn:
    draft, domain = made.draft, stage.domain
    request = understand(domain.name, f"{draft['reason_for_call']}\n{draft['known_info']}")
    session = Session(stage.sandbox)
    answers: list[list[tuple[Call, Any]]] = []
    replies, told = [], []
    for goal in request.goals:
        found, reply = followed(session, goal)
        answers.append(found)
        replies.append(reply)
        told.append(
            {
                fact: [call for call in _reads_telling(fact, found, stage) if _still(session, call, fact)]
                for fact in reply.tell
            }
        )
    stale = {
        fact
        for facts in told
        for fact, calls in facts.items()
        if calls and not any(_still(session, call, fact) for call in calls)
    }
    key = request.user[domain.identity]
    user = next(records[key] for records in stage.database.values() if key in records)
    task = as_task(domain.name, "", draft)
    return Drawn(stage, made, task, dict(user), request.goals, answers, replies, stale)


def followed(session: Session, goal: Goal) -> tuple[list[tuple[Call, Any]], Reply]:
    """A goal's solution followed to its end: the calls with what came back, and the reply."""
    script, answers = strictly(pursue([goal])), []
    try:
        call = next(script)
        while True:
            outcome = session.call(call.name, dict(call.arguments))
            if outcome.error is None:
                answers.append((call, outcome.result))
                call = script.send(outcome.result)
            else:
                call = script.throw(CallRefused(outcome.error))
    except StopIteration as end:
        return answers, end.value


def _reads_telling(fact: str, answers: list[tuple[Call, Any]], stage: Stage) -> list[Call]:
    """The reads that showed a fact; none if a write showed it too."""
    telling = [call for call, answer in answers if holds(readable(answer), fact)]
    return [] if any(call.name in stage.domain.writes for call in telling) else telling


def _still(session: Session, call: Call, fact: str) -> bool:
    outcome = session.call(call.name, dict(call.arguments))
    return outcome.error is None and holds(readable(outcome.result), fact)
