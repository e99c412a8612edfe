"""What a benchmark asks, and what an attempt at it came to."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from toolscale.catalogue.configuration import ToolConfiguration
from toolscale.evaluation.preferences import BenchmarkPreference
from toolscale.orchestration.trace import Trace

if TYPE_CHECKING:
    from toolscale.evaluation.solver import Solver


@dataclass(frozen=True)
class Score:
    """Whether an attempt solved its problem, and why."""

    solved: bool
    reason: str
    user_fault: bool = False
    """The simulated user broke the attempt, so that it counts neither way."""


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


@runtime_checkable
class OfOneUser(Protocol):
    """A problem that may say itself which tools it is attempted with, and what its user prefers."""

    @property
    def id(self) -> str: ...

    @property
    def configuration(self) -> ToolConfiguration | None:
        """The tools of this problem alone, where it has such."""
        ...

    @property
    def preference(self) -> BenchmarkPreference | None:
        """What its own user prefers, where that is known."""
        ...
