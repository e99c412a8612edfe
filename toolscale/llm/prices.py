"""What a call costs."""

import logging
from functools import cache

from toolscale.llm.providers import is_ours, litellm
from toolscale.settings import Price

_log = logging.getLogger(__name__)


class Prices:
    """Prices by model: the settings' own, else litellm's list. Cached input costs as much as any: an upper bound."""

    def __init__(self, own: dict[str, Price]) -> None:
        self._known: dict[str, Price | None] = dict(own)

    def look_up(self, model: str) -> None:
        """Read the price list now, which takes seconds the first time, and not while answers are waited for."""
        if model not in self._known:
            self._known[model] = _listed(model)

    def dollars(self, model: str, prompt_tokens: int, completion_tokens: int) -> float | None:
        """Dollars of one call; None where nobody knows the price, with one warning a model and process."""
        self.look_up(model)
        price = self._known[model]
        if price is None:
            _warn(model)
            return None
        return (prompt_tokens * price.input + completion_tokens * price.output) / 1e6


@cache
def _warn(model: str) -> None:
    _log.warning("no price is known for %s: its calls are recorded without; set TOOLSCALE_PRICES", model)


def _listed(model: str) -> Price | None:
    """litellm's price, which it lists under the full model string or without the provider."""
    if is_ours(model):
        return Price(input=0, output=0)
    listed = litellm().model_cost
    entry = listed.get(model) or listed.get(model.partition("/")[2]) or {}
    if "input_cost_per_token" not in entry:
        return None
    return Price(
        input=1e6 * float(entry["input_cost_per_token"]), output=1e6 * float(entry.get("output_cost_per_token") or 0)
    )
