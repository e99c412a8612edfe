"""An environment as a folder, which anyone can write by hand (docs/environment-format.md)."""

import ast
import json
import math
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from os.path import lexists
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from toolscale.artifacts import EnvironmentSpec, FunctionSpec, UnofferedFunction
from toolscale.artifacts.strict_json import DEEPEST, deeper_than, sort_of
from toolscale.environment.rules import not_checkable_in, rules_in
from toolscale.errors import UserError
from toolscale.input_files import not_a_file
from toolscale.python_source import NotPython, parsed
from toolscale.whole import whole_folder

DEFAULT_NOW = datetime(2026, 1, 1)
"""The frozen clock of an environment that does not say what time it is."""


def load_environment(path: str | os.PathLike[str]) -> EnvironmentSpec:
    """Read an environment folder. Raises UserError, one line, for the first thing that is wrong with it."""
    folder = Path(path)
    if not folder.is_dir():
        raise UserError(f"{folder}: not a folder; give the folder that holds database.json and functions.py")
    settings = _read_object(folder / "environment.json") if lexists(folder / "environment.json") else {}
    unknown = sorted(settings.keys() - {"domain", "now", "seed"})
    if unknown:
        raise UserError(f"{folder / 'environment.json'}: unknown field `{unknown[0]}`; there are domain, now and seed")
    functions, unoffered = read_all_functions(folder / "functions.json")
    source = _read_text(folder / "functions.py")
    _check_source(folder / "functions.py", source, [*functions, *unoffered])
    schema = folder / "schema.json"
    policy = folder / "policy.md"
    try:
        spec = EnvironmentSpec(
            domain=settings.get("domain", _name_of(folder)),
            now=settings.get("now", DEFAULT_NOW),
            seed=settings.get("seed", 0),
            policy=_read_text(policy) if lexists(policy) else "",
            functions=functions,
            unoffered=unoffered,
            source=source,
            rules=_read_rules(folder / "rules.py"),
            database=_read_object(folder / "database.json"),
            json_schema=_read_object(schema) if lexists(schema) else None,
        )
    except ValidationError as error:
        raise UserError(f"{folder / _file_of(error)}: {_first_problem(error)}") from None
    if spec.now.tzinfo is None:
        return spec
    try:
        return spec.model_copy(update={"now": spec.now.astimezone(UTC).replace(tzinfo=None)})
    except OverflowError:
        raise UserError(
            f"{folder / 'environment.json'}: `now` in UTC is before year 1 or after 9999; correct it"
        ) from None


def write_environment(spec: EnvironmentSpec, path: str | os.PathLike[str]) -> None:
    """Write an environment folder, in place of one that is there. It appears whole or not at all."""
    functions = [function.model_dump(include=set(FunctionSpec.model_fields)) for function in spec.functions]
    functions += [function.model_dump() for function in spec.unoffered]
    texts = {
        "environment.json": _as_json({"domain": spec.domain, "now": spec.now.isoformat(), "seed": spec.seed}),
        "database.json": _as_json(spec.database),
        "functions.json": _as_json(functions),
        "functions.py": spec.source,
        "policy.md": spec.policy,
    }
    if spec.rules:
        texts["rules.py"] = spec.rules
    if spec.json_schema is not None:
        texts["schema.json"] = _as_json(spec.json_schema)
    with whole_folder(Path(path)) as made:
        for name, text in texts.items():
            (made / name).write_bytes(text.encode())


def _as_json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _read_text(file: Path) -> str:
    if lexists(file) and (why := not_a_file(file)):
        raise UserError(f"{file}: {why}; put the file there")
    try:
        return file.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise UserError(f"{file}: there is no such file; write it, or correct the path") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{file}: not UTF-8 at byte {error.start}; save it as UTF-8") from None
    except OSError as error:
        raise UserError(f"{file}: cannot be read: {error.strerror}") from None


def read_json(file: Path) -> Any:
    """A JSON file of the user's. Raises UserError that names the file and the line of the first mistake."""

    def refuse(constant: str) -> None:
        raise UserError(f"{file}: {constant} is not JSON; write null or a number")

    def finite(number: str) -> float:
        if math.isinf(value := float(number)):
            raise UserError(f"{file}: {number} is too large for a number; write a smaller one")
        return value

    try:
        value = json.loads(_read_text(file), parse_constant=refuse, parse_float=finite)
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise UserError(f"{file}: holds half of a surrogate pair (\\ud800 to \\udfff), which is not text") from None
    except json.JSONDecodeError as error:
        raise UserError(f"{file}:{error.lineno}: not JSON: {error.msg} (column {error.colno}); correct it") from None
    except RecursionError:
        raise UserError(f"{file}: nests deeper than {DEEPEST} levels; make it flatter") from None
    except ValueError as error:
        raise UserError(f"{file}: cannot be read as JSON: {error}") from None
    if deeper_than(value, DEEPEST):
        raise UserError(f"{file}: nests deeper than {DEEPEST} levels; make it flatter")
    return value


