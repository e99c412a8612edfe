"""P, the preference vector: how much the user wants of each element of M (ToolOrchestra, section 3.2)."""

from collections.abc import Sequence

import numpy as np

from toolscale.errors import UserError
from toolscale.rewards.vector import FloatArray

BEYOND_TOOLS = ("outcome", "compute", "latency")
"""The last three elements of M and P, after one for each tool."""


def preference_vector(values: Sequence[float] | FloatArray | None, tools: Sequence[str]) -> FloatArray:
    """P of shape (n + 3,), in the order of M. None is no preference: the outcome alone, [0 .. 0, 1, 0, 0].

    Raises:
        UserError: it has not one value for each of the n tools and three more, or one lies outside 0 to 1.
    """
    if values is None:
        return np.array([0.0] * len(tools) + [1.0, 0.0, 0.0])
    preference = np.asarray(values, dtype=np.float64)
    names = (*tools, *BEYOND_TOOLS)
    if preference.shape != (len(names),):
        raise UserError(
            f"the preference vector has {preference.size} values; {len(names)} are needed, for {', '.join(names)}"
        )
    for name, value in zip(names, preference, strict=True):
        if not 0 <= value <= 1:
            raise UserError(f"the preference for {name} is {value}; preferences lie between 0 and 1")
    return preference
