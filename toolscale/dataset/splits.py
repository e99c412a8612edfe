"""Which tasks are for evaluation, and what of them training never showed.

Five reasons put a family of tasks (a first task and all that evolved from it) into ``eval``, each by hashes alone:

- its domain is held out: the whole domain is in ``eval``;
- its intent is held out: no task of the domain with that intent is in ``train``;
- its user is held out: no task of the domain in ``train`` has that user;
- its entities are held out, or it shares one with a family whose entities are;
- its own hash, for tasks of the same kind as those in ``train``.

Whether domain, intent, user or entities of a task are unseen is then read from what ``train`` came to hold.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from toolscale.artifacts import EnvironmentSpec, Json, Reject, Task
from toolscale.artifacts.base import Split
from toolscale.checkers.values import leaves
from toolscale.dataset.families import root
from toolscale.errors import UserError

FAMILIES_IN = 10
"""One family in so many is in `eval` by its own hash."""

DOMAINS_HELD_OUT = 2
"""So many domains are held out unless it is said which, of a dataset that has `LEAST_DOMAINS`."""
LEAST_DOMAINS = 5
ALWAYS_TRAINED = ("railway", "restaurant", "medicine")
"""The demo's domains, which are never held out unless it is said: everybody's first dataset has them in `train`."""

INTENTS_IN = USERS_IN = 20
"""One intent, and one user, in so many is held out: at least one of a domain that has `LEAST_INTENTS` or `LEAST_USERS`.
"""
LEAST_INTENTS = 6
LEAST_USERS = 10

ENTITIES_OF_ONE_IN = 40
"""Of one family in so many the entities are held out."""
MOST_SHARING = 4
"""With more families than so many a family may not share an entity for that: a station would take half the domain."""

DRAFTED = ("tasks", "evolved_tasks")
"""Stages whose rejects are drafts of tasks. One that names no task may be kin to any."""

_NAME = re.compile(r"[\w-]+")


class Placement(NamedTuple):
    """Where a task is, and for one in `eval`, what of it is not in `train`. In `train` nothing of that is said."""

    split: Split
    unseen_domain: bool | None = None
    """No task in `train` is of its domain."""
    unseen_intent: bool | None = None
    """No task of its domain in `train` has its intent."""
    unseen_user: bool | None = None
    """A record says who its user is, and it is the user of no task of its domain in `train`."""
    unseen_entities: bool | None = None
    """Its golden calls name entities, and none that a golden call in `train` names."""


def placements(
    tasks: Sequence[Task],
    environments: Mapping[str, EnvironmentSpec],
    others: Iterable[Task] = (),
    hold_out: Collection[str] = (),
) -> dict[str, Placement]:
    """Task id -> its placement.

    `others` are tasks that were refused: they go with their family, for they may link a task to its first ancestor, and
    say much of their kin. They decide nothing. The domains of `hold_out` are in `eval` wholly.
    """
    every_task = {task.id: task for task in (*others, *tasks)}
    roots = {name: root(task, every_task) for name, task in every_task.items()}
    keys = {domain: _keys(environment) for domain, environment in environments.items()}
    named = {task.id: _entities(task, keys.get(task.domain, frozenset())) for task in tasks}
    users = users_of(tasks, environments)
    intents = _held_out(((task.domain, task.intent) for task in tasks), INTENTS_IN, LEAST_INTENTS)
    people = _held_out(((task.domain, user) for task in tasks if (user := users[task.id])), USERS_IN, LEAST_USERS)
    apart = _held_out_entities(tasks, roots, named)

    def in_eval(task: Task) -> bool:
        own = roots[task.id]
        return (
            split_of(own) == "eval"
            or own in apart
            or task.domain in hold_out
            or (task.domain, task.intent) in intents
            or (task.domain, users.get(task.id)) in people
        )

    evaluated = {roots[task.id] for task in tasks if in_eval(task)}
    trained = [task for task in tasks if roots[task.id] not in evaluated]
    seen_domains = {task.domain for task in trained}
    seen_intents = {(task.domain, task.intent) for task in trained}
    seen_users = {(task.domain, users[task.id]) for task in trained}
    seen = {(task.domain, entity) for task in trained for entity in named[task.id]}

    def place(task: Task) -> Placement:
        if roots[task.id] not in evaluated:
            return Placement("eval" if task.id not in named and in_eval(task) else "train")
        entities, user = named.get(task.id, frozenset()), users.get(task.id)
        return Placement(
            "eval",
            unseen_domain=task.domain not in seen_domains,
            unseen_intent=(task.domain, task.intent) not in seen_intents,
            unseen_user=user is not None and (task.domain, user) not in seen_users,
            unseen_entities=bool(entities) and not any((task.domain, one) in seen for one in entities),
        )

    return {name: place(task) for name, task in every_task.items()}


def held_out_domains(domains: Collection[str], chosen: Sequence[str] | None = None) -> list[str]:
    """The domains that are held out: those that were chosen, else two of a dataset with many, by their hashes.

    Raises:
        UserError: one that was chosen is not there, or nothing would be left to train on.
    """
    if chosen is None:
        ranked = sorted(set(domains) - set(ALWAYS_TRAINED), key=lambda domain: (_hash("domain", domain), domain))
        return sorted(ranked[:DOMAINS_HELD_OUT]) if len(domains) >= LEAST_DOMAINS else []
    if unknown := sorted(set(chosen) - set(domains)):
        raise UserError(f"{unknown[0]} cannot be held out: the dataset has {', '.join(sorted(domains))}")
    if domains and set(chosen) == set(domains):
        raise UserError(f"nothing would be left to train on: hold out fewer domains than {', '.join(sorted(domains))}")
    return sorted(set(chosen))


def users_of(tasks: Iterable[Task], environments: Mapping[str, EnvironmentSpec]) -> dict[str, str | None]:
    """Task id -> the key of the record that says who the user is: the first that the user's `known_info` names.

    None where it names none, as where users are strangers, or known by their names alone.
    """
    keys = {domain: _keys(environment) for domain, environment in environments.items()}

    def user(task: Task) -> str | None:
        known = task.user_scenario.instructions.known_info if task.user_scenario else ""
        there = keys.get(task.domain, frozenset())
        return next((word for word in names_in(known) if word in there), None)

    return {task.id: user(task) for task in tasks}


def reject_split(reject: Reject, placed: Mapping[str, Placement], hold_out: Collection[str] = ()) -> Split:
    """The split of a reject: `eval` where it is of a task there, names one, or is a draft that may be of one.

    What was refused before there were tasks, such as entries, belongs to the environment, as both splits do: `train`,
    unless the whole domain is held out.
    """
    named = {*_ids_of(reject.raw), *(word for reason in reject.reasons for word in names_in(reason))}
    splits = {placed[name].split for name in named if name in placed}
    drafted = reject.stage in (*DRAFTED, "programs") and not splits  # a program may draw what is like any task
    return "eval" if "eval" in splits or drafted or reject.domain in hold_out else "train"


def names_in(text: str) -> list[str]:
    """The words of a text that may be ids or keys."""
    return _NAME.findall(text)


def _ids_of(raw: Json) -> list[str]:
    """The ids of a refused task and of its parent."""
    if not isinstance(raw, dict):
        return []
    lineage = raw.get("lineage")
    return [str(raw.get("id")), *([str(lineage.get("parent"))] if isinstance(lineage, dict) else [])]


def split_of(first: str, one_in: int = FAMILIES_IN) -> Split:
    """The split that a family's own hash puts it into, given the id of its first task; one in 0 is none in `eval`."""
    return "eval" if one_in and _hash(first) % one_in == 0 else "train"


def _held_out(pairs: Iterable[tuple[str, str]], one_in: int, least: int) -> set[tuple[str, str]]:
    """Of the intents, or users, of each domain those that are held out."""
    by_domain: dict[str, set[str]] = defaultdict(set)
    for domain, name in pairs:
        by_domain[domain].add(name)
    chosen = set()
    for domain, names in by_domain.items():
        if len(names) >= least:
            ranked = sorted(names, key=lambda name: (_hash(domain, name), name))
            chosen |= {(domain, name) for name in ranked[: max(1, len(names) // one_in)]}
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
        for first in sorted(entities_of, key=lambda first: (_hash("entities", first), first)):
            sharing = {other for entity in entities_of[first] for other in naming[domain, entity]}
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


def _hash(*parts: str) -> int:
    return int(hashlib.sha256("\0".join(parts).encode()).hexdigest(), 16)
