"""`toolscale import --format tau-bench`: one of tau-bench's domains as an environment folder with its tasks.

Its files are read, and its tools run nowhere but in the sandbox. A tool tells JSON as text and an error as a text too:
the text is read as JSON where it is, as agents of ours are told results.
"""

import ast
import re
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from toolscale.artifacts import EnvironmentSpec, GoldenCall, Task
from toolscale.environment import MODULES_ON_DEMAND, PRELOADED_MODULES
from toolscale.environment.folder import DEFAULT_NOW, read_json
from toolscale.errors import UserError
from toolscale.exchange.imported import write_imported
from toolscale.exchange.report import LeftOut, Report
from toolscale.input_files import files_in
from toolscale.python_source import parsed

_RESPOND = "respond"
_TOOL = "tau_bench.envs.tool"
_TESTED = "test"
"""The split whose tasks have bare numbers for ids, as tau-bench's own trajectories name them."""
_TELLS_THE_TIME = re.compile(r"current time is (\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d)?)", re.IGNORECASE)
_STAND_IN = """\
import json


class Tool:
    pass


def _told(tool, db, arguments):
    try:
        told = tool.invoke(data=db, **arguments)
    except Exception as error:
        return f"Error: {error}"
    try:
        return json.loads(told)
    except (TypeError, ValueError):
        return told
"""


def is_tau_bench(folder: Path) -> bool:
    """Whether a folder holds a domain of tau-bench: data, tools and tasks."""
    return (folder / "tools").is_dir() and (folder / "data").is_dir() and bool(_task_files(folder))


def import_tau_bench(folder: Path, out: Path) -> Report:
    """Write the environment folder `out`, with tasks.json in it, from a folder such as tau_bench/envs/retail.

    Raises:
        UserError: a file is missing or malformed, or a tool imports what the sandbox does not have.
    """
    if not is_tau_bench(folder):
        raise UserError(f"{folder}: no domain of tau-bench; give a folder with tools/, data/ and tasks_test.py")
    spec = _environment(folder)
    tasks, left_out = _tasks(folder)
    return write_imported(spec, tasks, left_out, out)


def _environment(folder: Path) -> EnvironmentSpec:
    tools = [_Tool(file) for file in files_in(folder / "tools", "*.py") if not file.name.startswith("_")]
    if not tools:
        raise UserError(f"{folder / 'tools'}: holds no tools; give a domain of tau-bench")
    owners: dict[str, Path] = {}
    for tool in tools:
        for name in tool.defines:
            if (owner := owners.setdefault(name, tool.file)) != tool.file:
                raise UserError(f"{tool.file}: `{name}` is defined here and in {owner.name}; rename one of them")
    wiki = folder / "wiki.md"
    policy = wiki.read_text(encoding="utf-8-sig") if wiki.is_file() else ""
    told = _TELLS_THE_TIME.search(policy)
    try:
        return EnvironmentSpec.model_validate(
            {
                "domain": re.sub(r"[^a-z0-9]+", "_", folder.resolve().name.lower()).strip("_"),
                "now": datetime.fromisoformat(told[1]) if told else DEFAULT_NOW,
                "policy": policy,
                "functions": [tool.listed for tool in tools],
                "source": "\n\n".join([_STAND_IN, *(tool.text for tool in tools)]),
                "database": {file.stem: read_json(file) for file in files_in(folder / "data", "*.json")},
            }
        )
    except ValidationError as error:
        first = error.errors()[0]
        raise UserError(f"{folder}: `{'.'.join(map(str, first['loc']))}`: {first['msg']}; correct it") from None
    except ValueError as error:
        raise UserError(f"{wiki}: {error}; correct the time that it tells") from None


