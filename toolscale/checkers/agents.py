"""The four agents that do nothing for the user. None of them may solve a task (design: the gate `acts`)."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from toolscale.artifacts import Call, FunctionSpec, GoldenCall
from toolscale.checkers.facts import EnvironmentFacts
from toolscale.checkers.parameters import example_arguments
from toolscale.checkers.verdict import GoldenReplay

AgentName = Literal["null", "read_only", "hand_over", "recite"]

_HAND_OVER = re.compile(
    r"human|hand_?over|hand_?off|^escalate(_to_|_case|_conversation|$)"
    r"|^(transfer|connect|forward)_to_(\w+_)?(agent|staff|person|representative|supervisor|operator|support|specialist)"
)


@dataclass(frozen=True)
class Script:
    """What an agent calls and says, whatever it is asked."""

    calls: Sequence[Call | GoldenCall] = ()
    agent_messages: Sequence[str] = ()


def null(golden: GoldenReplay, facts: EnvironmentFacts) -> Script:
    """Makes no call and says no word."""
    return Script()


def read_only(golden: GoldenReplay, facts: EnvironmentFacts) -> Script:
    """Makes the golden calls that only read, and says nothing."""
    made = zip(golden.task.golden_calls, golden.replay.outcomes, strict=True)
    return Script(calls=[call for call, done in made if not facts.is_write(done)])


def hand_over(golden: GoldenReplay, facts: EnvironmentFacts) -> Script:
    """Calls the hand-over function, if there is one, and says only that.

    Where the golden calls hand over too, it calls with their arguments: a task must not be solved by that alone.
    """
    function = hand_over_function(facts.spec.functions)
    handing_over = [call for call in golden.task.golden_calls if function is not None and call.name == function.name]
    calls: list[Call | GoldenCall] = [*handing_over[:1]]
    if function is not None and not handing_over:
        calls = [Call(name=function.name, arguments=example_arguments(function))]
    return Script(calls, ["I am handing you over to a human colleague."])


def recite(golden: GoldenReplay, facts: EnvironmentFacts) -> Script:
    """Makes no call and says every value of the database."""
    return Script(agent_messages=[facts.recitation])


AGENTS: dict[AgentName, Callable[[GoldenReplay, EnvironmentFacts], Script]] = {
    "null": null,
    "read_only": read_only,
    "hand_over": hand_over,
    "recite": recite,
}


def hand_over_function(functions: Sequence[FunctionSpec]) -> FunctionSpec | None:
    """The first offered function that gives the conversation to a person.

    Recognised by name: it speaks of a human (``transfer_to_human_agents``), or is called hand over, hand off,
    ``escalate``, ``escalate_to_...`` or ``transfer_to_agent``.
    """
    return next((function for function in functions if _HAND_OVER.search(function.name)), None)
