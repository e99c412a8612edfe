"""Tasks that a model is described by: of domains, questions, single steps of chats; a few of each."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import zip_longest
from random import Random
from typing import Literal, TypeVar

from toolscale.artifacts import Task
from toolscale.questions.steps import Step
from toolscale.questions.task import QuestionTask

T = TypeVar("T")

SAMPLED = 10
"""The paper's number of tasks (section 3.1)."""

Sampled = Task | QuestionTask | Step
TaskKind = Literal["task", "question", "step"]


def kind_of(task: Sampled) -> TaskKind:
    """Whether it is a task of a domain, a question, or a single step of a chat."""
    if isinstance(task, Task):
        return "task"
    return "question" if isinstance(task, QuestionTask) else "step"


def topic_of(task: Sampled) -> str:
    """What it is about: its domain, or a question's topic; of a step that is not known."""
    if isinstance(task, Task):
        return task.domain
    return task.topic if isinstance(task, QuestionTask) else ""


def sample_tasks(tasks: Sequence[Sampled], *, seed: int, count: int = SAMPLED) -> list[Sampled]:
    """Tasks drawn at random: from every kind, and of each from every topic, as evenly as there are any.

    The same seed, the same tasks.
    """
    random = Random(seed)
    by_topic: dict[TaskKind, dict[str, list[Sampled]]] = defaultdict(lambda: defaultdict(list))
    for task in sorted(tasks, key=lambda each: each.id):
        by_topic[kind_of(task)][topic_of(task)].append(task)
    of_kinds = []
    for _, topics in sorted(by_topic.items()):
        queues = [random.sample(each, len(each)) for _, each in sorted(topics.items())]
        random.shuffle(queues)
        of_kinds.append(_in_turn(queues))
    return _in_turn(of_kinds)[:count]


def _in_turn(queues: Sequence[Sequence[T]]) -> list[T]:
    """The first of each, then the second of each, and so on."""
    return [each for row in zip_longest(*queues) for each in row if each is not None]
