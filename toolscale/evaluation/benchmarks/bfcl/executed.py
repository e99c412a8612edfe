"""Executed categories: the right calls are written as Python, and are compared instead of run.

The leaderboard ran them, mostly against live services, until it retired these categories in April 2025. Equal calls
have equal results, so whoever is right here was right there; another call with the same result is not seen.
"""

import ast
from typing import Any

from toolscale.evaluation.benchmarks.bfcl.calls import Answer
from toolscale.python_source import parsed, written

_SUMS = {ast.Add: float.__add__, ast.Sub: float.__sub__, ast.Mult: float.__mul__, ast.Div: float.__truediv__}


def wanted_call(source: str, parameters: dict[str, list[str]]) -> Answer:
    """A call as the values that are right for each of its parameters.

    Args:
        source: such as `add(1, b=2)`.
        parameters: function -> its parameters in their order.

    Raises:
        ValueError: it is no call of a function with values.
    """
    (statement,) = parsed(source.strip()).body
    node = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(node, ast.Call):
        raise ValueError(f"{source[:80]!r} is no call")
    name = written(node.func)
    by_place = dict(zip(parameters.get(name, []), node.args, strict=False))
    by_name = {each.arg: each.value for each in node.keywords if each.arg}
    return {name: {parameter: [_value(each)] for parameter, each in (by_place | by_name).items()}}


def _value(node: ast.expr) -> Any:
    """A value; some numbers are written as sums."""
    if isinstance(node, ast.BinOp) and type(node.op) in _SUMS:
        left, right = _value(node.left), _value(node.right)
        return _SUMS[type(node.op)](float(left), float(right))
    value = ast.literal_eval(node)
    return list(value) if isinstance(value, tuple) else value
