"""What every artifact shares: frozen, closed, and named after its content."""

import hashlib
import json
import re
import unicodedata
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, JsonValue, StringConstraints

Json = JsonValue
"""Any value that JSON can say. Pydantic validates it recursively."""

Schema = dict[str, Any]
"""A JSON Schema that is an object, which `true` and `false` are not."""

JsonPath = tuple[str | int, ...]
"""Where a value stands inside another: object keys and list positions, outermost first."""

Split = Literal["train", "eval"]

Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,62}$")]
"""A name that is safe as a Python identifier, a partition key and a file name."""


class Artifact(BaseModel):
    """A frozen value that passes between the stages. Unknown fields are an error, so a typo never passes silently."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")


def as_name(said: str) -> str:
    """A `Name` from what somebody wrote: `Port logistics` and `PortLogistics` are `port_logistics`; empty if none."""
    plain = "".join(each for each in unicodedata.normalize("NFKD", said) if not unicodedata.combining(each))
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[\s_-]+", "_", plain.strip()).strip("_").lower()
    return name if re.fullmatch(r"[a-z][a-z0-9_]{0,62}", name) else ""


def canonical_json(value: Any) -> str:
    """One text for one value: keys sorted, no white space, characters as they are."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def content_id(prefix: str, *parts: Any) -> str:
    """An id derived from content alone, such as ``railway-3f9c1a02b7de``: the same inputs give the same id."""
    digest = hashlib.sha256(canonical_json(parts).encode()).hexdigest()
    return f"{prefix}-{digest[:12]}"
