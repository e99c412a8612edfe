"""Running an environment's functions, which are hostile code, each trajectory in a process of its own."""

import itertools
import json
import threading
from collections import OrderedDict
from collections.abc import Collection, Sequence
from typing import NamedTuple, Self

from toolscale.artifacts import Call, CallOutcome, EnvironmentSpec, GoldenCall, Json, canonical_json
from toolscale.environment.inside.rules import CHECK
from toolscale.environment.limits import Limits
from toolscale.environment.process import Template
from toolscale.environment.replay import Replay, failed, not_run
from toolscale.environment.reply import BrokenProtocolError, Overlay
from toolscale.environment.rules import BrokenRule, Trail, looking_back, read_broken_rules, rules_in
from toolscale.environment.trajectory import Trajectory
from toolscale.environment.waiting import Waiting
from toolscale.errors import UserError
from toolscale.python_source import NotPython, parsed


class _Ended(NamedTuple):
    """How a trajectory came to an early end."""

    error_type: str
    error: str


_REMEMBERED_BYTES = 16 << 20
"""Of replies whose replays are remembered; in memory they are a few times as much."""

_LONGEST_REMEMBERED = 64 << 10

_WAITING = Waiting()
_numbers = itertools.count()


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
        self._number = next(_numbers)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End its processes. A closed sandbox may be used again; it starts new ones."""
        _WAITING.drop(self._number)
        self._template.close()

    def run(
        self,
        calls: Sequence[Call | GoldenCall],
        start: Sequence[GoldenCall] = (),
        *,
        fresh: bool = False,
        goes_on: bool = False,
    ) -> Replay:
        """Run calls one after the other on a fresh database, after those of `start`, which set the initial state.

        There is always one outcome per call, whatever the functions do; calls beyond the limit are `NotRun`. Equal
        lists of calls give equal replays, so the latest small ones are remembered: `fresh` really runs them again.
        With `goes_on`, which says that more calls may follow, the process that made them is left to wait for the next,
        and one that has made all but the last of them makes that.
        Raises UserError where the sandbox cannot run on this machine.
        """
        if start:
            return self.run([*start, *calls], fresh=fresh, goes_on=goes_on).after(len(start))
        names = [_name(call) for call in calls]
        name = ",".join(names)
        with self._memory_lock:
            if name in self._remembered and not fresh:
                self._remembered.move_to_end(name)
                return self._remembered[name][0]
        found = self._one_more(calls, ",".join(names[:-1]), name) if goes_on and not fresh else None
        replay, size = found or self._replay(calls, name if goes_on else "")
        # A hang may be the machine's fault, so only what came to its end is worth remembering.
        if replay.alive and (size := size + len(name)) < _LONGEST_REMEMBERED:
            with self._memory_lock:
                self._remember(name, replay, size)
        return replay

    def let_go(self, calls: Sequence[Call | GoldenCall], start: Sequence[GoldenCall] = ()) -> None:
        """Say that no call follows after these, which `run` was told might go on."""
        _WAITING.release(self._number, ",".join(map(_name, [*start, *calls])))

    def unknown(self, call: Call | GoldenCall) -> CallOutcome:
        """What a call gives whose function there is not, as far as the agent is concerned."""
        offered = ", ".join(sorted(function.name for function in self.spec.functions))
        return failed(call, "UnknownFunction", f"there is no function `{call.name}`. There are: {offered}")

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
        with self._turns, Trajectory(self._template, self.spec.database, self.limits, [check]) as trajectory:
            (outcome,) = self._outcomes(trajectory, [check])
        if not outcome.ok:
            return [BrokenRule(0, "rules.py", f"{outcome.error_type}: {outcome.error}")]
        return read_broken_rules(outcome.result, held, [len(trail.steps) for trail in trails])

    def _one_more(self, calls: Sequence[Call | GoldenCall], before: str, name: str) -> tuple[Replay, int] | None:
        """What `_replay` gives, by a process that has made all calls but the last; None where none waits for it.

        None, too, where the last does not end well there: running all of them anew says what becomes of it.
        """
        trajectory = _WAITING.take(self._number, before)
        if trajectory is None:
            return None
        try:
            if len(calls) > self.limits.calls:
                raise EOFError
            with self._turns:
                if calls[-1].name in self._offered:
                    trajectory.make(calls[-1:])
                trajectory.pause()
        except BaseException as error:
            trajectory.close()
            if isinstance(error, TimeoutError | EOFError | BrokenProtocolError):
                return None
            raise
        return self._left(trajectory, name, self._told(calls, trajectory.outcomes, trajectory.overlay))

    def _replay(self, calls: Sequence[Call | GoldenCall], name: str = "") -> tuple[Replay, int]:
        """The replay, and the size of the replies it was read from in bytes.

        Given the calls' name, their process is left to wait.
        """
        runnable = [call for call in calls[: self.limits.calls] if call.name in self._offered]
        if not runnable:
            return self._told(calls, [], Overlay(self.spec.database)), 0
        with self._turns:
            trajectory = Trajectory(self._template, self.spec.database, self.limits, runnable)
            try:
                outcomes = self._outcomes(trajectory, runnable, pauses=bool(name))
            except BaseException:
                trajectory.close()
                raise
        return self._left(trajectory, name, self._told(calls, outcomes, trajectory.overlay))

    def _left(self, trajectory: Trajectory, name: str, replay: Replay) -> tuple[Replay, int]:
        size = trajectory.bytes_read
        if trajectory.waits:
            _WAITING.put(self._number, name, trajectory)
        else:
            trajectory.close()
        return replay, size

    def _told(self, calls: Sequence[Call | GoldenCall], ran: Sequence[CallOutcome], overlay: Overlay) -> Replay:
        """The replay of calls, of which those that could be run did what is given."""
        most = self.limits.calls
        too_many = f"the trajectory has {len(calls):,} calls, over the sandbox's {most:,}, so this one was not run"
        of_runnable = iter(ran)
        outcomes = [next(of_runnable) if call.name in self._offered else self.unknown(call) for call in calls[:most]]
        outcomes += [failed(call, "NotRun", too_many) for call in calls[most:]]
        return Replay(tuple(outcomes), dict(overlay.changes), tuple(overlay.steps))

    def _outcomes(
        self, trajectory: Trajectory, calls: Sequence[Call | GoldenCall], *, pauses: bool = False
    ) -> list[CallOutcome]:
        """One for each call, whatever becomes of it."""
        try:
            trajectory.make(calls)
            if pauses:
                trajectory.pause()
            else:
                trajectory.end()
        except TimeoutError:
            ended = _Ended("Timeout", self._too_slow(within_trajectory=not trajectory.late))
        except EOFError:
            ended = _Ended("Killed", "the function ended its process: it exited, crashed or ran out of memory")
        except BrokenProtocolError as broken:
            # Which of the lines were forged nobody can tell, so none of them counts.
            trajectory.overlay.changes.clear()
            trajectory.overlay.steps.clear()
            reason = f"the function broke the reply protocol{f': {broken}' if str(broken) else ''}"
            return [failed(call, "Killed", reason) for call in calls]
        else:
            return trajectory.outcomes
        made = trajectory.outcomes
        hung, *later = calls[len(made) :]
        return [*made, failed(hung, *ended), *map(not_run, later)]

    def _too_slow(self, *, within_trajectory: bool) -> str:
        if within_trajectory:
            return f"the call took longer than {self.limits.seconds:g} seconds"
        return f"the calls of this trajectory took longer than {self.limits.trajectory_seconds:g} seconds together"


def _name(call: Call | GoldenCall) -> str:
    return canonical_json([call.name, call.arguments])
