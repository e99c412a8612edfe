"""ToolOrchestra's own figures for its Orchestrator-8B (arXiv 2511.21689, section 4), to stand beside a run's."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class PaperFigures:
    """What the paper reports for one benchmark. Accuracy in percent; cost and time a task."""

    accuracy: float
    cents: float
    minutes: float
    unseen_prices: float
    """Accuracy at prices that training did not have."""
    unseen_tools: float
    """Accuracy with models that training did not have."""
    preference: float
    """The preference-aware metric."""


PAPER: Mapping[str, PaperFigures] = {
    "hle": PaperFigures(37.1, 9.2, 8.2, unseen_prices=36.9, unseen_tools=22.0, preference=46.7),
    "frames": PaperFigures(76.3, 9.2, 8.2, unseen_prices=76.6, unseen_tools=73.8, preference=68.4),
    "tau2": PaperFigures(80.2, 10.3, 8.6, unseen_prices=80.4, unseen_tools=48.8, preference=79.5),
}
"""By benchmark. Cost and time of HLE and FRAMES are those of the paper's shared columns."""

UNSEEN_PRICES_CENTS, UNSEEN_PRICES_MINUTES = 7.5, 7.8
"""Over all three benchmarks."""
