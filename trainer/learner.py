"""One update of the policy: advantages, filters, micro-batches, loss, clip, step."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from toolscale.errors import UserError
from trainer.config import Algorithm, Optimization
from trainer.distributed import Processes, full
from trainer.filters import Example, select
from trainer.loss import clipped_surrogate, importance_weights, kl_estimate, token_weights
from trainer.optimizer import adamw, learning_rate
from trainer.packing import Microbatch, dummy, microbatches
from trainer.policy import Policy, Scores
from trainer.sequence import Group, TokenSequence
from trainer.tally import Tally

LEFT_OUT = ("environment_error", "homogeneous_groups", "malformed", "unanswered")
PER_TOKEN = ("entropy", "clip_share", "reference_kl")
SUMS = (*LEFT_OUT, *PER_TOKEN, "rollouts", "reward", "sequences", "tokens", "scored", "compared", "mismatch_kl")


@dataclass(frozen=True)
class Lesson:
    """A micro-batch, and what the loss has to know of each of its S sampled tokens."""

    batch: Microbatch
    weights: Tensor
    """[S], by how much it counts; 1 over all lessons of all processes."""
    advantages: Tensor
    """[S], of the sequence it is of."""
    old: Tensor
    """[S], its log-probability under the old policy."""
    importance: Tensor
    """[S], truncated importance weight; 1 where the rollout's own log-probabilities are the old policy's."""
    reference: Tensor | None
    """[S], its log-probability under the reference; None without a KL term."""


class Learner:
    """The policy, its optimizer, and the two ways in which it learns.

    Every process calls the same methods in the same order, each with what it has itself; the gradients are
    those that one process would have got from everything together.
    """

    def __init__(
        self,
        policy: Policy,
        algorithm: Algorithm,
        optimization: Optimization,
        *,
        steps: int,
        temperature: float = 1.0,
        processes: Processes | None = None,
        reference: Policy | None = None,
    ) -> None:
        """
        Args:
            policy: to be trained.
            algorithm: GRPO's choices.
            optimization: AdamW's, and the budget of a micro-batch.
            steps: how many there will be, for the schedule of the learning rate.
            temperature: at which rollouts are sampled; log-probabilities are those of that distribution.
            processes: the processes that train; None for this one alone.
            reference: the starting checkpoint, where `kl_coefficient` is not 0.
        """
        self.policy, self.reference, self.processes = policy, reference, processes or Processes()
        self.algorithm, self.optimization, self.steps, self.temperature = algorithm, optimization, steps, temperature
        self.optimizer = adamw(policy, optimization)
        self._trained = [parameter for parameter in policy.parameters() if parameter.requires_grad]
        if (reference is None) != (algorithm.kl_coefficient == 0):
            raise ValueError("a reference policy and a kl_coefficient come together")

    def update(self, groups: Sequence[Group], rewards: Sequence[Sequence[float]], step: int) -> dict[str, float]:
        """Learn from this process's groups (GRPO).

        Where no process has a group worth learning from, the policy stays as it is.

        Args:
            groups: the rollouts of each task.
            rewards: R of each of them, in the same order.
            step: from 0.

        Returns:
            Figures over all processes: `updates` made; `rollouts` and their `reward_mean`; `sequences` and `tokens`
            learnt from; `homogeneous_groups`, `malformed`, `unanswered` and `environment_error`, left out; and, where
            an update was made, `loss`, `grad_norm`, `learning_rate`, `entropy`, `clip_share`, `reference_kl`, and
            `mismatch_kl` and `mismatch_max` between what engine and trainer make of the tokens before any update.

        Raises:
            UserError: the loss or its gradient is not finite; the weights are still those before the step.
        """
        selection = select(groups, rewards, self.algorithm)
        tally = Tally(SUMS, ["mismatch_max"], selection.counts)
        tally.add("rollouts", sum(len(values) for values in rewards))
        tally.add("reward", math.fsum(value for values in rewards for value in values))
        parts = [self._lessons(part, tally) for part in self._cut(selection.examples)]
        taught: list[tuple[float, float]] = []
        for _ in range(self.algorithm.epochs_per_batch):
            for lessons in parts:
                if lessons is not None:
                    taught.append(self._teach(lessons, step, tally, before_any_update=not taught))
        return self._figures(tally, taught, step)

    def imitate(self, sequences: Sequence[TokenSequence], step: int) -> dict[str, float]:
        """Learn to say what was sampled in `sequences` (supervised fine-tuning); the loss is the mean over its tokens.

        Returns:
            Figures over all processes: `updates` and `tokens`, and where there were any `loss`, `grad_norm` and
            `learning_rate`.

        Raises:
            UserError: the loss or its gradient is not finite; the weights are still those before the step.
        """
        batches = self._packed(sequences)
        (tokens,) = self.processes.sums([sum(len(batch.targets) for batch in batches)])
        if not tokens:
            return {"updates": 0.0, "tokens": 0.0}
        loss, norm = self._descend(batches, lambda _, scores: -scores.logprobs.sum() / tokens, step, temperature=1.0)
        rate = learning_rate(self.optimization, step, self.steps)
        return {"updates": 1.0, "tokens": tokens, "loss": loss, "grad_norm": norm, "learning_rate": rate}

    def _cut(self, examples: Sequence[Example]) -> list[Sequence[Example]]:
        """Into `minibatches` parts, in order, so that the sequences of a group stay together."""
        parts = self.algorithm.minibatches
        cuts = [len(examples) * part // parts for part in range(parts + 1)]
        return [examples[cuts[part] : cuts[part + 1]] for part in range(parts)]

    def _packed(self, sequences: Sequence[TokenSequence]) -> list[Microbatch]:
        packed = microbatches(sequences, self.optimization.tokens_per_microbatch, self.policy.shares_prompts)
        return [batch.to(self.processes.device) for batch in packed]

    def _lessons(self, examples: Sequence[Example], tally: Tally) -> list[Lesson] | None:
        """What one optimizer step learns from; None where it has no token in any process."""
        sequences = [example.sequence for example in examples]
        batches = self._packed(sequences)
        tokens, count = self.processes.sums([sum(len(batch.targets) for batch in batches), len(sequences)])
        if not tokens:
            return None
        tally.add("tokens", sum(len(batch.targets) for batch in batches))
        tally.add("sequences", len(sequences))
        lengths = torch.tensor([sequence.sampled_count for sequence in sequences], device=self.processes.device)
        advantages = torch.tensor([example.advantage for example in examples], device=self.processes.device)
        olds = [batch.behaviour for batch in batches]
        importances = [torch.ones_like(old) for old in olds]
        if self.algorithm.old_policy == "recompute":
            olds = self._asked(self.policy, batches)
            cap = self.algorithm.importance_cap
            importances = [
                importance_weights(old, batch.behaviour, cap) for old, batch in zip(olds, batches, strict=True)
            ]
            for old, batch in zip(olds, batches, strict=True):
                self._compare(old, batch.behaviour, tally)
        references = self._asked(self.reference, batches) if self.reference else [None] * len(batches)
        return [
            Lesson(
                batch=batch,
                weights=token_weights(lengths[batch.owners], self.algorithm.loss_norm, tokens, count),
                advantages=advantages[batch.owners],
                old=old,
                importance=importance,
                reference=reference,
            )
            for batch, old, importance, reference in zip(batches, olds, importances, references, strict=True)
        ]

    @torch.no_grad()
    def _asked(self, policy: Policy, batches: Sequence[Microbatch]) -> list[Tensor]:
        """The log-probabilities [S] of each micro-batch under `policy`."""
        asked = []
        for batch in self.processes.in_step(batches):
            scores = policy(batch or dummy().to(self.processes.device), self.temperature)
            if batch:
                asked.append(scores.logprobs)
        return asked

    def _teach(
        self, lessons: Sequence[Lesson], step: int, tally: Tally, *, before_any_update: bool
    ) -> tuple[float, float]:
        """One optimizer step of GRPO; its loss and the norm of its gradient."""
        rollouts_are_old = self.algorithm.old_policy == "rollout"

        def loss(place: int, scores: Scores) -> Tensor:
            lesson, new = lessons[place], scores.logprobs
            if before_any_update and rollouts_are_old:
                self._compare(new.detach(), lesson.batch.behaviour, tally)
            each, clipped = clipped_surrogate(
                new, lesson.old, lesson.advantages, self.algorithm.clip_low, self.algorithm.clip_high
            )
            each = each * lesson.importance
            if lesson.reference is not None:
                divergence = kl_estimate(new, lesson.reference)
                tally.add("reference_kl", divergence.sum().item())
                each = each + self.algorithm.kl_coefficient * divergence
            tally.add("scored", len(new))
            tally.add("clip_share", clipped.sum().item())
            tally.add("entropy", scores.entropies.sum().item())
            return (each * lesson.weights).sum()

        return self._descend([lesson.batch for lesson in lessons], loss, step, self.temperature)

    def _descend(
        self,
        batches: Sequence[Microbatch],
        loss: Callable[[int, Scores], Tensor],
        step: int,
        temperature: float,
    ) -> tuple[float, float]:
        """One optimizer step: the loss of all processes, and the norm of its gradient before it was clipped."""
        self.optimizer.zero_grad(set_to_none=True)
        own = 0.0
        for place, batch in enumerate(self.processes.in_step(batches)):
            scores: Scores = self.policy(batch or dummy().to(self.processes.device), temperature)
            part = loss(place, scores) if batch else scores.logprobs.sum() * 0
            # FSDP takes the mean over the processes; `part` is a share of the sum over them.
            (part * self.processes.size).backward()  # type: ignore[no-untyped-call]
            own += part.item()
        (whole,) = self.processes.sums([own])
        norm = full(torch.nn.utils.clip_grad_norm_(self._trained, self.optimization.max_grad_norm)).item()
        if not (math.isfinite(whole) and math.isfinite(norm)):
            self.optimizer.zero_grad(set_to_none=True)
            raise UserError(
                f"step {step}: the loss is {whole} and the norm of its gradient {norm}; the weights stay as they were. "
                "Lower optimization.learning_rate or set model.dtype to float32, and resume from the last checkpoint"
            )
        for parameters in self.optimizer.param_groups:
            parameters["lr"] = learning_rate(self.optimization, step, self.steps)
        self.optimizer.step()
        return whole, norm

    def _compare(self, trainer: Tensor, engine: Tensor, tally: Tally) -> None:
        """Note how far the trainer's log-probabilities are from those of the engine that sampled."""
        tally.add("compared", len(trainer))
        tally.add("mismatch_kl", kl_estimate(engine, trainer).sum().item())
        tally.rise("mismatch_max", (trainer - engine).abs().max().item())

    def _figures(self, tally: Tally, taught: Sequence[tuple[float, float]], step: int) -> dict[str, float]:
        sums = tally.over(self.processes)
        figures = {name: sums[name] for name in ("rollouts", "sequences", "tokens", *LEFT_OUT)}
        figures["updates"] = float(len(taught))
        figures["reward_mean"] = sums["reward"] / max(1.0, sums["rollouts"])
        if taught:
            losses, norms = zip(*taught, strict=True)
            figures |= {name: sums[name] / sums["scored"] for name in PER_TOKEN}
            figures["loss"], figures["grad_norm"] = sum(losses) / len(taught), sum(norms) / len(taught)
            figures["learning_rate"] = learning_rate(self.optimization, step, self.steps)
            figures["mismatch_kl"] = sums["mismatch_kl"] / max(1.0, sums["compared"])
            figures["mismatch_max"] = sums["mismatch_max"]
        return figures
