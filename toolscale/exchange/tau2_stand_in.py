"""What tools written for tau2-bench import from tau2, and how its toolkits become functions.

This file's text follows that of tau2_tables.py in the functions.py of an imported environment; the import of it falls
away there. pydantic is the real one, which the sandbox loads for functions that import it.
"""

import enum
import json
import textwrap
import typing
from datetime import date
from typing import Any

import pydantic as _pydantic

from toolscale.exchange.tau2_tables import _normal, _Opened


class BaseModelNoExtra(_pydantic.BaseModel):
    model_config = _pydantic.ConfigDict(extra="forbid")


class DB(BaseModelNoExtra):
    """The root of a database. That of the trajectory at hand reads its fields when it is asked for them."""

    def __getattr__(self, name: str) -> Any:
        if _is_opened(self) and name in type(self).model_fields:
            return _running[0].database.field(name)
        return super().__getattr__(name)  # type: ignore[misc]

    def __getattribute__(self, name: str) -> Any:
        # What looks at a model as a whole (dumps, copies, comparisons) asks for this.
        if name == "__dict__" and _is_opened(self):
            _running[0].database.read_all()
        return super().__getattribute__(name)

    @classmethod
    def load(cls, path: Any) -> Any:
        raise OSError(f"{path}: there are no files in the sandbox")


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


class _Running:
    """The toolkit of the trajectory at hand, on its database; both last as long as it."""

    def __init__(self, toolkit: Any, database: Any, db: Any):
        self.database = _Opened(database, db)
        self.toolkit = toolkit

    def use(self, name: str, arguments: Any) -> Any:
        if isinstance(self.toolkit, type):
            self.toolkit = self.toolkit(self.database.root)
        try:
            return _told(getattr(self.toolkit, name)(**arguments))
        finally:
            if (another := getattr(self.toolkit, "db", self.database.root)) is not self.database.root:
                self.database.take_over(another)
                self.toolkit.db = self.database.root
            self.database.write_back()


_running: list[_Running] = []


def _is_opened(model: Any) -> bool:
    return bool(_running) and _running[0].database.root is model


def _use(toolkit: Any, database: Any, db: Any, name: str, arguments: Any) -> Any:
    if not _running or _running[0].database.db is not db:
        _running[:] = [_Running(toolkit, database, db)]
    return _running[0].use(name, arguments)


def _told(result: Any) -> Any:
    """A result as tau2-bench tells it to the agent, read as JSON where it is."""
    return result if isinstance(result, str) else json.loads(json.dumps(_as_tau2(result), default=str))


def _as_tau2(result: Any) -> Any:
    if isinstance(result, _pydantic.BaseModel):
        return result.model_dump()
    if isinstance(result, int | float):
        return str(result)
    if isinstance(result, list | tuple):
        return [_as_tau2(each) for each in result]
    if isinstance(result, dict):
        return {key: _as_tau2(value) for key, value in result.items()}
    if isinstance(result, date):
        return result.isoformat()
    if result is None or isinstance(result, str):
        return result
    raise ValueError(f"Unsupported type: {type(result)}")


def _described(toolkit: Any, database: Any, db: Any) -> dict[str, Any]:
    """The tools as functions.json lists them, as tau2-bench shows them to its agents; and the database they expect."""
    tools = [
        {
            "name": name,
            "kind": function._kind,
            "description": _documented(function)[0] or name,
            "parameters": _parameters(function),
        }
        for name, function in _tools(toolkit).items()
    ]
    return {"tools": tools, "database": _normal(database, db)}


def _parameters(function: Any) -> dict[str, Any]:
    code = function.__code__
    names = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
    behind = names[code.co_argcount - 1 - len(function.__defaults__ or ()) : code.co_argcount - 1]
    defaults = {**dict(zip(behind, function.__defaults__ or (), strict=True)), **(function.__kwdefaults__ or {})}
    hints = typing.get_type_hints(function, include_extras=True)
    told = _documented(function)[1]
    fields: dict[str, Any] = {
        name: (hints.get(name, Any), _pydantic.Field(defaults.get(name, ...), description=told.get(name)))
        for name in names
    }
    model: Any = _pydantic.create_model("parameters", **fields)
    return dict(model.model_json_schema())


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
                told[last] += "\n" + line.strip()
    return "\n".join(said).strip(), told
