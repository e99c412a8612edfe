"""Tasks of a dataset with what their golden calls and their attempts did: each is run again, in the sandbox."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolscale.artifacts import Call, EnvironmentSpec, GoldenCall, Task
from toolscale.dataset.contents import Contents
from toolscale.dataset.folder import Placed
from toolscale.dataset.report.in_play import rules_in_play
from toolscale.environment import EntryChange, Replay, Sandbox, state_differences
from toolscale.query.tables import quoted


@dataclass(frozen=True)
class Tried:
    """An attempt at a task that the dataset keeps."""

    attempt: int
    solved: bool
    reasons: Sequence[str]
    messages: Sequence[Mapping[str, Any]]
    differences: Sequence[EntryChange]
    """In what the database that it left differs from the one that the golden calls left."""


@dataclass(frozen=True)
class Replayed:
    """A task with what came of it."""

    task: Task
    split: str
    environment: EnvironmentSpec
    golden: Replay
    in_play: Sequence[frozenset[str]]
    """For each golden call the rules that it puts to the test."""
    tried: Sequence[Tried]

    @property
    def changes(self) -> list[EntryChange]:
        """What the golden calls left otherwise."""
        return self.golden.diff(self.environment)


def replayed(contents: Contents, placed: Sequence[Placed]) -> list[Replayed]:
    """The tasks, replayed, in their order."""
    attempts = _attempts(contents, [one.task.id for one in placed])
    by_world: dict[int, list[Placed]] = defaultdict(list)
    for one in placed:  # by identity: tasks of one environment share one object
        by_world[id(one.environment)].append(one)
    found = {one.task.id: one for mine in by_world.values() for one in _of_one_world(mine, attempts)}
    return [found[one.task.id] for one in placed]


def _of_one_world(placed: Sequence[Placed], attempts: Mapping[str, Sequence["_Kept"]]) -> Iterator[Replayed]:
    spec = placed[0].environment
    with Sandbox(spec) as sandbox:
        goldens = [sandbox.run(one.task.golden_calls, one.task.start) for one in placed]
        for one, golden, in_play in zip(placed, goldens, rules_in_play(sandbox, goldens), strict=True):
            tried = [each.against(golden, sandbox, one.task.start) for each in attempts.get(one.task.id, ())]
            yield Replayed(one.task, one.split, spec, golden, in_play, tried)


@dataclass(frozen=True)
class _Kept:
    attempt: int
    solved: bool
    reasons: Sequence[str]
    messages: Sequence[Mapping[str, Any]]
    calls: str

    def against(self, golden: Replay, sandbox: Sandbox, start: Sequence[GoldenCall]) -> Tried:
        differences: Sequence[EntryChange] = ()
        if not self.solved:
            calls = [Call(name=each["name"], arguments=each["arguments"]) for each in json.loads(self.calls)]
            differences = state_differences(golden, sandbox.run(calls, start), sandbox.spec)
        return Tried(self.attempt, self.solved, self.reasons, self.messages, differences)


def _attempts(contents: Contents, ids: Sequence[str]) -> dict[str, list[_Kept]]:
    if not ids:
        return {}
    wanted = f"where task_id in ({', '.join(map(quoted, ids))})"
    rows = contents.tables.rows(
        f"select task_id, attempt, true as solved, [] as reasons, messages, calls from trajectories {wanted} "
        f"union all select task_id, attempt, false, reasons, messages, calls from failed_attempts {wanted} "
        "order by task_id, solved desc, attempt"
    )
    found: dict[str, list[_Kept]] = defaultdict(list)
    for name, *rest in rows:
        found[name].append(_Kept(*rest))
    return found
