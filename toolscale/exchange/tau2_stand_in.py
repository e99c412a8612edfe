"""What tools written for tau2-bench import from tau2, and how its toolkits become functions.

This file's text follows that of pydantic_stand_in.py in the functions.py of an imported environment; the import of it
falls away there.
"""

import copy
import enum
import textwrap
import typing
from typing import Any

from toolscale.exchange.pydantic_stand_in import (
    _ABSENT,
    _SCALARS,
    _UNIONS,
    BaseModel,
    WithJsonSchema,
    _bare,
    _is_model,
    _plain,
)


class DB(BaseModel):
    """The root of a database; all of it, where a domain declares no tables."""


class ToolType(str, enum.Enum):  # noqa: UP042 - as tau2-bench has it
    READ = "read"
    WRITE = "write"
    THINK = "think"
    GENERIC = "generic"


def is_tool(tool_type: Any = ToolType.READ, mutates_state: Any = None) -> Any:
    writes = tool_type == ToolType.WRITE if mutates_state is None else mutates_state

    def marked(function: Any) -> Any:
        function._kind = "write" if writes else "read"
        return function

    return marked


is_discoverable_tool = is_tool


class ToolKitBase:
    def __init__(self, db: Any = None):
        self.db = db


class GenericToolKit(ToolKitBase):
    pass


class _Anywhere:
    """A path or a logger: nothing is there, whatever one does with it."""

    def __truediv__(self, _: Any) -> Any:
        return self

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: self


DATA_DIR: Any = _Anywhere()
logger: Any = _Anywhere()


def _tools(toolkit: Any) -> dict[str, Any]:
    return {
        name: function
        for base in reversed(toolkit.__mro__)
        for name, function in vars(base).items()
        if hasattr(function, "_kind")
    }


def _use(toolkit: Any, database: Any, db: Any, name: str, arguments: Any) -> Any:
    return _plain(getattr(toolkit(database._of(db)), name)(**arguments))


def _described(toolkit: Any) -> list[dict[str, Any]]:
    """The tools as functions.json lists them, read from signatures and docstrings as tau2-bench reads them."""
    return [
        {
            "name": name,
            "kind": function._kind,
            "description": _documented(function)[0] or name,
            "parameters": _parameters(function),
        }
        for name, function in _tools(toolkit).items()
    ]


def _parameters(function: Any) -> dict[str, Any]:
    code = function.__code__
    names = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
    optional = {*code.co_varnames[code.co_argcount - len(function.__defaults__ or ()) : code.co_argcount]}
    optional |= {*(function.__kwdefaults__ or ())}
    hints = typing.get_type_hints(function, include_extras=True)
    told = _documented(function)[1]
    properties = {name: _schema(hints.get(name, Any)) for name in names}
    for name in names:
        if name in told:
            properties[name]["description"] = told[name]
    required = [name for name in names if name not in optional]
    return {"type": "object", "properties": properties, "required": required}


def _schema(hint: Any) -> dict[str, Any]:
    """The JSON Schema of a type."""
    for note in getattr(hint, "__metadata__", ()):
        if isinstance(note, WithJsonSchema):
            return copy.deepcopy(note.json_schema)
    hint = _bare(hint)
    origin, members = typing.get_origin(hint), typing.get_args(hint)
    if hint in _SCALARS:
        return {"type": _SCALARS[hint]}
    if origin in _UNIONS:
        return {"anyOf": [_schema(member) for member in members]}
    if origin is typing.Literal:
        return {"enum": [*members]}
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return {"enum": [member.value for member in hint]}
    if origin is list or hint is list:
        return {"type": "array", **({"items": _schema(members[0])} if members else {})}
    if origin is dict or hint is dict:
        return {"type": "object", **({"additionalProperties": _schema(members[1])} if len(members) == 2 else {})}
    if _is_model(hint):
        fields = hint._fields()
        properties = {
            name: _schema(of) | ({"description": info.description} if info.description else {})
            for name, (of, info) in fields.items()
        }
        needed = [name for name, (_, info) in fields.items() if info.fill() is _ABSENT]
        return {"type": "object", "properties": properties, "required": needed}
    return {}


def _documented(function: Any) -> tuple[str, dict[str, str]]:
    """A docstring's description, and what its `Args:` say of each parameter."""
    first, _, rest = (function.__doc__ or "").partition("\n")
    said, told, section, last = [], {}, "", ""
    for line in [first.strip(), *textwrap.dedent(rest).splitlines()]:
        if line.strip() in ("Args:", "Returns:", "Raises:", "Example:", "Examples:", "Note:", "Notes:"):
            section = line.strip()
        elif not section:
            said.append(line)
        elif section == "Args:" and line.strip():
            name, colon, text = line.strip().partition(":")
            name = name.partition(" ")[0]
            if colon and name.isidentifier() and name in function.__code__.co_varnames:
                last, told[name] = name, text.strip()
            elif last:
                told[last] += " " + line.strip()
    return "\n".join(said).strip(), told
