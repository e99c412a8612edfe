"""Examples of rules: calls that break one or just keep it, made in the sandbox, or told where functions refuse them."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field

from toolscale.artifacts import Call, EntryRef, Json
from toolscale.environment import ABSENT, Sandbox, Trail
from toolscale.environment.rules import step, told_changes
from toolscale.environment.structure import Value, entry_of

Records = dict[str, dict[str, dict[str, Json]]]


class StatedCall(BaseModel):
    """A call of an example."""

    name: str
    arguments: dict[str, Json] = {}
    result: Json = None

    @property
    def returned(self) -> bool:
        """Whether it is said what the call returned, so that it need not be made."""
        return "result" in self.model_fields_set


class RuleExample(BaseModel):
    """Calls in order, of which the last is the one in question.

    They are made on the database, or, where the functions would refuse the last one, `changes` says what it would do.
    """

    calls: list[StatedCall] = Field(min_length=1, max_length=12)
    suppose: Records = {}
    """Fields of records, laid over the database before the calls; only with `changes`."""
    changes: dict[str, dict[str, dict[str, Json] | None]] | None = None
    """Fields of records as the last call leaves them; null where it removes the record."""


def trail_of(example: RuleExample, sandbox: Sandbox) -> Trail:
    """What the rules are shown of an example.

    Raises:
        ValueError: it does not happen as it says; the message tells its author what to mend.
    """
    offered = {function.name for function in sandbox.spec.functions}
    if unknown := [call.name for call in example.calls if call.name not in offered]:
        raise ValueError(f"there is no function `{unknown[0]}`")
    if example.changes is None:
        if example.suppose:
            raise ValueError("what is supposed is not in the database: say in `changes` what the last call does")
        replay = sandbox.run([Call(name=call.name, arguments=call.arguments) for call in example.calls])
        for done in replay.outcomes:
            if not done.ok:
                raise ValueError(
                    f"`{done.name}` is refused ({done.error}): correct the call, or say in `changes` what it would do"
                )
        return Trail.of(replay)
    state = _State(sandbox.spec.database)
    supposed = state.laid_over(example.suppose)
    return Trail([*_earlier(example, sandbox, state), _last(example, state)], told_changes(supposed))


def _earlier(example: RuleExample, sandbox: Sandbox, state: "_State") -> list[Json]:
    """The calls before the last: as they return on the database, where the example does not say what they return."""
    made = sandbox.run(
        [Call(name=call.name, arguments=call.arguments) for call in example.calls[:-1] if not call.returned]
    )
    for done in made.outcomes:
        if not done.ok:
            raise ValueError(f"`{done.name}` is refused ({done.error}): correct the call, or give its `result`")
    changes, results = iter(made.steps), iter(made.outcomes)
    steps = []
    for call in example.calls[:-1]:
        changed = {} if call.returned else state.noted(next(changes))
        result = call.result if call.returned else next(results).result
        steps.append(step(call.name, call.arguments, result, changed))
    return steps


def _last(example: RuleExample, state: "_State") -> Json:
    call = example.calls[-1]
    return step(call.name, call.arguments, call.result, state.laid_over(example.changes or {}))


class _State:
    """The database of an example, entry by entry, as far as it is another than the environment's."""

    def __init__(self, database: dict[str, Json]) -> None:
        self._database = database
        self._changes: dict[EntryRef, Value] = {}

    def noted(self, changes: Mapping[EntryRef, Value]) -> Mapping[EntryRef, Value]:
        """Changes, once they are part of the state."""
        self._changes |= changes
        return changes

    def laid_over(self, tables: Mapping[str, Mapping[str, dict[str, Json] | None]]) -> Mapping[EntryRef, Value]:
        """The changes that fields of records come to."""
        changes: dict[EntryRef, Value] = {}
        for table, records in tables.items():
            if table not in self._database:
                raise ValueError(f"there is no table `{table}`; there are {', '.join(self._database)}")
            for key, fields in records.items():
                if not key:
                    raise ValueError(f"a record of `{table}` has no key")
                ref = EntryRef(table, key)
                changes[ref] = ABSENT if fields is None else self._with(ref, fields)
        return self.noted(changes)

    def _with(self, ref: EntryRef, fields: dict[str, Json]) -> dict[str, Any]:
        known = self._changes.get(ref, entry_of(self._database, ref))
        return {**(known if isinstance(known, dict) else {}), **fields}
