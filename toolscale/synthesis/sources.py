"""Function sources put together into one module."""

import ast
from collections.abc import Sequence

from toolscale.artifacts import Function


def functions_module(functions: Sequence[Function]) -> str:
    """One module that defines every function: imports first, shared helpers once, each statement as it was written.

    Raises:
        ValueError: two functions define the same helper or constant in different ways, or a source does not parse.
    """
    imports: dict[str, None] = {}
    statements: dict[str, None] = {}
    bound: dict[str, tuple[str, str]] = {}
    for function in functions:
        for node in ast.parse(function.source).body:
            text = ast.unparse(node)
            if isinstance(node, ast.Import | ast.ImportFrom):
                imports[text] = None
                continue
            for name in _bound_names(node):
                owner, known = bound.setdefault(name, (function.name, text))
                if known != text:
                    raise ValueError(
                        f"`{function.name}` defines `{name}` in another way than `{owner}` does; rename one of them"
                    )
            statements[text] = None
    return "\n".join(imports) + "\n\n\n" + "\n\n\n".join(statements) + "\n"


def _bound_names(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]
