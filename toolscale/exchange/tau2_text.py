"""The Python of an exported tau2-bench domain: its toolkit, and what keeps clock and chance as the sandbox has them."""

import keyword
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from toolscale.artifacts import EnvironmentSpec, FunctionSpec
from toolscale.errors import UserError

_TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "array": "list", "object": "dict"}
_TAKEN = {
    *("db", "tools", "use_tool", "get_tools", "has_tool", "is_discoverable", "get_discoverable_tools", "update_db"),
    *("has_discoverable_tool", "tool_type", "tool_mutates_state", "get_statistics", "get_db_hash"),
}
"""Names that tau2-bench's toolkits have for themselves."""

_HEADER = '''\
"""The tools of {name}: each method calls the function of its name in functions.py."""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, WithJsonSchema
from tau2.environment.db import DB
from tau2.environment.toolkit import ToolKitBase, ToolType, is_tool

from .frozen import Functions


class {title}DB(DB):
    """The tables of {name}, as they stand in db.json."""

    model_config = ConfigDict(extra="allow")


class {title}Tools(ToolKitBase):
    """Everything that an agent may call in {name}."""

    db: {title}DB

    def __init__(self, db: {title}DB) -> None:
        super().__init__(db)
        self._functions = Functions()

    def _call(self, name: str, required: dict[str, Any], optional: dict[str, Any]) -> Any:
        given = {{key: value for key, value in optional.items() if value is not None}}
        return self._functions.call(name, self.db.model_extra, {{**required, **given}})
'''

ENVIRONMENT = '''\
"""NAME as tau2-bench loads a domain; `register()` makes it known under its name."""

from pathlib import Path

from tau2.data_model.tasks import Task
from tau2.environment.environment import Environment
from tau2.utils import load_file

from .tools import CLASSDB, CLASSTools

HERE = Path(__file__).parent


def get_environment(db: CLASSDB | None = None, solo_mode: bool = False) -> Environment:
    if db is None:
        db = CLASSDB.load(str(HERE / "db.json"))
    environment = Environment(
        domain_name="NAME",
        policy=(HERE / "policy.md").read_text(encoding="utf-8"),
        tools=CLASSTools(db),
    )
    if solo_mode:
        environment.set_solo_mode(True)
    return environment


def get_tasks(task_split_name: str | None = "base") -> list[Task]:
    tasks = [Task.model_validate(task) for task in load_file(str(HERE / "tasks.json"))]
    if task_split_name is None:
        return tasks
    splits = get_tasks_split()
    if task_split_name not in splits:
        raise ValueError(f"there is no split {task_split_name}; there are {', '.join(splits)}")
    return [task for task in tasks if task.id in splits[task_split_name]]


def get_tasks_split() -> dict[str, list[str]]:
    return load_file(str(HERE / "split_tasks.json"))


def register() -> None:
    from tau2.registry import registry

    registry.register_domain(get_environment, "NAME")
    registry.register_tasks(get_tasks, "NAME", get_task_splits=get_tasks_split)
'''

FROZEN = '''\
"""Runs functions.py with the clock and the chance that its golden calls were made with.

The functions get standard library modules of their own (`datetime`, `random`, `time`, `uuid`, `os`), in which no time
passes and ids follow from the calls. The rest of the process keeps its clock. Nothing is isolated here: the functions
run in tau2-bench's process, as all its tools do.
"""

import builtins
import importlib
import importlib.util
import json
import threading
import types
from datetime import datetime
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SETTINGS = json.loads((HERE / "environment.json").read_text(encoding="utf-8"))


def _own(name: str) -> types.ModuleType:
    module = importlib.import_module(name)
    if module.__spec__ is None or module.__spec__.origin in (None, "built-in", "frozen"):
        copied = types.ModuleType(name)
        copied.__dict__.update(vars(module))
        return copied
    copied = importlib.util.module_from_spec(module.__spec__)
    module.__spec__.loader.exec_module(copied)
    return copied


_OWN = {name: _own(name) for name in ("datetime", "os", "random", "time", "uuid")}


def _import(name: str, globals_: Any = None, locals_: Any = None, fromlist: Any = (), level: int = 0) -> Any:
    return _OWN.get(name) or builtins.__import__(name, globals_, locals_, fromlist, level)


def _compiled(file: str) -> types.CodeType:
    return compile((HERE / file).read_text(encoding="utf-8"), file, "exec", dont_inherit=True)


def _executed(code: types.CodeType, name: str) -> dict[str, Any]:
    module = types.ModuleType(name)
    module.__dict__["__builtins__"] = {**vars(builtins), "__import__": _import}
    exec(code, module.__dict__)
    return module.__dict__


_CODE = _compiled("functions.py")
_CLOCK = _executed(_compiled("clock.py"), "clock")
_NOW = datetime.fromisoformat(SETTINGS["now"])
_CLOCK["freeze_time"](_NOW)
_executed(_compiled("dates.py"), "dates")["freeze_dates"](_NOW)
_CHANCE = _CLOCK["Chance"](SETTINGS["seed"])
_ONE_AT_A_TIME = threading.Lock()


class Functions:
    """The functions of one environment: module-level state starts afresh, and equal calls are counted."""

    def __init__(self) -> None:
        self._succeeded: dict[str, int] = {}
        with _ONE_AT_A_TIME:
            _CHANCE.restart()
            self._functions = _executed(_CODE, "functions")

    def call(self, name: str, db: Any, arguments: dict[str, Any]) -> Any:
        same = json.dumps([name, arguments], sort_keys=True)
        with _ONE_AT_A_TIME:
            _CHANCE.restart(same, self._succeeded.get(same, 0))
            result = json.loads(json.dumps(self._functions[name](db, **arguments), allow_nan=False))
        self._succeeded[same] = self._succeeded.get(same, 0) + 1
        return result
'''


