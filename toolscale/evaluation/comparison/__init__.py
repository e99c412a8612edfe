"""Evaluation runs side by side, beside what the papers report: one table and its plots for each benchmark."""

from toolscale.evaluation.comparison.groups import Amount, BenchmarkGroup, Line, compare
from toolscale.evaluation.comparison.page import write_page
from toolscale.evaluation.comparison.runs import EvaluatedRun, read_runs
from toolscale.evaluation.comparison.text import write_markdown

__all__ = [
    "Amount",
    "BenchmarkGroup",
    "EvaluatedRun",
    "Line",
    "compare",
    "read_runs",
    "write_markdown",
    "write_page",
]
