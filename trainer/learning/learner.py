"""One update of the policy: advantages, filters, micro-batches, loss, clip, step."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import torch
from torch import Tensor

from trainer.config import Algorithm, Optimization
from trainer.distributed import Processes
from trainer.learning.balance import balanced
from trainer.learning.descent import Descent
from trainer.learning.lesson import Lesson
from trainer.learning.loss import importance_weights, kl_estimate, token_weights
from trainer.learning.objective import MEANS, policy_loss, whole_sequences
from trainer.learning.ppo import CriticLearner
from trainer.learning.reference import AsItBegan, Reference
from trainer.learning.tally import Tally
from trainer.learning.watch import Watch
from trainer.model.packing import Microbatch, dummy, microbatches
from trainer.model.policy import Policy, Scores
from trainer.rewards.filters import Example, Selection, select
from trainer.sequence import SPOILED, Group, TokenSequence

LEFT_OUT = (*SPOILED, "broken_groups", "homogeneous_groups", "malformed", "unanswered")
PER_TOKEN = ("entropy", "clip_share", "reference_kl")
SUMS = (*LEFT_OUT, *PER_TOKEN, "rollouts", "reward", "sequences", "tokens", "scored", "compared", "mismatch_kl")


class Learner:
    """The policy, its optimizer, and the ways in which it learns: GRPO, PPO where there is a critic, and imitation.

    Every process calls the same methods in the same order, each with what it has itself; the gradients are
    those that one process would have got from everything together. Who computes them is balanced: a process whose
    rollouts teach nothing learns from those of others.
    """

    def __init__(
        self,
        policy: Policy,
        algorithm: Algorithm,
        optimization: Optimization,
        *,
        steps: int,
        temperature: float = 1.0,
        longest: int | None = None,
        processes: Processes | None = None,
        reference: Reference | AsItBegan | None = None,
        critic: CriticLearner | None = None,
        rate: str = "optimization.learning_rate",
    ) -> None:
        """
        Args:
            policy: to be trained.
            algorithm: GRPO's choices, and PPO's.
            optimization: AdamW's, and the budget of a micro-batch.
            steps: how many there will be, for the schedule of the learning rate.
            temperature: at which rollouts are sampled; log-probabilities are those of that distribution.
            longest: tokens that an episode may sample: the constant that Dr. GRPO divides by.
            processes: the processes that train; None for this one alone.
            reference: the starting checkpoint, where `kl_coefficient` is not 0.
            critic: makes it PPO.
            rate: the setting of the learning rate, for an error's sentence.
        """
        self.critic = critic
        self.policy, self.reference, self.processes = policy, reference, processes or Processes()
        self.algorithm, self.optimization, self.steps, self.temperature = algorithm, optimization, steps, temperature
        self._recomputes = algorithm.old_policy == "recompute"
        # PPO's rewards and its critic's targets are made of them, before there is any pass that learns.
        self._asks_old = algorithm.asks_old or (self._recomputes and critic is not None)
        self._mean = MEANS[algorithm.loss]
        if self._mean == "constant" and longest is None:
            raise ValueError("a mean over a constant length needs `longest`")
        self._longest = float(longest or 1)
        self._descent = Descent(policy, optimization, steps, self.processes, rate)
        if (reference is None) != (algorithm.kl_coefficient == 0):
            raise ValueError("a reference policy and a kl_coefficient come together")

    @property
    def optimizer(self) -> torch.optim.AdamW:
        """The policy's."""
        return self._descent.optimizer

    def tensors(self) -> dict[str, Tensor]:
        """Everything that learns, by name, for a checkpoint; and what it is compared with, where no file has that."""
        own = self._descent.tensors() | (self.critic.tensors() if self.critic else {})
        return own | (self.reference.tensors() if isinstance(self.reference, AsItBegan) else {})

    def update(
        self, groups: Sequence[Group], rewards: Sequence[Sequence[float]], step: int, watch: Watch | None = None
    ) -> dict[str, float]:
        """Learn from this process's groups (GRPO, or PPO).

        Where no process has a group worth learning from, the policy stays as it is.

        Args:
            groups: the rollouts of each task.
            rewards: R of each of them, in the same order.
            step: from 0.
            watch: is told what became of each rollout and its tokens; every process gives one, or none does.

        Returns:
            Figures over all processes: `updates` made; `rollouts`, and `reward_mean` of those that count; `sequences`
            and `tokens` learnt from; `broken_groups`, `homogeneous_groups`, `malformed`, `unanswered`,
            `environment_error` and `user_error`, left out; and, where an update was made, `loss`, `grad_norm`,
            `learning_rate`, `entropy`, `clip_share`, `reference_kl`, and `mismatch_kl` and `mismatch_max` between what
            engine and trainer make of the tokens before any update; with a critic, its figures (`CriticLearner.learn`).

        Raises:
            UserError: the loss or its gradient is not finite; the weights are still those before the step.
        """
        selection = select(groups, rewards, self.algorithm)
        tally = Tally(SUMS, ["mismatch_max"], selection.counts)
        tally.add("rollouts", sum(len(values) for values in rewards))
        tally.add("reward", math.fsum(value for values in rewards for value in values))
        cut = self._cut(selection.examples)
        parts: Sequence[Sequence[Lesson] | None] = [self._lessons(part, tally) for part in cut]
        learned: dict[str, float] = {}
        if self.critic:
            parts = valued = self.critic.valued(parts, self.algorithm.kl_coefficient)
            learned = self.critic.learn(valued, self.algorithm.epochs_per_batch, step)
        taught: list[tuple[float, float]] = []
        for _ in range(self.algorithm.epochs_per_batch):
            for lessons in parts:
                if lessons is not None:
                    taught.append(self._teach(lessons, step, tally, before_any_update=not taught))
        if watch is not None:
            self._tell(watch, selection, cut, parts)
        return self._figures(tally, taught, step) | learned

    def _tell(
        self,
        watch: Watch,
        selection: Selection,
        cut: Sequence[Sequence[Example]],
        parts: Sequence[Sequence[Lesson] | None],
    ) -> None:
        """What became of each rollout, and what each of its tokens was and is to the policy."""
        watch.selected(selection)
        for examples, lessons in zip(cut, parts, strict=True):
            if lessons is None:
                continue
            batches = [lesson.batch for lesson in lessons]
            updated = self._asked(self.policy, batches) if watch.rescores else [None] * len(batches)
            for lesson, after in zip(lessons, updated, strict=True):
                before = lesson.old if self._asks_old else lesson.passes[0]
                watch.learnt(examples, lesson, before, after)
        watch.bring_home(self.processes)

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
        loss, norm = self._descent.step(batches, lambda _, batch: -self.policy(batch).logprobs.sum() / tokens, step)
        rate = self._descent.rate(step)
        return {"updates": 1.0, "tokens": tokens, "loss": loss, "grad_norm": norm, "learning_rate": rate}

    def _cut(self, own: Sequence[Example]) -> list[list[Example]]:
        """The examples of all processes in `minibatches` parts, in order, and of each part this process's share."""
        parts, rank = self.algorithm.minibatches, self.processes.rank
        own = [replace(example, home=(rank, place)) for place, example in enumerate(own)]
        examples = [example for each in self.processes.everywhere(own) for example in each]
        cuts = [len(examples) * part // parts for part in range(parts + 1)]
        shares = []
        for first, end in pairwise(cuts):
            part = examples[first:end]
            places = balanced([example.sequence for example in part], self.processes.size)[rank]
            shares.append([part[place] for place in places])
        return shares

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
        rewards = torch.tensor([example.reward for example in examples], device=self.processes.device)
        advantages = torch.tensor([example.advantage for example in examples], device=self.processes.device)
        references = self._asked(self.reference, batches) if self.reference else [None] * len(batches)
        lessons = [
            Lesson(
                batch=batch,
                weights=token_weights(lengths[batch.owners], self._mean, tokens, count, self._longest),
                rewards=rewards[batch.owners],
                advantages=advantages[batch.owners],
                old=batch.behaviour,
                importance=torch.ones_like(batch.behaviour),
                reference=reference,
            )
            for batch, reference in zip(batches, references, strict=True)
        ]
        if not self._asks_old:
            return lessons
        olds = self._asked(self.policy, batches)
        for lesson, old in zip(lessons, olds, strict=True):
            self._compare(old, lesson.batch.behaviour, tally)
        return [self._told(lesson, old) for lesson, old in zip(lessons, olds, strict=True)]

    def _told(self, lesson: Lesson, old: Tensor) -> Lesson:
        """The lesson with the old policy's log-probabilities [S] as the trainer makes them."""
        one_ratio = whole_sequences(lesson.batch, self.algorithm)
        weights = importance_weights(old, lesson.batch.behaviour, self.algorithm.importance_cap, one_ratio)
        return replace(lesson, old=old, importance=weights)

    @torch.no_grad()
    def _asked(self, policy: Reference, batches: Sequence[Microbatch]) -> list[Tensor]:
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
        """One optimizer step of the policy; its loss and the norm of its gradient."""

        def loss(place: int, batch: Microbatch) -> Tensor:
            scores: Scores = self.policy(batch, self.temperature)
            lesson, new = lessons[place], scores.logprobs
            lesson.passes.append(new.detach())
            if before_any_update and not self._asks_old:
                self._compare(new.detach(), batch.behaviour, tally)
                lesson = self._told(lesson, new.detach()) if self._recomputes else lesson
            each, clipped = policy_loss(new, lesson, self.algorithm)
            each = each * lesson.importance
            if lesson.reference is not None:
                divergence = kl_estimate(new, lesson.reference)
                tally.add("reference_kl", divergence.sum().item())
                if not self.critic:  # PPO has it in the rewards.
                    each = each + self.algorithm.kl_coefficient * divergence
            tally.add("scored", len(new))
            tally.add("clip_share", clipped.sum().item())
            tally.add("entropy", scores.entropies.sum().item())
            return (each * lesson.weights).sum()

        return self._descent.step([lesson.batch for lesson in lessons], loss, step)

    def _compare(self, trainer: Tensor, engine: Tensor, tally: Tally) -> None:
        """Note how far the trainer's log-probabilities are from those of the engine that sampled."""
        tally.add("compared", len(trainer))
        tally.add("mismatch_kl", kl_estimate(engine, trainer).sum().item())
        tally.rise("mismatch_max", (trainer - engine).abs().max().item())

    def _figures(self, tally: Tally, taught: Sequence[tuple[float, float]], step: int) -> dict[str, float]:
        sums = tally.over(self.processes)
        figures = {name: sums[name] for name in ("rollouts", "sequences", "tokens", *LEFT_OUT)}
        figures["updates"] = float(len(taught))
        counted = sums["rollouts"] - sum(sums[name] for name in SPOILED)
        figures["reward_mean"] = sums["reward"] / max(1.0, counted)
        if taught:
            losses, norms = zip(*taught, strict=True)
            figures |= {name: sums[name] / sums["scored"] for name in PER_TOKEN}
            figures["loss"], figures["grad_norm"] = sum(losses) / len(taught), sum(norms) / len(taught)
            figures["learning_rate"] = self._descent.rate(step)
            figures["mismatch_kl"] = sums["mismatch_kl"] / max(1.0, sums["compared"])
            figures["mismatch_max"] = sums["mismatch_max"]
        return figures