def toolkit(name: str, environment: EnvironmentSpec) -> str:
    """tools.py: the toolkit class, a method a function.

    Raises:
        UserError: a function or parameter has a name that a method of tau2-bench's toolkits cannot have.
    """
    methods = [method(function, f"@is_tool(ToolType.{function.kind.upper()})") for function in environment.functions]
    return "\n".join([_HEADER.format(name=name, title=class_name(name)), *methods])


def class_name(name: str) -> str:
    """The domain's name as Python names classes."""
    return "".join(part.capitalize() for part in name.split("_"))


def method(function: FunctionSpec, decorator: str) -> str:
    """A method of the function's name, with its parameters and description, that passes the call on to `_call`.

    Raises:
        UserError: the function or one of its parameters has a name that such a method cannot have.
    """
    properties, required = _parameters(function)
    _check_names(function, properties)
    ordered = sorted(properties, key=lambda parameter: parameter not in required)
    signature = "".join(
        f", {parameter}: {_annotation(properties[parameter], parameter in required)}"
        + ("" if parameter in required else " = None")
        for parameter in ordered
    )

    def passed(of_required: bool) -> str:
        return ", ".join(f'"{each}": {each}' for each in ordered if (each in required) == of_required)

    lines = [
        decorator,
        f"def {function.name}(self{signature}) -> Any:",
        *_docstring(function, properties),
        f'    return self._call("{function.name}", {{{passed(True)}}}, {{{passed(False)}}})',
    ]
    return textwrap.indent("\n".join(lines), "    ") + "\n"


def _parameters(function: FunctionSpec) -> tuple[Mapping[str, Any], list[str]]:
    properties, required = function.parameters.get("properties"), function.parameters.get("required")
    return (
        properties if isinstance(properties, dict) else {},
        [str(name) for name in required] if isinstance(required, list) else [],
    )


def _check_names(function: FunctionSpec, properties: Mapping[str, Any]) -> None:
    if function.name in _TAKEN:
        raise UserError(f"function `{function.name}`: tau2-bench's toolkits have this name for themselves; rename it")
    for parameter in properties:
        if not parameter.isidentifier() or keyword.iskeyword(parameter) or parameter.startswith("_"):
            raise UserError(
                f"function `{function.name}`: its parameter `{parameter}` cannot be one of a Python method; rename it"
            )


def _annotation(schema: Any, required: bool) -> str:
    """The parameter's type; its JSON Schema as it stands where the type does not say all of it."""
    schema = schema if isinstance(schema, dict) else {}
    kind = _TYPES.get(str(schema.get("type")), "Any")
    values = schema.get("enum")
    if kind == "str" and isinstance(values, list) and all(isinstance(value, str) for value in values):
        kind = f"Literal[{', '.join(map(repr, values))}]"
    says = {key: value for key, value in schema.items() if key != "description"}
    if required and kind != "Any" and says.keys() <= {"type", "enum"} and kind not in ("list", "dict"):
        return kind
    return f"Annotated[{kind if required else f'{kind} | None'}, WithJsonSchema({says!r})]"


def _docstring(function: FunctionSpec, properties: Mapping[str, Any]) -> Iterator[str]:
    yield f'    """{_quoted(function.description)}'
    told = {
        parameter: " ".join(str(schema["description"]).split())
        for parameter, schema in properties.items()
        if isinstance(schema, dict) and schema.get("description")
    }
    if told:
        yield "\n    Args:"
        yield from (f"        {parameter}: {_quoted(text)}" for parameter, text in told.items())
    yield '    """'


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
