"""How sure a mean is, by the bootstrap."""

from collections.abc import Sequence

import numpy as np

RESAMPLES = 2000
CONFIDENCE = (2.5, 97.5)
_DRAWN_AT_ONCE = 1_000_000


def interval(values: Sequence[float], seed: int = 0) -> dict[str, float]:
    """The mean, and the ends of its 95% bootstrap interval (percentiles over resampled tasks).

    Raises:
        ValueError: there are no values.
    """
    if not values:
        raise ValueError("no values have no mean")
    sample = np.asarray(values, dtype=np.float64)
    random = np.random.default_rng(seed)
    at_once = max(1, _DRAWN_AT_ONCE // len(sample))
    shapes = [(min(at_once, RESAMPLES - done), len(sample)) for done in range(0, RESAMPLES, at_once)]
    means = [sample[random.integers(0, len(sample), shape)].mean(axis=1) for shape in shapes]
    low, high = np.percentile(np.concatenate(means), CONFIDENCE)
    return {"mean": float(sample.mean()), "low": float(low), "high": float(high)}
