"""How the server behaves: what the switches of `toolscale serve-offline` say."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from toolscale.errors import UserError
from toolscale.mock_endpoint.faults import BATCH_FAULTS, BatchFault, Fault


class Latency(NamedTuple):
    """Seconds that an answer takes, drawn evenly between two bounds."""

    shortest: float = 0.0
    longest: float = 0.0

    def at(self, share: float) -> float:
        """Seconds at a share of the way from the shortest to the longest."""
        return self.shortest + share * (self.longest - self.shortest)


NO_LATENCY = Latency()


@dataclass(frozen=True)
class Switches:
    """Everything about the server but its address.

    Raises:
        UserError: the rates of the faults sum to more than 1.
    """

    models: tuple[str, ...] = ("reference",)
    """Names under which the model is served; any other is unknown."""
    key: str | None = field(default=None, repr=False)
    """The only key that is accepted; any, and none at all, if None."""
    latency: Latency = NO_LATENCY
    slots: int | None = None
    """Requests that are answered at once; one more gets status 429. Without a bound if None."""
    retry_after: float | None = None
    """Seconds that a 429 asks the client to wait; it does not say if None."""
    rates: Mapping[Fault, float] = field(default_factory=dict)
    """Fault -> the share of requests that meet it. A request meets one fault at most."""
    fault_seed: int = 0
    batch_latency: Latency = NO_LATENCY
    """Seconds that a batch takes."""
    batch_rates: Mapping[BatchFault, float] = field(default_factory=dict)
    """Fault -> the share of the requests in batches that meet it; ``rates`` are those of the others."""

    def __post_init__(self) -> None:
        for total in (math.fsum(self.rates.values()), math.fsum(self.batch_rates.values())):
            if total > 1 + 1e-9:
                raise UserError(
                    f"the fault rates sum to {total:g}, but a request meets one fault at most: lower them to 1"
                )


def latency_from(text: str, switch: str = "--latency") -> Latency:
    """A latency from what the user wrote: `0.2`, or `0.1:0.3` for a random one.

    Raises:
        UserError: it is neither.
    """
    shortest, colon, longest = text.partition(":")
    try:
        latency = Latency(float(shortest), float(longest if colon else shortest))
    except ValueError:
        latency = Latency(math.nan, math.nan)
    if not 0 <= latency.shortest <= latency.longest < math.inf:
        raise UserError(f"{switch} {text}: give seconds, such as 0.2, or a range of them, such as 0.1:0.3")
    return latency


def batch_rates_from(texts: list[str]) -> dict[BatchFault, float]:
    """Rates from what the user wrote: `error=0.2` and the like.

    Raises:
        UserError: there is no such fault, or its share is not between 0 and 1.
    """
    rates: dict[BatchFault, float] = {}
    for text in texts:
        name, _, share = text.partition("=")
        fault = next((fault for fault in BATCH_FAULTS if fault == name), None)
        try:
            rate = float(share)
        except ValueError:
            rate = math.nan
        if fault is None or not 0 <= rate <= 1:
            raise UserError(f"--batch-fault {text}: give FAULT=SHARE, such as error=0.2, of: {', '.join(BATCH_FAULTS)}")
        rates[fault] = rate
    return rates
