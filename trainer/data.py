"""Tasks and environments from a dataset folder, and the order in which training meets them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from toolscale.artifacts import EnvironmentSpec, Task
from toolscale.dataset.folder import Placed, read_placed
from toolscale.dataset.release import release
from toolscale.errors import UserError
from trainer.config import Data


@dataclass(frozen=True)
class Exercise:
    """A task to be played: where, and with which tools."""

    task: Task
    environment: EnvironmentSpec
    """Exercises of one environment share one object, so they can share a sandbox."""
    offered: tuple[str, ...]
    """Names of the functions that the agent is offered, in the environment's order."""

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The offered functions as OpenAI tools."""
        return [function.tool() for function in self.environment.functions if function.name in self.offered]


@dataclass(frozen=True)
class Exercises:
    """What a dataset has for a training."""

    train: tuple[Exercise, ...]
    held_out: tuple[Exercise, ...]
    """The split `eval`."""
    version: str
    """The dataset's, which follows from its content."""


def read_exercises(folder: Path, data: Data, seed: int) -> Exercises:
    """The dataset's tasks that the settings choose, by split, in a stable order.

    Raises:
        UserError: the folder is not a dataset of ours or of this version, or no task of `train` is left.
    """
    version = release(folder).version
    placed = read_placed(folder)
    known = {one.environment.domain for one in placed}
    if unknown := sorted(set(data.domains or ()) - known):
        raise UserError(
            f"data.domains: the dataset {folder} has no domain `{unknown[0]}`, only {', '.join(sorted(known))}"
        )
    chosen = [one for one in placed if _chosen(one.task, data)]
    by_split = {
        split: tuple(
            Exercise(one.task, one.environment, _offered(one, data.tools_per_task, seed))
            for one in chosen
            if (one.split == "train") == (split == "train")
        )
        for split in ("train", "eval")
    }
    if not by_split["train"]:
        raise UserError(
            f"{folder}: none of its {len(placed)} tasks is in `train` and meets `data` in the configuration; loosen it"
        )
    return Exercises(by_split["train"], by_split["eval"], version)


def from_position(exercises: Sequence[Exercise], position: int, count: int, data: Data, seed: int) -> list[Exercise]:
    """The next `count` exercises after `position`, which counts all that were taken before, over all epochs.

    Every epoch has an order of its own, which follows from the seed. So the position alone says where training stands.
    """
    size = len(exercises)
    return [
        exercises[_order(size, (position + step) // size, seed, data.shuffle)[(position + step) % size]]
        for step in range(count)
    ]


@lru_cache(maxsize=4)
def _order(size: int, epoch: int, seed: int, shuffle: bool) -> tuple[int, ...]:
    places = list(range(size))
    if shuffle:
        Random(f"{seed}/order/{epoch}").shuffle(places)
    return tuple(places)


def _chosen(task: Task, data: Data) -> bool:
    least, most = data.pass_rates
    return (
        (data.domains is None or task.domain in data.domains)
        and (data.max_golden_calls is None or len(task.golden_calls) <= data.max_golden_calls)
        and (data.max_depth is None or task.lineage.depth <= data.max_depth)
        and (task.pass_rate is None or least <= task.pass_rate <= most)
    )


def _offered(one: Placed, count: int | None, seed: int) -> tuple[str, ...]:
    """Every function, or so many: those of the golden calls, and others drawn by the seed and the task."""
    names = [function.name for function in one.environment.functions]
    if count is None or count >= len(names):
        return tuple(names)
    golden = {call.name for call in one.task.golden_calls}
    others = [name for name in names if name not in golden]
    drawn = Random(f"{seed}/tools/{one.task.id}").sample(others, min(len(others), max(0, count - len(golden))))
    return tuple(name for name in names if name in golden or name in drawn)
