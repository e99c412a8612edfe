"""Which tasks are for evaluation, and what of them training never showed.

Three reasons put a family of tasks (a first task and all that evolved from it) into ``eval``, each by hashes alone:

- its intent is held out: no task of the domain with that intent is in ``train``;
- its entities are held out, or it shares one with a family whose entities are;
- its own hash, for tasks of the same kind as those in ``train``.

Whether the intent or the entities of a task are unseen is then read from what ``train`` came to hold.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from toolscale.artifacts import EnvironmentSpec, Reject, Task
from toolscale.checkers.values import leaves

Split = Literal["train", "eval"]

FAMILIES_IN = 10
"""One family in so many is in `eval` by its own hash."""

INTENTS_IN = 20
"""One intent in so many is held out, and at least one of a domain that has `LEAST_INTENTS`."""
LEAST_INTENTS = 6

ENTITIES_OF_ONE_IN = 40
"""Of one family in so many the entities are held out."""
MOST_SHARING = 4
"""With more families than so many a family may not share an entity for that: a station would take half the domain."""

DRAFTED = ("tasks", "evolved_tasks")
"""Stages whose rejects are drafts of tasks. One that names no task may be kin to any."""

_NAME = re.compile(r"[\w-]+")


class Placement(NamedTuple):
    """Where a task is, and for one in `eval`, what of it is not in `train`. In `train` neither is said."""

    split: Split
    unseen_intent: bool | None = None
    """No task of its domain in `train` has its intent."""
    unseen_entities: bool | None = None
    """Its golden calls name entities, and none that a golden call in `train` names."""


def placements(
    tasks: Sequence[Task], environments: Mapping[str, EnvironmentSpec], others: Iterable[Task] = ()
) -> dict[str, Placement]:
    """Task id -> its placement.

    `others` are tasks that were refused: they go with their family, for they may link a task to its first ancestor, and
    say much of their kin. They decide nothing.
    """
    every_task = {task.id: task for task in (*others, *tasks)}
    roots = {name: _root(task, every_task) for name, task in every_task.items()}
    keys = {domain: _keys(environment) for domain, environment in environments.items()}
    named = {task.id: _entities(task, keys.get(task.domain, frozenset())) for task in tasks}
    intents, apart = _held_out_intents(tasks), _held_out_entities(tasks, roots, named)

    def in_eval(task: Task) -> bool:
        root = roots[task.id]
        return split_of(root) == "eval" or (task.domain, task.intent) in intents or root in apart

    evaluated = {roots[task.id] for task in tasks if in_eval(task)}
    trained = [task for task in tasks if roots[task.id] not in evaluated]
    seen_intents = {(task.domain, task.intent) for task in trained}
    seen = {(task.domain, entity) for task in trained for entity in named[task.id]}

    def place(task: Task) -> Placement:
        if roots[task.id] not in evaluated:
            return Placement("eval" if task.id not in named and in_eval(task) else "train")
        entities = named.get(task.id, frozenset())
        return Placement(
            "eval",
            unseen_intent=(task.domain, task.intent) not in seen_intents,
            unseen_entities=bool(entities) and not any((task.domain, one) in seen for one in entities),
        )

    return {name: place(task) for name, task in every_task.items()}


def reject_split(reject: Reject, placed: Mapping[str, Placement]) -> Split:
    """The split of a reject: `eval` where it is of a task there, names one, or is a draft that may be of one.

    What was refused before there were tasks, such as entries, belongs to the environment, as both splits do: `train`.
    """
    own = [str(reject.raw.get("id"))] if isinstance(reject.raw, dict) else []
    named = {*own, *(word for reason in reject.reasons for word in _NAME.findall(reason))}
    splits = {placed[name].split for name in named if name in placed}
    return "eval" if "eval" in splits or (reject.stage in DRAFTED and not splits) else "train"


def split_of(root: str) -> Split:
    """The split that a family's own hash puts it into, given the id of its first task."""
    return "eval" if _hash(root) % FAMILIES_IN == 0 else "train"


def _held_out_intents(tasks: Iterable[Task]) -> set[tuple[str, str]]:
    by_domain: dict[str, set[str]] = defaultdict(set)
    for task in tasks:
        by_domain[task.domain].add(task.intent)
    chosen = set()
    for domain, intents in by_domain.items():
        if len(intents) >= LEAST_INTENTS:
            ranked = sorted(intents, key=lambda intent: (_hash(domain, intent), intent))
            chosen |= {(domain, intent) for intent in ranked[: max(1, len(intents) // INTENTS_IN)]}
    return chosen


def _held_out_entities(
    tasks: Sequence[Task], roots: Mapping[str, str], named: Mapping[str, frozenset[str]]
) -> set[str]:
    """The families whose entities are held out, with those that share one: by their first tasks."""
    families: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    naming: dict[tuple[str, str], set[str]] = defaultdict(set)
    for task in tasks:
        families[task.domain][roots[task.id]] |= named[task.id]
        for entity in named[task.id]:
            naming[task.domain, entity].add(roots[task.id])
    apart: set[str] = set()
    for domain, entities_of in families.items():
        left = len(entities_of) // ENTITIES_OF_ONE_IN
        for root in sorted(entities_of, key=lambda root: (_hash("entities", root), root)):
            sharing = {other for entity in entities_of[root] for other in naming[domain, entity]}
            if left and sharing and len(sharing) <= MOST_SHARING + 1:
                apart |= sharing
                left -= 1
    return apart


def _entities(task: Task, keys: frozenset[str]) -> frozenset[str]:
    """The keys of records that the arguments of the golden calls name."""
    named = (leaf for call in task.golden_calls for _, leaf in leaves(call.arguments))
    return frozenset(leaf for leaf in named if isinstance(leaf, str) and leaf in keys)


def _keys(environment: EnvironmentSpec) -> frozenset[str]:
    return frozenset(key for table in environment.database.values() if isinstance(table, dict) for key in table)


def _root(task: Task, every_task: Mapping[str, Task]) -> str:
    """The id of the first task that a task descends from."""
    while task.lineage.parent is not None:
        if task.lineage.parent not in every_task:
            return task.lineage.parent
        task = every_task[task.lineage.parent]
    return task.id


def _hash(*parts: str) -> int:
    return int(hashlib.sha256("\0".join(parts).encode()).hexdigest(), 16)
