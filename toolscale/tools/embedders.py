"""Texts as vectors: by any embedding model behind an endpoint, or by a sentence-transformers model on this machine."""

import asyncio
import importlib.util
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from toolscale.errors import UserError
from toolscale.llm.endpoints import see_that_it_has_an_address
from toolscale.settings import ModelSettings

if TYPE_CHECKING:
    from toolscale.llm import Gateway
    from toolscale.llm.embeddings import Embedded

LOCAL = "sentence-transformers/"
"""Prefix of a model that runs on this machine; what follows is its name on the Hub, or the folder that holds it."""

DEFAULT_MODEL = f"{LOCAL}Qwen/Qwen3-Embedding-8B"
"""The paper's."""

BATCH = 64
"""Texts that are embedded together."""

_QWEN_INSTRUCTION = (
    "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"  # its model card's
)


class Embedder(Protocol):
    """An embedding model. Vectors have one row a text; they need not be of length 1."""

    @property
    def model(self) -> str:
        """The model's name, which an index keeps."""
        ...

    async def documents(self, texts: Sequence[str]) -> "Embedded":
        """Vectors of texts that shall be found. At most ``BATCH`` at once."""
        ...

    async def query(self, text: str) -> "Embedded":
        """The vector of what is searched for."""
        ...


def embedder_for(model: str, gateway: "Gateway | None" = None, *, api_base: str | None = None) -> Embedder:
    """The embedder that a model string names: ``sentence-transformers/...``, or any that litellm knows.

    Raises:
        UserError: a model behind an endpoint and no gateway, or without an address, or sentence-transformers is not
            installed.
    """
    if model.startswith(LOCAL):
        return LocalEmbedder(model.removeprefix(LOCAL))
    if gateway is None:
        raise UserError(f"{model} answers at an endpoint, and calls of endpoints go through a gateway: give one")
    if model.startswith("offline/"):
        raise UserError(f"{model} makes no embeddings: name an embedding model, such as openai/text-embedding-3-small")
    see_that_it_has_an_address(model, api_base)
    return EndpointEmbedder(gateway, model, api_base=api_base)


class EndpointEmbedder:
    """An embedding model that the gateway asks: cached, priced and recorded as stage `search`."""

    def __init__(self, gateway: "Gateway", model: str, *, api_base: str | None = None) -> None:
        self._gateway = gateway
        self._asked = ModelSettings(model=model, api_base=api_base)
        self._before_query = _QWEN_INSTRUCTION if "qwen3-embedding" in model.lower() else ""

    @property
    def model(self) -> str:
        """The model's name, which an index keeps."""
        return self._asked.model

    async def documents(self, texts: Sequence[str]) -> "Embedded":
        """Vectors of texts that shall be found."""
        return await self._gateway.embed(self._asked, list(texts), stage="search", domain="index")

    async def query(self, text: str) -> "Embedded":
        """The vector of what is searched for."""
        asked = self._before_query + text
        return await self._gateway.embed(self._asked, [asked], stage="search", domain="query")


class LocalEmbedder:
    """A sentence-transformers model, loaded at its first use; the extra `search` installs what it needs."""

    def __init__(self, name: str) -> None:
        """Raises UserError where sentence-transformers is not installed."""
        if importlib.util.find_spec("sentence_transformers") is None:
            raise UserError(
                f"{LOCAL}{name} needs sentence-transformers: pip install 'toolscale[search]', "
                "or name a model behind an endpoint, such as openai/text-embedding-3-small"
            )
        self._name = name
        self._loaded: Any = None
        self._turn = asyncio.Lock()

    @property
    def model(self) -> str:
        """The model's name, which an index keeps."""
        return f"{LOCAL}{self._name}"

    async def documents(self, texts: Sequence[str]) -> "Embedded":
        """Vectors of texts that shall be found."""
        return await self._embedded("encode_document", list(texts))

    async def query(self, text: str) -> "Embedded":
        """The vector of what is searched for, with the model's own prompt for queries where it has one."""
        return await self._embedded("encode_query", [text])

    async def _embedded(self, method: str, texts: list[str]) -> "Embedded":
        import numpy as np

        from toolscale.llm.embeddings import Embedded

        async with self._turn:
            if self._loaded is None:
                self._loaded = await asyncio.to_thread(self._load)
            encode = getattr(self._loaded, method)
            vectors = await asyncio.to_thread(encode, texts, show_progress_bar=False, convert_to_numpy=True)
        return Embedded(np.asarray(vectors, dtype=np.float32).reshape(len(texts), -1), 0, 0.0)

    def _load(self) -> Any:
        from sentence_transformers import SentenceTransformer

        try:
            return SentenceTransformer(self._name)
        except (OSError, ValueError) as error:
            reason = " ".join(str(error).split())[:300]
            raise UserError(f"{self.model} cannot be loaded: {reason}") from None
