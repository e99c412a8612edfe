"""The plots of the card and the report. Equal counts give equal bytes."""

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from toolscale.dataset.contents import Contents
from toolscale.dataset.summary import golden_calls, pass_rates

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FOLDER = "figures"
PLOTS = {
    "pass_rates": "How many tasks were solved in how many of their attempts",
    "golden_calls": "How many tasks have how many golden calls",
}
"""Name of each plot, and of its file without ending -> what it shows."""

_INK, _BAR = "#1f2933", "#3f6fb5"
_DOTS_PER_INCH = 160


def plots(contents: Contents) -> dict[str, bytes]:
    """Name -> PNG."""
    rates, calls = pass_rates(contents), golden_calls(contents)
    most = max(calls, default=0)
    return {
        "pass_rates": _bars(rates, "attempts that solved the task"),
        "golden_calls": _bars(
            {str(count): calls.get(count, 0) for count in range(min(calls, default=0), most + 1)}, "golden calls"
        ),
    }


def write_plots(contents: Contents, folder: Path) -> None:
    """Write the plots into a dataset folder."""
    (folder / FOLDER).mkdir()
    for name, png in plots(contents).items():
        (folder / FOLDER / f"{name}.png").write_bytes(png)


def _bars(counts: Mapping[str, int], below: str) -> bytes:
    # No pyplot: it keeps figures alive and picks a backend by the machine. Imported here, since it takes half a second.
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with rc_context({"font.family": "DejaVu Sans", "font.size": 10, "text.color": _INK, "axes.edgecolor": _INK}):
        figure = Figure(figsize=(6.4, 3.0), dpi=_DOTS_PER_INCH, layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        _draw(axes, list(counts), list(counts.values()), below)
        png = io.BytesIO()
        figure.savefig(png, format="png", metadata={"Software": None})
    return png.getvalue()


def _draw(axes: "Axes", names: Sequence[str], counts: Sequence[int], below: str) -> None:
    from matplotlib.ticker import MaxNLocator

    bars = axes.bar(range(len(names)), counts, color=_BAR, width=0.8)
    axes.bar_label(bars, padding=2, fontsize=8, color=_INK)
    axes.set_xticks(range(len(names)), names)
    axes.set_xlabel(below)
    axes.set_ylabel("tasks")
    axes.margins(x=0.02, y=0.12)
    axes.spines[["top", "right"]].set_visible(False)
    axes.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
