"""What a benchmark asks, and what an attempt at it came to."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from toolscale.orchestration.trace import Trace

if TYPE_CHECKING:
    from toolscale.evaluation.solver import Solver


@dataclass(frozen=True)
class Score:
    """Whether an attempt solved its problem, and why."""

    solved: bool
    reason: str


@dataclass(frozen=True)
class BenchmarkAttempt:
    """What an orchestrator did about a problem."""

    trace: Trace
    tools: tuple[str, ...]
    """What it was offered, called or not."""
    score: Score


class Problem(Protocol):
    """One task of a benchmark."""

    @property
    def id(self) -> str:
        """Unlike any other's of its benchmark."""
        ...

    @property
    def topic(self) -> str:
        """What accuracy is broken down by; empty where the benchmark has no topics."""
        ...

    async def attempt(self, solver: "Solver") -> BenchmarkAttempt:
        """Have the orchestrator solve it, and judge what it did.

        Raises:
            GatewayError: an endpoint failed; that is nobody's attempt.
        """
        ...
