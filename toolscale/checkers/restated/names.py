"""Names that are true of the records whose ids a user says: "hire HI-7273, the wet saw"."""

from collections.abc import Iterator, Mapping
from typing import Any

from toolscale.artifacts import Task
from toolscale.checkers.facts import EnvironmentFacts
from toolscale.checkers.wording import fold, stands_in

_NAMING = ("name", "title")
_MOST = 2
_LONGEST = 60


def true_names(task: Task, facts: EnvironmentFacts) -> dict[str, list[str]]:
    """What the records are called whose ids the user says in the request, or what they refer to is, by id.

    What the user is to be told is not among it, nor who the user is.
    """
    if task.user_scenario is None:
        return {}
    said, known = task.user_scenario.instructions.reason_for_call, task.user_scenario.instructions.known_info
    ids = {str(value) for goal in task.lineage.goals for value in (*goal.facts.values(), *goal.repeats)}
    found = {
        key: dict.fromkeys(name for name in _names(key, facts, known) if name not in task.communicate_info)
        for key in sorted(ids)
        if stands_in(fold(key), fold(said))
    }
    return {key: list(names)[:_MOST] for key, names in found.items() if names}


def names_of_records(facts: EnvironmentFacts) -> Iterator[str]:
    """What any record is called."""
    for records in facts.spec.database.values():
        for record in records.values() if isinstance(records, Mapping) else ():
            yield from _called(record)


def _names(key: str, facts: EnvironmentFacts, known: str) -> Iterator[str]:
    database: Mapping[str, Any] = facts.spec.database
    for table, records in database.items():
        if not isinstance(records, Mapping) or key not in records:
            continue
        yield from _called(records[key])
        for field, target in facts.pointers.get(table, ()):
            other = records[key].get(field)
            if isinstance(other, str) and not stands_in(fold(other), fold(known)):
                yield from _called(database.get(target, {}).get(other))


def _called(record: Any) -> Iterator[str]:
    if isinstance(record, Mapping):
        for field, value in record.items():
            if field in _NAMING and isinstance(value, str) and 0 < len(value) <= _LONGEST:
                yield value
