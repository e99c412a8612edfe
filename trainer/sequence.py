"""A trajectory as the model saw it: token ids that are only ever appended to, and which of them it chose itself."""

from dataclasses import dataclass, field

from toolscale.artifacts import Trajectory, Verdict
from toolscale.episodes.loop import Ending
from toolscale.rewards import RewardVector

SPOILED: tuple[Ending, Ending] = ("environment_error", "user_error")
"""Endings of rollouts that say nothing about the policy: the environment or the simulated user broke them."""
LIMITS: tuple[Ending, ...] = ("turn_limit", "message_limit", "length_limit", "context_limit")
"""Endings of rollouts that a limit cut off."""


@dataclass
class TokenSequence:
    """Ids in the order in which the model read them.

    What was sampled stays as it was sampled, never decoded and encoded again: that would change ids (TRL #2712, verl
    #3960), and the ratio of new to old policy would be of other tokens.

    All three lists have one length. `prompt_length` tokens come before the first sampled one; the rollouts of a group
    share them, so the policy may compute them once.
    """

    ids: list[int]
    sampled: list[bool]
    """The loss mask: True for tokens that the policy chose."""
    logprobs: list[float]
    """Log-probability of each sampled token under the policy that sampled it, at the sampling temperature; else 0.0."""
    prompt_length: int
    versions: list[int] = field(default_factory=list)
    """The version of the weights behind each completion, in order; more than one where weights came in between."""

    @classmethod
    def of_prompt(cls, ids: list[int]) -> "TokenSequence":
        """A sequence that has only its prompt yet."""
        return cls(list(ids), [False] * len(ids), [0.0] * len(ids), len(ids))

    def append_sampled(self, ids: list[int], logprobs: list[float], version: int) -> None:
        """Tokens of the model's own choice."""
        assert len(ids) == len(logprobs)
        self.ids += ids
        self.sampled += [True] * len(ids)
        self.logprobs += logprobs
        self.versions.append(version)

    def append_given(self, ids: list[int]) -> None:
        """Tokens that came from outside: the end of a turn that the template adds, a tool's answer."""
        self.ids += ids
        self.sampled += [False] * len(ids)
        self.logprobs += [0.0] * len(ids)

    @property
    def sampled_count(self) -> int:
        """Tokens that count in the loss."""
        return sum(self.sampled)

    @property
    def read(self) -> int:
        """Tokens that a model has to read to score it: all that come before the last sampled one."""
        return len(self) - 1 - self.sampled[::-1].index(True) if any(self.sampled) else 0

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True)
class Rollout:
    """One episode of the policy at one task, played and judged."""

    task_id: str
    sequence: TokenSequence
    trajectory: Trajectory
    verdict: Verdict
    ending: Ending
    vector: RewardVector
    """The paper's M of this trajectory (section 3.2)."""
    fault: str | None = None
    """What breaks the tool format, if anything does: the sentence that the format filter reports."""

    @property
    def solved(self) -> bool:
        """Whether its verdict is good, and it came to an end of its own: what a limit cut is no solution."""
        return self.vector.solved

    @property
    def counts(self) -> bool:
        """Whether it says anything about the policy."""
        return self.ending not in SPOILED


@dataclass(frozen=True)
class Group:
    """The rollouts of one task: the batch T over which rewards are normalized and advantages computed."""

    task_id: str
    rollouts: tuple[Rollout, ...]
