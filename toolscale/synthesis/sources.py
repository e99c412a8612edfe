"""Sources of functions, and of rules, put together into one module."""

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol

from toolscale.artifacts import Rule
from toolscale.environment import NOT_CHECKABLE
from toolscale.python_source import parsed, written

LONGEST_FUNCTION = 50_000
"""Characters of one function's source: several times what the longest take."""


class Sourced(Protocol):
    """What has a name and the Python source that defines it: a function, or a rule."""

    @property
    def name(self) -> str: ...

    @property
    def source(self) -> str: ...


class _Statement(NamedTuple):
    """A top-level statement as it is written, with the names that it binds."""

    text: str
    names: tuple[str, ...]
    imports: bool


def functions_module(functions: Sequence[Sourced]) -> str:
    """One module that defines every function: imports first, shared definitions once, each statement as it was written.

    Raises:
        ValueError: two functions bind one name in different ways, or a source does not compile.
    """
    imports: dict[str, None] = {}
    statements: dict[str, None] = {}
    bound: dict[str, tuple[str, str]] = {}
    for function in functions:
        for statement in _statements(function.source):
            for name in statement.names:
                owner, known = bound.setdefault(name, (function.name, statement.text))
                if known != statement.text:
                    raise ValueError(
                        f"`{function.name}` binds `{name}` in another way than `{owner}` does (`{known[:80]}`): "
                        f"do it in the same way, or move it into `{function.name}`"
                    )
            (imports if statement.imports else statements)[statement.text] = None
    module = "\n".join(imports) + "\n\n\n" + "\n\n\n".join(statements) + "\n"
    parsed(module)
    return module


def rules_module(rules: Sequence[Rule]) -> str:
    """``rules.py`` of an environment; empty if there are no rules.

    Raises:
        ValueError: two rules bind one name in different ways, or a source does not compile.
    """
    programs = [rule for rule in rules if rule.by == "program"]
    left = [rule.sentence for rule in rules if rule.by == "judge"]
    stated = "".join(f"    {sentence!r},\n" for sentence in left)
    listed = f"{NOT_CHECKABLE} = [\n{stated}]\n" if left else ""
    return "\n\n".join(filter(None, (functions_module(programs) if programs else "", listed)))


@lru_cache(maxsize=512)
def _statements(source: str) -> tuple[_Statement, ...]:
    tree = parsed(source, longest=LONGEST_FUNCTION)
    return tuple(
        _Statement(text, tuple(names), isinstance(node, ast.Import | ast.ImportFrom))
        for node in tree.body
        for text, names in _bindings(node)
    )


def _bindings(node: ast.stmt) -> Iterator[tuple[str, list[str]]]:
    """A top-level statement with the names that it binds; an import of several names is as many statements."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield written(ast.Import([alias])), [(alias.asname or alias.name).partition(".")[0]]
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            yield written(ast.ImportFrom(node.module, [alias], node.level)), [alias.asname or alias.name]
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield written(node), [node.name]
    else:
        stored = (inner for inner in ast.walk(node) if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store))
        yield written(node), [name.id for name in stored]
