"""Data inside a page: JSON, compressed, and opened by the browser only when somebody looks.

In base64 it has no character that means anything to HTML, so nothing in it can leave its element.
"""

import base64
import gzip
import json
from typing import Any


def packed(value: Any) -> str:
    """The value as base64 of compressed JSON; the same bytes every time."""
    return packed_text(json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False))


def packed_text(text: str) -> str:
    """The text as base64 of its compressed bytes."""
    compressed = gzip.compress(text.encode("utf-8", errors="backslashreplace"), compresslevel=6, mtime=0)
    return base64.b64encode(compressed).decode("ascii")
