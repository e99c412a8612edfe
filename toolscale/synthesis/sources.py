"""Function sources put together into one module."""

import ast
from collections.abc import Iterator, Sequence

from toolscale.artifacts import Function


def functions_module(functions: Sequence[Function]) -> str:
    """One module that defines every function: imports first, shared definitions once, each statement as it was written.

    Raises:
        ValueError: two functions bind one name in different ways, or a source does not parse.
    """
    imports: dict[str, None] = {}
    statements: dict[str, None] = {}
    bound: dict[str, tuple[str, str]] = {}
    for function in functions:
        for node in ast.parse(function.source).body:
            for statement, names in _bindings(node):
                for name in names:
                    owner, known = bound.setdefault(name, (function.name, statement))
                    if known != statement:
                        raise ValueError(
                            f"`{function.name}` binds `{name}` in another way than `{owner}` does (`{known[:80]}`): "
                            f"do it in the same way, or move it into `{function.name}`"
                        )
                (imports if isinstance(node, ast.Import | ast.ImportFrom) else statements)[statement] = None
    return "\n".join(imports) + "\n\n\n" + "\n\n\n".join(statements) + "\n"


def _bindings(node: ast.stmt) -> Iterator[tuple[str, list[str]]]:
    """A top-level statement with the names that it binds; an import of several names is as many statements."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield ast.unparse(ast.Import([alias])), [(alias.asname or alias.name).partition(".")[0]]
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            yield ast.unparse(ast.ImportFrom(node.module, [alias], node.level)), [alias.asname or alias.name]
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield ast.unparse(node), [node.name]
    else:
        stored = (inner for inner in ast.walk(node) if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store))
        yield ast.unparse(node), [name.id for name in stored]
