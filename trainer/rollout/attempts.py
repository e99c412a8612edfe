"""What each attempt of an evaluation came to, a line each: so that two policies can be compared task by task."""

import json
from collections.abc import Sequence
from pathlib import Path

from toolscale.rewards import RewardVector
from toolscale.whole import writing
from trainer.sequence import Rollout


def write_attempts(folder: Path, step: int, rank: int, rollouts: Sequence[Rollout]) -> None:
    """Write one process's share of the attempts at a step to `folder`, without those that user or environment broke."""
    lines = [
        json.dumps({"task": rollout.task_id, "ending": rollout.ending, **vars(rollout.vector)})
        for rollout in rollouts
        if rollout.counts
    ]
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        _file(folder, step, rank).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def read_attempts(folder: Path, step: int) -> dict[str, RewardVector]:
    """Task -> M of the attempt at it, of all processes' shares."""
    found = {}
    for file in sorted(folder.glob(f"{step}-*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            told = json.loads(line)
            found[told["task"]] = RewardVector(
                tuple(told["tools"]), tuple(told["calls"]), told["solved"], told["dollars"], told["seconds"]
            )
    return found


def _file(folder: Path, step: int, rank: int) -> Path:
    return folder / f"{step}-{rank}.jsonl"
