"""The columns of a comparison's table, as Markdown and HTML show them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from toolscale.evaluation.comparison.groups import Amount, BenchmarkGroup, Line

_PARTS = {
    "over_tasks": "over tasks",
    "non_live_ast": "non-live AST",
    "non_live_exec": "non-live exec",
    "live": "live",
    "multi_turn": "multi-turn",
    "relevance": "relevance",
    "irrelevance": "irrelevance",
    "level_1": "level 1",
    "level_2": "level 2",
    "level_3": "level 3",
}


@dataclass(frozen=True)
class Column:
    """One column: its heading, and a line's cell in it."""

    heading: str
    cell: Callable[[Line], str]
    brief: Callable[[Line], str]
    """The cell where room is short."""


def columns_of(group: BenchmarkGroup) -> list[Column]:
    """The columns of a group, the breakdown of results last."""
    return [
        *main_columns_of(group),
        *(_column(f"{_PARTS.get(name, name)}, %", _part(name)) for name in _in_order(group.parts)),
    ]


def _in_order(parts: Sequence[str]) -> list[str]:
    """As the papers have them, then what only we have."""
    return sorted(parts, key=lambda part: list(_PARTS).index(part) if part in _PARTS else len(_PARTS))


def main_columns_of(group: BenchmarkGroup) -> list[Column]:
    """The columns without the breakdown; one in which no line has anything is left out."""
    return [column for column in _MAIN if any(column.cell(line) for line in group.lines)]


def _with_interval(amount: Amount | None) -> str:
    """A figure with its interval beside it, where it has one."""
    if amount is None:
        return ""
    return f"{amount.shown} ({amount.interval})" if amount.interval else amount.shown


def _column(heading: str, amount: Callable[[Line], Amount | None], *, brief: bool = True) -> Column:
    def shown(line: Line) -> str:
        return _with_interval(amount(line))

    def alone(line: Line) -> str:
        found = amount(line)
        return found.shown if found else ""

    return Column(heading, shown, alone if brief else shown)


def _part(name: str) -> Callable[[Line], Amount | None]:
    return lambda line: line.parts.get(name)


def _tasks(line: Line) -> str:
    return "" if line.tasks is None else f"{line.tasks:,}"


_MAIN = (
    Column("tasks", _tasks, _tasks),
    _column("accuracy, %", lambda line: line.accuracy, brief=False),
    _column("cents", lambda line: line.cents),
    _column("minutes", lambda line: line.minutes),
    _column("calls", lambda line: line.calls),
    _column("preferences, %", lambda line: line.preference),
)
