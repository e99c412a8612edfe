"""What tools written for tau2-bench import from pydantic, in as much as tools need it.

This file's text goes into the functions.py of an imported environment and runs in the sandbox, where pydantic is not.
Models are views: they hold no values of their own but read and write the record they were made of, so the database
changes as the tool changes the model, and a look-up by key is one. Like pydantic's, they check what they are built
from; they know no validators, serializers or computed fields.
"""

import copy
import enum
import json
import types
import typing
from collections.abc import MutableMapping, MutableSequence
from datetime import date, datetime
from typing import Any

_ABSENT: Any = object()
_SCALARS = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}
_UNIONS = (typing.Union, types.UnionType)


class FieldInfo:
    """What `Field(...)` says of a field."""

    def __init__(self, default: Any = _ABSENT, *, default_factory: Any = None, description: str = "", **_: Any):
        self.default = _ABSENT if default is ... else default
        self.factory = default_factory
        self.description = description or ""

    def fill(self) -> Any:
        return self.factory() if self.factory else copy.deepcopy(self.default)


def Field(default: Any = _ABSENT, **options: Any) -> Any:  # noqa: N802 - pydantic's name
    return FieldInfo(default, **options)


class WithJsonSchema:
    def __init__(self, json_schema: Any, **_: Any):
        self.json_schema = json_schema


def ConfigDict(**options: Any) -> dict[str, Any]:  # noqa: N802 - pydantic's name
    return options


class BaseModel:
    """A view of one record."""

    _record: dict[Any, Any]
    _known: dict[str, tuple[Any, FieldInfo]]

    def __init__(self, **values: Any):
        object.__setattr__(self, "_record", _checked_record(type(self), values))

    @classmethod
    def _of(cls, record: Any) -> Any:
        view = cls.__new__(cls)
        object.__setattr__(view, "_record", record)
        return view

    @classmethod
    def _fields(cls) -> dict[str, tuple[Any, FieldInfo]]:
        """Field -> its type and what is known of it; found out once a class."""
        if "_known" not in cls.__dict__:
            found = {}
            for name, hint in typing.get_type_hints(cls, include_extras=True).items():
                if name.startswith("_") or name == "model_config" or typing.get_origin(hint) is typing.ClassVar:
                    continue
                info = next((each for each in getattr(hint, "__metadata__", ()) if isinstance(each, FieldInfo)), None)
                default = next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), _ABSENT)
                own = default if isinstance(default, FieldInfo) else FieldInfo(default)
                if info and own.fill() is _ABSENT:
                    own = info
                found[name] = (hint, own)
            cls._known = found
        return cls._known

    def __getattribute__(self, name: str) -> Any:
        cls = type(self)
        if name.startswith("_") or name not in cls._fields():
            return object.__getattribute__(self, name)
        hint, info = cls._fields()[name]
        record = object.__getattribute__(self, "_record")
        if name not in dict.keys(record):
            default = info.fill()
            if default is _ABSENT:
                raise AttributeError(f"{cls.__name__} has no value for `{name}`")
            record[name] = _plain(default)
        return _view(record[name], hint)

    def __setattr__(self, name: str, value: Any) -> None:
        self._record[name] = _plain(value)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.model_dump() == other.model_dump()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{key}={value!r}' for key, value in self._record.items())})"

    def __deepcopy__(self, memo: Any) -> Any:
        return type(self)._of(copy.deepcopy(dict(self._record), memo))

    __copy__ = lambda self: type(self)._of(dict(self._record))  # noqa: E731

    def __iter__(self) -> Any:
        return ((name, getattr(self, name)) for name in type(self)._fields())

    def model_dump(self, *, exclude_none: bool = False, **_: Any) -> Any:
        dumped = _defaults(type(self)) | copy.deepcopy(dict(self._record))
        return {key: value for key, value in dumped.items() if value is not None or not exclude_none}

    def model_dump_json(self, *, indent: Any = None, **options: Any) -> str:
        return json.dumps(self.model_dump(**options), indent=indent)

    def model_copy(self, *, update: Any = None, deep: bool = False) -> Any:
        made = copy.deepcopy(self) if deep else copy.copy(self)
        for name, value in (update or {}).items():
            setattr(made, name, value)
        return made

    @classmethod
    def model_validate(cls, value: Any) -> Any:
        return value if isinstance(value, cls) else cls(**value)

    dict = model_dump
    copy = model_copy
    json = model_dump_json


class _List(MutableSequence):  # type: ignore[type-arg]
    """A list of records as a list of models."""

    def __init__(self, plain: Any, hint: Any):
        self._record, self._hint = plain, hint

    def __getitem__(self, place: Any) -> Any:
        found = self._record[place]
        return [_view(each, self._hint) for each in found] if isinstance(place, slice) else _view(found, self._hint)

    def __setitem__(self, place: Any, value: Any) -> None:
        self._record[place] = _plain(list(value) if isinstance(place, slice) else value)

    def __delitem__(self, place: Any) -> None:
        del self._record[place]

    def __len__(self) -> int:
        return len(self._record)

    def insert(self, index: int, value: Any) -> None:
        self._record.insert(index, _plain(value))

    def sort(self, *, key: Any = None, reverse: bool = False) -> None:
        self._record[:] = [_plain(each) for each in sorted(self, key=key, reverse=reverse)]

    def copy(self) -> Any:
        return list(self)

    def __add__(self, other: Any) -> Any:
        return [*self, *other]

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, list | _List) else False

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(self._record)


