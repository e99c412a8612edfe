"""How well a checkpoint keeps to preferences, beside the one it started from (ToolOrchestra, its last appendix)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from toolscale.errors import UserError
from toolscale.rewards.preference import preference_vector
from toolscale.rewards.vector import FloatArray, RewardVector, same_tools

_IN_A_DOLLAR = {"dollars": 1.0, "cents": 100.0}
_IN_A_SECOND = {"seconds": 1.0, "minutes": 1 / 60}


@dataclass(frozen=True)
class Units:
    """What compute and latency are counted in: amounts below one unit count as one, so the unit matters."""

    compute: Literal["cents", "dollars"] = "cents"
    latency: Literal["seconds", "minutes"] = "seconds"

    def magnitudes(self, vector: RewardVector) -> FloatArray:
        """M of shape (n + 3,) with compute and latency as amounts, not as rewards: neither is below 0."""
        dollars = vector.dollars * _IN_A_DOLLAR[self.compute]
        seconds = vector.seconds * _IN_A_SECOND[self.latency]
        return np.array([*vector.calls, vector.solved, dollars, seconds], dtype=np.float64)


def relative_to_baseline(current: FloatArray, baseline: FloatArray) -> FloatArray:
    """M_s / max(1, M_0) for tools and outcome, M_0 / max(1, M_s) for compute and latency; shapes (n + 3,)."""
    wanted, spent = current[:-2] / np.maximum(1, baseline[:-2]), baseline[-2:] / np.maximum(1, current[-2:])
    return np.concatenate([wanted, spent])


def evaluation_reward(
    current: RewardVector,
    baseline: RewardVector,
    preference: Sequence[float] | FloatArray | None = None,
    units: Units = Units(),
) -> float:
    """R of one example: its trajectory's vector relative to the starting checkpoint's, times P; 0 if it is not solved.

    Raises:
        UserError: the two trajectories were offered different tools, or P does not fit them.
    """
    same_tools([current, baseline])
    wanted = preference_vector(preference, current.tools)
    if not current.solved:
        return 0.0
    return float((relative_to_baseline(units.magnitudes(current), units.magnitudes(baseline)) * wanted).sum())


def benchmark_score(
    current: Mapping[str, RewardVector],
    baseline: Mapping[str, RewardVector],
    preferences: Mapping[str, Sequence[float]],
    units: Units = Units(),
) -> float:
    """The sum of R over a benchmark's examples, each known by its id.

    Raises:
        UserError: the three do not speak of the same examples, or an example's vectors do not fit together.
    """
    for name, others in (("baseline", baseline), ("preferences", preferences)):
        if differing := sorted(current.keys() ^ others.keys()):
            raise UserError(f"the checkpoint's examples are not those of the {name}: {', '.join(differing[:5])}")
    return sum(evaluation_reward(current[id_], baseline[id_], preferences[id_], units) for id_ in current)
