"""What a call costs."""

import json

from toolscale.llm.errors import UnknownPrice
from toolscale.llm.providers import is_ours, litellm, refuse_unknown_provider
from toolscale.settings import Price

BATCH_SHARE = 0.5
"""What a call in a batch costs of its price (OpenAI's pricing page, Batch API)."""


class Prices:
    """Prices by model: the settings' own, else litellm's list; models of ours are free.

    Where nobody gives a price for input that the provider had cached, it costs as much as any other: what a call cost
    is then an upper bound.
    """

    def __init__(self, own: dict[str, Price]) -> None:
        self._known: dict[str, Price] = dict(own)

    def look_up(self, model: str) -> Price:
        """The price of a model. Reading litellm's list takes seconds the first time.

        Raises:
            UnknownPrice: the settings do not give one, and litellm lists none.
            UnknownModel: litellm knows no provider of that name.
        """
        if model not in self._known:
            self._known[model] = _listed(model)
        return self._known[model]

    def dollars(
        self,
        model: str,
        prompt_tokens: float,
        completion_tokens: float,
        cached_tokens: float = 0,
        cache_write_tokens: float = 0,
        *,
        batch: bool = False,
    ) -> float:
        """Dollars of one call, made at once or in a batch. What was cached or written to a cache is of the prompt.

        Raises:
            UnknownPrice: see ``look_up``.
        """
        price = self.look_up(model)
        fresh = max(0, prompt_tokens - cached_tokens - cache_write_tokens)
        dollars = (
            fresh * price.input
            + cached_tokens * _or(price.cached_input, price.input)
            + cache_write_tokens * _or(price.cache_write, price.input)
            + completion_tokens * price.output
        ) / 1e6
        return dollars * BATCH_SHARE if batch else dollars

    def at_most(self, model: str, prompt_tokens: float, completion_tokens: float, *, batch: bool = False) -> float:
        """Dollars of one call, whatever the provider caches of it.

        Raises:
            UnknownPrice: see ``look_up``.
        """
        each = ((0, 0), (prompt_tokens, 0), (0, prompt_tokens))
        return max(self.dollars(model, prompt_tokens, completion_tokens, *cache, batch=batch) for cache in each)


def _listed(model: str) -> Price:
    """litellm's price, which it lists under the full model string or without the provider."""
    if is_ours(model):
        return Price(input=0, output=0)
    listed = litellm().model_cost
    entry = listed.get(model) or listed.get(model.partition("/")[2]) or {}
    if "input_cost_per_token" not in entry:
        refuse_unknown_provider(model)
        example = json.dumps({model: {"input": 0, "output": 0}})
        raise UnknownPrice(
            f"{model}: no price is known: give its dollars per million tokens, 0 where it is free, as "
            f"TOOLSCALE_PRICES='{example}' or in toolscale.toml as "
            f'prices = {{"{model}" = {{input = 0, output = 0}}}}'
        )
    return Price(
        input=1e6 * float(entry["input_cost_per_token"]),
        output=1e6 * float(entry.get("output_cost_per_token") or 0),
        cached_input=_per_million(entry.get("cache_read_input_token_cost")),
        cache_write=_per_million(entry.get("cache_creation_input_token_cost")),
    )


def _per_million(listed: float | None) -> float | None:
    """0 is how the list says that it does not know, or that the provider takes nothing extra."""
    return 1e6 * float(listed) if listed else None


def _or(price: float | None, otherwise: float) -> float:
    return otherwise if price is None else price
