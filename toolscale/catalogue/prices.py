"""What tokens cost, by provider: ToolOrchestra's ten schedules of training, Together of evaluation, DeepInfra held out.

The figures lie in ``prices.json``, each with who listed it and where. ``python -m toolscale.catalogue.prices``
makes that file anew from ``price_sources.toml`` and the price map of the litellm that is installed.
"""

import json
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from toolscale.errors import UserError
from toolscale.printable import in_one_line
from toolscale.settings import Price
from toolscale.terminal import say

TRAINING = (
    "together",
    "venice",
    "chutes",
    "nebius",
    "lambda",
    "hyperbolic",
    "cloudflare",
    "novita",
    "aiml",
    "fireworks",
)
"""Schedules that training draws from (paper, Appendix, third-party API)."""

EVALUATION = "together"
HELD_OUT = "deepinfra"
"""A schedule that training never sees (paper, Appendix, generalization of pricing configurations)."""

OFFICIAL = "official"

_HERE = Path(__file__).parent
_SOURCES, _PRICES = _HERE / "price_sources.toml", _HERE / "prices.json"


class ListedPrice(Price):
    """A price in dollars per million tokens, and who says so."""

    listed_by: str
    """The schedule whose provider lists it: not the one asked for where that one falls back on another."""
    listed_as: str = ""
    """Entry of litellm's price map."""
    source: str = ""
    seen: str = ""
    """The day on which the source was read, or on which it says the price held."""


def dollars(price: Price, prompt_tokens: int, completion_tokens: int) -> float:
    """What tokens cost."""
    return (prompt_tokens * price.input + completion_tokens * price.output) / 1e6


@dataclass(frozen=True)
class PriceSchedule:
    """One provider's prices of the models it lists."""

    name: str
    provider: str
    prices: Mapping[str, ListedPrice]
    """By the model's name; closed models at their makers' price, whoever the provider is."""

    def price(self, model: str) -> ListedPrice | None:
        """The price of a model; None if nobody knows what it costs here."""
        return self.prices.get(model)

    def price_of_served(self, model: str) -> ListedPrice | None:
        """The price of a model that is known by litellm's string, such as ``hosted_vllm/Qwen/Qwen3-8B``."""
        return self.price(model) or self.price(model.partition("/")[2])


def schedule(name: str) -> PriceSchedule:
    """The schedule of that name.

    Raises:
        UserError: there is none.
    """
    known = _kept()["schedules"]
    if name not in known:
        raise UserError(f"there is no price schedule `{name}`: take one of {', '.join(sorted(known))}")
    return PriceSchedule(name, known[name]["name"], _prices(name))


def schedules() -> list[str]:
    """The names of all schedules."""
    return sorted(_kept()["schedules"])


def _prices(name: str) -> dict[str, ListedPrice]:
    """A schedule's own prices before those of the one it falls back on, before the makers' own."""
    own = _kept()["schedules"][name]
    listed = {model: ListedPrice(listed_by=name, **price) for model, price in own["prices"].items()}
    further = own.get("otherwise") or (OFFICIAL if name != OFFICIAL else "")
    return {**_prices(further), **listed} if further else listed


@cache
def _kept() -> dict[str, Any]:
    kept: dict[str, Any] = json.loads(_PRICES.read_text(encoding="utf-8"))
    return kept


def read_sources(today: str) -> dict[str, Any]:
    """What ``prices.json`` holds if it is made now.

    Raises:
        UserError: litellm's price map has no such entry, or no price in it.
    """
    litellm = distribution("litellm")
    listing = Path(str(litellm.locate_file("litellm/model_prices_and_context_window_backup.json")))
    listed: dict[str, Any] = json.loads(listing.read_text(encoding="utf-8"))
    sources = tomllib.loads(_SOURCES.read_text(encoding="utf-8"))
    found: dict[str, Any] = {}
    for name, provider in sources.items():
        prices = {
            model: _from_map(listed, where, today) if isinstance(where, str) else where
            for model, where in provider["models"].items()
        }
        about = {key: provider[key] for key in ("name", "home", "otherwise") if key in provider}
        found[name] = {**about, "prices": prices}
    return {"read": today, "litellm": litellm.version, "schedules": found}


def _from_map(listed: Mapping[str, Any], entry: str, today: str) -> dict[str, Any]:
    try:
        costs = {side: listed[entry][f"{side}_cost_per_token"] for side in ("input", "output")}
    except KeyError as missing:
        raise UserError(f"{_SOURCES.name}: litellm's price map has no {missing} of `{entry}`: mend the entry") from None
    price = {side: round(1e6 * cost, 6) for side, cost in costs.items()}
    source = listed[entry].get("source") or "litellm's price map"
    return {**price, "listed_as": entry, "source": source, "seen": today}


def main() -> None:
    """Write ``prices.json``."""
    try:
        made = read_sources(datetime.now(UTC).date().isoformat())
    except UserError as error:
        sys.exit(in_one_line(str(error)))
    _PRICES.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    counts = {name: len(each["prices"]) for name, each in made["schedules"].items()}
    say(f"{_PRICES}: {', '.join(f'{name} {count}' for name, count in counts.items())}")


if __name__ == "__main__":
    main()
