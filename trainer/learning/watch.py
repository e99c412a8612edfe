"""What an update makes of each rollout and of each of its tokens, for whoever writes it down."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from trainer.distributed import Processes
from trainer.learning.lesson import Lesson
from trainer.rewards.filters import Example, Selection
from trainer.sequence import TokenSequence


@dataclass(frozen=True)
class TokenFigures:
    """Of the sampled tokens of one sequence, in order; what was not asked for is None."""

    trainer: list[float]
    """Log-probability under the trainer's policy before the update (with minibatches, before their own part of it)."""
    updated: list[float] | None
    """The same after the update."""
    advantages: list[float]


@dataclass
class Watch:
    """Rollouts are found by their sequence: one object, from the engine that sampled it to the filters.

    Their tokens may be learnt from in another process, and their figures come back from there.
    """

    rescores: bool = False
    """Whether tokens are to be scored again after the update."""
    _selection: Selection = field(default_factory=Selection)
    _learnt: dict[tuple[int, int], TokenFigures] = field(default_factory=dict)
    _tokens: dict[int, TokenFigures] = field(default_factory=dict)

    def selected(self, selection: Selection) -> None:
        """What the filters made of the batch."""
        self._selection = selection

    def learnt(self, examples: Sequence[Example], lesson: Lesson, before: Tensor, after: Tensor | None) -> None:
        """What one micro-batch of these examples came to; `before` and `after` are log-probabilities, [S]."""
        owners, counts = torch.unique_consecutive(lesson.batch.owners, return_counts=True)
        each = counts.tolist()
        columns = [
            [part.tolist() for part in torch.split(values, each)] if values is not None else [None] * len(each)
            for values in (before, after, lesson.advantages)
        ]
        for owner, *figures in zip(owners.tolist(), *columns, strict=True):
            self._learnt[examples[owner].home] = TokenFigures(*figures)

    def bring_home(self, processes: Processes) -> None:
        """Figures go to the processes that played what they are of; all have to call it."""
        for each in processes.everywhere(self._learnt):
            for (rank, place), figures in each.items():
                if rank == processes.rank:
                    self._tokens[id(self._selection.examples[place].sequence)] = figures

    def advantage(self, sequence: TokenSequence) -> float | None:
        """In its group; None where that was not worth learning from."""
        return self._selection.advantages.get(id(sequence))

    def left_out(self, sequence: TokenSequence) -> str | None:
        """Why nothing was learnt from it; None where something was."""
        return self._selection.left_out.get(id(sequence))

    def tokens(self, sequence: TokenSequence) -> TokenFigures | None:
        """What was learnt from its tokens; None where nothing was."""
        return self._tokens.get(id(sequence))
