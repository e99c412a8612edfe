"""Which attempts are worth learning from: no exact doubles, and of each task a few that differ as much as can be."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from typing import Any

from toolscale.artifacts import Task, Trajectory
from toolscale.artifacts.strict_json import read_arguments

OF_A_TASK = 3
"""Solved, and as many failed, attempts at a task that go into a dataset unless it is said otherwise."""

_ENDED = ("done", "turn_limit")
"""How an episode ends by the agent's own doing: else the simulated user or an endpoint spoiled it."""


@dataclass(frozen=True)
class Lessons:
    """Attempts to learn from, ordered by task and attempt."""

    solved: list[Trajectory]
    failed: list[Trajectory]
    """What the agent did wrong by itself."""


def lessons(tasks: Iterable[Task], trajectories: Iterable[Trajectory], most: int = OF_A_TASK) -> Lessons:
    """Choose from the attempts at these tasks, by the verdicts that the tasks have of them.

    An attempt of which its task knows no verdict counts as solved: somebody chose it. Attempts with a call that no
    reader of OpenAI's chat format could read are left out, since they would teach broken calls.
    """
    verdicts = {
        (task.id, attempt.index): attempt.verdict.solved and not attempt.user_fault
        for task in tasks
        for attempt in task.attempts
    }
    readable = [one for one in trajectories if every_call_reads(one)]
    solved = [one for one in readable if verdicts.get((one.task_id, one.attempt), True)]
    failed = [
        one for one in readable if not verdicts.get((one.task_id, one.attempt), True) and one.termination in _ENDED
    ]
    return Lessons(_of_each(solved, most), _of_each(failed, most))


def varied(attempts: Sequence[Trajectory], most: int) -> list[Trajectory]:
    """At most so many of the attempts at one task, as unlike each other as can be; no two with the same messages.

    The first is one that recovered from an error, or has the most turns of the user. Each further one is the farthest
    from those chosen (greedy farthest-first), by its calls and its words.
    """
    left = list({_same(one): one for one in sorted(attempts, key=_place, reverse=True)}.values())
    traits = {id(one): _Traits.of(one) for one in left}
    chosen: list[Trajectory] = []
    while left and len(chosen) < most:

        def merit(one: Trajectory) -> tuple[float, bool, int, int]:
            own = traits[id(one)]
            nearest = min((own.unlike(traits[id(other)]) for other in chosen), default=1.0)
            return nearest, recovered(one), user_turns(one), -one.attempt

        best = max(left, key=merit)
        left.remove(best)
        chosen.append(best)
    return sorted(chosen, key=_place)


def recovered(attempt: Trajectory) -> bool:
    """Whether a call failed and a later one succeeded."""
    failed = [not outcome.ok for outcome in attempt.calls]
    return any(failed) and not all(failed[failed.index(True) :])


def user_turns(attempt: Trajectory) -> int:
    """How often the user speaks."""
    return sum(message["role"] == "user" for message in attempt.messages)


def every_call_reads(trajectory: Trajectory) -> bool:
    """True if the arguments of every tool call in the messages are the text of a JSON object."""
    try:
        for message in trajectory.messages:
            for call in message.get("tool_calls") or []:
                read_arguments(call["function"]["arguments"])
    except ValueError:
        return False
    return True


@dataclass(frozen=True)
class _Traits:
    """What tells attempts at one task apart."""

    calls: list[str]
    words: frozenset[str]

    @classmethod
    def of(cls, attempt: Trajectory) -> "_Traits":
        said = " ".join(str(message.get("content") or "") for message in attempt.messages if message["role"] != "tool")
        return cls(
            [f"{call.name} {json.dumps(call.arguments, sort_keys=True)}" for call in attempt.calls],
            frozenset(re.findall(r"\w+", said.lower())),
        )

    def unlike(self, other: "_Traits") -> float:
        """From 0, where calls and words are the same, to 1."""
        calls = SequenceMatcher(None, self.calls, other.calls, autojunk=False).ratio()
        both = self.words | other.words
        words = len(self.words & other.words) / len(both) if both else 1.0
        return round(1 - (calls + words) / 2, 9)


def _of_each(attempts: Iterable[Trajectory], most: int) -> list[Trajectory]:
    ordered = sorted(attempts, key=_place)
    return [one for _, of_task in groupby(ordered, key=lambda one: one.task_id) for one in varied(list(of_task), most)]


def _place(attempt: Trajectory) -> tuple[str, int]:
    return attempt.task_id, attempt.attempt


def _same(attempt: Trajectory) -> str:
    """What two attempts share exactly if they have the same messages, whatever ids their tool calls were given."""
    ids: dict[str, int] = {}

    def call_of(call: Mapping[str, Any]) -> list[Any]:
        function = call["function"]
        return [ids.setdefault(str(call.get("id")), len(ids)), function["name"], read_arguments(function["arguments"])]

    messages = [
        [
            message["role"],
            message.get("content"),
            [call_of(call) for call in message.get("tool_calls") or []],
            ids.get(str(message.get("tool_call_id"))),
        ]
        for message in attempt.messages
    ]
    return json.dumps(messages, sort_keys=True)
