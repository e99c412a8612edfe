"""M, the reward vector of a trajectory (ToolOrchestra, section 3.2): calls of each tool, outcome, compute, latency."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolscale.artifacts import Trajectory
from toolscale.errors import UserError

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class RewardVector:
    """What a trajectory did and what it took. Kept as it was measured; the signs come in with `as_array` alone."""

    tools: tuple[str, ...]
    """t_1 .. t_n: the tools that were offered, called or not."""
    calls: tuple[int, ...]
    """m_t1 .. m_tn: how many times each was called."""
    solved: bool
    dollars: float
    """Price of every token that the policy and its tools read and wrote, the final answer's among them."""
    seconds: float
    """Wall-clock time from the instruction to the final answer."""

    def __post_init__(self) -> None:
        """Raises UserError for tools that are named twice, and for amounts that nothing can have taken."""
        if len(set(self.tools)) != len(self.tools):
            twice = sorted(tool for tool, times in Counter(self.tools).items() if times > 1)
            raise UserError(f"a reward vector has one element for each tool, and {', '.join(twice)} is offered twice")
        if len(self.calls) != len(self.tools) or min(self.calls, default=0) < 0:
            raise UserError(f"a reward vector of {len(self.tools)} tools cannot have the calls {list(self.calls)}")
        for name, amount in (("dollars", self.dollars), ("seconds", self.seconds)):
            if not (math.isfinite(amount) and amount >= 0):
                raise UserError(f"the {name} of a trajectory are 0 or more, not {amount}: give what it took, unsigned")

    @classmethod
    def of(
        cls, trajectory: Trajectory, tools: Sequence[str], *, solved: bool, dollars: float, seconds: float
    ) -> "RewardVector":
        """The vector of a trajectory that was offered these tools, in this order.

        Every call counts, also the second one of a turn and one that failed; calls of what was not offered do not.
        """
        made = Counter(call.name for call in trajectory.calls)
        return cls(tuple(tools), tuple(made[tool] for tool in tools), solved, dollars, seconds)

    def as_array(self) -> FloatArray:
        """M of shape (n + 3,): more is better in every element, so what was spent is negative (dollars, seconds)."""
        return np.array([*self.calls, self.solved, -self.dollars, -self.seconds], dtype=np.float64)


def stacked(vectors: Sequence[RewardVector]) -> FloatArray:
    """M of each trajectory as the rows of one array, of shape (trajectories, n + 3).

    Raises:
        UserError: there are none, or they were not offered the same tools in the same order.
    """
    if not vectors:
        raise UserError("a group without trajectories has no reward vectors")
    same_tools(vectors)
    return np.stack([vector.as_array() for vector in vectors])


def same_tools(vectors: Sequence[RewardVector]) -> None:
    """Raises UserError where trajectories that are to be compared were offered different tools."""
    for position, vector in enumerate(vectors):
        if vector.tools != vectors[0].tools:
            raise UserError(
                "trajectories can be compared only where they were offered the same tools in the same order: "
                f"trajectory 0 had [{', '.join(vectors[0].tools)}], trajectory {position} [{', '.join(vector.tools)}]"
            )
