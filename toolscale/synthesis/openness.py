"""The blind solver: which options of a task's open choices would satisfy the user.

It sees what the user says, the policy, what was looked up and the options, and not what the golden calls took. One
call a task, and none where a program finds nothing open.
"""

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import BaseModel

from toolscale.artifacts import CallOutcome, GateOutcome, Json, Task
from toolscale.checkers import GateContext, open_ends
from toolscale.checkers.gates.outcomes import not_evaluated
from toolscale.checkers.picks import Choice, choices
from toolscale.environment import equal
from toolscale.llm import Unanswerable
from toolscale.prompts import render
from toolscale.synthesis.run import DomainRun


class NamedOptions(BaseModel):
    """The options of one choice that would satisfy the user, by their numbers from 1."""

    choice: int
    options: list[int]
    why: str = ""


class OpennessAnswer(BaseModel):
    """What the solver answers with."""

    choices: list[NamedOptions]


async def openness(task: Task, context: GateContext, run: DomainRun) -> GateOutcome:
    """The gate `ambiguous` before any attempt, for a task whose golden calls replay.

    Where the solver refuses, or never answers in the form, nobody vouches for the task, and it does not pass.

    Raises:
        GatewayError: its endpoint failed.
    """
    try:
        return await ask_openness(task, context, run)
    except Unanswerable as error:
        return not_evaluated("ambiguous", f"nobody said which options satisfy the user: {error}", passed=False)


async def ask_openness(task: Task, context: GateContext, run: DomainRun) -> GateOutcome:
    """The same, for who wants to know that there is no answer.

    Raises:
        Unanswerable: the solver refused, or never answered in the form.
        GatewayError: its endpoint failed.
    """
    open_choices = await asyncio.to_thread(choices, task, context)
    if not open_choices:
        return GateOutcome(gate="ambiguous", passed=True)
    answer = await run.typed(
        "openness",
        messages_for(task, open_choices, context),
        OpennessAnswer,
        task=task.id,
        check=lambda answer: list(_problems(answer, open_choices)),
    )
    satisfying, why = satisfying_in(answer)
    return open_ends(task, open_choices, satisfying, why, context)


def satisfying_in(answer: OpennessAnswer) -> tuple[list[set[int]], list[str]]:
    """For each choice, the positions of the options that satisfy the user, and why."""
    named = sorted(answer.choices, key=lambda each: each.choice)
    return [{number - 1 for number in each.options} for each in named], [each.why for each in named]


def messages_for(task: Task, open_choices: Sequence[Choice], context: GateContext) -> list[dict[str, Any]]:
    """The prompt."""
    spec = context.sandbox.spec
    taken = [value for choice in open_choices for value in choice.golden.given.values()]
    return render(
        "openness",
        domain=task.domain,
        policy=spec.policy,
        now=spec.now.isoformat(timespec="minutes"),
        instruction=task.instruction,
        reads=list(_reads(task, open_choices, context)),
        choices=[
            {
                "function": choice.function,
                "beside": {place: value for place, value in choice.beside.items() if value not in taken},
                "options": [option.given for option in choice.options],
            }
            for choice in open_choices
        ],
    )


def _reads(task: Task, open_choices: Sequence[Choice], context: GateContext) -> Iterator[dict[str, Json]]:
    """The golden reads before the last choice, without what would give away an earlier one.

    A read that was made with what a golden call took tells which it was, unless another option was looked up as well.
    It is left out, or, where a choice was made from it, shown without that argument.
    """
    lists = {read for choice in open_choices for read in choice.reads}
    last = max(choice.position for choice in open_choices)
    before = [done for done in context.golden(task).replay.outcomes[:last] if not context.facts.is_write(done)]
    for position, done in enumerate(context.golden(task).replay.outcomes[:last]):
        if context.facts.is_write(done):
            continue
        telling = {
            name for name, value in done.arguments.items() if _gives_away(value, done.name, name, before, open_choices)
        }
        if position in lists or not telling:
            arguments = {name: value for name, value in done.arguments.items() if name not in telling}
            yield {"name": done.name, "arguments": arguments, "result": done.result}


def _gives_away(
    value: Json, function: str, argument: str, before: Sequence[CallOutcome], open_choices: Sequence[Choice]
) -> bool:
    """Whether an argument of a read tells what a golden call took: no other option was looked up in this way."""
    looked_up = [done.arguments.get(argument) for done in before if done.name == function]
    return any(
        equal(value, choice.golden.given[place])
        and not any(
            equal(option.given[place], other)
            for option in choice.options
            for other in looked_up
            if not equal(option.given[place], value)
        )
        for choice in open_choices
        for place in choice.golden.given
    )


def _problems(answer: OpennessAnswer, open_choices: Sequence[Choice]) -> Iterator[str]:
    """Why an answer says nothing that could be acted on."""
    numbers = sorted(each.choice for each in answer.choices)
    if numbers != list(range(1, len(open_choices) + 1)):
        yield f"`choices`: answer each of the {len(open_choices)} choices once; these were answered: {numbers}"
    for each in answer.choices:
        if 1 <= each.choice <= len(open_choices):
            shown = len(open_choices[each.choice - 1].options)
            for number in each.options:
                if not 1 <= number <= shown:
                    yield f"`choices`: choice {each.choice} has no option {number}; it has 1 to {shown}"
