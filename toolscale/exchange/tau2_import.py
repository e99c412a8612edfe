"""`toolscale import --format tau2`: a tau2-bench domain as an environment folder with its tasks, for audit.

Foreign code runs nowhere but in the sandbox, also where it only has to say what tools there are.
"""

import json
import shutil
import tempfile
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard

from pydantic import ValidationError

from toolscale.artifacts import Call, EnvironmentSpec
from toolscale.environment import Limits, Sandbox, load_environment
from toolscale.environment.folder import DEFAULT_NOW, read_json
from toolscale.errors import UserError
from toolscale.exchange.imported import write_imported
from toolscale.exchange.report import Report
from toolscale.exchange.tau2_source import Merged, merged_source
from toolscale.exchange.tau2_tasks import Names, named_by, read_tau2_tasks
from toolscale.toml_file import toml_in

_DESCRIBE = "toolscale_describe_tools"
_OF_USER = "user_database"
"""The table that holds the user's database, a record a field."""
_POLICIES = (("policy.md",), ("main_policy.md", "tech_support_manual.md"))
_WHOLE_DATABASE = Limits(
    seconds=60, memory_bytes=2 << 30, reply_bytes=2 * Limits.database_bytes, reply_values=4_000_000
)
"""For the call that tells the database as its models have it: tau2-bench's airline has 156,000 values."""
_NOTHING: dict[str, Any] = {"type": "object", "properties": {}}


def import_tau2(folder: Path, out: Path, tools: Path | None = None) -> Report:
    """Write the environment folder `out`, with tasks.json in it, from a folder with db.json, tasks.json and tools.py.

    `tools` is the folder of tools.py, where that lies apart from the data, as in tau2-bench's own repository. A folder
    that our export wrote gives back the very environment and tasks. A folder without tasks.json gives no tasks.

    Raises:
        UserError: a file is missing or malformed, or the tools cannot run in the sandbox; says where and why.
    """
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder; give one with db.json, tasks.json and tools.py")
    rows = read_json(folder / "tasks.json") if (folder / "tasks.json").is_file() else []
    if not isinstance(rows, list):
        raise UserError(f"{folder / 'tasks.json'}: must hold a list of tasks")
    spec, names = _own_environment(folder) if tools is None else None, Names()
    if spec is None:
        spec, names = _foreign_environment(folder, tools or folder, named_by(rows))
    tasks, left_out = read_tau2_tasks(rows, names)
    return write_imported(spec, tasks, left_out, out)


def is_tau2_folder(folder: Path) -> bool:
    """Whether a folder holds a domain for tau2-bench, tools and all."""
    return (folder / "tools.py").is_file() and any((folder / name).is_file() for name in ("db.json", "db.toml"))


def foreign_environment(folder: Path, tools: Path) -> EnvironmentSpec:
    """The environment of a domain with db.json in `folder` and tools.py in `tools`.

    Raises:
        UserError: a file is missing or malformed, or the tools cannot run in the sandbox.
    """
    return _foreign_environment(folder, tools, ())[0]


def _own_environment(folder: Path) -> EnvironmentSpec | None:
    """The environment that our export wrote beside tau2-bench's files; None where somebody else made the folder."""
    if not all((folder / name).is_file() for name in ("functions.json", "functions.py", "environment.json")):
        return None
    with tempfile.TemporaryDirectory() as scratch:
        copied = Path(shutil.copytree(folder, Path(scratch) / folder.resolve().name))
        (copied / "db.json").rename(copied / "database.json")
        return load_environment(copied)


@dataclass(frozen=True)
class _Told:
    """What a side says of itself: its tools, its other methods, and its database as its models have it."""

    tools: list[dict[str, Any]]
    methods: list[str]
    database: dict[str, Any]


def _foreign_environment(
    folder: Path, tools: Path, wanted: Collection[tuple[str, str]]
) -> tuple[EnvironmentSpec, Names]:
    """The environment, with those methods that tasks call, and what tools and methods are called in it."""
    merged = merged_source(tools / "tools.py")
    setting = _setting(merged)
    data = {"assistant": _database(folder, "db"), **({"user": _user_database(folder)} if merged.user else {})}
    listed = [{"name": _DESCRIBE, "description": "Lists the tools.", "parameters": {}, "kind": "read"}]
    spec = _environment(
        domain=_domain(folder),
        policy=_policy(folder),
        source=merged.source + f"\n\ndef {_DESCRIBE}(db, /):\n    return _described({{{_sides(merged)}}}, db)\n",
        functions=listed,
        database=data,
    )
    told = _told_by_itself(spec, tools / "tools.py", sides=list(data))
    if not told["assistant"].tools:
        raise UserError(f"{tools / 'tools.py'}: `{merged.agent.toolkit}` has no method marked with @is_tool")
    functions, unoffered, adapters, names = _functions(told, wanted)
    database = told["assistant"].database
    if "user" in told:
        if _OF_USER in database:
            raise UserError(f"{folder}: its database has a table `{_OF_USER}`, the name of the user's here; rename it")
        database = {**database, _OF_USER: told["user"].database}
    return (
        _environment(
            **spec.model_dump(include={"domain", "policy"}),
            database=database,
            source="\n\n".join([merged.source, setting, *adapters]),
            functions=functions,
            unoffered=unoffered,
        ),
        names,
    )


