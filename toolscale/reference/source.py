"""Reads functions out of Python modules without running them.

Each function becomes an artifact of its own: its source carries the imports, constants and private helpers that it
needs, so that it stands alone; its parameters' JSON Schema follows from the annotations and the docstring.
"""

import ast
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from toolscale.artifacts import Function
from toolscale.input_files import files_in
from toolscale.python_source import parsed

_IMPORT, _CONSTANT, _OTHER = range(3)
"""What a statement is, in the order in which they stand in a function's source."""

_TYPES: dict[str, dict[str, Any]] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
}


def read_functions(folder: Path) -> list[Function]:
    """The public functions of a folder's modules: modules in the order of their names, functions as they stand.

    The modules are one namespace: what one imports relatively from another (a shared helper, say) is carried along
    like what it defines itself. Each names its functions that write in ``WRITES``, a literal set of names. The first
    paragraph of a docstring describes the function; lines of the form ``parameter: text`` after it, the parameters.

    Raises:
        ValueError: an annotation or docstring is not of that form, or two modules bind one name in different ways.
    """
    definitions: dict[str, _Definition] = {}
    public: list[ast.FunctionDef] = []
    writes: set[str] = set()
    for path in files_in(folder, "*.py"):
        module = parsed(path.read_text(encoding="utf-8"))
        found = _definitions(module, len(definitions))
        if "WRITES" in found:
            writes |= ast.literal_eval(found.pop("WRITES").statement.value)  # type: ignore[attr-defined]
        for name, definition in found.items():
            known = definitions.setdefault(name, definition)
            if ast.dump(known.statement) != ast.dump(definition.statement) and not _imports(definition.statement):
                raise ValueError(f"{path}: `{name}` is defined in another way elsewhere in {folder}")
        public += [node for node in module.body if isinstance(node, ast.FunctionDef) and node.name[0] != "_"]
    if not public:
        raise ValueError(f"{folder}: there are no functions")
    if unknown := writes - {node.name for node in public}:
        raise ValueError(f"{folder}: WRITES names no function: {sorted(unknown)}")
    return [
        Function(
            name=node.name,
            description=_description(node),
            parameters=_parameters(node),
            kind="write" if node.name in writes else "read",
            source=_closure(node.name, definitions),
        )
        for node in public
    ]


def read_constants(folder: Path) -> dict[str, Any]:
    """The literal constants of the modules that ``read_functions`` reads, by name: a domain's fees, limits and days."""
    found: dict[str, Any] = {}
    for path in files_in(folder, "*.py"):
        for name, definition in _definitions(parsed(path.read_text(encoding="utf-8")), 0).items():
            if isinstance(definition.statement, ast.Assign | ast.AnnAssign) and definition.statement.value:
                with suppress(ValueError):
                    found[name] = ast.literal_eval(definition.statement.value)
    return found


class _Definition(NamedTuple):
    """A statement that binds a name, and where it stands among all modules' statements."""

    statement: ast.stmt
    place: tuple[int, int]


def _definitions(module: ast.Module, offset: int) -> dict[str, _Definition]:
    """Every top-level name and the statement that binds it; relative imports bind nothing of their own."""
    found: dict[str, _Definition] = {}
    for node in module.body:
        names: list[str] = []
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names = [node.name]
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [target.id for target in targets if isinstance(target, ast.Name)]
        elif isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and not node.level):
            names = [(alias.asname or alias.name).partition(".")[0] for alias in node.names]
        found |= {name: _Definition(node, (offset, node.lineno)) for name in names}
    return found


def _imports(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Import | ast.ImportFrom)


def _rank(statement: ast.stmt) -> int:
    return (
        _IMPORT if _imports(statement) else _CONSTANT if isinstance(statement, ast.Assign | ast.AnnAssign) else _OTHER
    )


