"""What PPO adds to the loop of GRPO: a critic that learns, and the advantages that it gives every token (GAE)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from trainer.config import PPO, Optimization
from trainer.distributed import Processes
from trainer.learning.descent import Descent
from trainer.learning.lesson import Lesson
from trainer.learning.loss import clipped_value_loss
from trainer.learning.tally import Tally
from trainer.model.critic import Critic
from trainer.model.packing import Microbatch, dummy
from trainer.rewards.advantages import generalized_advantages, moments, token_rewards, whitened


@dataclass(frozen=True, kw_only=True)
class ValuedLesson(Lesson):
    """A lesson with an advantage for each token, and what the critic is to learn from it."""

    values: Tensor
    """[S], what the critic expected before each token, before it learned anything from this batch."""
    returns: Tensor
    """[S], what it should have expected."""


class CriticLearner:
    """The critic with its optimizer. Every process calls the same methods, each with its own lessons."""

    def __init__(
        self, critic: Critic, settings: PPO, optimization: Optimization, *, steps: int, processes: Processes
    ) -> None:
        """All of `optimization` but the learning rate is the policy's."""
        self.critic, self.settings, self.processes = critic, settings, processes
        own = optimization.model_copy(update={"learning_rate": settings.critic_learning_rate})
        self._descent = Descent(critic, own, steps, processes, rate="ppo.critic_learning_rate")

    @property
    def optimizer(self) -> torch.optim.AdamW:
        """The critic's."""
        return self._descent.optimizer

    def tensors(self) -> dict[str, Tensor]:
        """Its weights and moments by name, for a checkpoint."""
        return {f"critic/{name}": tensor for name, tensor in self._descent.tensors().items()}

    def valued(
        self, parts: Sequence[Sequence[Lesson] | None], kl_coefficient: float
    ) -> list[list[ValuedLesson] | None]:
        """The lessons of each optimizer step (None: no process has a token) with values, returns, and advantages.

        Advantages are whitened over all of them in all processes.
        """
        valued = [None if part is None else self._valued(part, kl_coefficient) for part in parts]
        mean, variance = moments([each.advantages for part in valued for each in part or ()], self.processes)
        return [
            None
            if part is None
            else [replace(each, advantages=whitened(each.advantages, mean, variance).float()) for each in part]
            for part in valued
        ]

    def learn(self, parts: Sequence[Sequence[ValuedLesson] | None], epochs: int, step: int) -> dict[str, float]:
        """As many optimizer steps as the policy takes on the batch.

        Args:
            parts: the lessons of each optimizer step of an epoch.
            epochs: how often to go through them.
            step: from 0.

        Returns:
            Figures over all processes, where there was anything to learn: `value_loss`, `value_clip_share`,
            `critic_grad_norm`, `critic_learning_rate`; and, where the returns vary, `explained_variance`, the share of
            it that the values explained before any update.

        Raises:
            UserError: the loss or its gradient is not finite.
        """
        tally = Tally(["clipped", "scored"])
        taught = [self._teach(part, step, tally) for _ in range(epochs) for part in parts if part is not None]
        if not taught:
            return {}
        losses, norms = zip(*taught, strict=True)
        sums = tally.over(self.processes)
        return {
            "value_loss": sum(losses) / len(taught),
            "value_clip_share": sums["clipped"] / sums["scored"],
            "critic_grad_norm": sum(norms) / len(taught),
            "critic_learning_rate": self._descent.rate(step),
            **self._explained([lesson for part in parts for lesson in part or ()]),
        }

    @torch.no_grad()
    def _valued(self, lessons: Sequence[Lesson], kl_coefficient: float) -> list[ValuedLesson]:
        valued = []
        for place, batch in enumerate(self.processes.in_step([lesson.batch for lesson in lessons])):
            values = self.critic(batch or dummy().to(self.processes.device))
            if batch:
                lesson, owners = lessons[place], batch.owners
                kl = None if lesson.reference is None else lesson.old - lesson.reference
                rewards = token_rewards(lesson.rewards, owners, kl, kl_coefficient)
                advantages = generalized_advantages(
                    rewards, values, owners, self.settings.gamma, self.settings.gae_lambda
                )
                own = {"advantages": advantages, "values": values, "returns": (advantages + values).float()}
                valued.append(ValuedLesson(**vars(lesson) | own))
        return valued

    def _teach(self, lessons: Sequence[ValuedLesson], step: int, tally: Tally) -> tuple[float, float]:
        """One optimizer step; its loss and the norm of its gradient."""

        def loss(place: int, batch: Microbatch) -> Tensor:
            lesson = lessons[place]
            each, clipped = clipped_value_loss(
                self.critic(batch), lesson.values, lesson.returns, self.settings.value_clip
            )
            tally.add("scored", len(each))
            tally.add("clipped", clipped.sum().item())
            return (each * lesson.weights).sum()

        return self._descent.step([lesson.batch for lesson in lessons], loss, step)

    def _explained(self, lessons: Sequence[ValuedLesson]) -> dict[str, float]:
        mean, variance = moments([lesson.returns for lesson in lessons], self.processes)
        _, left = moments([lesson.returns - lesson.values for lesson in lessons], self.processes)
        # Equal numbers have a variance by rounding alone.
        return {"explained_variance": 1 - left / variance} if variance > 1e-12 * (1 + mean**2) else {}
