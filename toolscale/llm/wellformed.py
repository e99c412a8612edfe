"""Text that can be written down. A model may emit half a surrogate pair, which no encoding, file or database has."""

import json
from typing import Any


def well_formed(text: str) -> str:
    """The text with split surrogate pairs joined, and U+FFFD in the place of each half that stands alone."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def well_formed_value(value: Any) -> Any:
    """A JSON value with all its texts well-formed: JSON can spell, as an escape, what is no character."""
    return json.loads(well_formed(json.dumps(value, ensure_ascii=False)))
