"""Python source that a model, a user or a file wrote, read and never run.

CPython says in a dozen ways that it cannot read a source, some of them by how deep the caller stands, and some sources
it reads or compiles for hours. Here what cannot be read is one exception, and what can be read, the sandbox compiles.
"""

import ast
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

DEEPEST = 100
"""Levels of a syntax tree. `ast.unparse` takes up to five frames a level, of the thousand that Python has."""

LONGEST = 200_000
"""Characters of a source: CPython's time grows with the square of some lines."""

_LARGEST = 1_000_000
"""Nodes of a syntax tree, each counted as often as it is compiled."""

_TOO_DEEP = f"it nests deeper than {DEEPEST} levels; split long chains and conditions into several statements"
_CANNOT = (SyntaxError, ValueError, TypeError, RecursionError, MemoryError, OverflowError, SystemError)
_TRIES = 5
_ONE_AT_A_TIME = threading.Lock()
"""`ast.parse` of CPython 3.11 can fail where threads parse side by side."""


class NotPython(ValueError):  # noqa: N818 - the name says what it is
    """A source, or a part of one, that cannot be read: why, in one line, and where if that is known."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(f"line {line}: {reason}" if line else reason)
        self.reason = reason
        self.line = line


def _tree(source: str) -> ast.Module:
    """`ast.parse`, again where it failed by CPython's own fault: libraries parse in other threads, without our lock."""
    for _ in range(_TRIES - 1):
        with _ONE_AT_A_TIME, suppress(SystemError):
            return ast.parse(source)
    with _ONE_AT_A_TIME:
        return ast.parse(source)


def parsed(source: str, *, longest: int = LONGEST) -> ast.Module:
    """The syntax tree of a source that compiles, of bounded size and depth.

    Raises:
        NotPython: it is none.
    """
    if len(source) > longest:
        raise NotPython(f"it is longer than {longest:,} characters")
    try:
        tree = _tree(source)
    except _CANNOT as error:
        raise _refusal(error) from None
    if _deeper_than(tree, DEEPEST):
        raise NotPython(_TOO_DEEP)
    if "finally" in source and _compiled_nodes(tree, 0) > _LARGEST:
        raise NotPython("it is too large once compiled: every way out of a `try` repeats its `finally`")
    try:
        compile(source, "<source>", "exec", dont_inherit=True)
    except _CANNOT as error:
        raise _refusal(error) from None
    return tree


def written(node: ast.AST) -> str:
    """A part of a parsed source as Python text.

    Raises:
        NotPython: it cannot be written out, such as a number of ten thousand digits.
    """
    try:
        return ast.unparse(node)
    except _CANNOT as error:
        raise _refusal(error) from None


def literal(value: ast.expr | str) -> Any:
    """What a part of a parsed source, or a text, spells without names and calls: numbers, strings, lists and the like.

    Raises:
        NotPython: it spells nothing of that kind.
    """
    if isinstance(value, str):
        statements = parsed(value.strip()).body
        if len(statements) != 1 or not isinstance(statements[0], ast.Expr):
            raise NotPython("it is not a value")
        value = statements[0].value
    try:
        return ast.literal_eval(value)
    except _CANNOT as error:
        raise _refusal(error) from None


def _refusal(error: BaseException) -> NotPython:
    if isinstance(error, SyntaxError):
        return NotPython(error.msg, error.lineno)
    if isinstance(error, RecursionError | MemoryError):
        return NotPython(_TOO_DEEP)
    return NotPython(" ".join(str(error).split())[:200] or type(error).__name__)


def _deeper_than(tree: ast.AST, levels: int) -> bool:
    layer = [tree]
    for _ in range(levels):
        layer = [part for node in layer for part in ast.iter_child_nodes(node)]
        if not layer:
            return False
    return True


def _compiled_nodes(node: ast.AST, on_the_way_out: int) -> int:
    """The nodes that CPython compiles: a `finally` at the end of its `try`, and again for each way out of it."""
    if isinstance(node, ast.Return | ast.Break | ast.Continue):
        return 1 + on_the_way_out + sum(_compiled_nodes(part, 0) for part in ast.iter_child_nodes(node))
    if isinstance(node, ast.Try | ast.TryStar):
        at_last = _of_all(node.finalbody, on_the_way_out)
        inside: list[ast.AST] = [*node.body, *node.handlers, *node.orelse]
        return 1 + 2 * at_last + _of_all(inside, on_the_way_out + at_last)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
        on_the_way_out = 0
    return 1 + sum(_compiled_nodes(part, on_the_way_out) for part in ast.iter_child_nodes(node))


def _of_all(nodes: Sequence[ast.AST], on_the_way_out: int) -> int:
    return sum(_compiled_nodes(node, on_the_way_out) for node in nodes)
