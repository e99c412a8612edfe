"""Drawn tasks in their user's own words: a cheap role rewords what templates said, ten requests in a call.

A program holds each against what it stood for: every fact is still said, none is new, no condition is gone, each
question is still asked, and the gates still pass the task. Where one does not hold, the template's words stay.

What was said of a request is kept in the store by the request, not by the call: a run of more tasks, or with one task
less among them, makes other tens, and would word all of them anew and pay for their attempts again.
"""

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence

from pydantic import BaseModel, Field

from toolscale.artifacts import Goal, Reject, Task, task_id
from toolscale.checkers import GateContext
from toolscale.checkers.facts import EnvironmentFacts
from toolscale.checkers.restated import Restated, differences, true_names
from toolscale.llm import Unanswerable
from toolscale.llm.request import make_request
from toolscale.messages import Message
from toolscale.prompts import render
from toolscale.stages import ROLES
from toolscale.store import Wording
from toolscale.synthesis.heard import heard
from toolscale.synthesis.run import DomainRun
from toolscale.templates.spelling import CODECS

AT_ONCE = 10
"""Requests in one call."""

LONGEST = 3
"""A rewording may be so many times as long as what it rewords, and a little more."""

_LITTLE_MORE = 300


class Reworded(BaseModel):
    """One request in other words."""

    number: int
    text: str = Field(min_length=1)
    asked: dict[str, str] = {}


class RewordingAnswer(BaseModel):
    """What the model answers with."""

    requests: list[Reworded]


async def reworded(run: DomainRun, context: GateContext, drafted: Sequence[Task | Reject]) -> list[Task | Reject]:
    """The same, with the tasks that programs drew in their users' own words, where these hold.

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
            check=lambda answer: _unusable(answer, len(tasks)),
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
    shown = [_shown(number, task, facts) for number, task in enumerate(tasks, start=1)]
    return render("rewording", domain=run.domain, requests=shown)


def _key(run: DomainRun, facts: EnvironmentFacts, task: Task) -> str:
    """Of the call that would ask for this task alone: the same request to the same model has the same words."""
    chosen = run.settings.for_role(ROLES["rewording"])
    params = {"temperature": chosen.temperature}
    return make_request(
        chosen.model, chosen.api_base, _prompt(run, facts, [task]), None, params, seed=run.seed, sample=0
    ).key


def in_other_words(task: Task, said: Reworded, context: GateContext) -> Task:
    """The task as it was reworded; the task itself where the words do not hold."""
    if next(losses(task, said, context.facts), None) is not None or task.user_scenario is None:
        return task
    instructions = task.user_scenario.instructions.model_copy(update={"reason_for_call": said.text.strip()})
    scenario = task.user_scenario.model_copy(update={"instructions": instructions})
    asked = {fact: said.asked[f"q{place}"] for place, fact in enumerate(task.asked, start=1)}
    changed = task.model_copy(
        update={
            "id": task_id(task.domain, scenario, task.golden_calls, task.communicate_info),
            "user_scenario": scenario,
            "asked": asked,
            "lineage": task.lineage.model_copy(update={"reworded": True}),
            "gates": [],
            "examined": "",
        }
    )
    hearing = heard(changed, context)
    return task if hearing.reasons else hearing.task


def losses(task: Task, said: Reworded, facts: EnvironmentFacts) -> Iterator[str]:
    """What a rewording loses, turns round or adds, one sentence each."""
    old, new = _text(task), said.text
    if len(new) > LONGEST * len(old) + _LITTLE_MORE:
        yield f"it has {len(new)} characters for {len(old)}"
    asked = {fact: said.asked.get(f"q{place}", "") for place, fact in enumerate(task.asked, start=1)}
    yield from differences(task, Restated(new, asked), facts)


def _shown(number: int, task: Task, facts: EnvironmentFacts) -> dict[str, object]:
    """A request as the prompt shows it."""
    shown: dict[str, object] = {
        "number": number,
        "persona": task.user_scenario.persona if task.user_scenario else "",
        "wishes": _text(task).splitlines(),
        "keep": literals(task),
        "asked": {f"q{place}": words for place, words in enumerate(task.asked.values(), start=1)},
    }
    called = true_names(task, facts)
    return {**shown, "called": called} if called else shown


def _text(task: Task) -> str:
    return task.user_scenario.instructions.reason_for_call if task.user_scenario else ""


def literals(task: Task) -> list[str]:
    """The facts as they stand in the task's words."""
    text = _text(task)
    found: dict[str, None] = {}
    for goal in task.lineage.goals:
        for value in _values(goal):
            spelt = [each for each in _spellings(value) if re.search(rf"(?<!\w){re.escape(each)}(?!\w)", text)]
            if spelt:
                found[max(spelt, key=len)] = None
    return list(found)


def _values(goal: Goal) -> Iterator[object]:
    yield from goal.facts.values()
    for twist in goal.twists:
        yield from twist.facts.values()
    yield from goal.repeats
    if goal.at_first is not None:
        yield goal.at_first
    if goal.bound is not None:
        yield f"{goal.bound.figure:g}"


def _spellings(value: object) -> list[str]:
    """All ways in which a slot of any kind spells a value."""
    found: list[str] = []
    for codec in CODECS.values():
        try:
            found += codec.spellings(value)
        except (ValueError, TypeError, AttributeError, IndexError, KeyError):
            continue
    return [each for each in found if each.strip()]


def _unusable(answer: RewordingAnswer, wanted: int) -> list[str]:
    numbers = sorted(each.number for each in answer.requests)
    if numbers == list(range(1, wanted + 1)):
        return []
    return [f"`requests`: answer each of the {wanted} requests once; these were answered: {numbers}"]
