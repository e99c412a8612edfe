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
        if name in type(self).model_fields and (opened := _opened(self)):
            return opened.field(name)
        return super().__getattr__(name)  # type: ignore[misc]

    def __getattribute__(self, name: str) -> Any:
        # What looks at a model as a whole (dumps, copies, comparisons) asks for this.
        if name == "__dict__" and (opened := _opened(self)):
            opened.read_all()
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

    def update_db(self, update_data: Any = None) -> None:
        self.db = update_pydantic_model_with_dict(self.db, update_data or {})


class Environment:
    tools: Any = None
    user_tools: Any = None
    solo_mode = False

    def sync_tools(self) -> None:
        pass


class _Anywhere:
    """A path or a logger: nothing is there, whatever one does with it."""

    def __truediv__(self, _: Any) -> Any:
        return self

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: self


DATA_DIR: Any = _Anywhere()
logger: Any = _Anywhere()


def update_pydantic_model_with_dict(model_instance: Any, update_data: Any) -> Any:
    return type(model_instance).model_validate(_merged(model_instance.model_dump(), update_data))


def _merged(old: Any, new: Any) -> Any:
    if not isinstance(old, dict) or not isinstance(new, dict):
        return new
    return {**old, **{key: _merged(old[key], value) if key in old else value for key, value in new.items()}}


def _tools(toolkit: Any) -> dict[str, Any]:
    return {
        name: function
        for base in reversed(toolkit.__mro__)
        for name, function in vars(base).items()
        if hasattr(function, "_kind")
    }


class _Running:
    """The toolkits of the trajectory at hand, each on its database, and what keeps them in step; all last as long."""

    def __init__(self, sides: Any, environment: Any, db: Any):
        self.db = db
        self.databases = {
            name: _Opened(database, db if name == "assistant" else db[_OF_USER], whole=name != "assistant")
            for name, (_, database) in sides.items()
        }
        self.environment = environment.__new__(environment)
        self.toolkits: dict[str, Any] = {}
        self.begun = False
        self._sides = sides

    def use(self, side: str, name: str, arguments: Any, tell: Any) -> Any:
        try:
            if not self.begun:
                self.begin()
            result = getattr(self.toolkits[side], name)(**arguments)
            self.environment.sync_tools()
            return tell(result)
        finally:
            for of_side, database in self.databases.items():
                kit = self.toolkits.get(of_side)
                if kit is not None and (another := getattr(kit, "db", database.root)) is not database.root:
                    database.take_over(another)
                    kit.db = database.root
                database.write_back()

    def begin(self) -> None:
        for side, (toolkit, _) in self._sides.items():
            self.toolkits[side] = toolkit(self.databases[side].root)
        self.environment.tools = self.toolkits["assistant"]
        self.environment.user_tools = self.toolkits.get("user")
        self.begun = True
        self.environment.sync_tools()


_OF_USER = "user_database"
_running: list[_Running] = []


def _opened(model: Any) -> Any:
    """The database of the trajectory at hand that this model is the root of, if it is one."""
    databases = _running[0].databases.values() if _running else ()
    return next((database for database in databases if database.root is model), None)


def _use(sides: Any, environment: Any, db: Any, side: str, name: str, arguments: Any, tell: Any) -> Any:
    if not _running or _running[0].db is not db:
        _running[:] = [_Running(sides, environment, db)]
    return _running[0].use(side, name, arguments, tell)


def _truth(result: Any) -> Any:
    """What a task's own function tells: whether an assertion holds, and of anything else nothing."""
    return result if isinstance(result, bool) else None


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


def _described(sides: Any, db: Any) -> dict[str, Any]:
    """The tools of each side as tau2-bench shows them, their other methods, and the databases that they expect."""
    told: dict[str, Any] = {}
    for side, (toolkit, database) in sides.items():
        tools = [
            {
                "name": name,
                "kind": function._kind,
                "description": _documented(function)[0] or name,
                "parameters": _parameters(function),
            }
            for name, function in _tools(toolkit).items()
        ]
        methods = [name for name in dir(toolkit) if callable(getattr(toolkit, name)) and not name.startswith("__")]
        told[side] = {"tools": tools, "methods": methods, "database": _normal(database, db[side])}
    return told


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
