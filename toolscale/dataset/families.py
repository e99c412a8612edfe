"""Families of tasks: a first task and all that evolved from it."""

from collections.abc import Mapping
from typing import NamedTuple

from toolscale.artifacts import Task


class Ancestor(NamedTuple):
    """A task that another descends from."""

    id: str
    added: str | None
    """What it added to its own parent, empty for a first task; None where the ancestor is not at hand."""


def ancestors(task: Task, every_task: Mapping[str, Task]) -> list[Ancestor]:
    """The chain that a task evolved from, the first task first; empty for a first task.

    `every_task` are the tasks at hand by their ids, the refused ones too: a chain ends where one is missing.
    """
    chain: list[Ancestor] = []
    while (parent := task.lineage.parent) is not None:
        if parent not in every_task:
            return [Ancestor(parent, None), *chain]
        task = every_task[parent]
        chain.insert(0, Ancestor(task.id, task.lineage.added))
    return chain


def root(task: Task, every_task: Mapping[str, Task]) -> str:
    """The id of the first task that a task descends from, which names its family."""
    chain = ancestors(task, every_task)
    return chain[0].id if chain else task.id
