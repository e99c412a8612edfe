"""Where a model is asked, and with which key: the one place where a model string becomes an address.

A model of one's own has no address but the one that it is given. litellm, and the openai SDK, would ask OpenAI in its
place; here it is refused, before anything is sent.
"""

import os
from typing import NamedTuple

from toolscale.llm.errors import BadKey, NoAddress
from toolscale.llm.providers import is_ours, litellm, provider_name, refuse_unknown_provider


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

_WITHOUT_HOME = {
    **{provider: compatible.api_base for provider, compatible in COMPATIBLE.items() if provider != "openai"},
    "litellm_proxy": "LITELLM_PROXY_API_BASE",
    "xinference": "XINFERENCE_API_BASE",
    "infinity": "INFINITY_API_BASE",
    "triton": "TRITON_API_BASE",
    "oobabooga": "OOBABOOGA_API_BASE",
    "custom": "CUSTOM_API_BASE",
    "custom_openai": "OPENAI_API_BASE",
    "aiohttp_openai": "OPENAI_API_BASE",
    "azure_ai": "AZURE_AI_API_BASE",
    "ai21": "AI21_API_BASE",  # `ai21_chat` has an address; this one litellm sends to OpenAI
}
"""Prefix of a model string that names a kind of server, not a place -> the variable that may name the place.

Ollama, llamafile and their like are not among them: where no address is given they are asked on this machine.
"""


def base_url(model: str, api_base: str | None) -> str | None:
    """The base URL at which a model is asked; None for its provider's own.

    Raises:
        NoAddress: its provider has none, and none was given.
    """
    address = _known_base_url(model, api_base)
    variable = _WITHOUT_HOME.get(provider_name(model))
    if address is None and variable is not None:
        raise NoAddress(
            f"{model} has no address, and is asked nowhere else instead: set {variable} to its base URL, such as "
            "http://127.0.0.1:8000/v1, or give its `api_base`"
        )
    return address


def see_that_it_has_an_address(model: str, api_base: str | None) -> None:
    """Refuse a model of one's own whose address nobody knows. Raises ``NoAddress``."""
    base_url(model, api_base)


def placed(model: str, api_base: str | None) -> str:
    """A model and the URL where it is asked, if that is known: what errors name."""
    at = _known_base_url(model, api_base)
    return f"{model} at {at}" if at else model


def key_for(model: str, api_base: str | None) -> str:
    """The key of a provider that speaks OpenAI's protocol. An endpoint of one's own may well need none: a placeholder.

    Raises:
        BadKey: the variable is not set and OpenAI itself is called, or it holds what no key can be.
        NoAddress: see ``base_url``.
    """
    variable = COMPATIBLE[provider_name(model)].key
    key = os.environ.get(variable, "").strip()
    if not key and base_url(model, api_base) is None:
        raise BadKey(f"{model} needs a key: set {variable}")
    if not (key.isascii() and key.isprintable()):
        raise BadKey(f"{model}: {variable} contains characters that no key has: set it to a valid key")
    return key or "none"


def access_to(model: str, api_base: str | None) -> dict[str, str]:
    """The arguments with which litellm reaches an endpoint. Keys are not among them: litellm reads the variables.

    Raises:
        NoAddress: see ``base_url``.
        UnknownModel: no provider of that name is known.
        BadKey: the provider's variable is not set. An endpoint with an address of its own may well need no key, so it
            gets a placeholder, which the providers' libraries insist on, and may refuse it.
    """
    address = base_url(model, api_base)
    access = {"api_base": address} if address else {}
    refuse_unknown_provider(model)
    named = [] if is_ours(model) else litellm().validate_environment(model)["missing_keys"]
    missing = [name for name in named if name.endswith("_API_KEY")]
    if missing and address is None:
        raise BadKey(f"{model} needs a key: set {' or '.join(missing)}")
    return {**access, "api_key": "none"} if missing else access


def speaks_openai(model: str) -> bool:
    """True for a model that the openai SDK reaches: OpenAI's, or one of a server that speaks its protocol."""
    provider, _, name = model.partition("/")
    # litellm translates `openai/responses/...` into another protocol.
    return provider in COMPATIBLE and bool(name) and not name.startswith("responses/")


def see_that_it_can_be_asked(model: str, api_base: str | None) -> None:
    """See that a model's address, provider and key are there, without asking it.

    Raises:
        NoAddress, UnknownModel, BadKey: they are not.
    """
    see_that_it_has_an_address(model, api_base)
    if speaks_openai(model):
        key_for(model, api_base)
    elif not is_ours(model):
        access_to(model, api_base)


def _known_base_url(model: str, api_base: str | None) -> str | None:
    provider = provider_name(model)
    if api_base or is_ours(model):
        return api_base
    variable = COMPATIBLE["openai"].api_base if provider == "openai" else _WITHOUT_HOME.get(provider, "")
    return os.environ.get(variable) or None
