"""Parquet that came as bytes."""

import io
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipelines.parquet import parquet_of


def test_what_arrow_reads_is_none_of_pythons() -> None:
    written = io.BytesIO()
    pq.write_table(pa.table({"a": [1, 2]}), written)
    content = written.getvalue()
    del written
    before = sys.getrefcount(content)
    file = parquet_of(content)
    assert sys.getrefcount(content) == before
    assert file.read().to_pydict() == {"a": [1, 2]}


def test_what_is_no_parquet_is_refused() -> None:
    with pytest.raises(pa.ArrowInvalid):
        parquet_of(b"not at all")
