"""Sampling with transformers alone, for machines where vLLM does not run: slower, and the same to the bit every time.

Whoever has a seat is waited for, and all who asked are sampled together, in an order that does not hang on who asked
first. So a batch is what the tasks and seeds make it, and its floating-point sums come out alike in every run.
"""

import asyncio
import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor
from transformers import AutoModelForCausalLM, DynamicCache, PreTrainedModel, RepetitionPenaltyLogitsProcessor

from toolscale.errors import UserError
from trainer.config import Model, Rollouts
from trainer.model.logprobs import float32_product
from trainer.rollout.engine import Completion, EngineDied, PromptTooLong, Sampling


@dataclass
class _Request:
    prompt: list[int]
    sampling: Sampling
    answer: asyncio.Future[Completion]


class TransformersEngine:
    """A model of its own, beside the one that learns, in evaluation mode."""

    def __init__(self, model: PreTrainedModel, stop_ids: Sequence[int], context_limit: int) -> None:
        self.context_limit = context_limit
        self._model = model
        model.train(False)
        self._stop_ids = torch.tensor(sorted(stop_ids), device=model.device)
        self._version = 0
        self._seats = 0
        self._waiting: list[_Request] = []
        self._busy: asyncio.Task[None] | None = None
        self._loading = False
        self._closed = False

    @classmethod
    def load(
        cls, model: Model, rollouts: Rollouts, stop_ids: Sequence[int], device: torch.device
    ) -> "TransformersEngine":
        """The checkpoint that training starts from.

        Raises:
            UserError: the context is longer than what the model was made for.
        """
        loaded: Any = AutoModelForCausalLM.from_pretrained(
            model.path,
            revision=model.revision,
            dtype=getattr(torch, rollouts.dtype or model.dtype),
            attn_implementation=model.attention,
        )
        head = loaded.get_output_embeddings()
        if loaded.dtype == torch.bfloat16 and isinstance(head, torch.nn.Linear):
            head.forward = partial(_float32_logits, head)  # type: ignore[method-assign]
        longest = getattr(loaded.config, "max_position_embeddings", None)
        if longest and rollouts.context_tokens > longest:
            raise UserError(
                f"rollouts.context_tokens is {rollouts.context_tokens}, and {model.path} has {longest} positions: "
                "lower it"
            )
        return cls(loaded.to(device), stop_ids, rollouts.context_tokens)

    @contextmanager
    def seat(self) -> Iterator[None]:
        """While seats are taken, a batch starts when everybody who has one waits for an answer."""
        self._seats += 1
        try:
            yield
        finally:
            self._seats -= 1
            self._start_if_all_wait()

    async def sample(self, prompt: Sequence[int], sampling: Sampling) -> Completion:
        """See `Engine.sample`."""
        if self._closed:
            raise EngineDied("the transformers engine was closed; open another")
        if len(prompt) >= self.context_limit:
            raise PromptTooLong(f"a prompt of {len(prompt)} tokens in a context of {self.context_limit}")
        request = _Request(list(prompt), sampling, asyncio.get_running_loop().create_future())
        self._waiting.append(request)
        self._start_if_all_wait()
        return await request.answer

    async def load_weights(self, weights: Iterable[tuple[str, Tensor]], version: int) -> None:
        """See `Engine.load_weights`."""
        self._loading = True
        try:
            while self._busy is not None:
                await asyncio.wait([self._busy])
            own = dict(self._model.named_parameters())
            with torch.no_grad():
                for name, tensor in weights:
                    own[name].copy_(tensor)
            self._version = version
        finally:
            self._loading = False
            self._start_if_all_wait()

    async def sleep(self) -> None:
        """See `Engine.sleep`; it keeps its weights, and no cache outlives a batch."""

    async def close(self) -> None:
        """See `Engine.close`."""
        self._closed = True
        if self._busy is not None:
            await asyncio.gather(self._busy, return_exceptions=True)
        del self._model

    def _start_if_all_wait(self) -> None:
        free = self._busy is None and not self._loading
        if self._waiting and free and len(self._waiting) >= self._seats:
            self._busy = asyncio.ensure_future(self._answer_all())

    async def _answer_all(self) -> None:
        # One turn of the loop: without seats, requests that were made together are answered together.
        await asyncio.sleep(0)
        batch = [request for request in self._waiting if not request.answer.cancelled()]
        self._waiting.clear()
        batch.sort(key=lambda request: (request.prompt, request.sampling.seed or 0))
        try:
            if batch:
                completions = await asyncio.to_thread(self._complete, batch)
                for request, completion in zip(batch, completions, strict=True):
                    if not request.answer.done():
                        request.answer.set_result(completion)
        except Exception as error:
            for request in batch:
                if not request.answer.done():
                    request.answer.set_exception(error)
        finally:
            self._busy = None
            self._start_if_all_wait()

    @torch.inference_mode()
    def _complete(self, batch: list[_Request]) -> list[Completion]:
        """Sample all messages of the batch, token by token; a message that is done leaves the batch.

        Prompts are padded on the left to one length, so that the last column is everybody's next token.
        """
        device = self._model.device
        longest = max(len(request.prompt) for request in batch)
        ids = torch.zeros(len(batch), longest, dtype=torch.long, device=device)
        seen = torch.zeros_like(ids)
        for row, request in enumerate(batch):
            ids[row, longest - len(request.prompt) :] = torch.tensor(request.prompt, device=device)
            seen[row, longest - len(request.prompt) :] = 1
        drawn: list[list[int]] = [[] for _ in batch]
        logprobs: list[list[float]] = [[] for _ in batch]
        stopped = [False] * len(batch)
        draws = [_Draw(request, device) for request in batch]
        rows = list(range(len(batch)))
        cache = DynamicCache(config=self._model.config)
        positions = (seen.cumsum(-1) - 1).clamp(min=0)
        while rows:
            output = self._model(
                input_ids=ids, attention_mask=seen, position_ids=positions, past_key_values=cache, logits_to_keep=1
            )
            logits = output.logits[:, -1].float()
            staying = []
            for place, row in enumerate(rows):
                token, logprob = draws[row].next(logits[place])
                drawn[row].append(token)
                logprobs[row].append(logprob)
                stopped[row] = bool((self._stop_ids == token).any())
                room = min(batch[row].sampling.max_tokens, self.context_limit - len(batch[row].prompt))
                if not stopped[row] and len(drawn[row]) < room:
                    staying.append(place)
            if len(staying) < len(rows):
                keep = torch.tensor(staying, dtype=torch.long, device=device)
                cache.batch_select_indices(keep)
                seen, positions = seen[keep], positions[keep]
                rows = [rows[place] for place in staying]
            ids = torch.tensor([[drawn[row][-1]] for row in rows], dtype=torch.long, device=device)
            seen = torch.cat([seen, torch.ones(len(rows), 1, dtype=seen.dtype, device=device)], dim=1)
            positions = positions[:, -1:] + 1
        return [
            Completion(drawn[row], logprobs[row], "stop" if stopped[row] else "length", self._version)
            for row in range(len(batch))
        ]


