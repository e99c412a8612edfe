"""The ways to an endpoint. Which one a model takes follows from its model string; nobody else has to know.

The openai SDK costs a quarter of what litellm costs, so OpenAI's own models and the servers that speak its protocol
take that lane; every other provider takes litellm's. A model of our own runs in this process.
"""

import os
from typing import Literal, NamedTuple, Protocol

from toolscale.llm.errors import BadKey
from toolscale.llm.providers import is_ours, provider_name
from toolscale.llm.reply import ChatReply
from toolscale.llm.request import Request


class Lane(Protocol):
    """One way to make a call. Clients belong to the event loop on which they were first used."""

    async def ask(self, request: Request, seconds: float) -> ChatReply:
        """Make one request, once. Whatever goes wrong is raised as the library raises it; ``understood`` reads it."""
        ...

    async def close(self) -> None:
        """Let go of the connections."""
        ...


class Compatible(NamedTuple):
    """A provider that speaks OpenAI's protocol: the variables with its key and its base URL."""

    key: str
    api_base: str


COMPATIBLE = {
    "openai": Compatible("OPENAI_API_KEY", "OPENAI_BASE_URL"),
    "hosted_vllm": Compatible("HOSTED_VLLM_API_KEY", "HOSTED_VLLM_API_BASE"),
    "lm_studio": Compatible("LM_STUDIO_API_KEY", "LM_STUDIO_API_BASE"),
    "openai_like": Compatible("OPENAI_LIKE_API_KEY", "OPENAI_LIKE_API_BASE"),
}
"""Prefix of a model string -> where its key and, unless it is OpenAI itself, its base URL come from."""


def lane_of(model: str, api_base: str | None) -> Literal["in_process", "openai_sdk", "litellm"]:
    """The lane that a model takes."""
    if is_ours(model):
        return "in_process"
    return "openai_sdk" if speaks_openai(model, api_base) else "litellm"


def speaks_openai(model: str, api_base: str | None) -> bool:
    """True for a model that the openai SDK reaches: OpenAI's, or one behind a base URL that is known."""
    provider, _, name = model.partition("/")
    if provider not in COMPATIBLE or not name or name.startswith("responses/"):
        return False  # litellm translates `openai/responses/...` into another protocol
    return provider == "openai" or base_url(model, api_base) is not None


def base_url(model: str, api_base: str | None) -> str | None:
    """The endpoint's base URL; None for OpenAI's own."""
    compatible = COMPATIBLE[provider_name(model)]
    return api_base or os.environ.get(compatible.api_base) or None


def placed(model: str, api_base: str | None) -> str:
    """A model and the URL where it is asked, if that is known: what errors name."""
    at = base_url(model, api_base) if speaks_openai(model, api_base) else api_base
    return f"{model} at {at}" if at else model


def key_for(model: str, api_base: str | None) -> str:
    """The provider's key, out of its variable. An endpoint of one's own may well need none: it gets a placeholder.

    Raises:
        BadKey: the variable is not set and OpenAI itself is called, or it holds what no key can be.
    """
    variable = COMPATIBLE[provider_name(model)].key
    key = os.environ.get(variable, "").strip()
    if not key and base_url(model, api_base) is None:
        raise BadKey(f"{model} needs a key: set {variable}")
    if not (key.isascii() and key.isprintable()):
        raise BadKey(f"{model}: {variable} holds characters that no key has: set it to a valid one")
    return key or "none"
