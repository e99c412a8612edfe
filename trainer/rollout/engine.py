"""What samples tokens: vLLM in process, vLLM as a server, or transformers' `generate`, behind one interface."""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Literal, Protocol

import torch


@dataclass(frozen=True)
class Sampling:
    """How the next message is drawn. Temperature 0 is greedy."""

    max_tokens: int
    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = 0
    """0 is all tokens."""
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    """What logits of tokens of the prompt and of the message so far are divided by (multiplied, below 0); 1 is none."""
    seed: int | None = None
    """The same seed, weights and prompt give the same tokens on one engine in fp32."""


@dataclass(frozen=True)
class Completion:
    """Sampled ids, the end-of-turn token included where the model chose it, with their log-probabilities."""

    ids: list[int]
    logprobs: list[float]
    """Under the distribution that was sampled from (after temperature), natural logarithm."""
    finished: Literal["stop", "length"]
    version: int
    """The version of the weights that it was drawn from."""


class Engine(Protocol):
    """An engine that many episodes ask at once; it batches them as it can."""

    context_limit: int
    """Tokens that a prompt and its completion may have together."""

    def seat(self) -> AbstractContextManager[None]:
        """Held by whoever will ask again and again.

        An engine that samples in batches waits until everybody who has a seat has asked, so that its batches, and with
        them the last bits of its results, do not hang on who was quicker.
        """
        ...

    async def sample(self, prompt: Sequence[int], sampling: Sampling) -> Completion:
        """The next message after these ids.

        Raises:
            PromptTooLong: the prompt leaves no room for one token.
            NotServed: the engine fails at this prompt, and serves others.
            EngineDied: the engine, or the server it stands for, is gone.
        """
        ...

    async def load_weights(self, weights: Iterable[tuple[str, torch.Tensor]], version: int) -> None:
        """Take over the policy's weights (full tensors under transformers' names) and forget every cached prefix.

        With `rollouts.lora_as: adapter` they are its adapters, under the names of peft's files.

        Messages that are being sampled are finished first, and those asked for meanwhile wait: each is of one version,
        which it carries.
        """
        ...

    async def sleep(self) -> None:
        """Give back what memory it can until the next `load_weights`; nobody may ask meanwhile."""
        ...

    async def close(self) -> None:
        """Give back memory and processes."""
        ...


class PromptTooLong(Exception):  # noqa: N818 - named after what is wrong
    """A prompt that fills the context; the episode ends with `context_limit`."""


class NotServed(Exception):  # noqa: N818 - named after what happened
    """A request at which an engine that is well fails; the episode ends with `environment_error`."""


class EngineDied(Exception):  # noqa: N818 - named after what happened
    """An engine that answers no more; the message says which one and what to do, but for how to go on."""
