"""Tasks, questions and steps from dataset folders, and the order in which training meets them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import TypeVar

from toolscale.artifacts import Task
from toolscale.artifacts.base import content_id
from toolscale.catalogue.catalogue import read_tools
from toolscale.catalogue.configuration import configure
from toolscale.catalogue.prices import schedule
from toolscale.dataset.folder import Placed, read_placed
from toolscale.dataset.questions import read_question_tasks
from toolscale.dataset.release import content_version
from toolscale.dataset.steps import read_step_tasks
from toolscale.errors import UserError
from trainer.config import Data, Tools
from trainer.exercise import Exercise, Playable, QuestionExercise, StepExercise

T = TypeVar("T")


@dataclass(frozen=True)
class Exercises:
    """What its datasets have for a training."""

    train: tuple[Playable, ...]
    held_out: tuple[Playable, ...]
    """The split `eval`."""
    version: str
    """The datasets', which follows from their content."""
    datasets: tuple[str, ...] = ()
    """A name for each dataset: its folder's, or its number where two folders have one name."""

    @property
    def catalogue_tools(self) -> tuple[str, ...]:
        """Names of all tools that any question offers, sorted."""
        asked = [one for one in (*self.train, *self.held_out) if isinstance(one, QuestionExercise)]
        return tuple(sorted({name for one in asked for name in one.offered}))


def read_exercises(folder: Path | None, data: Data, seed: int, tools: Tools | None = None) -> Exercises:
    """What the settings choose of their datasets, by split, in a stable order.

    Args:
        folder: the dataset that the command names.
        data: which tasks, and of which other datasets.
        seed: draws the functions that tasks offer.
        tools: how questions are asked.

    Raises:
        UserError: a folder is not a dataset of ours or of this version, or no task of `train` is left in it.
    """
    places = places_of(folder, data)
    read = [_read(place, number, data, seed, tools or Tools()) for number, place in enumerate(places)]
    version = read[0].version
    if data.mix is not None:
        version = content_id("mix", *((one.version, each.share) for one, each in zip(read, data.mix, strict=True)))
    return Exercises(
        tuple(exercise for one in read for exercise in one.train),
        tuple(exercise for one in read for exercise in one.held_out),
        version,
        _names(places),
    )


def places_of(folder: Path | None, data: Data) -> list[Path]:
    """The folders of a training's datasets. Raises UserError where one is not named."""
    places = [source.dataset or folder for source in data.mix] if data.mix else [folder]
    found = [place for place in places if place is not None]
    if len(found) < len(places):
        raise UserError("which dataset? Name its folder with --dataset, or in data.mix of the configuration")
    return found


def _names(places: Sequence[Path]) -> tuple[str, ...]:
    names = tuple(place.name for place in places)
    return names if len(set(names)) == len(names) else tuple(map(str, range(len(places))))


def from_position(exercises: Sequence[T], position: int, count: int, data: Data, seed: int) -> list[T]:
    """The next `count` exercises after `position`, which counts all that were taken before, over all epochs.

    Every epoch has an order of its own, which follows from the seed. So the position alone says where training stands.
    """
    size = len(exercises)
    return [
        exercises[_order(size, (position + step) // size, seed, data.shuffle)[(position + step) % size]]
        for step in range(count)
    ]


def _read(folder: Path, source: int, data: Data, seed: int, tools: Tools) -> Exercises:
    """What one folder has, whatever it holds."""
    found: Iterable[tuple[str, Playable]]
    version = content_version(folder)
    if (folder / "questions").is_dir():
        found = _questions(folder, tools)
    elif (folder / "steps").is_dir():
        steps = read_step_tasks(folder)
        found = [(step.split, StepExercise(step)) for step in steps]
    else:
        found = _domain_tasks(folder, data, seed)
    placed = [(split, replace(each, source=source)) for split, each in found]
    train = tuple(exercise for split, exercise in placed if split == "train")
    if not train:
        raise UserError(f"{folder}: no task is in `train` and meets `data` in the configuration; loosen it")
    return Exercises(train, tuple(exercise for split, exercise in placed if split != "train"), version)


def _domain_tasks(folder: Path, data: Data, seed: int) -> Iterator[tuple[str, Exercise]]:
    placed = read_placed(folder)
    known = {one.environment.domain for one in placed}
    if unknown := sorted(set(data.domains or ()) - known):
        raise UserError(
            f"data.domains: the dataset {folder} has no domain `{unknown[0]}`, only {', '.join(sorted(known))}"
        )
    for one in placed:
        if _chosen(one.task, data):
            yield one.split, Exercise(one.task, one.environment, _offered(one, data.tools_per_task, seed))


def _questions(folder: Path, tools: Tools) -> list[tuple[str, Playable]]:
    """The questions; those whose rows leave the tools open get the whole catalogue."""
    tasks = read_question_tasks(folder)
    if any(task.configuration is None for task in tasks):
        whole = configure(read_tools(tools.catalogue), schedule(tools.schedule))
        tasks = [task if task.configuration else task.model_copy(update={"configuration": whole}) for task in tasks]
    return [(task.split, QuestionExercise(task, tools.instructions)) for task in tasks]


@lru_cache(maxsize=16)
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
