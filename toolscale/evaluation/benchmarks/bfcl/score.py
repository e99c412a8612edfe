"""The leaderboard's columns, from the accuracy in each category, as its version 3 has them."""

from collections.abc import Mapping
from typing import Any

_OTHER_NAMES = {"simple_python": "simple", "simple_java": "java", "simple_javascript": "javascript"}
"""What version 4 calls categories of version 3."""

_AST = ("simple", "multiple", "parallel", "parallel_multiple")
_EXECUTED = ("exec_simple", "exec_multiple", "exec_parallel", "exec_parallel_multiple")
_LIVE = (
    "live_simple",
    "live_multiple",
    "live_parallel",
    "live_parallel_multiple",
    "live_irrelevance",
    "live_relevance",
)
_TURNS = ("multi_turn_base", "multi_turn_miss_func", "multi_turn_miss_param", "multi_turn_long_context")
_CATEGORIES = (*_AST, "java", "javascript", *_EXECUTED, "rest", "irrelevance", *_LIVE, *_TURNS)

Found = Mapping[str, float]


def leaderboard(topics: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    """Columns in percent, null where nothing of theirs was attempted; and the categories that are missing.

    The leaderboard counts a missing category as 0; here each mean is over what is there. So `overall` without the
    executed categories is the leaderboard's own since April 2025, when it retired them; with them, that of before.

    Args:
        topics: category -> `tasks` and `accuracy` in percent.
    """
    tasks = {_OTHER_NAMES.get(name, name): each["tasks"] for name, each in topics.items()}
    found = {_OTHER_NAMES.get(name, name): each["accuracy"] for name, each in topics.items()}
    simple = _mean(found.get(name) for name in ("simple", "java", "javascript"))
    executed_simple = _mean(found.get(name) for name in ("exec_simple", "rest"))
    ast = [simple, *(found.get(name) for name in _AST[1:])]
    executed = [executed_simple, *(found.get(name) for name in _EXECUTED[1:])]
    live = _weighted({name: found[name] for name in _LIVE if name in found}, tasks)
    turns = _mean(found.get(name) for name in _TURNS)
    non_live = _mean([*ast, *executed, found.get("irrelevance")])
    return {
        "overall": _mean([live, non_live, turns]),
        "non_live_ast": _mean(ast),
        "non_live_exec": _mean(executed),
        "live": live,
        "multi_turn": turns,
        "relevance": found.get("live_relevance"),
        "irrelevance": _mean([found.get("irrelevance"), found.get("live_irrelevance")]),
        "missing": [name for name in _CATEGORIES if name not in found],
    }


def _mean(parts: Any) -> float | None:
    there = [part for part in parts if part is not None]
    return sum(there) / len(there) if there else None


def _weighted(found: Found, tasks: Found) -> float | None:
    """The mean over tasks: live categories count by their size."""
    every = sum(tasks[name] for name in found)
    return sum(found[name] * tasks[name] for name in found) / every if every else None
