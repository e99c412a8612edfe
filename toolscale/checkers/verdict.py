"""The verdict on a trajectory: execution correctness, process fidelity, operation completeness (paper, section 4)."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from toolscale.artifacts import Call, CallOutcome, EntryRef, EnvironmentSpec, FactKind, GoldenCall, Task, Verdict
from toolscale.artifacts.base import JsonPath
from toolscale.checkers.demands import broken_assertions, missing_calls
from toolscale.checkers.kinds import facts_of
from toolscale.checkers.needed import Entries, Need, needs, saw
from toolscale.checkers.said import Fact, can_be_said, is_said
from toolscale.checkers.values import written
from toolscale.environment import ABSENT, FATAL, EntryChange, Replay, Sandbox, state_differences

_MOST_REASONS = 20


@dataclass(frozen=True)
class GoldenReplay:
    """A task with the replay of its golden calls: made once, and every trajectory is held against it."""

    task: Task
    replay: Replay
    spec: EnvironmentSpec

    @classmethod
    def of(cls, sandbox: Sandbox, task: Task) -> "GoldenReplay":
        """Replay the task's golden calls on a fresh database; once more where one hangs, since a busy machine may be
        why, and every trajectory would be held against that."""
        replay = sandbox.run(task.golden_calls, task.start)
        if not replay.alive:
            replay = sandbox.run(task.golden_calls, task.start, fresh=True)
        return cls(task, replay, sandbox.spec)

    @property
    def faults(self) -> list[str]:
        """Golden calls that did not return, one sentence each, up to the one after which nothing was run."""
        faults = [
            f"start[{position}] {failed(outcome)}"
            for position, outcome in enumerate(self.replay.begun)
            if not outcome.ok
        ]
        for position, outcome in enumerate(self.replay.outcomes):
            if not outcome.ok:
                faults.append(f"golden_calls[{position}] {failed(outcome)}")
            if outcome.error_type in FATAL:
                break
        return faults

    @property
    def decisive_faults(self) -> list[str]:
        """The faults that leave nothing to hold a trajectory against."""
        start = len(self.replay.begun) - sum(outcome.ok for outcome in self.replay.begun)
        return self.faults if self.task.database_judged else self.faults[:start]

    @cached_property
    def wrote(self) -> frozenset[EntryRef]:
        """The entries that the golden calls wrote."""
        return frozenset(entry for outcome in self.replay.outcomes for entry in outcome.wrote)

    @cached_property
    def needs(self) -> list[Need]:
        """What the golden calls had to look up."""
        return needs(self.task, self.replay, self.spec)

    @cached_property
    def facts(self) -> list[Fact]:
        """The facts of `communicate_info`, each with what is known of its kind."""
        return facts_of(self.task, self.replay.outcomes, self.spec)

    @property
    def fact_kinds(self) -> dict[str, FactKind]:
        """What to publish beside the facts: judged with these kinds, the task is judged as it is without them."""
        return {fact.text: fact.kind for fact in self.facts}

    def covered_by(self, replay: Replay) -> bool:
        """Whether a trajectory operated on all that it must: operation completeness."""
        return self.wrote <= replay.operated and all(need.met(replay.outcomes) for need in self.needs)


def judge(
    sandbox: Sandbox,
    task: Task,
    calls: Sequence[Call | GoldenCall],
    agent_messages: Sequence[str],
    golden: GoldenReplay | None = None,
) -> Verdict:
    """Replay a trajectory's calls and say whether it solved the task, and if not, why not.

    Give `golden` to judge several trajectories of one task while replaying its golden calls once.
    """
    golden = golden or GoldenReplay.of(sandbox, task)
    replay = sandbox.run(calls, task.start)
    execution = [*_execution_faults(sandbox, golden, replay), *broken_assertions(sandbox, task, calls)]
    fidelity = _fidelity_faults(golden.facts, agent_messages, sandbox.spec.now)
    completeness = [*_completeness_faults(golden, replay), *missing_calls(task, calls)]
    reasons = [reason for faults in (execution, fidelity, completeness) for reason in _shortened(faults)]
    return Verdict(
        execution=not execution,
        fidelity=not fidelity,
        completeness=not completeness,
        reasons=list(dict.fromkeys(reasons)),  # golden calls that err are the reason twice
    )


def solves(
    sandbox: Sandbox, golden: GoldenReplay, calls: Sequence[Call | GoldenCall], agent_messages: Sequence[str]
) -> bool:
    """Whether `judge` calls it solved: without the reasons, and without a replay where the words alone decide."""
    if golden.decisive_faults or _fidelity_faults(golden.facts, agent_messages, sandbox.spec.now):
        return False
    if missing_calls(golden.task, calls) or broken_assertions(sandbox, golden.task, calls):
        return False
    if not golden.task.database_judged:
        return True
    replay = sandbox.run(calls, golden.task.start)
    return replay.alive and golden.replay.same_state(replay) and golden.covered_by(replay)


def judges_at_once() -> int:
    """Threads that judge side by side without idling: each waits for a sandbox's process about half of its time."""
    return 2 * (os.cpu_count() or 1)


