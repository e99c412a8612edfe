"""What every gate is given beside the task: the environment's sandbox, its facts, and replays that are made once."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from threading import Lock

from toolscale.artifacts import Call, GoldenCall, Task, Verdict, canonical_json, content_id
from toolscale.checkers.facts import EnvironmentFacts
from toolscale.checkers.verdict import GoldenReplay, judge, solves
from toolscale.environment import Sandbox

_REMEMBERED = 64


class GateContext:
    """One environment, ready to put its tasks to the test. Safe to share between threads."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self.facts = EnvironmentFacts(sandbox.spec)
        self._goldens: OrderedDict[str, GoldenReplay] = OrderedDict()
        self._lock = Lock()

    @cached_property
    def environment_id(self) -> str:
        """A hash of the whole environment."""
        return content_id(self.sandbox.spec.domain, self.sandbox.spec.model_dump(mode="json"))

    def golden(self, task: Task) -> GoldenReplay:
        """The task's golden replay, remembered while its gates are at work."""
        key = canonical_json([task.id, [(call.name, call.arguments) for call in (*task.start, *task.golden_calls)]])
        with self._lock:
            known = self._goldens.get(key)
        if known is not None and known.task is task:
            return known
        golden = replace(known, task=task) if known is not None else GoldenReplay.of(self.sandbox, task)
        with self._lock:
            self._goldens[key] = golden
            if len(self._goldens) > _REMEMBERED:
                self._goldens.popitem(last=False)
        return golden

    def judge(self, task: Task, calls: Sequence[Call | GoldenCall], agent_messages: Sequence[str]) -> Verdict:
        """The verdict on a trajectory of this environment."""
        return judge(self.sandbox, task, calls, agent_messages, self.golden(task))

    def solves(self, task: Task, calls: Sequence[Call | GoldenCall], agent_messages: Sequence[str]) -> bool:
        """Whether the verdict on a trajectory is `solved`, for who asks of many and needs no reasons."""
        return solves(self.sandbox, self.golden(task), calls, agent_messages)