def _float32_logits(head: torch.nn.Linear, states: Tensor) -> Tensor:
    """What the head makes of states [..., H], not rounded to bfloat16: the trainer's logits are not either."""
    logits = float32_product(states.flatten(0, -2), head.weight.T).view(*states.shape[:-1], -1)
    return logits if head.bias is None else logits + head.bias


class _Draw:
    """How one message's tokens are drawn: by a generator of its own, so that nobody else's draws matter."""

    def __init__(self, request: _Request, device: torch.device) -> None:
        self._sampling = request.sampling
        self._said = torch.tensor(request.prompt, device=device)
        self._generator = torch.Generator(device=device)
        if self._sampling.seed is None:
            self._generator.seed()
        else:
            self._generator.manual_seed(self._sampling.seed)

    def next(self, logits: Tensor) -> tuple[int, float]:
        """A token from logits [V] (float32), and its log-probability under the distribution that it was drawn from."""
        if self._sampling.repetition_penalty != 1:
            penalized = RepetitionPenaltyLogitsProcessor(self._sampling.repetition_penalty)
            logits = penalized(self._said[None], logits[None])[0]
        token, logprob = self._drawn(logits)
        self._said = torch.cat([self._said, self._said.new_tensor([token])])
        return token, logprob

    def _drawn(self, logits: Tensor) -> tuple[int, float]:
        if self._sampling.temperature == 0:
            token = int(logits.argmax())
            return token, float(logits.log_softmax(-1)[token])
        scaled = logits / self._sampling.temperature
        if self._sampling.min_p:
            scaled = _not_unlikely(scaled, self._sampling.min_p)
        if self._sampling.top_k:
            scaled = _likeliest(scaled, self._sampling.top_k)
        if self._sampling.top_p < 1:
            scaled = _nucleus(scaled, self._sampling.top_p)
        distribution = scaled.log_softmax(-1)
        token = int(torch.multinomial(distribution.exp(), 1, generator=self._generator))
        return token, float(distribution[token])


def _not_unlikely(logits: Tensor, share: float) -> Tensor:
    """Logits [V] of tokens at least `share` times as likely as the likeliest; the rest are minus infinity."""
    return logits.masked_fill(logits < logits.max() + math.log(share), -torch.inf)


def _likeliest(logits: Tensor, count: int) -> Tensor:
    """Logits [V] of the `count` likeliest tokens, and of those as likely as the last; the rest are minus infinity."""
    least = logits.topk(min(count, len(logits))).values[-1]
    return logits.masked_fill(logits < least, -torch.inf)


def _nucleus(logits: Tensor, share: float) -> Tensor:
    """Logits [V] of the likeliest tokens that together have `share` of the probability; the rest are minus infinity."""
    ordered, places = logits.sort(descending=True)
    before = ordered.softmax(-1).cumsum(-1) - ordered.softmax(-1)
    return logits.masked_fill(
        torch.zeros_like(logits, dtype=torch.bool).scatter(0, places, before >= share), -torch.inf
    )