class _Dict(MutableMapping):  # type: ignore[type-arg]
    """An object of records as a dict of models; on a table, its look-ups and scans are the table's."""

    def __init__(self, plain: Any, hint: Any):
        self._record, self._hint = plain, hint

    def __getitem__(self, key: Any) -> Any:
        return _view(self._record[_plain(key)], self._hint)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._record[_plain(key)] = _plain(value)

    def __delitem__(self, key: Any) -> None:
        del self._record[_plain(key)]

    def __contains__(self, key: object) -> bool:
        return _plain(key) in self._record

    def __iter__(self) -> Any:
        return iter(self._record)

    def __len__(self) -> int:
        return len(self._record)

    def copy(self) -> Any:
        return dict(self)

    def __repr__(self) -> str:
        return repr(self._record)


def _bare(hint: Any) -> Any:
    return typing.get_args(hint)[0] if hasattr(hint, "__metadata__") else hint


def _is_model(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, BaseModel)


def _view(value: Any, hint: Any) -> Any:
    """A plain value as its type has it."""
    hint = _bare(hint)
    origin, members = typing.get_origin(hint), typing.get_args(hint)
    if origin in _UNIONS:
        if value is None or not isinstance(value, dict | list | str):
            return value
        best = max(members, key=lambda member: _fitness(value, member))
        return _view(value, best) if _fitness(value, best) > 0 else value
    if isinstance(value, dict):
        if _is_model(hint):
            return hint._of(value)
        return _Dict(value, members[1]) if origin is dict and len(members) == 2 and _has_views(members[1]) else value
    if isinstance(value, list):
        return _List(value, members[0]) if origin is list and members and _has_views(members[0]) else value
    if isinstance(value, str) and isinstance(hint, type):
        if issubclass(hint, enum.Enum):
            return hint(value)
        if hint in (date, datetime):
            return hint.fromisoformat(value)
    return value


def _has_views(hint: Any) -> bool:
    """Whether values of this type are anything but plain."""
    hint = _bare(hint)
    if isinstance(hint, type) and issubclass(hint, BaseModel | enum.Enum | date):
        return True
    return any(map(_has_views, typing.get_args(hint))) if typing.get_origin(hint) is not typing.Literal else False


def _plain(value: Any) -> Any:
    """A value as the database keeps it. What is plain already stays the very same object."""
    if isinstance(value, BaseModel | _List | _Dict):
        return object.__getattribute__(value, "_record")
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, tuple | set | frozenset):
        return [_plain(each) for each in value]
    if type(value) is list and any(_plain(each) is not each for each in value):
        return [_plain(each) for each in value]
    if type(value) is dict and any(_plain(each) is not each for pair in value.items() for each in pair):
        return {_plain(key): _plain(each) for key, each in value.items()}
    return value


def _fitness(value: Any, hint: Any) -> int:
    """How well a value fits a type: 0 is not at all. A model earns a point for each of its fields that is there."""
    try:
        _checked(value, hint, "")
    except ValueError:
        return 0
    hint = _bare(hint)
    return 2 + sum(name in value for name in hint._fields()) if _is_model(hint) else 1


def _checked_record(model: Any, values: Any) -> dict[str, Any]:
    record = {}
    for name, (hint, info) in model._fields().items():
        value = values[name] if name in values else info.fill()
        if value is _ABSENT:
            raise ValueError(f"{model.__name__}: `{name}` is missing")
        record[name] = _checked(value, hint, f"{model.__name__}.{name}") if name in values else _plain(value)
    return record


def _defaults(model: Any) -> dict[str, Any]:
    filled = {name: info.fill() for name, (_, info) in model._fields().items()}
    return {name: _plain(value) for name, value in filled.items() if value is not _ABSENT}


def _checked(value: Any, hint: Any, where: str) -> Any:
    """The value as plain data of this type. Raises ValueError where it is not of the type."""
    hint = _bare(hint)
    origin, members = typing.get_origin(hint), typing.get_args(hint)
    if origin in _UNIONS:
        if isinstance(value, BaseModel):
            return _plain(value)
        fits = [member for member in members if _fitness(value, member)]
        if not fits:
            raise ValueError(f"{where}: {value!r} fits none of its types")
        return _checked(value, max(fits, key=lambda member: _fitness(value, member)), where)
    if origin is typing.Literal:
        if value not in members:
            raise ValueError(f"{where}: {value!r} is none of {', '.join(map(repr, members))}")
        return _plain(value)
    if _is_model(hint):
        if isinstance(value, hint):
            return _plain(value)
        if not isinstance(value, dict):
            raise ValueError(f"{where}: {value!r} is no {hint.__name__}")
        return _checked_record(hint, value)
    if origin is list or hint is list:
        if not isinstance(value, list | tuple | _List):
            raise ValueError(f"{where}: {value!r} is no list")
        return [_checked(each, members[0], where) for each in value] if members else _plain(list(value))
    if origin is dict or hint is dict:
        if not isinstance(value, dict | _Dict):
            raise ValueError(f"{where}: {value!r} is no object")
        if len(members) != 2:
            return _plain(dict(value))
        return {_plain(key): _checked(each, members[1], where) for key, each in value.items()}
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return hint(value).value
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if hint is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if hint in _SCALARS and (not isinstance(value, hint) or (isinstance(value, bool) and hint is not bool)):
        raise ValueError(f"{where}: {value!r} is no {_SCALARS[hint]}")
    return _plain(value)
