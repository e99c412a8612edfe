"""What a call took, as its endpoint counts it: believed where it can be so."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from toolscale.llm.errors import RetriesExhausted, Transient

MOST_TOKENS = 10_000_000
"""Of the longest context that is served anywhere; a count beyond it is none."""

DETAILS = "prompt_tokens_details"
_DETAILED = ("cached_tokens", "cache_creation_tokens")
_PLAIN = ("cache_read_input_tokens", "cache_creation_input_tokens", "prompt_cache_hit_tokens")
_CACHED = ("cached_tokens", "cache_read_input_tokens", "prompt_cache_hit_tokens")
"""How OpenAI, Anthropic (and litellm), and DeepSeek name what they had cached."""
_WRITTEN = ("cache_creation_tokens", "cache_creation_input_tokens")


class Usage(NamedTuple):
    """Tokens of one call; 0 where the endpoint does not say."""

    prompt_tokens: int = 0
    """All that was sent, cached or not."""
    completion_tokens: int = 0
    cached_tokens: int = 0
    """Of the prompt: what the provider had in its cache."""
    cache_write_tokens: int = 0
    """Of the prompt: what it put there for later."""


def read_usage(usage: object, place: str) -> Usage:
    """The counts that came with an answer. ``place`` is who sent it, for errors.

    Raises:
        Transient: one of them can be no count of tokens. It would pass into the ledger and the budget as it is.
    """
    if usage is None:
        return Usage()
    if not isinstance(usage, Mapping):
        raise _made_up(place, "usage", usage)
    prompt, completion = (_count(usage.get(name), name, place) for name in ("prompt_tokens", "completion_tokens"))
    cached, written = (next(filter(None, _of_caches(usage, names)), 0) for names in (_CACHED, _WRITTEN))
    if cached + written > prompt:  # counted beside the prompt, as Anthropic's own API does
        prompt = min(prompt + cached + written, MOST_TOKENS)
    return Usage(prompt, completion, cached, written)


def as_mapping(usage: Any) -> dict[str, Any] | None:
    """A library's object with counts, as the JSON that it came from."""
    if not usage:
        return None
    details = getattr(usage, DETAILS, None)
    return {name: getattr(usage, name, None) for name in ("prompt_tokens", "completion_tokens", *_PLAIN)} | {
        DETAILS: {name: getattr(details, name, None) for name in _DETAILED}
    }


def _of_caches(usage: Mapping[str, Any], names: Sequence[str]) -> Iterator[int]:
    """What is said under any of the names. A count that cannot be is none: the full price is no fault."""
    details = usage.get(DETAILS)
    for holder in (details if isinstance(details, Mapping) else {}, usage):
        yield from (_possible(holder.get(name)) or 0 for name in names)


def _count(given: object, name: str, place: str) -> int:
    if given is None:
        return 0
    counted = _possible(given)
    if counted is None:
        raise _made_up(place, name, given)
    return counted


def _possible(given: object) -> int | None:
    if isinstance(given, float) and given.is_integer():
        given = int(given)
    if isinstance(given, bool) or not isinstance(given, int) or not 0 <= given <= MOST_TOKENS:
        return None
    return given


def _made_up(place: str, name: str, given: object) -> Transient:
    said = repr(given) if not isinstance(given, int) or abs(given) < 10**15 else "a number of many digits"
    shown = said if len(said) <= 40 else f"{said[:37]}..."
    return Transient(
        RetriesExhausted(
            f"{place}: the endpoint keeps sending a usage that cannot be (`{name}` is {shown}), so nobody can say what "
            "its answers cost: see that its server counts tokens, or ask another"
        )
    )
