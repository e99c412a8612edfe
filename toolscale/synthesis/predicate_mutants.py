"""Mutants of a predicate: one condition of it turned round, left out, or with another number in it.

A rule whose examples fare the same under every mutant was never shown to look at what it is about.
"""

import ast
import copy
from collections.abc import Callable, Iterator
from itertools import islice

from toolscale.python_source import parsed, written

MOST = 60
"""Mutants of one rule that are tried."""

_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.Lt: ast.GtE,
    ast.Gt: ast.LtE,
    ast.In: ast.NotIn,
    ast.Is: ast.IsNot,
}
_OPPOSITE |= {value: key for key, value in _OPPOSITE.items()}

Edit = Callable[[ast.AST], None]


def mutants(source: str, rule: str) -> Iterator[tuple[str, str]]:
    """Names and sources of functions that are the rule with one thing changed in it, each once.

    Raises:
        NotPython: the source does not compile.
    """
    own = next(node for node in parsed(source).body if isinstance(node, ast.FunctionDef) and node.name == rule)
    known = {written(own)}
    for number, (index, edit) in enumerate(islice(_edits(own), MOST)):
        changed = _edited(own, index, edit)
        if changed not in known:
            known.add(changed)
            name = f"mutant_{number}_of_{rule}"
            yield name, changed.replace(f"def {rule}(", f"def {name}(", 1)


def _edited(rule: ast.FunctionDef, index: int, edit: Edit) -> str:
    changed = copy.deepcopy(rule)
    edit(list(ast.walk(changed))[index])
    return written(ast.fix_missing_locations(changed))


def _edits(rule: ast.FunctionDef) -> Iterator[tuple[int, Edit]]:
    """What can be changed in a rule: the place of a node in the walk over it, and the change."""
    for index, node in enumerate(ast.walk(rule)):
        match node:
            case ast.Compare():
                for place in range(len(node.ops)):
                    yield index, _turned(place)
            case ast.BoolOp():
                for place in range(len(node.values)):
                    yield index, _dropped(place)
            case ast.If(test=test) | ast.IfExp(test=test) if not isinstance(test, ast.Compare | ast.BoolOp):
                yield index, _negated
            case ast.comprehension(ifs=[_, *_]):
                for place in range(len(node.ifs)):
                    yield index, _unconditional(place)
            case ast.Constant(value=value) if type(value) in (int, float):
                yield index, _other_number


def _turned(place: int) -> Edit:
    def edit(node: ast.AST) -> None:
        assert isinstance(node, ast.Compare)
        node.ops[place] = _OPPOSITE[type(node.ops[place])]()

    return edit


def _dropped(place: int) -> Edit:
    def edit(node: ast.AST) -> None:
        assert isinstance(node, ast.BoolOp)
        del node.values[place]

    return edit


def _unconditional(place: int) -> Edit:
    def edit(node: ast.AST) -> None:
        assert isinstance(node, ast.comprehension)
        del node.ifs[place]

    return edit


def _negated(node: ast.AST) -> None:
    assert isinstance(node, ast.If | ast.IfExp)
    node.test = ast.UnaryOp(ast.Not(), node.test)


def _other_number(node: ast.AST) -> None:
    assert isinstance(node, ast.Constant)
    assert isinstance(node.value, int | float)
    node.value = 2 * node.value + 1
