"""A run that its budget ended: what was paid, what is done, what is left, and how to go on."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pipelines.progress import Progress
from pipelines.refusals import Refusal
from toolscale.errors import causes_of
from toolscale.llm import BudgetSpent
from toolscale.llm.budget import Spent


class StageStopped(Refusal):
    """The budget ended a stage. A retry would not help; another run goes on from there."""

    def __init__(self, error: BudgetSpent, paid: Spent, at: Progress) -> None:
        self.reason, self.paid, self.at = error.reason, paid, at
        super().__init__(
            f"The budget is spent: {error.reason}. This run paid {_paid(paid)}, and stopped in {_place(at)}. Every "
            "answer is kept. To continue, materialize the rest of the chain in a new run: its budget starts anew.",
            metadata={
                "calls_paid": paid.calls,
                "dollars_paid": paid.dollars,
                **({"done": at.done, "total": at.total} if at.total else {}),
            },
        )


class PoorYield(Refusal):
    """Too little comes of a domain of a fleet. Another run of that domain alone goes on from there."""

    def __init__(self, reason: str, at: Progress) -> None:
        self.reason, self.at = reason, at
        super().__init__(
            f"Stopped early in {_place(at)}: {reason}. Every answer is kept. To go on with it, name the domain: "
            f"`toolscale synthesize {at.domain}`, or materialize its partition alone."
        )


@dataclass(frozen=True)
class Stop:
    """Where a run of several domains was stopped."""

    reason: str
    calls: int
    """Newly made in this run."""
    dollars: float
    domain: str
    stage: str
    done: int
    total: int
    """Of what the stage makes; 0 where it does not know."""
    finished_stages: Sequence[str]
    """Of that domain."""
    left_stages: Sequence[str]
    left_domains: Sequence[str]
    """Not begun."""

    def as_json(self) -> dict[str, Any]:
        """What ``--json`` prints."""
        return {"stopped": asdict(self)}

    def as_text(self, again: str) -> str:
        """One paragraph for the user. ``again`` is the command that goes on."""
        counted = f" ({self.done} of {self.total} done)" if self.total else ""
        after = f", then {', '.join(self.left_domains)}" if self.left_domains else ""
        lines = [
            f"The budget is spent: {self.reason}.",
            f"Paid in this run: {_paid(Spent(self.calls, self.dollars))}. Every answer is kept.",
            f"Done of {self.domain}: {', '.join(self.finished_stages) or 'nothing yet'}.",
            f"Left: the rest of {self.stage}{counted}, {', '.join([*self.left_stages, 'dataset'])}{after}.",
            "The same command continues from there and pays for nothing twice. A cap counts what one run newly pays:",
            f"  {again}",
            "`toolscale estimate` says about what the rest will cost.",
        ]
        return "\n".join(lines)


class RunStopped(Exception):  # noqa: N818 - it is no error: the user asked for it
    """The budget ended a run; nothing that was paid for is lost."""

    def __init__(self, stop: Stop) -> None:
        super().__init__(stop)
        self.stop = stop

    def __str__(self) -> str:
        return self.stop.reason


def stop_behind(error: BaseException) -> StageStopped | None:
    """The stage that a budget ended, if that is what led to an error out of Dagster."""
    return next((cause for cause in causes_of(error) if isinstance(cause, StageStopped)), None)


def where(stopped: StageStopped, stages: Sequence[str], domains_left: Sequence[str]) -> Stop:
    """Where the run stands, given all stages of a domain in their order."""
    at = stages.index(stopped.at.stage)
    return Stop(
        reason=stopped.reason,
        calls=stopped.paid.calls,
        dollars=stopped.paid.dollars,
        domain=stopped.at.domain,
        stage=stopped.at.stage,
        done=stopped.at.done,
        total=stopped.at.total,
        finished_stages=stages[:at],
        left_stages=stages[at + 1 :],
        left_domains=domains_left,
    )


def _paid(paid: Spent) -> str:
    return f"${paid.dollars:.4f} for {paid.calls} calls"


def _place(at: Progress) -> str:
    return f"{at.stage} of {at.domain}" + (f" ({at.done} of {at.total} done)" if at.total else "")
