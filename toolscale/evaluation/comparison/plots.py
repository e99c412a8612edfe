"""The plots of a comparison. Equal figures give equal bytes."""

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from toolscale.evaluation.comparison.groups import BenchmarkGroup, Line
from toolscale.evaluation.comparison.labels import label
from toolscale.evaluation.plots import PAPER, as_png
from toolscale.printable import in_one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_RUNS = ("#3f6fb5", "#2f8f6b", "#8a5bb0", "#c9892b", "#4a9fb5", "#a04a6b", "#6b7a2f", "#555555")
"""Colours of runs, and of tools; a ninth begins again."""
_MARKERS = {"no tools": "v", "basic tools": "^", "basic tools and models": "D"}
"""By setting. Other published results would hide these: other prices move the same points a little."""
_MOST_LINES = 40
"""Lines of the plot of accuracies; the table has all."""
_MOST_TOOLS = 7
"""Tools with a colour of their own; the rest are one."""
_LONGEST_NAME = 48
_LOWEST_COST = 0.1
"""Cents below which the axis is linear, so that what costs nothing has its place on it."""


def plots(group: BenchmarkGroup) -> dict[str, bytes]:
    """Caption -> PNG."""
    drawn = {}
    if any(_cents(line) > 0 for line in _costed(group)):
        drawn["Accuracy against cost, with the runs' intervals"] = as_png(_against_cost(group), 5.4)
    # ToolRL's tables have no cost, so that its results have no place in the other plot.
    if len(ranked := _ranked(group)) > 1 and not any(line.cents for line in group.lines if not line.ours):
        drawn["Accuracy, with the runs' intervals"] = as_png(_accuracies(ranked), _height(len(ranked)))
    if group.tools:
        with_calls = [line for line in group.runs if line.shares]
        drawn["Proportions of calls by tool"] = as_png(_by_tool(group, with_calls), _height(len(with_calls)) + 0.6)
    return drawn


def _against_cost(group: BenchmarkGroup) -> Callable[["Axes"], None]:
    def draw(axes: "Axes") -> None:
        shown = _costed(group)
        published = [line for line in shown if not line.ours]
        for setting, lines in groupby(sorted(published, key=_by_setting), key=lambda line: line.setting):
            points = [(_cents(line), _accuracy(line)) for line in lines]
            axes.plot(
                *zip(*points, strict=True), _MARKERS[setting], color=PAPER, markersize=5, label=f"{setting} (paper)"
            )
        texts = [(line.name, _cents(line), _accuracy(line)) for line in published]
        for index, (name, run_lines) in enumerate(groupby(group.runs, key=lambda line: line.name)):
            limits = [line for line in run_lines if line in shown]
            if limits:
                _draw_run(axes, name, limits, _RUNS[index % len(_RUNS)])
        axes.set_xscale("symlog", linthresh=_LOWEST_COST, linscale=0.5)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.set_xlim(0, 1.6 * max(_cents(line) for line in shown))
        axes.set_ylim(0, min(102.0, 1.1 * max(_top(line) for line in shown)))
        axes.set_xlabel("cents a task")
        axes.set_ylabel("accuracy, %")
        _legend(axes)
        label(axes, texts, [(_cents(line), _accuracy(line)) for line in shown], PAPER)

    return draw


def _costed(group: BenchmarkGroup) -> list[Line]:
    """What is drawn against its cost; nothing else may keep a name from its point."""
    known = [line for line in group.lines if line.cents and line.accuracy]
    return [line for line in known if line.ours or line.setting in _MARKERS]


def _draw_run(axes: "Axes", name: str, lines: Sequence[Line], color: str) -> None:
    accuracies = [line.accuracy for line in lines if line.accuracy]
    spread = [
        [each.value - (each.value if each.low is None else each.low) for each in accuracies],
        [(each.value if each.high is None else each.high) - each.value for each in accuracies],
    ]
    axes.errorbar(
        [_cents(line) for line in lines],
        [each.value for each in accuracies],
        yerr=spread,
        color=color,
        marker="o",
        capsize=3,
        label=_plain(name),
        clip_on=False,
    )


def _accuracies(lines: Sequence[Line]) -> Callable[["Axes"], None]:
    def draw(axes: "Axes") -> None:
        for place, line in enumerate(lines):
            if line.accuracy is None:
                continue
            color = _RUNS[0] if line.ours else PAPER
            if line.accuracy.low is not None and line.accuracy.high is not None:
                axes.plot([line.accuracy.low, line.accuracy.high], [place, place], color=color, linewidth=1.5)
            axes.plot([line.accuracy.value], [place], "o" if line.ours else "D", color=color, markersize=5)
        axes.set_yticks(range(len(lines)), [_plain(f"{line.name}, {line.setting}") for line in lines], fontsize=8)
        axes.set_ylim(len(lines) - 0.4, -0.6)
        axes.set_xlim(0, 102)
        axes.set_xlabel("accuracy, %")
        axes.grid(axis="x", linewidth=0.4)

    return draw


def _ranked(group: BenchmarkGroup) -> list[Line]:
    """The runs and the best published results, in the order of their accuracy."""
    published = sorted((line for line in group.lines if line.accuracy and not line.ours), key=_accuracy, reverse=True)
    kept = [*group.runs, *published[: max(0, _MOST_LINES - len(group.runs))]]
    return sorted(kept, key=_accuracy, reverse=True)


def _by_tool(group: BenchmarkGroup, lines: Sequence[Line]) -> Callable[["Axes"], None]:
    named = group.tools if len(group.tools) <= _MOST_TOOLS + 1 else group.tools[:_MOST_TOOLS]

    def draw(axes: "Axes") -> None:
        left = [0.0] * len(lines)
        for index, tool in enumerate([*named, ""]):
            width = [
                line.shares.get(tool, 0.0) if tool else 100 - begun for line, begun in zip(lines, left, strict=True)
            ]
            if max(width) < 1e-6:
                continue
            color = _RUNS[index % len(_RUNS)] if tool else "#c5ccd3"
            axes.barh(range(len(lines)), width, left=left, color=color, height=0.7, label=_plain(tool or "others"))
            left = [begun + more for begun, more in zip(left, width, strict=True)]
        axes.set_yticks(range(len(lines)), [_plain(_run_label(line)) for line in lines], fontsize=8)
        axes.invert_yaxis()
        axes.set_xlim(0, 100)
        axes.set_xlabel("% of all calls")
        _legend(axes)

    return draw


def _run_label(line: Line) -> str:
    return f"{line.name}, {line.setting}" if "turns" in line.setting else line.name


def _by_setting(line: Line) -> int:
    return list(_MARKERS).index(line.setting)


def _cents(line: Line) -> float:
    return line.cents.value if line.cents else 0.0


def _top(line: Line) -> float:
    return max(_accuracy(line), line.accuracy.high or 0.0) if line.accuracy else 0.0


def _accuracy(line: Line) -> float:
    return line.accuracy.value if line.accuracy else 0.0


def _legend(axes: "Axes") -> None:
    axes.figure.legend(frameon=False, fontsize=7, loc="outside lower center", ncols=3)


def _height(lines: int) -> float:
    return 1.0 + 0.24 * lines


def _plain(text: str) -> str:
    """A name for a plot: short, on one line, and no formula."""
    line = in_one_line(text)
    cut = line if len(line) <= _LONGEST_NAME else f"{line[: _LONGEST_NAME - 3]}..."
    return cut.replace("$", r"\$")
