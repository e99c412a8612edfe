"""`toolscale import --format tau2`: a tau2-bench domain as an environment folder with its tasks, for audit.

Foreign code runs nowhere but in the sandbox, also where it only has to say what tools there are.
"""

import json
import shutil
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from toolscale.artifacts import Call, EnvironmentSpec, GoldenCall, Task
from toolscale.artifacts.strict_json import read_arguments
from toolscale.checkers.task_file import judged_by_database
from toolscale.environment import Limits, Sandbox, load_environment, write_environment
from toolscale.environment.folder import DEFAULT_NOW, read_json
from toolscale.errors import UserError
from toolscale.exchange.report import LeftOut, Report
from toolscale.exchange.tau2_source import merged_source, toolkit_and_database
from toolscale.toml_file import toml_in
from toolscale.whole import whole_folder

_DESCRIBE = "toolscale_describe_tools"
_JUDGED_BY = {"DB", "COMMUNICATE"}
_WHOLE_DATABASE = Limits(
    seconds=60, memory_bytes=2 << 30, reply_bytes=2 * Limits.database_bytes, reply_values=4_000_000
)
"""For the call that tells the database as its models have it: tau2-bench's airline has 156,000 values."""


def import_tau2(folder: Path, out: Path, tools: Path | None = None) -> Report:
    """Write the environment folder `out`, with tasks.json in it, from a folder with db.json, tasks.json and tools.py.

    `tools` is the folder of tools.py, where that lies apart from the data, as in tau2-bench's own repository. A folder
    that our export wrote gives back the very environment and tasks.

    Raises:
        UserError: a file is missing or malformed, or the tools cannot run in the sandbox; says where and why.
    """
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder; give one with db.json, tasks.json and tools.py")
    rows = read_json(folder / "tasks.json")
    if not isinstance(rows, list):
        raise UserError(f"{folder / 'tasks.json'}: must hold a list of tasks")
    spec = _own_environment(folder) if tools is None else None
    spec = spec or foreign_environment(folder, tools or folder)
    tasks, left_out = read_tau2_tasks(rows)
    with whole_folder(out) as made:
        write_environment(spec, made)
        text = json.dumps([task.model_dump(mode="json") for task in tasks], indent=2, ensure_ascii=False)
        (made / "tasks.json").write_text(text + "\n", encoding="utf-8")
    return Report({"functions": len(spec.functions), "tasks": len(tasks)}, left_out)


def is_tau2_folder(folder: Path) -> bool:
    """Whether a folder holds a domain for tau2-bench, tools and all."""
    return (folder / "tools.py").is_file() and any((folder / name).is_file() for name in ("db.json", "db.toml"))


def _own_environment(folder: Path) -> EnvironmentSpec | None:
    """The environment that our export wrote beside tau2-bench's files; None where somebody else made the folder."""
    if not all((folder / name).is_file() for name in ("functions.json", "functions.py", "environment.json")):
        return None
    with tempfile.TemporaryDirectory() as scratch:
        copied = Path(shutil.copytree(folder, Path(scratch) / folder.resolve().name))
        (copied / "db.json").rename(copied / "database.json")
        return load_environment(copied)


def foreign_environment(folder: Path, tools: Path) -> EnvironmentSpec:
    """The environment of a domain with db.json in `folder` and tools.py in `tools`.

    Raises:
        UserError: a file is missing or malformed, or the tools cannot run in the sandbox.
    """
    source = merged_source(tools / "tools.py")
    toolkit, database = toolkit_and_database(source)
    describing = f"\n\ndef {_DESCRIBE}(db):\n    return _described({toolkit}, {database}, db)\n"
    policy = folder / "policy.md"
    listed = [{"name": _DESCRIBE, "description": "Lists the tools.", "parameters": {}, "kind": "read"}]
    spec = _environment(
        domain=_domain(folder),
        policy=policy.read_text(encoding="utf-8-sig") if policy.is_file() else "",
        source=source + describing,
        functions=listed,
        database=_database(folder),
    )
    functions, normal = _told_by_itself(spec, tools / "tools.py")
    if not functions:
        raise UserError(f"{tools / 'tools.py'}: `{toolkit}` has no method marked with @is_tool")
    adapters = [
        f"def {function['name']}(db, /, **arguments):\n"
        f'    return _use({toolkit}, {database}, db, "{function["name"]}", arguments)\n'
        for function in functions
    ]
    return _environment(
        **spec.model_dump(include={"domain", "policy"}),
        database=normal,
        source="\n\n".join([source, *adapters]),
        functions=functions,
    )


