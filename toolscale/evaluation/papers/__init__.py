"""What ToolOrchestra and ToolRL report: their result tables, one CSV file each, and where each comes from."""

from toolscale.evaluation.papers.figures import (
    ORCHESTRATOR,
    PublishedFigure,
    PublishedShare,
    PublishedTable,
    orchestrator_figures,
    published_benchmarks,
    published_figures,
    published_shares,
    published_tables,
)

__all__ = [
    "ORCHESTRATOR",
    "PublishedFigure",
    "PublishedShare",
    "PublishedTable",
    "orchestrator_figures",
    "published_benchmarks",
    "published_figures",
    "published_shares",
    "published_tables",
]
