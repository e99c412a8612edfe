"""Parquet that came as bytes, from wherever they lie."""

import pyarrow as pa
import pyarrow.parquet as pq


def parquet_of(content: bytes) -> pq.ParquetFile:
    """The file, in memory of Arrow's own.

    Arrow's threads let go of a file some time after it was read. Of one that is Python's they need the interpreter for
    that, and abort the process if it is ending just then; a copy asks nothing of it.

    Raises:
        ArrowInvalid: it is not Parquet.
    """
    copy = pa.BufferOutputStream()
    copy.write(content)
    return pq.ParquetFile(pa.BufferReader(copy.getvalue()))
