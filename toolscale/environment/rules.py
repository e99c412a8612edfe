"""The policy's rules as predicates: ``rules.py`` of an environment, and what calls broke of it.

Every public function of the module is a rule ``def rule(before, call, after)`` with the sentence of the policy that it
enforces as its docstring. It sees the database before and after one call and the call (``name``, ``arguments``,
``result``), and returns None, or why the call breaks the policy. A rule that asks for a fourth parameter, ``earlier``,
is given the calls that came before, from which it can tell who the user is. ``NOT_CHECKABLE``, a list of strings, holds
the sentences of the policy that no program can check.
"""

import ast
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from toolscale.artifacts import EntryRef, Json
from toolscale.environment.inside.rules import FAILED
from toolscale.environment.replay import Replay
from toolscale.environment.structure import ABSENT, Value
from toolscale.python_source import NotPython, literal, parsed

NOT_CHECKABLE = "NOT_CHECKABLE"
"""The name under which a module lists the sentences of the policy that no program can check."""


class BrokenRule(NamedTuple):
    """A call that broke a rule."""

    position: int
    rule: str
    reason: str
    trail: int = 0
    """Which of the trails that were looked at the call belongs to."""

    @property
    def failed(self) -> bool:
        """Whether the rule itself failed, so that it said nothing of the call."""
        return self.reason.startswith(FAILED)


class Trail(NamedTuple):
    """Calls one after the other, with what each changed, on the environment's database with changes laid over it."""

    steps: Sequence[Json]
    supposed: Sequence[Json] = ()

    @staticmethod
    def of(replay: Replay) -> "Trail":
        """The calls of a replay. They must all have returned."""
        return Trail(
            [
                step(done.name, done.arguments, done.result, changes)
                for done, changes in zip(replay.outcomes, replay.steps, strict=True)
            ],
            [change for changes in replay.begun_steps for change in told_changes(changes)],
        )


def step(name: str, arguments: Mapping[str, Json], result: Json, changes: Mapping[EntryRef, Value]) -> Json:
    """A call that returned, and what it changed, as the rules' process is told of it."""
    return [name, dict(arguments), result, told_changes(changes)]


def told_changes(changes: Mapping[EntryRef, Value]) -> list[Json]:
    """Changes of entries as the rules' process is told of them."""
    return [[*ref] if new is ABSENT else [*ref, new] for ref, new in changes.items()]


class _Rule(NamedTuple):
    sentence: str
    looks_back: bool


def rules_in(source: str) -> Mapping[str, str]:
    """The rules that a module defines: name -> the sentence of the policy.

    Raises:
        NotPython: the source does not compile.
        ValueError: a public function is not a rule; the message says what it lacks.
    """
    return {name: rule.sentence for name, rule in _rules(source).items()}


def looking_back(source: str) -> frozenset[str]:
    """The rules of a module that look at earlier calls. Raises as `rules_in` does."""
    return frozenset(name for name, rule in _rules(source).items() if rule.looks_back)


def not_checkable_in(source: str) -> tuple[str, ...]:
    """The sentences of the policy that the module says no program can check.

    Raises:
        NotPython: the source does not compile.
        ValueError: its list is not a list of strings, written out.
    """
    return _not_checkable(source)


@lru_cache(maxsize=64)
def _rules(source: str) -> Mapping[str, _Rule]:
    rules = {}
    for node in parsed(source).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            taken = node.args.args
            others = node.args.posonlyargs or node.args.kwonlyargs or node.args.vararg or node.args.kwarg
            if others or len(taken) not in (3, 4):
                raise ValueError(
                    f"rule `{node.name}` must be `def {node.name}(before, call, after)`, or with a fourth parameter, "
                    "`earlier`"
                )
            sentence = ast.get_docstring(node)
            if not sentence:
                raise ValueError(f"rule `{node.name}` has no docstring; write the policy's sentence there")
            rules[node.name] = _Rule(" ".join(sentence.split()), len(taken) == 4)
    return rules


@lru_cache(maxsize=64)
def _not_checkable(source: str) -> tuple[str, ...]:
    found: tuple[str, ...] = ()
    for node in parsed(source).body:
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == NOT_CHECKABLE for target in node.targets
        ):
            sentences = _written_out(node.value)
            if not isinstance(sentences, list | tuple) or not all(isinstance(each, str) for each in sentences):
                raise ValueError(f"`{NOT_CHECKABLE}` must be a list of strings, written out")
            found = tuple(sentences)
    return found


def _written_out(value: ast.expr) -> Any:
    try:
        return literal(value)
    except NotPython:
        return None


def read_broken_rules(reply: Json, rules: Collection[str], steps: Sequence[int]) -> list[BrokenRule]:
    """What the process that held the rules against trails of so many steps says; it may say anything.

    A reply that is malformed is one broken rule.
    """
    found: list[Any] = reply if isinstance(reply, list) else [reply]
    broken = [BrokenRule(*each) for each in found if isinstance(each, list) and len(each) == 4]
    sound = all(
        type(each.trail) is int
        and 0 <= each.trail < len(steps)
        and type(each.position) is int
        and 0 <= each.position < steps[each.trail]
        and type(each.rule) is str
        and each.rule in rules
        and type(each.reason) is str
        for each in broken
    )
    if sound and len(broken) == len(found):
        return broken
    return [BrokenRule(0, "rules.py", "the reply of the rules was malformed")]
