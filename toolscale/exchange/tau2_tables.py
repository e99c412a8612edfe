"""A tau2-bench database as its tools know it, models and all, over the records of the sandbox's database.

This file's text goes into the functions.py of an imported environment. A record becomes a model when a tool first reads
it, and that model stays for the rest of the trajectory, as in tau2-bench; what a call changed in any of them is written
back to the records when it ends. So a look-up by key is seen as one, and a call costs what it touches.
"""

import copy
import typing
from collections.abc import Iterator, MutableMapping
from typing import Any

import pydantic as _pydantic


class _Form:
    """How values of one type are read from JSON, under the names of their fields, and written as it."""

    def __init__(self, hint: Any):
        self._adapter = _pydantic.TypeAdapter(hint)

    def read(self, plain: Any) -> Any:
        return self._adapter.validate_python(plain, by_alias=False, by_name=True)

    def plain(self, value: Any) -> Any:
        return self._adapter.dump_python(
            value, mode="json", by_alias=False, round_trip=True, warnings=False, fallback=str
        )

    def text(self, value: Any) -> bytes:
        return self._adapter.dump_json(value, by_alias=False, round_trip=True, warnings=False, fallback=str)


class _Table(dict[Any, Any]):
    """A table of records as a dict of models. In its own storage lies a record until it is read, then the model."""

    __hash__ = None

    def __init__(self, records: Any, key_hint: Any, value_hint: Any):
        self._records: Any = records
        self._values = _Form(value_hint)
        self._keys = _Form(dict[key_hint, Any])
        names = [*dict.keys(records)]
        keys = self._keys.read(dict.fromkeys(names))
        # The table's own string is kept as the key: who reads by it got it from a scan.
        self._names: dict[Any, Any] = {
            name if type(key) is str else key: name for key, name in zip(keys, names, strict=True)
        }
        self._known: dict[Any, bytes] = {}
        dict.update(self, zip(self._names, dict.values(records), strict=True))

    def __getitem__(self, key: Any) -> Any:
        record = self._records[self._asked(key)]
        if key not in self._known:
            model = self._values.read(record)
            dict.__setitem__(self, key, model)
            self._known[key] = self._values.text(model)
        return dict.__getitem__(self, key)

    def _asked(self, key: Any) -> str:
        name: str = self._names[key]
        return key if type(key) is str or key is name else str(name)

    def __contains__(self, key: object) -> bool:
        return key in self._names and self._asked(key) in self._records

    def __setitem__(self, key: Any, value: Any) -> None:
        dict.__setitem__(self, key, value)
        known = key in self._names
        name = self._names[key] if known else next(iter(self._keys.plain({key: None})))
        self._known[key] = self._values.text(value)
        self._records[str(name)] = self._values.plain(value)
        if not known:
            last = next(dict.__reversed__(self._records))
            self._names[last if type(key) is str else key] = last if last == name else name

    def __delitem__(self, key: Any) -> None:
        del self._records[str(self._names.pop(key))]
        self._known.pop(key, None)
        dict.__delitem__(self, key)

    def __iter__(self) -> Iterator[Any]:
        iter(self._records)  # a scan
        return iter(self._names)

    def __reversed__(self) -> Any:
        iter(self._records)
        return reversed(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def pop(self, key: Any, *default: Any) -> Any:
        if default and key not in self._names:
            return default[0]
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[Any, Any]:
        for key in reversed(self):
            return key, self.pop(key)
        raise KeyError("popitem(): dictionary is empty")

    def copy(self) -> dict[Any, Any]:
        return dict(self.items())

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> dict[Any, Any]:
        return copy.deepcopy(self.copy(), memo)

    def __or__(self, other: Any) -> Any:
        return self.copy() | other

    def __ror__(self, other: Any) -> Any:
        return other | self.copy()

    def __ior__(self, other: Any) -> Any:
        self.update(other)
        return self

    def __repr__(self) -> str:
        return repr(self.copy())

    def write_back(self) -> None:
        for key, before in self._known.items():
            value = dict.__getitem__(self, key)
            if self._values.text(value) != before:
                self[key] = value

    def __ne__(self, other: object) -> bool:
        return not self == other


for _mixin in ("get", "setdefault", "update", "clear", "keys", "values", "items", "__eq__"):
    # What dict has of its own looks into its storage, past `__getitem__`.
    setattr(_Table, _mixin, getattr(MutableMapping, _mixin))


class _Opened:
    """The database of the trajectory at hand. Its root has a field only once a tool asks for it in this call.

    Where it lies in one table, each field is a record there, which is read and written as a `whole`.
    """

    def __init__(self, model: Any, db: Any, *, whole: bool = False):
        self.db = db
        self._whole = whole
        self.root = _bare(model, db)
        self._fields: dict[str, Any] = {}
        self._forms: dict[str, _Form] = {}
        self._tables: dict[str, _Table] = {}
        self._known: dict[str, bytes] = {}

    def _shown(self) -> dict[str, Any]:
        """The root's fields, past what watches over them."""
        shown: dict[str, Any] = object.__getattribute__(self.root, "__dict__")
        return shown

    def field(self, name: str) -> Any:
        content = self.db[name] if dict.__contains__(self.db, name) else None  # a scan, where it is no table
        if name not in self._fields:
            self._fields[name] = self._read(name, content)
        self._shown()[name] = self._fields[name]
        return self._fields[name]

    def _read(self, name: str, content: Any) -> Any:
        field = type(self.root).model_fields[name]
        if (
            not self._whole
            and typing.get_origin(field.annotation) is dict
            and isinstance(content, dict)
            and "" not in dict.keys(content)
        ):
            self._tables[name] = table = _Table(content, *typing.get_args(field.annotation))
            return table
        if dict.__contains__(self.db, name):
            value = self._form(name).read(content)
        elif field.is_required():
            raise AttributeError(f"{type(self.root).__name__!r} object has no attribute {name!r}")
        else:
            value = field.get_default(call_default_factory=True, validated_data={})
        self._known[name] = self._form(name).text(value)
        return value

    def _form(self, name: str) -> _Form:
        if name not in self._forms:
            self._forms[name] = _Form(type(self.root).model_fields[name].rebuild_annotation())
        return self._forms[name]

    def read_all(self) -> None:
        for name in type(self.root).model_fields:
            value = self._shown()[name] if name in self._shown() else self.field(name)
            if isinstance(value, _Table):
                value.copy()

    def take_over(self, model: Any) -> None:
        """Write to the records what stands in another model of the database, and read them anew when asked for them.

        Tools put one in the root's place to undo what they did: `self.db = snapshot`.
        """
        self._shown().clear()
        for name in type(model).model_fields:
            self._replace(name, self._form(name).plain(getattr(model, name)))
        for known in (self._fields, self._tables, self._known):
            known.clear()

    def _replace(self, name: str, content: Any) -> None:
        held = dict.get(self.db, name)
        if self._whole or not isinstance(held, dict) or not isinstance(content, dict):
            self.db[name] = content
            return
        for key in dict.keys(held) - content.keys():
            del held[key]
        for key, record in content.items():
            if not dict.__contains__(held, key) or dict.__getitem__(held, key) != record:
                held[key] = record

    def write_back(self) -> None:
        """Write to the records what changed in the models, and take the fields off the root again."""
        self._fields |= self._shown()
        self._shown().clear()
        for name, value in self._fields.items():
            if name in self._tables and value is self._tables[name]:
                self._tables[name].write_back()
            elif (text := self._form(name).text(value)) != self._known.get(name):
                self._known[name] = text
                self.db[name] = self._form(name).plain(value)


def _bare(model: Any, db: Any) -> Any:
    """A model without its fields. Nothing is drawn for defaults, so that chance is left as the call finds it."""
    root = model.__new__(model)
    more = [*dict.keys(db) - model.model_fields.keys()] if model.model_config.get("extra") == "allow" else None
    for name, value in {
        "__dict__": {},
        "__pydantic_fields_set__": {*dict.keys(db)},
        "__pydantic_extra__": more if more is None else {name: db[name] for name in more},
        "__pydantic_private__": None,
    }.items():
        object.__setattr__(root, name, value)
    return root


def _normal(model: Any, db: Any) -> Any:
    """A database as its models have it: defaults filled in, values of the declared types, under the fields' names.

    Raises `ValueError` where its records, read once more, would be others.
    """
    form = _Form(model)
    read = form.plain(model.model_validate(db))
    if form.plain(form.read(read)) != read:
        raise ValueError("the database's models read their own records as others; they cannot be kept as JSON")
    return read
