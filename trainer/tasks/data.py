"""Tasks, questions and steps from dataset folders, and the order in which training meets them."""

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from random import Random
from typing import TypeVar

from toolscale.artifacts import Task
from toolscale.artifacts.base import content_id
from toolscale.catalogue.catalogue import read_tools
from toolscale.catalogue.configuration import ToolConfiguration, configure
from toolscale.catalogue.prices import EVALUATION, TRAINING, schedule
from toolscale.catalogue.servers import told_by_servers
from toolscale.dataset.folder import Placed, read_placed, splits_in
from toolscale.dataset.questions import read_question_tasks
from toolscale.dataset.release import content_version
from toolscale.dataset.steps import read_step_tasks
from toolscale.errors import UserError
from toolscale.instances import Instance, InstanceOptions, Instances
from toolscale.questions.task import QuestionTask
from trainer.config import Data, Tools
from trainer.tasks.exercise import Exercise, Playable, QuestionExercise, StepExercise

T = TypeVar("T")

log = logging.getLogger(__name__)

_CONFIGS = ("tasks", "questions", "steps")
"""What a dataset of a training is of: one of these, each a folder in the dataset's."""


@dataclass(frozen=True)
class Exercises:
    """What its datasets have for a training."""

    train: tuple[Playable, ...]
    held_out: tuple[Playable, ...]
    """The split `eval`."""
    version: str
    """The datasets', which follows from their content, and from what was drawn for what their rows leave open."""
    datasets: tuple[str, ...] = ()
    """A name for each dataset: its folder's, or its number where two folders have one name."""
    released: str = ""
    """The version of the datasets alone, whatever was drawn."""

    @property
    def catalogue_tools(self) -> tuple[str, ...]:
        """Names of all tools of a catalogue that any exercise offers, sorted."""
        configured = (one.configuration for one in (*self.train, *self.held_out))
        return tuple(sorted({name for each in configured if each for name in each.names}))


def read_exercises(folder: Path | None, data: Data, seed: int, tools: Tools | None = None) -> Exercises:
    """What the settings choose of their datasets, by split, in a stable order.

    Args:
        folder: the dataset that the command names.
        data: which tasks, and of which other datasets.
        seed: draws the functions that tasks offer.
        tools: how questions are asked, and what tasks offer beside their functions.

    Raises:
        UserError: a folder is not a dataset of ours or of this version, no task of `train` is left in it, or instances
            cannot be drawn.
    """
    places, tools = places_of(folder, data), tools or Tools()
    read = [_read(place, number, data, seed, tools) for number, place in enumerate(places)]

    def together(versions: Sequence[str]) -> str:
        if data.mix is None:
            return versions[0]
        return content_id("mix", *((one, each.share) for one, each in zip(versions, data.mix, strict=True)))

    return Exercises(
        tuple(exercise for one in read for exercise in one.train),
        tuple(exercise for one in read for exercise in one.held_out),
        together([one.version for one in read]),
        _names(places),
        together([one.released for one in read]),
    )


def places_of(folder: Path | None, data: Data) -> list[Path]:
    """The folders of a training's datasets. Raises UserError where one is not named, or is no folder of a dataset."""
    places = [source.dataset or folder for source in data.mix] if data.mix else [folder]
    found = [place for place in places if place is not None]
    if len(found) < len(places):
        raise UserError("which dataset? Name its folder with --dataset, or in data.mix of the configuration")
    for place in found if data.mix else ():
        if not any((place / config).is_dir() for config in _CONFIGS):
            raise UserError(
                f"data.mix: {place} holds no dataset: make it with `toolscale build` or `toolscale import`, or name "
                "another folder"
            )
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
    released, given = content_version(folder), _Given(tools)
    if (folder / "questions").is_dir():
        found = [(task.split, given.question(task)) for task in read_question_tasks(folder)]
    elif (folder / "steps").is_dir():
        steps = read_step_tasks(folder)
        found = [(step.split, StepExercise(step)) for step in steps]
    else:
        found = _domain_tasks(folder, data, seed, given)
    placed = [(split, replace(each, source=source)) for split, each in found]
    _warn_of_doubles(folder, [each.id for _, each in placed])
    train = tuple(exercise for split, exercise in placed if split == "train")
    if not train:
        if "train" not in splits_in(folder).values():
            raise UserError(
                f"{folder}: its split `train` is empty, whatever `data` says; build it with other shares of the "
                "splits, or name another dataset"
            )
        raise UserError(f"{folder}: no task in `train` meets `data` in the configuration; loosen it")
    version = content_id("drawn", released, given.drawn_from) if given.drawn_from else released
    held_out = tuple(exercise for split, exercise in placed if split != "train")
    return Exercises(train, held_out, version, released=released)


def _warn_of_doubles(folder: Path, ids: Sequence[str]) -> None:
    """Ids follow from content, so a second row of one is a mistake: it counts twice, or is trained and evaluated on."""
    doubles = [name for name, count in Counter(ids).items() if count > 1]
    if doubles:
        log.warning(
            "%s: %d of %d tasks stand in it more than once, the first %s: they count as often, and one in both splits "
            "is trained and evaluated on; remove the rows that are too many",
            folder,
            len(doubles),
            len(set(ids)),
            doubles[0],
        )


def _domain_tasks(folder: Path, data: Data, seed: int, given: "_Given") -> Iterator[tuple[str, Exercise]]:
    placed = read_placed(folder)
    known = {one.environment.domain for one in placed}
    if unknown := sorted(set(data.domains or ()) - known):
        raise UserError(
            f"data.domains: the dataset {folder} has no domain `{unknown[0]}`, only {', '.join(sorted(known))}"
        )
    left_aside = sum(one.instance is not None for one in placed)
    if left_aside and not given.to_tasks:
        log.warning(
            "%s: %d of %d tasks have tools, prices and preferences in their rows, which are left aside: to play with "
            "them, set tools.domain_tasks to true, and tools.catalogue to the one that they were drawn from",
            folder,
            left_aside,
            len(placed),
        )
    for one in placed:
        if _chosen(one.task, data):
            functions = _offered(one, data.tools_per_task, seed)
            yield one.split, Exercise(one.task, one.environment, functions, given.instance(one))


class _Given:
    """What tasks and questions are played with: that of their rows, else what the settings give."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self.drawn_from = ""
        """Names what the settings gave, which no file of the dataset knows; empty where rows left nothing open."""

    @property
    def to_tasks(self) -> bool:
        """Whether domain tasks are given anything."""
        return self._tools.domain_tasks

    def instance(self, one: Placed) -> Instance | None:
        """A domain task's, where such tasks have any."""
        if not self.to_tasks:
            return None
        return one.instance or self._draws.of_task(one.task, one.environment, one.split)

    def question(self, task: QuestionTask) -> QuestionExercise:
        """A question; one whose row leaves the tools open gets the whole catalogue."""
        if task.configuration is None:
            task = task.model_copy(update={"configuration": self._whole})
        return QuestionExercise(task, self._tools.instructions)

    @cached_property
    def _draws(self) -> Instances:
        tools = self._tools
        options = InstanceOptions(
            tools.catalogue,
            (tools.schedule,) if tools.schedule else TRAINING,
            tools.preferences,
            tools.descriptions,
            tools.seed,
        )
        drawn = Instances.beside_functions(options)
        self.drawn_from = drawn.fingerprint
        return drawn

    @cached_property
    def _whole(self) -> ToolConfiguration:
        tools = told_by_servers(read_tools(self._tools.catalogue))
        whole = configure(tools, schedule(self._tools.schedule or EVALUATION))
        self.drawn_from = whole.id
        return whole


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