def _told_by_itself(spec: EnvironmentSpec, tools: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The toolkit's tools, and the database as its models have it. Raises UserError where they cannot be had."""
    with Sandbox(spec, _WHOLE_DATABASE) as sandbox:
        told = sandbox.run([Call(name=_DESCRIBE)]).outcomes[0]
    match told.result:
        case {"tools": list(functions), "database": dict(database)} if told.ok:
            return [function for function in functions if isinstance(function, dict)], database
    raise UserError(f"{tools}: does not run in the sandbox: {told.error_type}: {told.error}")


def _environment(**content: Any) -> EnvironmentSpec:
    try:
        return EnvironmentSpec(now=DEFAULT_NOW, **content)
    except ValidationError as error:
        first = error.errors()[0]
        raise UserError(f"cannot be an environment: `{'.'.join(map(str, first['loc']))}`: {first['msg']}") from None


def _domain(folder: Path) -> str:
    name = "".join(letter if letter.isalnum() and letter.isascii() else "_" for letter in folder.resolve().name.lower())
    return name if name[:1].isalpha() else f"domain_{name}"


def _database(folder: Path) -> dict[str, Any]:
    file = folder / "db.json"
    if file.is_file() or not (folder / "db.toml").is_file():
        content = read_json(file)
    else:
        try:
            content = json.loads(json.dumps(toml_in((folder / "db.toml").read_text("utf-8")), default=str))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise UserError(f"{folder / 'db.toml'}: cannot be read as TOML: {error}") from None
    if not isinstance(content, dict):
        raise UserError(f"{file}: must hold an object of tables")
    return content


def read_tau2_tasks(rows: list[Any]) -> tuple[list[Task], list[LeftOut]]:
    """Tasks in tau2-bench's form as ours, and what of them could not be read, or has no place here."""
    tasks: dict[str, Task] = {}
    left_out: list[LeftOut] = []
    for position, row in enumerate(rows):
        name = f"task {row['id']}" if isinstance(row, dict) and "id" in row else f"task number {position}"
        try:
            task = _task(row)
        except ValidationError as error:
            first = error.errors()[0]
            left_out.append(LeftOut(name, f"`{'.'.join(map(str, first['loc']))}`: {first['msg']}"))
            continue
        except ValueError as error:
            left_out.append(LeftOut(name, str(error)))
            continue
        except (AttributeError, KeyError, TypeError) as error:
            left_out.append(LeftOut(name, f"it is not of tau2-bench's form ({type(error).__name__}: {error})"))
            continue
        if task.id in tasks:
            left_out.append(LeftOut(name, "another task before it has the same id"))
            continue
        tasks[task.id] = task
        left_out += [LeftOut(name, reason) for reason in _without_place(row)]
    return list(tasks.values()), left_out


def _task(row: Any) -> Task:
    if not isinstance(row, dict) or not isinstance(row.get("id"), str | int):
        raise ValueError("it has no `id`")
    scenario, criteria = row.get("user_scenario"), row.get("evaluation_criteria") or {}
    state = row.get("initial_state")
    if isinstance(state, dict) and any(state.values()):
        given = ", ".join(name for name, value in state.items() if value)
        raise ValueError(f"it starts from a state of its own ({given}); here every task starts from the database")
    judged = judged_by_database(criteria)
    actions = (criteria.get("actions") or []) if judged else []
    if judged and criteria.get("actions") is None and "DB" not in (criteria.get("reward_basis") or _JUDGED_BY):
        raise ValueError("it is judged by its env_assertions alone, which are not run here")
    if any(action.get("requestor") == "user" for action in actions):
        raise ValueError("some of its golden actions are the user's own; here only the agent calls functions")
    carried = row["toolscale"] if isinstance(row.get("toolscale"), dict) else {}
    facts = criteria.get("communicate_info") or []
    if [fact.replace(",", "") for fact in carried.get("communicate_info", [])] == facts:
        facts = carried.get("communicate_info", facts)
    return Task.model_validate(
        {
            **{name: value for name, value in carried.items() if name in Task.model_fields},
            "id": str(row["id"]),
            "user_scenario": _scenario(scenario),
            "golden_calls": [
                GoldenCall(
                    action_id=str(action.get("action_id") or ""),
                    name=action["name"],
                    arguments=read_arguments(action.get("arguments")),
                )
                for action in actions
            ],
            "communicate_info": facts,
            "database_judged": judged,
            "nl_assertions": criteria.get("nl_assertions") or [],
        }
    )


def _scenario(raw: Any) -> dict[str, Any] | None:
    if not isinstance(raw, dict):
        return None
    said = raw.get("instructions")
    if isinstance(said, str):
        said = {"domain": "", "reason_for_call": said}
    elif isinstance(said, dict):
        said = {name: value for name, value in said.items() if value is not None}
    return {"persona": raw.get("persona") or "", "instructions": said}


def _without_place(row: dict[str, Any]) -> Iterator[str]:
    """What of a task that is imported is not."""
    criteria = row.get("evaluation_criteria") or {}
    if criteria.get("env_assertions"):
        yield "its env_assertions are not run; it is judged by the database, by what is said and by what is looked up"
    basis = set(criteria.get("reward_basis") or _JUDGED_BY)
    if "COMMUNICATE" not in basis and criteria.get("communicate_info"):
        yield "tau2-bench does not judge it by its communicate_info; here what is said counts"
    if not judged_by_database(criteria):
        if criteria.get("actions"):
            yield f"its actions are left out, since tau2-bench judges it by {', '.join(sorted(basis))} alone"
    elif "DB" not in basis:
        yield f"tau2-bench judges it by {', '.join(sorted(basis))} and not by the database; here the database counts"
    for field in ("ticket", "issues", "required_documents", "user_tools"):
        if row.get(field):
            yield f"its `{field}` has no place here"
