"""Running an environment's functions, which are hostile code, each trajectory in a process of its own."""

import json
import threading
import time
from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

from toolscale.artifacts import Call, CallOutcome, EnvironmentSpec, GoldenCall, Json, canonical_json
from toolscale.environment.inside.rules import CHECK
from toolscale.environment.process import Child, Template
from toolscale.environment.replay import Replay, failed, not_run
from toolscale.environment.reply import BrokenProtocolError, Overlay, read_outcome
from toolscale.environment.rules import BrokenRule, Trail, looking_back, read_broken_rules, rules_in
from toolscale.errors import UserError
from toolscale.python_source import NotPython, parsed


@dataclass(frozen=True)
class Limits:
    """What one trajectory may use."""

    seconds: float = 5.0
    """Wall time of one call."""
    trajectory_seconds: float = 60.0
    """Wall time of all calls of a trajectory together."""
    memory_bytes: int = 512 << 20
    """Address space of the process."""
    reply_bytes: int = 8 << 20
    """Size of one call's reply as JSON: its result, its access log and the records it changed."""
    reply_values: int = 300_000
    """Values in one reply, since many small ones cost far more than their bytes."""
    calls: int = 1000
    """Calls in one trajectory."""
    database_bytes: int = 64 << 20
    """Size of the initial database as JSON."""
    children: int = 8
    """Trajectories that run at the same time; more wait for their turn."""


class _Ended(NamedTuple):
    """How a trajectory came to an early end."""

    error_type: str
    error: str


_REMEMBERED_BYTES = 16 << 20
"""Of replies whose replays are remembered; in memory they are a few times as much."""

_LONGEST_REMEMBERED = 64 << 10