def _sides(merged: Merged) -> str:
    sides = {"assistant": merged.agent, **({"user": merged.user} if merged.user else {})}
    return ", ".join(f'"{name}": ({side.toolkit}, {side.database})' for name, side in sides.items())


def _setting(merged: Merged) -> str:
    return (
        f"_sides = {{{_sides(merged)}}}\n\n\n"
        "def _of(db, side, name, arguments, tell):\n"
        f"    return _use(_sides, {merged.environment or 'Environment'}, db, side, name, arguments, tell)\n"
    )


def _functions(
    told: dict[str, _Told], wanted: Collection[tuple[str, str]]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], list[str], Names]:
    """What is offered, what is not, the code of each, and the names that tools and methods have here."""
    offered: list[dict[str, Any]] = []
    unoffered: list[dict[str, Any]] = []
    adapters: list[str] = []
    names = Names({}, {})

    def add(side: str, method: str, tell: str) -> str:
        taken = {function["name"] for function in (*offered, *unoffered)}
        name = method if method not in taken else f"{side}_{method}"
        adapters.append(
            f'def {name}(db, /, **arguments):\n    return _of(db, "{side}", "{method}", arguments, {tell})\n'
        )
        return name

    for side, of_side in told.items():
        for tool in of_side.tools:
            names.tools[side, tool["name"]] = name = add(side, tool["name"], "_told")
            function = {**tool, "name": name}
            (offered if side == "assistant" else unoffered).append(
                function if side == "assistant" else {**function, "caller": "user"}
            )
    for side, method in sorted(wanted):
        if side in told and method in told[side].methods and (side, method) not in names.tools:
            names.methods[side, method] = name = add(side, method, "_truth")
            unoffered.append(
                {"name": name, "description": name, "parameters": _NOTHING, "kind": "read", "caller": "task"}
            )
    return offered, unoffered, adapters, names


def _told_by_itself(spec: EnvironmentSpec, tools: Path, sides: list[str]) -> dict[str, _Told]:
    """What each side says of itself. Raises UserError where it cannot be had."""
    with Sandbox(spec, _WHOLE_DATABASE) as sandbox:
        told = sandbox.run([Call(name=_DESCRIBE)]).outcomes[0]
    if not told.ok:
        raise UserError(f"{tools}: does not run in the sandbox: {told.error_type}: {told.error}")
    found = {}
    for side in sides:
        match told.result.get(side) if isinstance(told.result, dict) else None:
            case {"tools": list(functions), "methods": list(methods), "database": dict(database)}:
                named = [one for one in functions if isinstance(one, dict) and _is_name(one.get("name"))]
                found[side] = _Told(named, [name for name in methods if _is_name(name)], database)
            case _:
                raise UserError(f"{tools}: does not say what tools it has; keep to tau2-bench's own toolkits")
    return found


def _is_name(name: Any) -> TypeGuard[str]:
    return isinstance(name, str) and name.isidentifier() and name.isascii()


def _environment(**content: Any) -> EnvironmentSpec:
    try:
        return EnvironmentSpec(now=DEFAULT_NOW, **content)
    except ValidationError as error:
        first = error.errors()[0]
        raise UserError(f"cannot be an environment: `{'.'.join(map(str, first['loc']))}`: {first['msg']}") from None


def _domain(folder: Path) -> str:
    name = "".join(letter if letter.isalnum() and letter.isascii() else "_" for letter in folder.resolve().name.lower())
    return name if name[:1].isalpha() else f"domain_{name}"


def _policy(folder: Path) -> str:
    for names in _POLICIES:
        files = [folder / name for name in names]
        if all(file.is_file() for file in files):
            return "\n\n".join(file.read_text(encoding="utf-8-sig") for file in files)
    return ""


def _user_database(folder: Path) -> dict[str, Any]:
    there = any((folder / name).is_file() for name in ("user_db.json", "user_db.toml"))
    return _database(folder, "user_db") if there else {}


def _database(folder: Path, stem: str) -> dict[str, Any]:
    file, toml = folder / f"{stem}.json", folder / f"{stem}.toml"
    if file.is_file() or not toml.is_file():
        content = read_json(file)
    else:
        try:
            content = json.loads(json.dumps(toml_in(toml.read_text("utf-8")), default=str))
        except ValueError as error:
            raise UserError(f"{toml}: cannot be read as TOML: {error}") from None
    if not isinstance(content, dict):
        raise UserError(f"{file}: must hold an object of tables")
    return content
