"""The dataset: rows, Parquet, card and audit."""

from toolscale.dataset.about import About
from toolscale.dataset.folder import read_dataset
from toolscale.dataset.writer import write_dataset

__all__ = ["About", "read_dataset", "write_dataset"]