class Sandbox:
    """One environment, ready to run calls. Starts a warm process at first use; close it, or use it as a context.

    Thread-safe: call ``run`` from as many threads as you like, for example through ``asyncio.to_thread``.
    """

    def __init__(self, spec: EnvironmentSpec, limits: Limits | None = None, *, modules: Sequence[str] = ()) -> None:
        """``modules`` are loaded beside the standard ones, so that the functions may import them.

        Raises UserError if the sources cannot be compiled, or the database is larger than the limits allow.
        """
        for name, source in (("functions", spec.source), ("rules", spec.rules)):
            try:
                parsed(source)
            except NotPython as error:
                raise UserError(f"the {name} of `{spec.domain}` cannot be compiled: {error}; correct them") from None
        self.spec = spec
        self.limits = limits or Limits()
        size = len(json.dumps(spec.database))
        if size > self.limits.database_bytes:
            raise UserError(
                f"the database of `{spec.domain}` has {size:,} bytes as JSON, over the sandbox's "
                f"{self.limits.database_bytes:,}: make it smaller, or raise Limits.database_bytes"
            )
        self._offered = {function.name for function in spec.callable}
        inside = {name: getattr(self.limits, name) for name in ("memory_bytes", "reply_bytes", "reply_values")}
        self._template = Template(spec, inside, modules)
        self._turns = threading.BoundedSemaphore(self.limits.children)
        self._remembered: OrderedDict[str, tuple[Replay, int]] = OrderedDict()
        self._remembered_bytes = 0
        self._memory_lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the warm process. A closed sandbox may be used again; it starts a new one."""
        self._template.close()

    def run(
        self, calls: Sequence[Call | GoldenCall], start: Sequence[GoldenCall] = (), *, fresh: bool = False
    ) -> Replay:
        """Run calls one after the other on a fresh database, after those of `start`, which set the initial state.

        There is always one outcome per call, whatever the functions do; calls beyond the limit are `NotRun`. Equal
        lists of calls give equal replays, so the latest small ones are remembered: `fresh` really runs them again.
        Raises UserError where the sandbox cannot run on this machine.
        """
        if start:
            return self.run([*start, *calls], fresh=fresh).after(len(start))
        name = canonical_json([[call.name, call.arguments] for call in calls])
        with self._memory_lock:
            if name in self._remembered and not fresh:
                self._remembered.move_to_end(name)
                return self._remembered[name][0]
        replay, size = self._replay(calls)
        # A hang may be the machine's fault, so only what came to its end is worth remembering.
        if replay.alive and (size := size + len(name)) < _LONGEST_REMEMBERED:
            with self._memory_lock:
                self._remember(name, replay, size)
        return replay

    def _remember(self, name: str, replay: Replay, size: int) -> None:
        _, before = self._remembered.pop(name, (None, 0))
        self._remembered[name] = replay, size
        self._remembered_bytes += size - before
        while self._remembered_bytes > _REMEMBERED_BYTES:
            _, (_, oldest) = self._remembered.popitem(last=False)
            self._remembered_bytes -= oldest

    def broken_rules(self, replay: Replay) -> list[BrokenRule]:
        """Which rules of the policy the calls of a replay broke. They must all have returned."""
        return self.rules_broken_on([Trail.of(replay)])

    def rules_broken_on(
        self, trails: Sequence[Trail], rules: Collection[str] | None = None, *, source: str | None = None
    ) -> list[BrokenRule]:
        """Which of these rules, or of all, the calls of trails broke; of the environment's, or of another source.

        The rules run in a process of their own, over the states that the trails tell of, so no function can reach them.
        Raises as `rules_in` does if the source holds no rules.
        """
        module = self.spec.rules if source is None else source
        back = looking_back(module)
        held = [name for name in rules_in(module) if rules is None or name in rules]
        if not held:
            return []
        arguments: dict[str, Json] = {
            "trails": [[list(trail.supposed), list(trail.steps)] for trail in trails],
            "rules": [[name, name in back] for name in held],
            "source": source,
        }
        check = Call(name=CHECK, arguments=arguments)
        with self._turns, self._template.fork([(check.name, check.arguments)]) as child:
            (outcome,) = self._outcomes(child, [check], Overlay(self.spec.database))
        if not outcome.ok:
            return [BrokenRule(0, "rules.py", f"{outcome.error_type}: {outcome.error}")]
        return read_broken_rules(outcome.result, held, [len(trail.steps) for trail in trails])

    def _replay(self, calls: Sequence[Call | GoldenCall]) -> tuple[Replay, int]:
        """The replay, and the size of the replies it was read from in bytes."""
        most = self.limits.calls
        within, beyond = calls[:most], calls[most:]
        runnable = [call for call in within if call.name in self._offered]
        overlay = Overlay(self.spec.database)
        ran: list[CallOutcome] = []
        size = 0
        if runnable:
            with self._turns, self._template.fork([(call.name, call.arguments) for call in runnable]) as child:
                ran = self._outcomes(child, runnable, overlay)
                size = child.bytes_read
        of_runnable = iter(ran)
        outcomes = [next(of_runnable) if call.name in self._offered else self._unknown(call) for call in within]
        too_many = f"the trajectory has {len(calls):,} calls, over the sandbox's {most:,}, so this one was not run"
        outcomes += [failed(call, "NotRun", too_many) for call in beyond]
        return Replay(tuple(outcomes), overlay.changes, tuple(overlay.steps)), size

    def _outcomes(self, child: Child, calls: Sequence[Call | GoldenCall], overlay: Overlay) -> list[CallOutcome]:
        limits, outcomes = self.limits, list[CallOutcome]()
        deadline = time.monotonic() + limits.trajectory_seconds
        try:
            for position, call in enumerate(calls):
                left = deadline - time.monotonic()
                line = child.read_line(min(limits.seconds, left), limits.reply_bytes)
                word = child.words[position]
                outcomes.append(read_outcome(line, word, position, call, overlay, most_values=limits.reply_values))
            child.expect_end(limits.seconds)
        except TimeoutError:
            ended = _Ended("Timeout", self._too_slow(within_trajectory=left > limits.seconds))
        except EOFError:
            ended = _Ended("Killed", "the function ended its process: it exited, crashed or ran out of memory")
        except BrokenProtocolError as broken:
            # Which of the lines were forged nobody can tell, so none of them counts.
            overlay.changes.clear()
            overlay.steps.clear()
            reason = f"the function broke the reply protocol{f': {broken}' if str(broken) else ''}"
            return [failed(call, "Killed", reason) for call in calls]
        else:
            return outcomes
        hung, *later = calls[len(outcomes) :]
        return [*outcomes, failed(hung, *ended), *map(not_run, later)]

    def _too_slow(self, *, within_trajectory: bool) -> str:
        if within_trajectory:
            return f"the call took longer than {self.limits.seconds:g} seconds"
        return f"the calls of this trajectory took longer than {self.limits.trajectory_seconds:g} seconds together"

    def _unknown(self, call: Call | GoldenCall) -> CallOutcome:
        offered = ", ".join(sorted(function.name for function in self.spec.functions))
        return failed(call, "UnknownFunction", f"there is no function `{call.name}`. There are: {offered}")
