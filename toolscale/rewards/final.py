"""R, the final reward of each trajectory of a group (ToolOrchestra, section 3.2, final reward)."""

from collections.abc import Sequence

import numpy as np

from toolscale.rewards.preference import preference_vector
from toolscale.rewards.vector import FloatArray, RewardVector, stacked


def normalized(vectors: FloatArray) -> FloatArray:
    """(M - min) / (max - min) of each column over the group, in [0, 1]; 0 where all its trajectories are alike.

    Takes and gives an array of shape (trajectories, n + 3).
    """
    least = vectors.min(axis=0)
    spread = vectors.max(axis=0) - least
    shares = np.zeros_like(vectors)
    np.divide(vectors - least, spread, out=shares, where=spread > 0)
    return shares


def final_rewards(group: Sequence[RewardVector], preference: Sequence[float] | FloatArray | None = None) -> FloatArray:
    """R of every trajectory of a group, the rollouts of one task: M_normalized . P where it solved the task, else 0.

    Args:
        group: one vector for each trajectory, all with the same n tools. None at all has no rewards.
        preference: P, n + 3 values in [0, 1] in the order of M; None is the outcome alone.

    Returns:
        float64 of shape (trajectories,), each in [0, sum of P].

    Raises:
        UserError: the tools differ, or P does not fit them.
    """
    if not group:
        return np.zeros(0)
    wanted = preference_vector(preference, group[0].tools)
    solved = np.array([vector.solved for vector in group])
    # Row by row: a matrix product may round a row differently by where in the group it stands.
    gained = (normalized(stacked(group)) * wanted).sum(axis=1)
    return np.where(solved, gained, 0.0)
