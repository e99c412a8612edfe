"""`toolscale report`: a dataset as one HTML page, with charts, and tasks for a person to judge."""

from toolscale.dataset.report.page import SHOWN, write_report

__all__ = ["SHOWN", "write_report"]
