"""How large the calls of a stage are: as the ledger has them of earlier domains, else as the reference domains have."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import String, cast, func, or_, select
from sqlmodel import col

from toolscale.estimate.ranges import Range
from toolscale.settings import Role
from toolscale.store import ModelCall, Store


class Size(NamedTuple):
    """The calls of one stage."""

    calls: Range
    """For each answer that the stage wants: a subject's entries, a function, a draft, an attempt."""
    prompt_tokens: Range
    """Of a call."""
    completion_tokens: Range


ROLES: dict[str, Role] = {
    "subjects": "teacher",
    "schema": "teacher",
    "entries": "teacher",
    "validation": "validator",
    "functions_plan": "teacher",
    "functions": "teacher",
    "intents": "teacher",
    "tasks": "teacher",
    "evolution": "evolver",
    "episode": "agent",
    "user": "user",
}
"""Stage, as the ledger names it -> the role that answers, in the order of the chain."""

_MEASURED = {
    "subjects": (Range(1, 1.5), 220, 140),
    "schema": (Range(1, 2), 4400, 3600),
    "entries": (Range(1, 1.5), 7000, 2300),
    "validation": (Range(1, 1.5), 7400, 26),
    "functions_plan": (Range(1, 1.5), 7100, 4700),
    "functions": (Range(1, 1.5), 8400, 650),
    "intents": (Range(1, 1.5), 4300, 520),
    "tasks": (Range(3, 7), 6200, 76),
    "evolution": (Range(3, 8), 6500, 79),
    "episode": (Range(3, 6), 1100, 32),
    "user": (Range(2, 5), 350, 22),
}
"""Stage -> calls for each answer, and mean tokens of a call's prompt and answer, over the three reference domains with
12 first tasks each (36 for `user`: 6 first tasks). A token is four characters there. A model that thinks aloud answers
longer."""

_DOUBT = Range(0.6, 1.8)
"""How far another domain may lie from measured ones, either way, where no ledger says better."""

_SPREAD = Range(0.75, 1.4)
"""How far another domain may lie beyond the domains of the ledger."""

_BY_TASK = {"evolution", "episode", "user"}
_COUNTED = {"tasks", *_BY_TASK}
"""Stages whose answers the ledger tells apart, by task and sample."""


class Sizes(NamedTuple):
    """The sizes of all stages, and the domains that they were seen in."""

    by_stage: dict[str, Size]
    domains: Sequence[str]


class _Seen(NamedTuple):
    stage: str
    domain: str
    calls: int
    answers: int
    prompt_tokens: float
    completion_tokens: float


def sizes(store: Store, models: dict[str, str], *, but_for: str) -> Sizes:
    """What the ledger says of the models' calls by stage in other domains; as measured where it says nothing.

    ``models`` has each stage's model. Another model's answers may be much longer, so they are no measure.
    """
    seen = [each for each in _history(store, models) if each.domain != but_for]
    by_stage = {stage: _size(stage, [each for each in seen if each.stage == stage]) for stage in ROLES}
    return Sizes(by_stage, sorted({each.domain for each in seen}))


def _history(store: Store, models: dict[str, str]) -> list[_Seen]:
    """One line for each stage, domain and model that ever answered it, of those that will."""
    call = ModelCall
    answer = func.coalesce(call.task, "") + ":" + cast(col(call.sample), String)
    tokens = func.avg(call.prompt_tokens), func.avg(call.completion_tokens)
    query = (
        select(col(call.stage), col(call.domain), col(call.model), func.count(), func.count(answer.distinct()), *tokens)
        .where(col(call.status) == "ok", or_(col(call.stage).not_in(_BY_TASK), col(call.task).is_not(None)))
        .group_by(col(call.stage), col(call.domain), col(call.model))
    )
    rows = [(stage, model, _Seen(stage, domain, *figures)) for stage, domain, model, *figures in store.read(query)]
    return [seen for stage, model, seen in rows if models.get(stage) == model]


def _size(stage: str, seen: Sequence[_Seen]) -> Size:
    calls, prompt, completion = _MEASURED[stage]
    if not seen:
        return Size(calls, _DOUBT * prompt, _DOUBT * completion)
    if stage in _COUNTED:
        calls = _between([each.calls / each.answers for each in seen], least=1)
    return Size(
        calls,
        _between([float(each.prompt_tokens) for each in seen]),
        _between([float(each.completion_tokens) for each in seen]),
    )


def _between(figures: Sequence[float], least: float = 0) -> Range:
    spread = Range(min(figures), max(figures)) * _SPREAD
    return Range(max(least, spread.low), spread.high)
