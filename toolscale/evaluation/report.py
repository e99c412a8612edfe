"""A run as one HTML page, its figures beside the paper's. The page needs neither network nor JavaScript.

What models said is escaped; should anything slip through, the page's own policy lets no script run and nothing load.
"""

import base64
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jinja2

from toolscale.evaluation.papers import orchestrator_figures
from toolscale.evaluation.plots import plots
from toolscale.evaluation.results import AttemptResult
from toolscale.whole import writing

SHOWN = 40
"""Attempts on the page; the Parquet file has all."""

_TEMPLATE = Path(__file__).with_name("report.html.j2")
_LONGEST, _BRIEF = 600, 240
"""Characters of an answer or a reason, and of what was asked."""


def write_report(file: Path, metrics: Mapping[str, Any], results: Sequence[AttemptResult]) -> None:
    """Write the page for a run's metrics and the attempts at its last limit. Raises UserError if it cannot."""
    published = orchestrator_figures(metrics["benchmark"])
    accuracies = [each for each in published if each.table.measure == "accuracy"]
    preferences = [each for each in published if each.table.measure == "preference"]
    drawn = plots(metrics["max_turns"], accuracies[0] if accuracies else None)
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["short"] = lambda text: _cut(text, _LONGEST)
    environment.filters["brief"] = lambda text: _cut(text, _BRIEF)
    page = environment.from_string(_TEMPLATE.read_text(encoding="utf-8")).render(
        metrics=metrics,
        published=accuracies,
        published_preference=preferences[0] if preferences else None,
        plots={caption: base64.b64encode(png).decode() for caption, png in drawn.items()},
        shown=sorted(results, key=lambda result: (result.solved, result.id))[:SHOWN],
        attempts=len(results),
    )
    with writing(file):
        file.write_text(page, encoding="utf-8", errors="backslashreplace")


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 3]}..."
