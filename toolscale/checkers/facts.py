"""What the gates ask about an environment again and again, worked out once."""

from collections import defaultdict
from functools import cached_property

from toolscale.artifacts import CallOutcome, EnvironmentSpec, Json
from toolscale.checkers.parameters import signature_defaults
from toolscale.checkers.values import leaves, spoken


class EnvironmentFacts:
    """An environment with indexes over its database. Made once per environment, shared by all its tasks."""

    def __init__(self, spec: EnvironmentSpec) -> None:
        self.spec = spec
        self.kinds = {function.name: function.kind for function in spec.functions}
        self.parameters = {function.name: function.parameters for function in spec.functions}
        self.defaults = signature_defaults(spec.source)

    def is_write(self, done: CallOutcome) -> bool:
        """True for a call that wrote, and for one of a function that is declared to write: both have to be right."""
        return bool(done.wrote) or self.kinds.get(done.name) == "write"

    @cached_property
    def recitation(self) -> str:
        """Every key and every value of the database, each once, in the order in which they stand."""
        return "\n".join(dict.fromkeys(spoken(self.spec.database)))

    def another_key(self, value: str) -> str | None:
        """Where the value is a key of a table: another key of that table."""
        return self._keys.get(value)

    def keys_beside(self, value: str) -> list[str]:
        """Where the value is a key of a table: all keys of that table; of the first, should there be several."""
        return next((list(table) for table in self._tables if value in table), [])

    def another_value(self, value: str) -> str | None:
        """Where records hold the value in some field: another value of that field in that table."""
        return self._field_values.get(value)

    @property
    def _tables(self) -> list[dict[str, Json]]:
        return [table for table in self.spec.database.values() if isinstance(table, dict)]

    @cached_property
    def _keys(self) -> dict[str, str]:
        neighbours: dict[str, str] = {}
        for table in self.spec.database.values():
            if isinstance(table, dict):
                _add_neighbours(neighbours, list(table))
        return neighbours

    @cached_property
    def _field_values(self) -> dict[str, str]:
        fields: dict[tuple[str, ...], dict[str, None]] = defaultdict(dict)
        for name, table in self.spec.database.items():
            for record in table.values() if isinstance(table, dict) else ():
                for path, leaf in leaves(record):
                    if isinstance(leaf, str):
                        fields[name, *(str(step) for step in path if isinstance(step, str))][leaf] = None
        neighbours: dict[str, str] = {}
        for values in fields.values():
            _add_neighbours(neighbours, list(values))
        return neighbours


def _add_neighbours(neighbours: dict[str, str], values: list[str]) -> None:
    """Remember for each value the one that follows it; the last is followed by the first."""
    if len(values) > 1:
        for value, following in zip(values, [*values[1:], values[0]], strict=True):
            neighbours.setdefault(value, following)
