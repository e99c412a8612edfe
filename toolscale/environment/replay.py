"""What a list of calls did to an environment."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from toolscale.artifacts import Call, CallOutcome, EntryRef, EnvironmentSpec, GoldenCall
from toolscale.environment.structure import EntryChange, Value, entry_change, entry_of, equal

FATAL = ("Timeout", "Killed", "NotRun")
"""The error types of a trajectory that came to an early end."""

SPOKEN = (*FATAL, "UnknownFunction")
"""The error types that the sandbox itself gives; what runs inside has no say in them."""


@dataclass(frozen=True)
class Replay:
    """The outcomes of calls on a fresh database, and the state that they left.

    ``changes`` lays over the initial database: each entry that ended different from it, with its record, or ``ABSENT``
    where it is gone. Two replays of one environment left the same state if and only if their changes are equal.
    """

    outcomes: tuple[CallOutcome, ...]
    changes: Mapping[EntryRef, Value]
    steps: tuple[Mapping[EntryRef, Value], ...] = ()
    """What each call that was run changed, laid over the state before it."""
    begun: tuple[CallOutcome, ...] = ()
    """The outcomes of the calls before these that set the initial state."""
    begun_steps: tuple[Mapping[EntryRef, Value], ...] = ()

    @property
    def ok(self) -> bool:
        """True when every call returned."""
        return all(outcome.ok for outcome in self.outcomes)

    @property
    def alive(self) -> bool:
        """False when a call hung or killed its process: what came after it was not run."""
        return not any(outcome.error_type in FATAL for outcome in (*self.begun, *self.outcomes))

    @cached_property
    def operated(self) -> frozenset[EntryRef]:
        """Entries that any call wrote or looked up by key, whether or not the call succeeded."""
        return frozenset(ref for outcome in self.outcomes for ref in (*outcome.wrote, *outcome.looked_up))

    def same_state(self, other: "Replay") -> bool:
        """Whether both left the same database, by structure. Both must be replays of one environment."""
        return self.changes.keys() == other.changes.keys() and all(
            equal(left, other.changes[ref]) for ref, left in self.changes.items()
        )

    def after(self, start: int) -> "Replay":
        """The same replay, with its first calls as those that set the initial state."""
        begun, outcomes = self.outcomes[:start], self.outcomes[start:]
        ran = sum(outcome.error_type != "UnknownFunction" for outcome in begun)
        return Replay(outcomes, self.changes, self.steps[ran:], begun, self.steps[:ran])

    def diff(self, spec: EnvironmentSpec) -> list[EntryChange]:
        """In what the database that was left differs from the initial one."""
        changes = (entry_change(ref, entry_of(spec.database, ref), self.changes[ref]) for ref in sorted(self.changes))
        return [change for change in changes if change is not None]


def state_differences(a: Replay, b: Replay, spec: EnvironmentSpec) -> list[EntryChange]:
    """In what the state that ``b`` left differs from the one that ``a`` left: the reasons of a verdict."""

    def left_by(replay: Replay, ref: EntryRef) -> Value:
        return replay.changes[ref] if ref in replay.changes else entry_of(spec.database, ref)

    changes = (entry_change(ref, left_by(a, ref), left_by(b, ref)) for ref in sorted({*a.changes, *b.changes}))
    return [change for change in changes if change is not None]


def not_run(call: Call | GoldenCall) -> CallOutcome:
    """The outcome of a call that comes after the end of its trajectory."""
    return failed(call, "NotRun", "an earlier call of this trajectory hung or was killed, so this one was not run")


def failed(call: Call | GoldenCall, error_type: str, error: str) -> CallOutcome:
    """The outcome of a call that never returned anything."""
    return CallOutcome(name=call.name, arguments=call.arguments, error=error, error_type=error_type)