class _Tool:
    """A file with one tool: a class with `invoke`, and with `get_info` that returns how an agent sees it."""

    def __init__(self, file: Path) -> None:
        self.file = file
        tree = _module(file)
        tree.body = [node for node in tree.body if not (isinstance(node, ast.ImportFrom) and node.module == _TOOL)]
        for node in ast.walk(tree):
            if not isinstance(node, ast.Import | ast.ImportFrom):
                continue
            for name in _imported(node):
                if name.partition(".")[0] not in (*PRELOADED_MODULES, *MODULES_ON_DEMAND):
                    raise UserError(f"{file}:{node.lineno}: imports {name}, which the sandbox does not have")
        classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and _method(node, "get_info")]
        if len(classes) != 1:
            raise UserError(f"{file}: must define one class with `invoke` and `get_info`, defines {len(classes)}")
        self.listed = self._information(classes[0])
        self.defines = [node.name for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)]
        adapter = f"def {self.listed['name']}(db, /, **arguments):\n    return _told({classes[0].name}, db, arguments)"
        self.text = f"# {file.name}\n{ast.unparse(tree)}\n\n\n{adapter}"

    def _information(self, tool: ast.ClassDef) -> dict[str, Any]:
        told = _method(tool, "get_info")
        returned = (
            [node.value for node in ast.walk(told) if isinstance(node, ast.Return) and node.value] if told else []
        )
        try:
            (written,) = returned
            function = ast.literal_eval(written)["function"]
            if not str(function["name"]).isidentifier():
                raise ValueError(function["name"])
            return {"description": function["name"], "parameters": {}, **function, "kind": "read"}
        except (ValueError, TypeError, KeyError, MemoryError, RecursionError):
            raise UserError(
                f"{self.file}:{tool.lineno}: `get_info` of {tool.name} must return a dictionary that is written out, "
                "with a function's name, description and parameters; write it so"
            ) from None


def _module(file: Path) -> ast.Module:
    try:
        return parsed(file.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise UserError(f"{file}: cannot be read as Python: {error}; correct it") from None


def _imported(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return ["." * node.level + (node.module or "")]


def _method(node: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    return next((each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == name), None)


def _task_files(folder: Path) -> list[Path]:
    return [file for file in files_in(folder, "tasks_*.py") if file.is_file()]


def _tasks(folder: Path) -> tuple[list[Task], list[LeftOut]]:
    """The tasks of all splits, and those that could not be read."""
    tasks: list[Task] = []
    left_out: list[LeftOut] = []
    for file in _task_files(folder):
        split = file.stem.removeprefix("tasks_")
        for position, node in enumerate(_listed(file)):
            name = str(position) if split == _TESTED else f"{split}-{position}"
            try:
                tasks.append(_task(name, _fields(node, "Task")))
            except (ValueError, TypeError, KeyError, AttributeError, MemoryError, RecursionError) as error:
                reason = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
                left_out.append(LeftOut(f"task {name}", f"it is not of tau-bench's form: {reason}"))
    return tasks, left_out


def _listed(file: Path) -> list[ast.expr]:
    lists = [node.value for node in _module(file).body if isinstance(node, ast.Assign | ast.AnnAssign)]
    found = next((value for value in lists if isinstance(value, ast.List)), None)
    if found is None:
        raise UserError(f"{file}: holds no list of tasks; write TASKS = [Task(...), ...]")
    return found.elts


def _fields(node: ast.expr, of: str) -> dict[str, Any]:
    """The keyword arguments of a call that is written out, with calls of `Action` in them read likewise."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == of):
        raise ValueError(f"it is no {of}(...)")
    fields: dict[str, Any] = {}
    for keyword in node.keywords:
        if keyword.arg == "actions" and isinstance(keyword.value, ast.List):
            fields["actions"] = [_fields(action, "Action") for action in keyword.value.elts]
        elif keyword.arg is not None:
            fields[keyword.arg] = ast.literal_eval(keyword.value)
    return fields


def _task(name: str, fields: dict[str, Any]) -> Task:
    return Task.model_validate(
        {
            "id": name,
            "user_scenario": {"instructions": {"domain": "", "reason_for_call": fields["instruction"]}},
            "golden_calls": [
                GoldenCall(action_id=f"{action['name']}_{position}", name=action["name"], arguments=action["kwargs"])
                for position, action in enumerate(fields["actions"])
                if action["name"] != _RESPOND
            ],
            "communicate_info": fields.get("outputs") or [],
        }
    )