def _read_object(file: Path) -> dict[str, Any]:
    value = read_json(file)
    if not isinstance(value, dict):
        raise UserError(f"{file}: must hold a JSON object, holds {sort_of(value)}")
    return value


def read_functions(file: Path) -> list[FunctionSpec]:
    """The functions that a functions.json offers. Raises UserError for the first thing that is wrong with it."""
    return read_all_functions(file)[0]


def read_all_functions(file: Path) -> tuple[list[FunctionSpec], list[UnofferedFunction]]:
    """Those that a functions.json offers to agents, and those that it says the user or a task calls."""
    listed = read_json(file)
    if not isinstance(listed, list):
        raise UserError(f"{file}: must hold a list of {{name, description, parameters, kind}}, holds {sort_of(listed)}")
    functions: list[FunctionSpec] = []
    unoffered: list[UnofferedFunction] = []
    for number, raw in enumerate(map(_unwrapped, listed), start=1):
        if not isinstance(raw, dict) or not isinstance(raw.get("name"), str):
            raise UserError(f"{file}: function {number} must be an object with a `name`")
        name = raw["name"]
        if any(function.name == name for function in (*functions, *unoffered)):
            raise UserError(f"{file}: function `{name}` is listed twice; remove one")
        given = {field: value for field, value in raw.items() if value is not None}
        complete = {"kind": "read", "description": name, "parameters": {"type": "object", "properties": {}}} | given
        try:
            if "caller" in complete:
                unoffered.append(UnofferedFunction.model_validate(complete))
            else:
                functions.append(FunctionSpec.model_validate(complete))
        except ValidationError as error:
            raise UserError(f"{file}: function {number} (`{name}`): {_first_problem(error)}") from None
    return functions, unoffered


def _unwrapped(raw: Any) -> Any:
    """The function in an OpenAI tool, ``{"type": "function", "function": {...}}``; anything else as it is."""
    if not isinstance(raw, dict) or not isinstance(raw.get("function"), dict):
        return raw
    return {field: value for field, value in raw["function"].items() if field != "strict"}


def _check_source(file: Path, source: str, functions: Sequence[FunctionSpec]) -> None:
    """Every listed function must be defined, as far as one can see without running anything."""
    try:
        tree = parsed(source)
    except NotPython as error:
        raise _uncompiled(file, error) from None
    defined = set(_names_defined_by(tree.body))
    for function in functions:
        if function.name not in defined:
            raise UserError(
                f"{file}: `{function.name}` is listed in functions.json but not defined here; "
                f"add `def {function.name}(db, ...)` or remove it there"
            )


def _read_rules(file: Path) -> str:
    if not lexists(file):
        return ""
    source = _read_text(file)
    try:
        stated = rules_in(source) or not_checkable_in(source)
    except NotPython as error:
        raise _uncompiled(file, error) from None
    except ValueError as error:
        raise UserError(f"{file}: {error}") from None
    if not stated:
        raise UserError(f"{file}: defines no rule; add `def name(before, call, after)` or remove the file")
    return source


def _uncompiled(file: Path, error: NotPython) -> UserError:
    if error.line is None:
        return UserError(f"{file}: cannot be compiled: {error.reason}")
    return UserError(f"{file}:{error.line}: not Python: {error.reason}; correct it")


def _names_defined_by(statements: Iterable[ast.AST]) -> Iterator[str]:
    """What statements define in the module, whatever `if` or `try` they stand in."""
    for statement in statements:
        match statement:
            case ast.FunctionDef(name=name) | ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.AsyncFunctionDef() | ast.ClassDef() | ast.Lambda() | ast.AnnAssign(value=None):
                pass
            case _:
                yield from _names_defined_by(ast.iter_child_nodes(statement))


def _name_of(folder: Path) -> str:
    name = re.sub(r"[^a-z0-9]+", "_", folder.resolve().name.lower()).strip("_")
    return (name if name[:1].isalpha() else f"domain_{name}".rstrip("_"))[:63]


def _file_of(error: ValidationError) -> str:
    """The file that holds the field a validation of the whole environment complains about."""
    return {"database": "database.json", "json_schema": "schema.json", "functions": "functions.json"}.get(
        str(error.errors()[0]["loc"][0]), "environment.json"
    )


def _first_problem(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if not str(part).startswith("json-"))
    return f"`{where}`: {first['msg'][0].lower()}{first['msg'][1:]}"
