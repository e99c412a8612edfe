"""Drawn tasks in their user's own voice: a cheap role says what stands around their pieces, ten requests in a call.

What binds the service is kept to the word (``pieces.py``): the model sees it and does not write it. A program reads the
rest, which must bind nothing, and the gates must still pass the task. Where one does not hold, the template's words
stay.

What was said of a request is kept in the store by the request, not by the call: a run of more tasks, or with one task
less among them, makes other tens, and would word all of them anew and pay for their attempts again.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence

from pydantic import BaseModel, Field

from toolscale.artifacts import Reject, Task, task_id
from toolscale.checkers import GateContext
from toolscale.checkers.binding import small_talk
from toolscale.checkers.facts import EnvironmentFacts
from toolscale.llm import Unanswerable
from toolscale.llm.request import make_request
from toolscale.messages import Message
from toolscale.prompts import render
from toolscale.stages import ROLES
from toolscale.store import Wording
from toolscale.synthesis.heard import heard
from toolscale.synthesis.pieces import Parts, parts_of
from toolscale.synthesis.run import DomainRun

AT_ONCE = 10
"""Requests in one call."""


class Reworded(BaseModel):
    """One request in its user's voice, with a mark in place of each of its pieces."""

    number: int
    text: str = Field(min_length=1)


class RewordingAnswer(BaseModel):
    """What the model answers with."""

    requests: list[Reworded]


async def reworded(run: DomainRun, context: GateContext, drafted: Sequence[Task | Reject]) -> list[Task | Reject]:
    """The same, with the tasks that programs drew in their users' own voices, where these hold.

    Raises:
        GatewayError: the endpoint failed.
    """
    drawn = [task for task in drafted if isinstance(task, Task) and task.lineage.goals]
    if not drawn:
        return list(drafted)
    known = {row.key: Reworded.model_validate_json(row.said) for row in run.store.rows(Wording, domain=run.domain.name)}
    facts = context.facts
    keys = {task.id: _key(run, facts, task) for task in drawn}
    new = [task for task in drawn if keys[task.id] not in known]
    parts = [new[start : start + AT_ONCE] for start in range(0, len(new), AT_ONCE)]
    for said in await asyncio.gather(*(_asked(run, facts, part, keys) for part in parts)):
        known |= said

    async def changed(task: Task) -> Task:
        said = known.get(keys[task.id])
        return task if said is None else await asyncio.to_thread(in_other_words, task, said, context)

    found = await asyncio.gather(*map(changed, drawn))
    renamed = {old.id: new for old, new in zip(drawn, found, strict=True)}
    return [renamed.get(task.id, task) if isinstance(task, Task) else task for task in drafted]


async def _asked(
    run: DomainRun, facts: EnvironmentFacts, tasks: Sequence[Task], keys: Mapping[str, str]
) -> dict[str, Reworded]:
    """Key -> what the model says of the task now; nothing where it gives no usable answer."""
    try:
        answer = await run.typed(
            "rewording",
            _prompt(run, facts, tasks),
            RewordingAnswer,
            task=tasks[0].id,
            check=lambda answer: list(_unusable(answer, [parts(task, facts) for task in tasks])),
            rounds=2,
        )
    except Unanswerable:
        return {}
    said = {keys[tasks[each.number - 1].id]: each for each in answer.requests}
    domain, first = run.domain.name, tasks[0].id
    rows = (Wording(key=key, domain=domain, task=first, said=each.model_dump_json()) for key, each in said.items())
    await run.store.save(*rows)
    return said


def _prompt(run: DomainRun, facts: EnvironmentFacts, tasks: Sequence[Task]) -> list[Message]:
    return render("rewording", domain=run.domain, everyday=small_talk(facts), requests=shown(tasks, facts))


def _key(run: DomainRun, facts: EnvironmentFacts, task: Task) -> str:
    """Of the call that would ask for this task alone: the same request to the same model has the same words."""
    chosen = run.settings.for_role(ROLES["rewording"])
    params = {"temperature": chosen.temperature}
    return make_request(
        chosen.model, chosen.api_base, _prompt(run, facts, [task]), None, params, seed=run.seed, sample=0
    ).key


def in_other_words(task: Task, said: Reworded, context: GateContext) -> Task:
    """The task as it was reworded; the task itself where the words do not hold."""
    if task.user_scenario is None:
        return task
    text = parts(task, context.facts).worded(said.text, context.facts)
    if text == task.user_scenario.instructions.reason_for_call:
        return task
    instructions = task.user_scenario.instructions.model_copy(update={"reason_for_call": text})
    scenario = task.user_scenario.model_copy(update={"instructions": instructions})
    changed = task.model_copy(
        update={
            "id": task_id(task.domain, scenario, task.golden_calls, task.communicate_info),
            "user_scenario": scenario,
            "asked": {fact: _as_it_stands(words, text) for fact, words in task.asked.items()},
            "lineage": task.lineage.model_copy(update={"reworded": True}),
            "gates": [],
            "examined": "",
        }
    )
    hearing = heard(changed, context)
    return task if hearing.reasons else hearing.task


def parts(task: Task, facts: EnvironmentFacts) -> Parts:
    """What of a task's request is kept to the word, and what stands around it."""
    text = task.user_scenario.instructions.reason_for_call if task.user_scenario else ""
    return parts_of(text, task.lineage.goals, task.asked.values(), facts)


def _as_it_stands(words: str, text: str) -> str:
    """Words as a text has them, where its sentences may begin elsewhere."""
    place = text.lower().find(words.lower())
    return text[place : place + len(words)] if place >= 0 else words


def shown(tasks: Sequence[Task], facts: EnvironmentFacts) -> list[dict[str, object]]:
    """Requests as the prompt shows them."""
    return [_shown(number, task, facts) for number, task in enumerate(tasks, start=1)]


def _shown(number: int, task: Task, facts: EnvironmentFacts) -> dict[str, object]:
    """A request as the prompt shows it."""
    found = parts(task, facts)
    pieces = {str(place): piece for place, piece in enumerate(found.pieces, start=1)}
    return {
        "number": number,
        "persona": task.user_scenario.persona if task.user_scenario else "",
        "now": found.marked(),
        "pieces": {place: piece.opening for place, piece in pieces.items()},
        "to_do": [place for place, piece in pieces.items() if piece.asks],
        "alone": [place for place, piece in pieces.items() if piece.hangs],
        "own": found.own_places(),
    }


def _unusable(answer: RewordingAnswer, wanted: Sequence[Parts]) -> Iterator[str]:
    numbers = sorted(each.number for each in answer.requests)
    if numbers != list(range(1, len(wanted) + 1)):
        yield f"`requests`: answer each of the {len(wanted)} requests once; these were answered: {numbers}"
        return
    for each in answer.requests:
        yield from (f"`requests`, number {each.number}: {fault}" for fault in wanted[each.number - 1].faults(each.text))
