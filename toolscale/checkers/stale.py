"""Facts that a later write made untrue: read before it, changed by it, and shown by nothing afterwards.

Only what is certain counts: each value of the results that is the fact must be the very field, of the very entry, that
was changed.
"""

import re
from collections.abc import Iterator

from toolscale.artifacts import CallOutcome, EntryRef, EnvironmentSpec, Json, Task
from toolscale.checkers.asked import asking_sentences
from toolscale.checkers.results import holds, is_value, readable
from toolscale.checkers.said import Fact, fact_of
from toolscale.checkers.values import containers, leaves
from toolscale.environment import ABSENT, Replay
from toolscale.environment.structure import entry_change, entry_of

_OF_BEFORE = re.compile(
    r"\b(?:was|were|had|held|before|hitherto|old|so far|until now|till now|up to now|previous|previously|earlier|"
    r"original|originally|former|formerly|used to|would (?:\w+ ){0,3}have|replaces?|replaced|initial|initially|"
    r"in force|paid|at present|currently|still|foreseen|planned|intended)\b"
)


def stale_facts(task: Task, replay: Replay, spec: EnvironmentSpec) -> Iterator[str]:
    """A sentence for each fact that no longer holds when the golden calls, which all returned, are done."""
    if any(_OF_BEFORE.search(sentence) for sentence in asking_sentences(task.instruction)):
        return
    for info in task.communicate_info:
        fact = fact_of(info, task.fact_kinds.get(info))
        if changed := _changed_after(fact, replay, spec):
            yield f"{info!r} is stale: {changed}"


def _changed_after(fact: Fact, replay: Replay, spec: EnvironmentSpec) -> str:
    """The write that changed the one field that is the fact after it was last shown; empty if that is not certain."""
    shown = [at for at, done in enumerate(replay.outcomes) if _mentions(fact, done)]
    if not shown:
        return ""  # worked out, or told in a sentence
    state: dict[EntryRef, Json] = {}
    changed: dict[tuple[EntryRef, str], int] = {}
    for at, step in enumerate(replay.steps):
        for ref, after in step.items():
            change = entry_change(ref, state.get(ref, entry_of(spec.database, ref)), after)
            for field in change.fields if change is not None and change.kind == "changed" else ():
                if field.path and ABSENT not in (field.before, field.after):
                    name = str(field.path[-1])
                    if is_value(fact, field.before) and not is_value(fact, field.after) and at > shown[-1]:
                        changed[ref, name] = at
                    elif is_value(fact, field.after):
                        changed.pop((ref, name), None)
            state[ref] = after  # type: ignore[assignment]
    for (ref, name), at in changed.items():
        if all(_shows_only(fact, replay.outcomes[source], ref, name) for source in shown):
            entry = f"{ref.table}/{ref.key}"
            return f"golden_calls[{at}] `{replay.outcomes[at].name}` changes `{name}` of {entry} after it was read"
    return ""


def _mentions(fact: Fact, done: CallOutcome) -> bool:
    return any(is_value(fact, value) for _, value in leaves(done.result)) or holds(readable(done.result), fact.text)


def _shows_only(fact: Fact, done: CallOutcome, ref: EntryRef, name: str) -> bool:
    """Whether the call shows the fact nowhere but in that field of that entry."""
    places = [path for path, value in leaves(done.result) if is_value(fact, value)]
    of_table = {entry.key for entry in done.looked_up if entry.table == ref.table}
    within = dict(containers(done.result))
    return bool(places) and all(
        path
        and path[-1] == name
        and (ref.key in _strings(within[path[:-1]]) or (of_table == {ref.key} and ref.table not in done.scanned))
        for path in places
    )


def _strings(container: dict[str, Json] | list[Json]) -> set[str]:
    values = container.values() if isinstance(container, dict) else container
    return {value for value in values if isinstance(value, str)}
