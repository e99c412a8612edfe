"""What the loss of each name is made of (docs/training.md has them side by side)."""

from collections.abc import Mapping

from torch import Tensor

from trainer.config import Algorithm, LossName
from trainer.learning.lesson import Lesson
from trainer.learning.loss import Mean, clipped_surrogate, ratios, weighted_logprobs
from trainer.model.packing import Microbatch

MEANS: Mapping[LossName, Mean] = {
    "grpo": "sequence",
    "dr_grpo": "constant",
    "dapo": "token",
    "gspo": "sequence",
    "cispo": "token",
}


def policy_loss(new: Tensor, lesson: Lesson, algorithm: Algorithm) -> tuple[Tensor, Tensor]:
    """The configured loss.

    Args:
        new: log-probabilities under the policy, [S]; the gradient flows through them.
        lesson: what else the loss has to know of these tokens.
        algorithm: the loss's name, and its clips.

    Returns:
        The loss of each token [S], and which of them a clip cut off from the gradient or, for CISPO, weighs less [S].
    """
    low, high = algorithm.clip
    ratio = ratios(new, lesson.old, whole_sequences(lesson.batch, algorithm))
    if algorithm.loss == "cispo":
        return weighted_logprobs(new, ratio, lesson.advantages, low, high)
    return clipped_surrogate(ratio, lesson.advantages, low, high, algorithm.dual_clip)


def whole_sequences(batch: Microbatch, algorithm: Algorithm) -> Tensor | None:
    """Which sequence each token is of, [S], where all of a sequence has one ratio; None where each token has its own.

    A micro-batch has whole sequences alone.
    """
    return batch.owners if algorithm.loss == "gspo" else None
