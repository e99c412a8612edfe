"""Embeddings as calls of the gateway: a request whose messages are the texts, and a reply whose content is the vectors.

So they are cached, limited, retried, priced, budgeted and recorded as every other call is.
"""

import base64
import json
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from toolscale.llm.endpoints import placed
from toolscale.llm.errors import RetriesExhausted, Transient
from toolscale.llm.reply import ChatReply
from toolscale.llm.request import Request
from toolscale.llm.usage import read_usage

Vectors = NDArray[np.float32]
"""One row a text."""


class Embedded(NamedTuple):
    """Vectors of texts, and what they took."""

    vectors: Vectors
    prompt_tokens: int
    dollars: float


def texts_of(request: Request) -> list[str]:
    """The texts that a request wants to have embedded."""
    return [message["content"] for message in request.messages]


def vectors_of(reply: ChatReply, texts: int) -> Vectors:
    """The vectors in a reply, of shape (texts, dimension)."""
    return np.frombuffer(base64.b64decode(reply.text), dtype="<f4").reshape(texts, -1).astype(np.float32, copy=False)


def embedding_body(request: Request) -> bytes:
    """What goes over the wire: the JSON of OpenAI's embeddings request."""
    name = request.model.partition("/")[2]
    return json.dumps({"model": name, "input": texts_of(request), "encoding_format": "float"}).encode()


class _Embedding(BaseModel):
    embedding: list[float]
    index: int = 0


class _Embeddings(BaseModel):
    data: list[_Embedding]
    usage: Any = None


def read_embeddings(answered: bytes | dict[str, Any], request: Request) -> ChatReply:
    """The body of an embeddings response, or the same as litellm hands it out, as a reply.

    Raises:
        Transient: it is none, or not one finite vector of one length for each text, or its usage cannot be.
    """
    place, texts = placed(request.model, request.api_base), len(request.messages)
    try:
        read = _Embeddings.model_validate(json.loads(answered) if isinstance(answered, bytes) else answered)
        vectors = np.array([each.embedding for each in sorted(read.data, key=lambda each: each.index)], dtype="<f4")
    except (ValueError, RecursionError):  # pydantic's ValidationError is a ValueError
        _no_embeddings(place, "answers that are no embeddings")
    if vectors.ndim != 2 or len(vectors) != texts or not vectors.shape[1] or not np.isfinite(vectors).all():
        _no_embeddings(place, f"other than {texts} finite vectors of one length for {texts} texts")
    counted = read_usage(read.usage, place)
    content = base64.b64encode(vectors.tobytes()).decode()
    message = {"role": "assistant", "content": content}
    return ChatReply(message, "stop", counted.prompt_tokens, 0, cached=False)


def _no_embeddings(place: str, sent: str) -> NoReturn:
    raise Transient(RetriesExhausted(f"{place}: the endpoint keeps sending {sent}: check the model and api_base"))
