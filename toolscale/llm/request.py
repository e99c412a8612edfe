"""One model call before it is made: all that its answer depends on, and the key that follows from it."""

import hashlib
from dataclasses import dataclass
from typing import Any

from toolscale.artifacts import canonical_json
from toolscale.llm.offer import Offer
from toolscale.llm.providers import edition_of, provider_name
from toolscale.messages import Message

_SEED_STRIDE = 1_000_003


@dataclass(frozen=True, slots=True)
class Request:
    """A call, ready to be made. Requests with the same key have the same answer."""

    key: str
    model: str
    endpoint: str
    api_base: str | None
    messages: list[Message]
    tools: Offer | None
    params: dict[str, Any]
    sample: int
    body: str
    """JSON of the messages and the parameters."""
    embeds: bool = False
    """True where the answer is a vector for each message, not a message."""

    @property
    def characters(self) -> int:
        """Of its messages, tools and parameters."""
        return len(self.body) + (len(self.tools.body) if self.tools else 0)


def make_request(
    model: str,
    api_base: str | None,
    messages: list[Message],
    tools: list[dict[str, Any]] | Offer | None,
    params: dict[str, Any],
    *,
    seed: int,
    sample: int,
) -> Request:
    """A request and its key: endpoint, model, messages, tools, parameters with the seed, and sample index.

    Samples of one seed are meant to differ, so each sends a seed of its own: an endpoint that honours seeds would
    otherwise give the same answer to all.
    """
    endpoint = _endpoint(model, api_base)
    sent = {**params, "seed": (seed * _SEED_STRIDE + sample) % 2**31}
    body = canonical_json({"messages": messages, "params": sent})
    offer = tools if isinstance(tools, Offer) else Offer.of(tools) if tools else None
    identity = canonical_json([endpoint, model, offer.hash if offer else None, sample])
    return Request(_hash(f"{identity}\n{body}"), model, endpoint, api_base, messages, offer, sent, sample, body)


def embedding_request(model: str, api_base: str | None, texts: list[str]) -> Request:
    """A request for the vectors of texts; each is a message, so that the store keeps and shows it as one."""
    endpoint, messages = _endpoint(model, api_base), [{"role": "user", "content": text} for text in texts]
    params = {"answer": "embeddings"}
    body = canonical_json({"messages": messages, "params": params})
    key = _hash(f"{canonical_json([endpoint, model, None, 0])}\n{body}")
    return Request(key, model, endpoint, api_base, messages, None, params, 0, body, embeds=True)


def _endpoint(model: str, api_base: str | None) -> str:
    endpoint, edition = api_base or provider_name(model), edition_of(model)
    return f"{endpoint}@{edition}" if edition else endpoint


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
