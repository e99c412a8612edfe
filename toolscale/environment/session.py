"""An environment as an agent meets it: one call at a time."""

import weakref
from collections.abc import Mapping, Sequence
from dataclasses import replace

from toolscale.artifacts import Call, CallOutcome, GoldenCall, Json
from toolscale.environment.replay import Replay, failed, not_run
from toolscale.environment.sandbox import Sandbox

MOST_CALLS = 200
"""Calls that a session makes. Each one may have to replay all before it, so endless calls would cost ever more."""


class Session:
    """Event-sourced: it is its list of calls, and can be resumed, compared and judged from that alone.

    As long as it is there, the sandbox keeps the process that made them for the next one, if it can; else it replays
    them all. Not thread-safe; many sessions may share a sandbox.
    """

    def __init__(self, sandbox: Sandbox, start: Sequence[GoldenCall] = ()) -> None:
        """`start` sets the initial state, as tasks have it; it counts as no call of the session."""
        self._sandbox = sandbox
        self._start = start
        self._not_for_agents = {function.name for function in sandbox.spec.unoffered}
        self._calls: list[Call] = []
        self._replay = Replay((), {})
        weakref.finalize(self, sandbox.let_go, self._calls, start).atexit = False

    @property
    def replay(self) -> Replay:
        """What all calls so far did."""
        return self._replay

    def call(self, name: str, arguments: Mapping[str, Json] | None = None) -> CallOutcome:
        """Make one more call and return its outcome.

        After a call that hung or killed its process there is nothing to go on with: every later call is `NotRun`. So is
        every call after the first `MOST_CALLS`; those are refused and no part of what the session did. Nor are calls of
        what only the user or a task may call: to the agent there is no such function.
        """
        call = Call(name=name, arguments=dict(arguments or {}))
        if name in self._not_for_agents:
            return self._sandbox.unknown(call)
        if len(self._calls) >= MOST_CALLS:
            return failed(call, "NotRun", f"{MOST_CALLS} calls were made, and no more are: answer with what you know")
        self._calls.append(call)
        if self._replay.alive:
            self._replay = self._sandbox.run(self._calls, self._start, goes_on=True)
        else:
            outcome = not_run(call)
            self._replay = replace(self._replay, outcomes=(*self._replay.outcomes, outcome))
        return self._replay.outcomes[-1]
