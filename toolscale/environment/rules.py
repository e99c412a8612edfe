"""The policy's rules as predicates: ``rules.py`` of an environment, and what calls broke of it.

Every public function of the module is a rule ``def rule(before, call, after)`` with the sentence of the policy that it
enforces as its docstring. It sees the database before and after one call and the call (``name``, ``arguments``,
``result``), and returns None, or why the call breaks the policy.
"""

import ast
import threading
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from toolscale.artifacts import Json

_PARSING = (
    threading.Lock()
)  # gates run in threads, and `ast.parse` of CPython 3.11 can fail where they parse side by side


class BrokenRule(NamedTuple):
    """A call that broke a rule."""

    position: int
    rule: str
    reason: str


def rules_in(source: str) -> Mapping[str, str]:
    """The rules that a module defines: name -> the sentence of the policy.

    Raises:
        SyntaxError: the source is not Python.
        ValueError: a public function is not a rule; the message says what it lacks.
    """
    rules = {}
    with _PARSING:
        module = ast.parse(source)
    for node in module.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            if len(node.args.args) != 3 or node.args.kwonlyargs or node.args.vararg or node.args.kwarg:
                raise ValueError(f"rule `{node.name}` must be `def {node.name}(before, call, after)`")
            sentence = ast.get_docstring(node)
            if not sentence:
                raise ValueError(f"rule `{node.name}` has no docstring; write the policy's sentence there")
            rules[node.name] = " ".join(sentence.split())
    return rules


def read_broken_rules(reply: Json, rules: Collection[str], steps: int) -> list[BrokenRule]:
    """What the process that held the rules against so many steps says; it may say anything.

    A reply that is malformed is one broken rule.
    """
    found: list[Any] = reply if isinstance(reply, list) else [reply]
    broken = [BrokenRule(*each) for each in found if isinstance(each, list) and len(each) == 3]
    sound = all(
        type(each.position) is int
        and 0 <= each.position < steps
        and type(each.rule) is str
        and each.rule in rules
        and type(each.reason) is str
        for each in broken
    )
    if sound and len(broken) == len(found):
        return broken
    return [BrokenRule(0, "rules.py", "the reply of the rules was malformed")]
