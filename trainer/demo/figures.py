"""Figures for the pages of the demos: drawn without a screen, the same bytes every time."""

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK = "#1f2933"


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
