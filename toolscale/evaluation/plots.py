"""The plots of an evaluation's report. Equal figures give equal bytes."""

import io
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from toolscale.evaluation.papers import PublishedFigure
from toolscale.printable import in_one_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, BAR, PAPER = "#1f2933", "#3f6fb5", "#b5533f"
_DOTS_PER_INCH = 160
_MOST_TOOLS = 20
_LONGEST_NAME = 60
_NEAR = 6.0
"""Points of accuracy within which labels would stand on one another."""


def plots(limits: Mapping[str, Mapping[str, Any]], paper: PublishedFigure | None) -> dict[str, bytes]:
    """Caption -> PNG, for the limits that have results."""
    known = {limit: figures for limit, figures in limits.items() if figures["tasks"]}
    if not known:
        return {}
    last = list(known.values())[-1]
    drawn = {}
    if paper is not None or len(known) > 1:
        drawn["Accuracy against cost, by the most turns that a task may take"] = as_png(_against_cost(known, paper))
    if last["tools"]:
        drawn["Proportions of calls by tool"] = as_png(_by_tool(last["tools"]), height_of(len(last["tools"])))
    if last["topics"]:
        drawn["Accuracy by topic"] = as_png(_by_topic(last["topics"]), height_of(len(last["topics"])))
    return drawn


def _against_cost(limits: Mapping[str, Mapping[str, Any]], paper: PublishedFigure | None) -> Callable[["Axes"], None]:
    def draw(axes: "Axes") -> None:
        cents = [figures["cents"]["mean"] for figures in limits.values()]
        accuracy = [figures["accuracy"]["mean"] for figures in limits.values()]
        spread = [
            [figures["accuracy"]["mean"] - figures["accuracy"]["low"] for figures in limits.values()],
            [figures["accuracy"]["high"] - figures["accuracy"]["mean"] for figures in limits.values()],
        ]
        axes.errorbar(cents, accuracy, yerr=spread, color=BAR, marker="o", capsize=3, label="this run")
        for points, across, up in _labels(list(limits), cents, accuracy):
            axes.annotate(points, (across, up), xytext=(6, 4), textcoords="offset points", fontsize=8)
        if paper is not None and paper.cents is not None:
            axes.plot([float(paper.cents)], [float(paper.value)], "D", color=PAPER, label="the paper")
            axes.legend(frameon=False, fontsize=8, loc="lower right")
        axes.set_xlabel("cents a task")
        axes.set_ylabel("accuracy, %")
        axes.set_ylim(0, 105)
        axes.set_xlim(left=0)

    return draw


def _labels(limits: list[str], cents: list[float], accuracy: list[float]) -> list[tuple[str, float, float]]:
    """A label for each point; points that lie nearly on one another share one."""
    near = 0.05 * max(cents)
    found: list[tuple[list[str], float, float]] = []
    for limit, across, up in zip(limits, cents, accuracy, strict=True):
        for names, x, y in found:
            if abs(across - x) <= near and abs(up - y) <= _NEAR:
                names.append(limit)
                break
        else:
            found.append(([limit], across, up))
    return [(f"{', '.join(names)} turns", x, y) for names, x, y in found]


def _by_tool(tools: Mapping[str, Mapping[str, float]]) -> Callable[["Axes"], None]:
    return bars({name: 100 * each["share"] for name, each in list(tools.items())[:_MOST_TOOLS]}, "% of all calls")


def _by_topic(topics: Mapping[str, Mapping[str, float]]) -> Callable[["Axes"], None]:
    most = sorted(topics.items(), key=lambda each: (-each[1]["tasks"], each[0]))[:_MOST_TOOLS]
    named = {name: name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 3]}..." for name, _ in most}
    return bars({f"{named[name]} ({each['tasks']:.0f})": each["accuracy"] for name, each in most}, "accuracy, %", 105)


def bars(lengths: Mapping[str, float], below: str, right: float | None = None) -> Callable[["Axes"], None]:
    def draw(axes: "Axes") -> None:
        drawn = axes.barh(range(len(lengths)), list(lengths.values()), color=BAR, height=0.7)
        axes.bar_label(drawn, fmt="%.0f", padding=3, fontsize=8, color=INK)
        # A dollar sign would begin a formula.
        axes.set_yticks(range(len(lengths)), [in_one_line(name).replace("$", r"\$") for name in lengths])
        axes.invert_yaxis()
        axes.set_xlabel(below)
        axes.margins(x=0.1)
        axes.set_xlim(0, right)

    return draw


def height_of(lines: int) -> float:
    return 1.1 + 0.28 * min(lines, _MOST_TOOLS)


def as_png(draw: Callable[["Axes"], None], height: float = 3.4) -> bytes:
    # No pyplot: it keeps figures alive and picks a backend by the machine. Imported here, since it takes half a second.
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with rc_context({"font.family": "DejaVu Sans", "font.size": 10, "text.color": INK, "axes.edgecolor": INK}):
        figure = Figure(figsize=(6.8, height), dpi=_DOTS_PER_INCH, layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        draw(axes)
        axes.spines[["top", "right"]].set_visible(False)
        png = io.BytesIO()
        figure.savefig(png, format="png", metadata={"Software": None})
    return png.getvalue()