def failed(outcome: CallOutcome) -> str:
    """What became of a call that did not return, for the middle of a sentence."""
    return f"`{outcome.name}` failed with {outcome.error_type}: {_brief(outcome.error or '')}"


def _execution_faults(sandbox: Sandbox, golden: GoldenReplay, replay: Replay) -> list[str]:
    if golden.decisive_faults or not golden.task.database_judged:
        return golden.decisive_faults
    lost = [
        f"calls[{position}] {failed(outcome)}; the database after it is unknown"
        for position, outcome in enumerate(replay.outcomes)
        if outcome.error_type in FATAL
    ]
    if lost or golden.replay.same_state(replay):
        return lost[:1]
    return [reason for change in state_differences(golden.replay, replay, sandbox.spec) for reason in _told(change)]


def _fidelity_faults(facts: Sequence[Fact], agent_messages: Sequence[str], now: datetime) -> list[str]:
    """A fact has to stand whole in one message: one that is split over two was not said."""
    faults = []
    for position, fact in enumerate(facts):
        if not can_be_said(fact):
            faults.append(f"the task's communicate_info[{position}] is {fact.text!r}, which nothing can say")
        elif not any(is_said(fact, message, now) for message in agent_messages):
            faults.append(f"never said {fact.text!r}")
    return faults


def _completeness_faults(golden: GoldenReplay, replay: Replay) -> list[str]:
    if golden.decisive_faults or not golden.task.database_judged:
        return golden.decisive_faults
    unwritten = [f"did not write {_entry(*entry)}" for entry in sorted(golden.wrote - replay.operated)]
    unseen = [_unseen(need, replay) for need in golden.needs if not need.met(replay.outcomes)]
    return [*unwritten, *sorted(unseen)]


def _unseen(need: Need, replay: Replay) -> str:
    """The ways to meet a need, each without what the trajectory did see."""

    def missed(way: Entries) -> str:
        return " and ".join(_entry(*entry) for entry in way if not saw(replay.outcomes, (entry,)))

    return f"did not look up {' or '.join(dict.fromkeys(missed(way) for way in need.ways))}"


def _told(change: EntryChange) -> list[str]:
    """What a difference between the golden state (before) and the trajectory's (after) means."""
    entry = _entry(change.table, change.key)
    if change.kind == "removed":
        return [f"{entry}: expected to be there, found nothing"]
    if change.kind == "added":
        return [f"{entry}: should not be there"]
    return [
        f"{entry}{_field(field.path)}: expected {_value(field.before)}, found {_value(field.after)}"
        for field in change.fields
    ]


def _entry(table: str, key: str) -> str:
    return f"{table}/{key}" if key else table


def _field(path: JsonPath) -> str:
    return f" `{written(path)}`" if path else ""


def _value(value: object) -> str:
    return "nothing" if value is ABSENT else _brief(repr(value))


def _brief(text: str, most: int = 160) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 3] + "..."


def _shortened(faults: list[str]) -> list[str]:
    rest = len(faults) - _MOST_REASONS
    return faults if rest <= 0 else [*faults[:_MOST_REASONS], f"and {rest} more of this kind"]
