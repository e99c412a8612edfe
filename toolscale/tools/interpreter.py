"""What runs in the sandbox's process for `code_interpreter`: snippets, one after the other, in one name space.

The sandbox gets this file's text, as it gets a domain's functions.py; the rest of toolscale never imports it.
"""

import ast
import contextlib
import io
from types import CodeType, TracebackType
from typing import Any

import numpy

_MOST_CHARACTERS = 20_000
_FILE = "<snippet>"

numpy.random.seed(0)  # its shared generator has drawn its seed from the system
_space: dict[str, Any] = {"__name__": "__main__"}


def run(db: Any, code: str) -> dict[str, str | None]:
    """Run a snippet on what earlier ones left: what it printed, its last expression's value, and how it failed."""
    printed, value, error = _Printed(), None, None
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        try:
            statements, expression = _compiled(code)
            exec(statements, _space)
            if expression is not None:
                result = eval(expression, _space)
                value = None if result is None else _short(repr(result))
        except BaseException as failure:
            error = _described(failure, code)
    return {"printed": printed.text(), "value": value, "error": error}


class _Printed(io.TextIOBase):
    """Takes what is printed, and keeps no more of it than is shown."""

    def __init__(self) -> None:
        self._kept = ""
        self._dropped = 0

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        room = _MOST_CHARACTERS - len(self._kept)
        self._kept += text[:room]
        self._dropped += max(0, len(text) - room)
        return len(text)

    def text(self) -> str:
        return _short(self._kept) + (f"\n... and {self._dropped} more characters" if self._dropped else "")


def _compiled(code: str) -> tuple[CodeType, CodeType | None]:
    """The statements, and the expression at the end where there is one."""
    tree = ast.parse(code, _FILE)
    expression = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = tree.body.pop()
        assert isinstance(last, ast.Expr)
        expression = compile(ast.Expression(last.value), _FILE, "eval")
    return compile(tree, _FILE, "exec"), expression


def _described(failure: BaseException, code: str) -> str:
    """The error, and the line of the snippet that raised it."""
    said = f"{type(failure).__name__}: {failure}" if str(failure) else type(failure).__name__
    line = _line_of(failure.__traceback__)
    lines = code.splitlines()
    where = f" (line {line}: {lines[line - 1].strip()})" if line is not None and 0 < line <= len(lines) else ""
    return _short(said) + _short(where)


def _line_of(traceback: TracebackType | None) -> int | None:
    line = None
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == _FILE:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line


def _short(text: str) -> str:
    text = text.encode("utf-8", "replace").decode()  # half a surrogate pair is no JSON
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]} ..."