def _closure(name: str, definitions: dict[str, _Definition]) -> str:
    """The source of a definition with all it refers to, each statement once: imports, constants, then definitions.

    Constants come before definitions because annotations and defaults are evaluated where they stand.
    """
    needed: set[str] = set()
    waiting = [name]
    while waiting:
        current = waiting.pop()
        if current in needed or current not in definitions:
            continue
        needed.add(current)
        waiting += _names(definitions[current].statement)
    used = {id(definitions[each].statement): definitions[each] for each in needed}
    ordered = sorted(used.values(), key=lambda each: (_rank(each.statement), each.place))
    statements = {id(each): each for one in ordered for each in _with_its_parts(one.statement, definitions, set())}
    return "\n\n".join(ast.unparse(_only(each, needed, definitions)) for each in statements.values()) + "\n"


def _with_its_parts(statement: ast.stmt, definitions: dict[str, _Definition], seen: set[str]) -> Iterator[ast.stmt]:
    """A statement after the constants that it is made of, if it is one itself: they may stand in a later module."""
    if _rank(statement) == _CONSTANT:
        for name in _names(statement):
            if name in definitions and name not in seen and _rank(definitions[name].statement) == _CONSTANT:
                seen.add(name)
                yield from _with_its_parts(definitions[name].statement, definitions, seen)
    yield statement


def _names(statement: ast.stmt) -> list[str]:
    return [node.id for node in ast.walk(statement) if isinstance(node, ast.Name)]


def _only(node: ast.stmt, needed: set[str], definitions: dict[str, _Definition]) -> ast.stmt:
    """An import statement with only those names that are needed and that it is the one to bind; others as they are."""
    if isinstance(node, ast.ImportFrom):
        names = [
            alias
            for alias in node.names
            if (name := alias.asname or alias.name) in needed and definitions[name].statement is node
        ]
        return ast.ImportFrom(module=node.module, names=names, level=node.level)
    return node


def _description(node: ast.FunctionDef) -> str:
    lines = (ast.get_docstring(node) or "").split("\n\n")[0]
    if not lines:
        raise ValueError(f"function `{node.name}` has no docstring")
    return " ".join(lines.split())


def _parameters(node: ast.FunctionDef) -> dict[str, Any]:
    documented = _documented(node)
    arguments = node.args.args[1:]
    defaults: list[ast.expr | None] = [None] * (len(arguments) - len(node.args.defaults))
    defaults += node.args.defaults
    properties: dict[str, Any] = {}
    required = []
    for argument, default in zip(arguments, defaults, strict=True):
        if argument.annotation is None or argument.arg not in documented:
            raise ValueError(f"`{node.name}`: parameter `{argument.arg}` needs an annotation and a docstring line")
        properties[argument.arg] = {**_type(argument.annotation), "description": documented[argument.arg]}
        if default is None:
            required.append(argument.arg)
        elif (value := ast.literal_eval(default)) is not None:
            properties[argument.arg]["default"] = value
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _documented(node: ast.FunctionDef) -> dict[str, str]:
    found: dict[str, str] = {}
    current = ""
    for line in (ast.get_docstring(node) or "").split("\n"):
        name, colon, text = line.strip().partition(": ")
        if colon and name.isidentifier():
            current = name
            found[current] = text
        elif current and line.strip():
            found[current] += " " + line.strip()
    return found


def _type(annotation: ast.expr) -> dict[str, Any]:
    """The JSON Schema of an annotation: str, int, float, bool, Literal, list[...], X | None."""
    if isinstance(annotation, ast.Name) and annotation.id in _TYPES:
        return dict(_TYPES[annotation.id])
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.right, ast.Constant):
        return _type(annotation.left)
    if isinstance(annotation, ast.Subscript) and isinstance(annotation.value, ast.Name):
        if annotation.value.id == "list":
            return {"type": "array", "items": _type(annotation.slice)}
        if annotation.value.id == "Literal":
            values = ast.literal_eval(annotation.slice)
            return {"type": "string", "enum": list(values) if isinstance(values, tuple) else [values]}
    raise ValueError(f"cannot say `{ast.unparse(annotation)}` as a JSON Schema")
