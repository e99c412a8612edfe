"""The tools that a model may call in a chat."""

import hashlib
from typing import Any, NamedTuple, Self

from toolscale.artifacts import canonical_json


class Offer(NamedTuple):
    """The tools that a call offers, with their hash: made once for a conversation, which offers the same all along."""

    tools: list[dict[str, Any]]
    body: str
    hash: str

    @classmethod
    def of(cls, tools: list[dict[str, Any]]) -> Self:
        """The offer of these tools, as OpenAI writes them."""
        body = canonical_json(tools)
        return cls(tools, body, hashlib.sha256(body.encode()).hexdigest())
