"""The mistakes of the offline agent: a step left out, a wrong choice, a misread value, a constraint overlooked.

They are drawn from a seed, so the same attempt slips in the same places, and different attempts in different ones.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from random import Random
from typing import Any

from toolscale.artifacts import Call
from toolscale.reference.enact import Script, followed
from toolscale.reference.program import Facts, Goal, Program, Reply, Solution

STEP = 0.03
"""The chance that a call is left out, and that one of its arguments is misread."""

CHOICE = 0.10
"""The chance that a choice falls on the second best."""

OVERLOOKED = 0.12
"""The chance that a twist is overlooked, and that of several goals the last is forgotten."""

UNSAID = 0.06
"""The chance that the reply leaves out what it should tell."""

GIVEN_IN = 0.2
"""The chance that a request which the policy forbids is met all the same, or tried."""


BROKEN_OFF = "I am sorry, something went wrong on my side and I could not complete your request."
"""What the agent says that a slip left with results that it cannot work with."""


class GivenUp(Exception):  # noqa: N818 - it ends an attempt, it is not a fault of the program
    """The agent went wrong and cannot go on; the text is what it says to the user."""


def overlook(goals: tuple[Goal, ...], rng: Random) -> list[Goal]:
    """The goals as a careless reader takes them."""
    understood = [
        replace(
            goal,
            program=_given_in(goal.program) if goal.program.refusal and rng.random() < GIVEN_IN else goal.program,
            twists=tuple(twisted for twisted in goal.twists if rng.random() >= OVERLOOKED),
            repeats=goal.repeats if rng.random() >= OVERLOOKED else goal.repeats[:-1],
        )
        for goal in goals
    ]
    if len(understood) > 1 and rng.random() < OVERLOOKED:
        understood.pop()
    return understood


def _given_in(program: Program) -> Program:
    """The program as an agent follows it who does what was asked, whatever the policy says."""
    refusal = program.refusal
    assert refusal is not None

    def solution(facts: Facts) -> Solution:
        yield from refusal.giving_in(facts)
        return Reply("I have done as you asked.")

    return replace(program, solve=solution)


def carelessly(solution: Solution, rng: Random) -> Script[Reply]:
    """The solution as a careless agent follows it.

    Raises:
        GivenUp: a step was left out that the rest depends on.
    """
    reply = yield from followed(
        solution, lambda choice: chosen(choice.candidates, choice.key, rng), lambda call: made(call, rng)
    )
    return _mumbled(reply) if rng.random() < UNSAID else reply


def impossible(obstacle: Exception) -> str:
    """What the agent says where the records stand against the request."""
    return f"I am sorry, that is not possible: {obstacle}"


def made(call: Call, rng: Random) -> Call:
    """The call as a careless agent makes it.

    Raises:
        GivenUp: it leaves it out.
    """
    slip = rng.random()
    if slip < STEP:
        raise GivenUp("That should be taken care of now. Is there anything you would like to add?")
    return _misread(call, rng) if slip < 2 * STEP else call


def chosen(candidates: Iterable[Any], key: Callable[[Any], Any], rng: Random) -> Any:
    """The candidate that a careless agent takes for the best.

    Raises:
        GivenUp: there is none.
    """
    ranked = sorted(candidates, key=key)
    if not ranked:
        raise GivenUp("I am sorry, I could not find anything that suits your request.")
    return ranked[1] if len(ranked) > 1 and rng.random() < CHOICE else ranked[0]


def _misread(call: Call, rng: Random) -> Call:
    """The call with two neighbouring characters of one text swapped, or a number off by one."""
    names = [name for name, value in sorted(call.arguments.items()) if isinstance(value, str | int)]
    if not names:
        return call
    name = rng.choice(names)
    value = call.arguments[name]
    if isinstance(value, bool):
        misread: Any = not value
    elif isinstance(value, int):
        misread = value + 1
    else:
        text = str(value)
        at = rng.randrange(max(1, len(text) - 1))
        misread = text[:at] + text[at + 1 : at + 2] + text[at : at + 1] + text[at + 2 :]
    return Call(name=call.name, arguments={**call.arguments, name: misread})


def _mumbled(reply: Reply) -> Reply:
    """The reply without the particulars."""
    text = reply.text
    for fact in reply.tell:
        text = text.replace(fact, "as arranged")
    return Reply(text)
