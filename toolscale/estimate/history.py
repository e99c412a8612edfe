"""What the ledger knows of calls that were made: how large they were by stage, and how far a domain's tasks came."""

from collections.abc import Collection
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, String, case, cast, func, or_, select
from sqlmodel import col

from toolscale.artifacts import canonical_json
from toolscale.estimate.ranges import Range
from toolscale.store import ModelCall, Store, ToolList

BY_TASK = {"programs", "reading", "evolution", "policy", "openness", "episode", "user"}
COUNTED = {"tasks", *BY_TASK}
"""Stages whose answers the ledger tells apart, by task and sample."""

_LOOKED_AT = 12
"""Latest calls of a stage whose prompts are held against the tokens that were counted."""

_WAVERING = 0.08
"""How far the tokens of a character vary between the calls of a stage."""


class Seen(NamedTuple):
    """The calls of one stage, in one domain, to one model: means of a call."""

    stage: str
    domain: str
    calls: int
    answers: int
    subjects: int
    """What the answers are about. Attempts at one task resemble each other, and tell little more than one does."""
    prompt_tokens: float
    completion_tokens: float
    cached_tokens: float
    tools: float
    """Characters of the tools that were offered."""


class Course(NamedTuple):
    """How far tasks have come in all runs."""

    drafts: int
    evolved: int
    """Tasks that were to be made harder, whatever came of it."""
    tried: int
    """Tasks that were put before the agent."""


def seen_by(store: Store, models: dict[str, str]) -> list[Seen]:
    """One line for each stage and domain in which the stage's model ever answered.

    Another model's answers may be much longer, so they are no measure.
    """
    call = ModelCall
    means = (call.prompt_tokens, call.completion_tokens, func.coalesce(call.cached_tokens, 0))
    offered = func.avg(func.coalesce(func.length(ToolList.tools), 0))
    query = (
        select(
            col(call.model),
            col(call.stage),
            col(call.domain),
            *map(func.avg, means),
            offered,
        )
        .outerjoin(ToolList, col(ToolList.hash) == col(call.tools))
        .where(col(call.status) == "ok", or_(col(call.stage).not_in(BY_TASK), col(call.task).is_not(None)))
        .group_by(col(call.model), col(call.stage), col(call.domain))
    )
    counts = _counts(store)
    return [
        Seen(stage, domain, *counts[model, stage, domain], *map(float, of_a_call))
        for model, stage, domain, *of_a_call in store.read(query)
        if models.get(stage) == model
    ]


def _counts(store: Store) -> dict[tuple[str, str, str], tuple[int, int, int]]:
    """Calls, answers and what these are about, by model, stage and domain: of answers that were finished, if any was.

    A run that is stopped leaves attempts behind that had their first turns alone; the last one calls no function.
    """
    call = ModelCall
    of = (col(call.model), col(call.stage), col(call.domain))
    last = func.max(case((col(call.response).contains('"tool_calls"'), 0), else_=1)).label("finished")
    subject = func.coalesce(call.task, cast(col(call.sample), String)).label("subject")
    each = select(*of, subject, func.count().label("calls"), last).where(col(call.status) == "ok")
    answers = each.group_by(*of, col(call.task), col(call.sample)).subquery()
    c = answers.c
    query = select(
        *(c.model, c.stage, c.domain),
        *(func.sum(c.calls * c.finished), func.sum(c.finished), func.sum(c.calls), func.count()),
        func.count(c.subject.distinct()),
    ).group_by(c.model, c.stage, c.domain)
    return {
        (model, stage, domain): (int(ended_calls), int(ended), subjects)
        if ended
        else (int(calls), int(every), subjects)
        for model, stage, domain, ended_calls, ended, calls, every, subjects in store.read(query)
    }


def calls_of(store: Store, domain: str, stages: Collection[str]) -> dict[str, int]:
    """Stage -> calls of a domain that were answered."""
    call = ModelCall
    of = col(call.domain) == domain, col(call.stage).in_(stages), col(call.status) == "ok"
    counted: list[Any] = [col(call.stage), func.count()]
    query = select(*counted).where(*of).group_by(col(call.stage))
    return {stage: int(calls) for stage, calls in store.read(query)}


def course_of(store: Store, domain: str) -> Course:
    """What the domain's own calls tell of its tasks; without any, what all others' do."""
    own = _course(store, col(ModelCall.domain) == domain)
    return own if own.drafts else _course(store, col(ModelCall.domain) != domain)


def _course(store: Store, of: ColumnElement[bool]) -> Course:
    call = ModelCall

    def distinct(stage: str, what: ColumnElement[Any]) -> int:
        each = col(call.domain) + ":" + what
        of_stage = of, col(call.stage) == stage, col(call.status) == "ok"
        ((count,),) = store.read(select(func.count(each.distinct())).where(*of_stage))
        return int(count)

    sample, task = cast(col(call.sample), String), func.coalesce(call.task, "")
    return Course(distinct("tasks", sample), distinct("evolution", task + ":" + sample), distinct("episode", task))


def tokens_in_a_character(store: Store, model: str, stages: Collection[str]) -> dict[str, Range]:
    """Stage -> tokens of a character, as the model counted the stage's latest prompts; else those of any stage."""
    found = {stage: _counted(store, model, stage) for stage in stages}
    anywhere = None if all(found.values()) else _counted(store, model)
    return {stage: known for stage, own in found.items() if (known := own or anywhere) is not None}


def _counted(store: Store, model: str, stage: str = "") -> Range | None:
    call = ModelCall
    of = [col(call.model) == model, col(call.status) == "ok", *([col(call.stage) == stage] if stage else [])]
    latest = select(call).where(*of).order_by(col(call.created_at).desc(), col(call.key)).limit(_LOOKED_AT)
    calls = [found for (found,) in store.read(latest)]
    characters = sum(_characters(store, each) for each in calls)
    ratio = sum(each.prompt_tokens for each in calls) / characters if characters else 0
    return Range(1 / (1 + _WAVERING), 1 + _WAVERING) * ratio if ratio else None


def _characters(store: Store, call: ModelCall) -> int:
    """As ``Request.characters`` counts them."""
    sent = store.request_of(call)
    tools = len(canonical_json(sent["tools"])) if sent["tools"] else 0
    return len(canonical_json({"messages": sent["messages"], "params": sent["params"]})) + tools
