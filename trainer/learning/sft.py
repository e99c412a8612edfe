"""The warm start: supervised fine-tuning on successful trajectories and golden steps, masked as rollouts are."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from toolscale.dataset.folder import read_trajectories
from toolscale.errors import UserError
from trainer.config import Config, WarmStart
from trainer.distributed import Processes
from trainer.learning.balance import balanced
from trainer.learning.learner import Learner
from trainer.model.policy import Policy
from trainer.rollout.chat import Chat
from trainer.sequence import TokenSequence
from trainer.tasks.data import Exercises, places_of
from trainer.tasks.exercise import Exercise, Playable, StepExercise

T = TypeVar("T")

OnStep = Callable[[int, Mapping[str, float]], None]
"""Hears of each step's figures; steps count from 1."""


@dataclass
class Lessons:
    """Trajectories to be imitated."""

    by_task: list[list[TokenSequence]] = field(default_factory=list)
    """What there is to imitate of each task, one after the other."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Reason -> trajectories, or steps, that cannot be learned from."""


def read_lessons(
    folder: Path | None, exercises: Exercises, chat: Chat, config: Config, examples: int | None
) -> Lessons:
    """Trajectories of the tasks to train on, drawn task by task by the seed, as the policy would have sampled them.

    Of more than are wanted, those that call other functions take turns, so that a few show as many functions as they
    can, each as often as the others: what a warm start never showed, reinforcement learning seldom comes upon. A
    dataset of a mix that has no trajectories gives no lessons, and one of steps gives each step's golden message.

    Raises:
        UserError: none of the datasets has any that can be learned from; says why.
    """
    known = {exercise.id: exercise for exercise in exercises.train}
    places = places_of(folder, config.data)
    taught = [place for place in places if (place / "trajectories").is_dir()]
    rows = [row for place in taught for split, row in read_trajectories(place) if split == "train"]
    rows += [{"task_id": one.id, "attempt": 0} for one in known.values() if isinstance(one, StepExercise)]
    rows.sort(key=lambda row: (row["task_id"], row["attempt"]))
    tasks = [list(attempts) for _, attempts in groupby(rows, key=lambda row: row["task_id"])]
    Random(f"{config.seed}/lessons").shuffle(tasks)
    if examples is not None and examples < len(rows):
        tasks = in_turn(tasks, _kind)
    lessons = Lessons()
    taken: dict[str, list[TokenSequence]] = {}
    for row in chain.from_iterable(tasks):
        if examples is not None and sum(map(len, taken.values())) == examples:
            break
        exercise = known.get(row["task_id"])
        if exercise is None:
            lessons.left_out["of a task that is not trained on"] += 1
            continue
        sequence = _lesson(row, exercise, chat)
        if isinstance(sequence, str):
            lessons.left_out[sequence] += 1
        elif (
            len(sequence) > config.rollouts.context_tokens or sequence.prompt_length > config.rollouts.max_prompt_tokens
        ):
            lessons.left_out["longer than the context"] += 1
        elif sequence.sampled_count:
            taken.setdefault(row["task_id"], []).append(sequence)
    lessons.by_task = list(taken.values())
    if not taken:
        reasons = ", ".join(f"{count} {reason}" for reason, count in lessons.left_out.most_common())
        raise UserError(
            f"{', '.join(map(str, places))}: no trajectory to warm-start on, nor step ({reasons or 'it has none'}); "
            "leave out `warm_start`"
        )
    return lessons


def warm_start(
    policy: Policy, lessons: Lessons, settings: WarmStart, config: Config, processes: Processes, told: OnStep
) -> None:
    """Imitate the lessons, `epochs` times, each time in another order; every process takes its share of each batch.

    Those of one task go together: their prompt is then read once, and where they differ, none of them comes last.

    Raises:
        UserError: the loss is not finite.
    """
    size = sum(map(len, lessons.by_task))
    batches = -(-size // settings.batch)
    learner = Learner(
        policy,
        config.algorithm.model_copy(update={"kl_coefficient": 0.0}),
        config.optimization.model_copy(
            update={"learning_rate": settings.learning_rate, "warmup_steps": 0, "schedule": "linear"}
        ),
        steps=batches * settings.epochs,
        longest=config.rollouts.max_sampled_tokens,
        processes=processes,
        rate="warm_start.learning_rate",
    )
    for epoch in range(settings.epochs):
        tasks = Random(f"{config.seed}/lessons/{epoch}").sample(lessons.by_task, len(lessons.by_task))
        order = [sequence for sequences in tasks for sequence in sequences]
        for batch in range(batches):
            step = epoch * batches + batch
            given = order[batch * settings.batch : (batch + 1) * settings.batch]
            share = balanced(given, processes.size)[processes.rank]
            told(step + 1, learner.imitate([given[place] for place in share], step))


def in_turn(items: Sequence[T], kind: Callable[[T], Hashable]) -> list[T]:
    """The items in an order in which kinds take turns, the first of each kind first, until a kind has no more."""
    seen: Counter[Hashable] = Counter()
    rounds: list[int] = []
    for item in items:
        rounds.append(seen[kind(item)])
        seen[kind(item)] += 1
    return [items[place] for place in sorted(range(len(items)), key=rounds.__getitem__)]


def _kind(attempts: Sequence[Mapping[str, Any]]) -> Hashable:
    """The domain, and the functions that a task's first attempt called."""
    first = attempts[0]
    return first.get("domain"), _called(first.get("messages", ()))


def _called(messages: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    return frozenset(call["function"]["name"] for message in messages for call in message.get("tool_calls") or ())


def _lesson(row: Mapping[str, Any], exercise: Playable, chat: Chat) -> TokenSequence | str:
    """What an attempt, or a step, teaches; or why it teaches nothing."""
    if isinstance(exercise, StepExercise):
        golden = exercise.step.golden_output
        if golden is None:
            return "the right words were not recorded"
        return chat.written(exercise.messages, exercise.tools, golden)
    messages = [_without_nulls(message) for message in row["messages"]]
    if isinstance(exercise, Exercise):
        messages = exercise.preferring(messages)
    if not _called(messages) <= set(exercise.offered):
        return "calls what the task does not offer"
    return chat.recorded(messages, exercise.tools)


def _without_nulls(message: Mapping[str, Any]) -> dict[str, Any]:
    """Parquet has every column in every row."""
    return {name: value for name, value in message.items() if value is not None or name == "content"}
