"""Who serves a model: litellm, imported on first use and kept quiet, or a provider of our own in this process."""

import logging
import os
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Protocol, cast

from toolscale.llm.errors import UnknownModel
from toolscale.llm.frozen import freeze
from toolscale.llm.offer import Offer
from toolscale.llm.reply import ChatReply


class Provider(Protocol):
    """A provider of our own: it answers in this process, at once, and a ``UserError`` of its reaches the caller."""

    edition: str
    """What its answers follow from beside the request, hashed; the cache keeps those of two editions apart."""

    def complete(
        self, model: str, messages: list[dict[str, Any]], tools: Offer | None, params: dict[str, Any]
    ) -> ChatReply:
        """One chat completion. ``params`` hold the ``response_format`` and a ``seed``, another for each sample."""
        ...


@cache
def our_providers() -> dict[str, EntryPoint]:
    """Prefix of a model string -> the provider that answers it, as the packages name it; loaded when called."""
    return {entry.name: entry for entry in entry_points(group="toolscale.providers")}


def provider_name(model: str) -> str:
    """The part of a model string that says who serves it."""
    return model.partition("/")[0]


def is_ours(model: str) -> bool:
    """True for a model that runs in this process: it costs nothing and needs no key."""
    return provider_name(model) in our_providers()


@cache
def litellm() -> Any:
    """The library: no telemetry, no price list from the network, no banners, no retries of its own."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    os.environ["LITELLM_MODE"] = "PRODUCTION"  # else it loads whatever `.env` lies above its own folder
    import litellm as library

    library.telemetry = False
    library.suppress_debug_info = True
    library.drop_params = True
    library.num_retries = 0
    logging.getLogger("LiteLLM").setLevel(logging.CRITICAL)
    # The import leaves 300,000 objects that never die; walking them at each full collection costs 0.2 ms a call.
    freeze()
    return library


def provider_of(model: str) -> Provider:
    """The provider of one of our own models, imported when first asked for."""
    return cast(Provider, our_providers()[provider_name(model)].load())


def edition_of(model: str) -> str:
    """Which edition of a model answers. A provider of ours names one: what it answers changes with our own code."""
    return provider_of(model).edition if is_ours(model) else ""


def refuse_unknown_provider(model: str) -> None:
    """See that somebody serves models of that prefix. Raises ``UnknownModel``."""
    if is_ours(model):
        return
    try:
        litellm().get_llm_provider(model)
    except Exception as error:  # litellm raises one of its many kinds for a provider that it does not know
        raise UnknownModel(
            f"{model}: no provider of that name; write provider/model, such as openai/gpt-5-mini"
        ) from error


def key_variable(model: str) -> str:
    """The variable that holds the key of a model's provider."""
    try:
        provider = str(litellm().get_llm_provider(model)[1])
    except Exception:  # litellm does not know the provider, so the model string's own word must do
        provider = provider_name(model)
    return f"{provider.upper()}_API_KEY"
