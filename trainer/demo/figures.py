"""Figures for the pages of the demos: drawn without a screen, the same bytes every time."""

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK = "#1f2933"
_COLOURS = ("#3f6fb5", "#c0562f", "#5b8c3a", "#8a5fb0")

Lines = Mapping[str, Sequence[float]]
"""Name of a line -> its value at each step."""


def figure(width: float, height: float) -> "Figure":
    """An empty figure, in inches."""
    # No pyplot: it keeps figures alive and picks a backend by the machine.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    made = Figure(figsize=(width, height), dpi=150, layout="constrained")
    FigureCanvasAgg(made)
    return made


def png(drawn: "Figure") -> bytes:
    """The figure as a PNG."""
    from matplotlib import rc_context

    written = io.BytesIO()
    with rc_context({"font.family": "DejaVu Sans", "font.size": 9, "text.color": INK, "axes.edgecolor": INK}):
        drawn.savefig(written, format="png", metadata={"Software": None})
    return written.getvalue()


def curves(plots: Mapping[str, Lines]) -> "Figure":
    """Up to four small plots by their titles, step by step."""
    drawn = figure(9.6, 5.4)
    for place, (title, lines) in enumerate(plots.items()):
        axes = drawn.add_subplot(2, 2, place + 1)
        for (name, values), colour in zip(lines.items(), _COLOURS, strict=False):
            axes.plot(range(1, len(values) + 1), values, color=colour, marker=".", label=name)
        if len(lines) > 1:
            axes.legend(frameon=False, fontsize=8)
        axes.set_title(title, fontsize=9, loc="left")
        axes.set_ylim(bottom=0)
        axes.spines[["top", "right"]].set_visible(False)
        if place >= 2:
            axes.set_xlabel("step")
    return drawn
