"""A database that notes what is looked up, what is scanned, and which entries may have been written.

The tables are real dicts, so functions treat them as such. Reading an entry by a key that came from anywhere but the
table itself is a look-up; everything that goes over a table is a scan.
"""

import copy
from collections.abc import Iterable, Iterator, KeysView
from typing import Any


class Key(str):
    """A key as a table holds it. Who reads an entry by such a key got it from a scan, so that is no look-up."""

    __slots__ = ()

    def __copy__(self) -> str:
        return str(self)

    def __deepcopy__(self, memo: Any) -> str:
        return str(self)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return str, (str(self),)


class Log:
    """What one call looked up and scanned, in the order of first use."""

    __slots__ = ("looked_up", "scanned")

    def __init__(self) -> None:
        self.looked_up: dict[tuple[str, str], None] = {}
        self.scanned: dict[str, None] = {}

    def clear(self) -> None:
        """Forget everything before the next call."""
        self.looked_up.clear()
        self.scanned.clear()


class _Keys(KeysView[Any]):
    """The keys of a table: membership is a look-up, iteration a scan, as on the table itself."""

    __slots__ = ()

    @classmethod
    def _from_iterable(cls, it: Iterable[Any]) -> set[Any]:
        return set(it)

    def __reversed__(self) -> Iterator[Any]:
        return reversed(self._mapping)  # type: ignore[attr-defined]


class Table(dict[Any, Any]):
    """An object from key to record. ``touched`` and ``all_touched`` say which entries functions ever got hold of."""

    __slots__ = ("all_touched", "log", "name", "touched")
    __hash__ = None

    def __init__(self, records: Any = (), *, name: str = "", log: Log | None = None) -> None:
        # Built from records alone by whoever copies by type, as `dataclasses.asdict` does.
        super().__init__((Key(key) if isinstance(key, str) else key, record) for key, record in dict(records).items())
        self.name = name
        self.log = log or Log()
        self.touched: dict[Any, None] = {}
        self.all_touched = False

    def _read(self, key: Any) -> None:
        self.touched[key] = None
        if isinstance(key, Key):
            self.log.scanned[self.name] = None
        else:
            self.log.looked_up[self.name, str(key)] = None

    def _scan(self) -> None:
        self.all_touched = True
        self.log.scanned[self.name] = None

    def __getitem__(self, key: Any) -> Any:
        record = dict.__getitem__(self, key)
        self._read(key)
        return record

    def __contains__(self, key: Any) -> bool:
        found = dict.__contains__(self, key)
        if found:
            self._read(key)
        return found

    def get(self, key: Any, default: Any = None) -> Any:
        return self[key] if dict.__contains__(self, key) else default

    def pop(self, key: Any, *default: Any) -> Any:
        if dict.__contains__(self, key):
            self._read(key)
        return dict.pop(self, key, *default)

    def setdefault(self, key: Any, default: Any = None) -> Any:
        if not dict.__contains__(self, key):
            self[key] = default
        return self[key]

    def __setitem__(self, key: Any, record: Any) -> None:
        self.touched[key] = None
        dict.__setitem__(self, Key(key) if type(key) is str else key, record)

    def __delitem__(self, key: Any) -> None:
        dict.__delitem__(self, key)
        self.touched[key] = None

    def update(self, *others: Any, **records: Any) -> None:
        for key, record in dict(*others, **records).items():
            self[key] = record

    def __ior__(self, other: Any) -> "Table":
        self.update(other)
        return self

    def popitem(self) -> tuple[Any, Any]:
        self._scan()
        return dict.popitem(self)

    def clear(self) -> None:
        self._scan()
        dict.clear(self)

    def __iter__(self) -> Iterator[Any]:
        self._scan()
        return dict.__iter__(self)

    def __reversed__(self) -> Iterator[Any]:
        self._scan()
        return dict.__reversed__(self)

    def keys(self) -> Any:
        return _Keys(self)

    def values(self) -> Any:
        self._scan()
        return dict.values(self)

    def items(self) -> Any:
        self._scan()
        return dict.items(self)

    def copy(self) -> dict[Any, Any]:
        return dict(self.items())

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> dict[Any, Any]:
        return {copy.copy(key): copy.deepcopy(record, memo) for key, record in self.items()}

    def __or__(self, other: Any) -> Any:
        return self.copy() | other

    def __ror__(self, other: Any) -> Any:
        return other | self.copy()

    def __eq__(self, other: object) -> bool:
        self._scan()
        return dict.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __repr__(self) -> str:
        self._scan()
        return dict.__repr__(self)


class Database(dict[Any, Any]):
    """The root: table name to table. A table that is not an object of records is touched and scanned as a whole."""

    __slots__ = ("log", "touched")
    __hash__ = None

    def __init__(self, tables: Any = ()) -> None:
        super().__init__()
        self.log = Log()
        self.touched: dict[Any, None] = {}
        for name, content in dict(tables).items():
            dict.__setitem__(self, name, self.adopted(name, content))

    def adopted(self, name: str, content: Any) -> Any:
        """The content as this database holds it: a ``Table`` where it is an object of records."""
        return Table(content, name=name, log=self.log) if is_table(content) else content

    def _hand_out(self, name: Any, content: Any) -> Any:
        if type(content) is not Table:
            self.touched[name] = None
            self.log.scanned[str(name)] = None
        return content

    def __getitem__(self, name: Any) -> Any:
        return self._hand_out(name, dict.__getitem__(self, name))

    def get(self, name: Any, default: Any = None) -> Any:
        return self[name] if dict.__contains__(self, name) else default

    def setdefault(self, name: Any, default: Any = None) -> Any:
        if name not in self:
            self[name] = default
        return self[name]

    def __setitem__(self, name: Any, content: Any) -> None:
        self.touched[name] = None
        dict.__setitem__(self, name, content)

    def update(self, *others: Any, **tables: Any) -> None:
        for name, content in dict(*others, **tables).items():
            self[name] = content

    def __ior__(self, other: Any) -> "Database":
        self.update(other)
        return self

    def pop(self, name: Any, *default: Any) -> Any:
        return self._hand_out(name, dict.pop(self, name, *default))

    def popitem(self) -> tuple[Any, Any]:
        name, content = dict.popitem(self)
        return name, self._hand_out(name, content)

    def __iter__(self) -> Iterator[Any]:
        # Defined, although it adds nothing: without it dict(db) copies in C and no table is seen to be handed out.
        return dict.__iter__(self)

    def values(self) -> Any:
        return [self[name] for name in self]

    def items(self) -> Any:
        return [(name, self[name]) for name in self]

    def copy(self) -> dict[Any, Any]:
        return dict(self.items())

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> dict[Any, Any]:
        return {name: copy.deepcopy(content, memo) for name, content in self.items()}

    def __or__(self, other: Any) -> Any:
        return self.copy() | other

    def __ror__(self, other: Any) -> Any:
        return other | self.copy()

    def __eq__(self, other: object) -> bool:
        return bool(self.copy() == other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __repr__(self) -> str:
        return repr(self.copy())


def is_table(content: Any) -> bool:
    """True for an object from key to record. The empty key is reserved for the table itself."""
    return isinstance(content, dict) and "" not in dict.keys(content)
