"""Which rules of a policy golden calls put to the test, and which they pass by.

Line coverage, as of a program: each statement of a rule notes that it ran, and a rule is in play on a call that takes
it further than a call that does nothing would. The noting is written into the source of the rules, which runs where
rules always run, in the sandbox. A rule of one statement shows nothing that way: it is in play on calls of the
functions that it names or, if it names none, on every call that changes something.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from functools import lru_cache
from typing import NamedTuple

from toolscale.environment import Replay, Sandbox, Trail, rules_in
from toolscale.environment.rules import step
from toolscale.python_source import parsed

_OWN = "_toolscale_"
"""What the names begin with that are written into a source of rules."""

_AT_ONCE = 50
"""Replays that rules are held against in one process."""


class _Watched(NamedTuple):
    source: str
    noted: Mapping[str, int]
    """Rule -> how many of its statements note that they ran."""
    strings: Mapping[str, frozenset[str]]
    """Rule -> the strings that stand in it."""


def rules_in_play(sandbox: Sandbox, replays: Sequence[Replay]) -> list[list[frozenset[str]]]:
    """For each replay, and each of its calls, the rules that are in play; none where a call failed."""
    if not rules_in(sandbox.spec.rules):
        return [[frozenset() for _ in replay.outcomes] for replay in replays]
    found: list[list[frozenset[str]]] = []
    for start in range(0, len(replays), _AT_ONCE):
        found += _of_some(sandbox, replays[start : start + _AT_ONCE])
    return found


def _of_some(sandbox: Sandbox, replays: Sequence[Replay]) -> Iterator[list[frozenset[str]]]:
    watched = _watched(sandbox.spec.rules)
    functions = {function.name for function in sandbox.spec.functions}
    idle = Trail([step("", {}, None, {})])
    trails = [idle, *(Trail.of(replay) if replay.ok else Trail([]) for replay in replays)]
    ran = {
        (each.trail, each.position, each.rule): _statements(each.reason)
        for each in sandbox.rules_broken_on(trails, source=watched.source)
    }
    seen_idle = {rule: ran.get((0, 0, rule), 0) for rule in watched.noted}

    def in_play(rule: str, number: int, position: int, replay: Replay) -> bool:
        if seen_idle[rule].bit_count() < watched.noted[rule]:
            return bool(ran.get((number, position, rule), 0) & ~seen_idle[rule])
        named = watched.strings[rule] & functions
        return replay.outcomes[position].name in named if named else bool(replay.steps[position])

    for number, replay in enumerate(replays, start=1):
        yield [
            frozenset(rule for rule in watched.noted if replay.ok and in_play(rule, number, position, replay))
            for position in range(len(replay.outcomes))
        ]


def _statements(reason: str) -> int:
    """The statements that ran, as bits; the sandbox's own words are none."""
    try:
        return int(reason, 16)
    except ValueError:
        return 0


@lru_cache(maxsize=64)
def _watched(source: str) -> _Watched:
    tree = deepcopy(parsed(source))
    noted: dict[str, int] = {}
    strings: dict[str, frozenset[str]] = {}
    body: list[ast.stmt] = []
    for node in tree.body:
        body.append(node)
        if isinstance(node, ast.FunctionDef) and node.name in rules_in(source):
            name = node.name
            strings[name] = frozenset(
                each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str)
            )
            noted[name] = _note(node)
            body += _wrapped(name, [each.arg for each in node.args.args])
    tree.body = [*body, *parsed(f"{_OWN}ran = set()").body]
    return _Watched(ast.unparse(ast.fix_missing_locations(tree)), noted, strings)


def _note(rule: ast.FunctionDef) -> int:
    """Have each statement of a rule note that it ran, but for returns: those only say what was found."""
    places = list(_bodies(rule))
    count = 0
    for statements in places:
        marked: list[ast.stmt] = []
        for each in statements:
            if not isinstance(each, ast.Return | ast.Expr | ast.Nonlocal | ast.Global):
                marked += parsed(f"{_OWN}ran.add({count})").body
                count += 1
            marked.append(each)
        statements[:] = marked
    rule.name = f"{_OWN}{rule.name}"
    return count


def _bodies(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for child in ast.walk(node):
        for name in ("body", "orelse", "finalbody"):
            statements = getattr(child, name, None)
            if isinstance(statements, list) and statements and isinstance(statements[0], ast.stmt):
                yield statements


def _wrapped(name: str, taken: Sequence[str]) -> list[ast.stmt]:
    """A rule of that name which says what statements ran, as hexadecimal bits."""
    given = ", ".join(taken)
    return parsed(
        f"def {name}({given}):\n"
        f"    'What ran.'\n"
        f"    {_OWN}ran.clear()\n"
        f"    try:\n"
        f"        {_OWN}{name}({given})\n"
        f"    except Exception:\n"
        f"        pass\n"
        f"    return format(sum(1 << number for number in {_OWN}ran), 'x')\n"
    ).body
