"""How long a tool takes to answer: fitted to the ledger where it was measured, stated where the tool is simulated."""

import math
from collections.abc import Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from pydantic import Field

from toolscale.artifacts.base import Artifact, canonical_json

if TYPE_CHECKING:
    from toolscale.store import Store

TYPICAL_TOKENS = 500
"""Length of the answer for which an orchestrator is told how long a model takes."""

LEAST_CALLS = 5
"""Fewer calls say nothing about a model."""


class LatencyProfile(Artifact):
    """Seconds of a call: a part for every call, a part for every token written, and how much calls differ."""

    seconds: float = Field(ge=0, description="Of every call.")
    seconds_per_token: float = Field(default=0.0, ge=0, description="For each token of the answer.")
    spread: float = Field(default=0.0, ge=0, le=2, description="Standard deviation of the logarithm of a call's time.")

    def mean(self, completion_tokens: int) -> float:
        """Seconds that a call takes as a rule."""
        return self.seconds + completion_tokens * self.seconds_per_token

    def drawn(self, completion_tokens: int, *, seed: object) -> float:
        """Seconds that one call of a simulated tool takes: log-normal about the mean. The same seed, the same time."""
        chance = Random(canonical_json(seed)).gauss(0.0, 1.0)
        return self.mean(completion_tokens) * math.exp(self.spread * chance - self.spread**2 / 2)

    @property
    def typical(self) -> float:
        """Seconds that an orchestrator is told."""
        return self.mean(TYPICAL_TOKENS)


class Timed(NamedTuple):
    """A call that was measured."""

    completion_tokens: int
    seconds: float


def fitted(calls: Sequence[Timed]) -> LatencyProfile:
    """The profile of measured calls, at least one: least squares over the tokens written, neither part below 0."""
    tokens = np.array([call.completion_tokens for call in calls], dtype=np.float64)
    seconds = np.array([call.seconds for call in calls], dtype=np.float64)
    varied = float(((tokens - tokens.mean()) ** 2).sum())
    slope = float(((tokens - tokens.mean()) * (seconds - seconds.mean())).sum()) / varied if varied else 0.0
    per_token = max(0.0, slope)
    of_every_call = float(seconds.mean() - per_token * tokens.mean())
    if of_every_call < 0:
        of_every_call, per_token = 0.0, float((tokens * seconds).sum() / (tokens**2).sum())
    expected = np.maximum(of_every_call + per_token * tokens, 1e-9)
    spread = float(np.std(np.log(np.maximum(seconds, 1e-9) / expected)))
    return LatencyProfile(seconds=of_every_call, seconds_per_token=per_token, spread=min(spread, 2.0))


def measured(store: "Store", models: Mapping[str, str], *, least: int = LEAST_CALLS) -> dict[str, LatencyProfile]:
    """The profile of each model that the ledger knows enough calls of.

    Args:
        store: the ledger.
        models: name -> litellm's model string under which it was asked.
        least: calls that are enough.
    """
    from sqlalchemy import select
    from sqlmodel import col

    from toolscale.store import ModelCall

    profiles = {}
    for name, model in models.items():
        took: list[Any] = [col(ModelCall.completion_tokens), col(ModelCall.seconds)]
        answered = select(*took).where(col(ModelCall.model) == model, col(ModelCall.status) == "ok")
        calls = [Timed(tokens, seconds) for tokens, seconds in store.read(answered)]
        if len(calls) >= least:
            profiles[name] = fitted(calls)
    return profiles
