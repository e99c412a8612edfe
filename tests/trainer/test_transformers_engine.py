"""The back end without vLLM: exact log-probabilities, the same to the bit whoever else is sampled."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM
from transformers.generation import (
    MinPLogitsWarper,
    RepetitionPenaltyLogitsProcessor,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from toolscale.errors import UserError
from trainer.config import Model, Rollouts
from trainer.model.logprobs import sampled_logprobs
from trainer.rollout.chat import Chat
from trainer.rollout.engine import Completion, EngineDied, PromptTooLong, Sampling
from trainer.rollout.transformers_engine import TransformersEngine

from .forward import logprobs_of


@pytest.fixture
def engine(tiny_llama: Path, tokenizer: Any) -> TransformersEngine:
    model = Model(path=str(tiny_llama), dtype="float32")
    limits = Rollouts(backend="transformers", context_tokens=128, max_prompt_tokens=64)
    return TransformersEngine.load(model, limits, Chat(tokenizer).stop_ids, torch.device("cpu"))


def sample_all(engine: TransformersEngine, prompts: list[list[int]], **sampling: Any) -> list[Completion]:
    async def ask() -> list[Completion]:
        wanted = [Sampling(max_tokens=12, seed=place, **sampling) for place in range(len(prompts))]
        return list(await asyncio.gather(*map(engine.sample, prompts, wanted)))

    return asyncio.run(ask())


PROMPTS = [[5, 6, 7], [9] * 20, [11, 12, 13, 14, 15, 16, 17]]


@pytest.mark.parametrize("temperature", [0.0, 0.7, 1.0])
def test_logprobs_are_those_of_a_plain_forward_pass(
    engine: TransformersEngine, tiny_llama: Path, temperature: float
) -> None:
    model = AutoModelForCausalLM.from_pretrained(tiny_llama, dtype=torch.float32)
    for prompt, done in zip(PROMPTS, sample_all(engine, PROMPTS, temperature=temperature), strict=True):
        expected = logprobs_of(model, [*prompt, *done.ids], temperature or 1.0)[len(prompt) - 1 :]
        torch.testing.assert_close(torch.tensor(done.logprobs), expected, atol=1e-5, rtol=0)


def test_in_bfloat16_logits_are_as_exact_as_the_trainers(tiny_llama: Path, tokenizer: Any) -> None:
    model = Model(path=str(tiny_llama), dtype="bfloat16")
    limits = Rollouts(backend="transformers", context_tokens=128, max_prompt_tokens=64)
    engine = TransformersEngine.load(model, limits, Chat(tokenizer).stop_ids, torch.device("cpu"))
    plain: Any = AutoModelForCausalLM.from_pretrained(tiny_llama, dtype=torch.bfloat16)
    for prompt in PROMPTS:
        (done,) = sample_all(engine, [prompt])
        with torch.no_grad():
            state = plain.model(torch.tensor([prompt])).last_hidden_state[0, -1]
            targets = torch.tensor(done.ids[:1])
            expected, _ = sampled_logprobs(state[None], plain.lm_head.weight, targets)
        assert done.logprobs[0] == pytest.approx(float(expected), abs=1e-6)


def test_seeds_decide_and_the_order_of_asking_does_not(engine: TransformersEngine) -> None:
    first = sample_all(engine, PROMPTS)
    assert sample_all(engine, PROMPTS) == first

    async def asked_backwards() -> list[Completion]:
        pairs = [(prompt, Sampling(12, seed=place)) for place, prompt in enumerate(PROMPTS)]
        return list(await asyncio.gather(*(engine.sample(*pair) for pair in reversed(pairs))))

    assert asyncio.run(asked_backwards())[::-1] == first
    assert len({tuple(done.ids) for done in sample_all(engine, [PROMPTS[0]] * 3)}) > 1


def test_whoever_has_a_seat_is_waited_for(engine: TransformersEngine) -> None:
    sizes: list[int] = []
    complete = engine._complete
    engine._complete = lambda batch: sizes.append(len(batch)) or complete(batch)  # type: ignore[method-assign, func-returns-value]

    async def player(delay: float, times: int) -> None:
        with engine.seat():
            for _ in range(times):
                await asyncio.sleep(delay)
                await engine.sample([5, 6], Sampling(1, seed=0))

    async def play() -> None:
        await asyncio.wait_for(asyncio.gather(player(0, 3), player(0.05, 2), player(0.1, 1)), 60)

    asyncio.run(play())
    assert sizes == [3, 2, 1]


@pytest.mark.parametrize("narrow", [{"top_k": 5}, {"min_p": 0.6}, {"top_k": 40, "min_p": 0.5, "top_p": 0.3}])
def test_tokens_are_drawn_from_the_distribution_that_transformers_makes(
    engine: TransformersEngine, tiny_llama: Path, narrow: dict[str, Any]
) -> None:
    model = AutoModelForCausalLM.from_pretrained(tiny_llama, dtype=torch.float32)
    warpers = [
        warper(narrow[name])
        for name, warper in (("min_p", MinPLogitsWarper), ("top_k", TopKLogitsWarper), ("top_p", TopPLogitsWarper))
        if name in narrow
    ]
    for prompt, done in zip(PROMPTS, sample_all(engine, PROMPTS, temperature=0.7, **narrow), strict=True):
        ids = torch.tensor([[*prompt, *done.ids]])
        scores = model(ids).logits[0, len(prompt) - 1 : -1].float() / 0.7
        for warper in warpers:
            scores = warper(ids, scores)
        expected = scores.log_softmax(-1).gather(-1, ids[0, len(prompt) :, None])[:, 0]
        torch.testing.assert_close(torch.tensor(done.logprobs), expected, atol=1e-5, rtol=0)


def test_what_was_said_is_less_likely_by_the_penalty_as_transformers_has_it(
    engine: TransformersEngine, tiny_llama: Path
) -> None:
    model, penalized = AutoModelForCausalLM.from_pretrained(tiny_llama, dtype=torch.float32), 1.3
    for temperature in (0.0, 0.7):
        for prompt, done in zip(
            PROMPTS, sample_all(engine, PROMPTS, temperature=temperature, repetition_penalty=penalized), strict=True
        ):
            for place, (token, said) in enumerate(zip(done.ids, done.logprobs, strict=True)):
                ids = torch.tensor([[*prompt, *done.ids[:place]]])
                scores = RepetitionPenaltyLogitsProcessor(penalized)(ids, model(ids).logits[:, -1].float())[0]
                if not temperature:
                    assert token == int(scores.argmax())
                expected = (scores.detach() / (temperature or 1)).log_softmax(-1)[token]
                assert said == pytest.approx(float(expected), abs=1e-5)


def test_top_p_renormalizes_over_the_likeliest_tokens(engine: TransformersEngine) -> None:
    for done in sample_all(engine, PROMPTS, top_p=1e-6):
        assert done.logprobs == [0.0] * len(done.ids)


def test_new_weights_are_what_is_sampled_from(engine: TransformersEngine, tiny_llama: Path) -> None:
    model = AutoModelForCausalLM.from_pretrained(tiny_llama, dtype=torch.float32)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=torch.Generator().manual_seed(1)), alpha=0.05)
    asyncio.run(engine.load_weights(model.named_parameters(), 7))
    (done,) = sample_all(engine, PROMPTS[:1])
    expected = logprobs_of(model, [*PROMPTS[0], *done.ids])[len(PROMPTS[0]) - 1 :]
    torch.testing.assert_close(torch.tensor(done.logprobs), expected, atol=1e-5, rtol=0)
    assert done.version == 7


def test_limits_and_a_closed_engine_are_told_apart(engine: TransformersEngine) -> None:
    (full,) = sample_all(engine, [[5] * 124])
    assert full.finished == "length"
    assert len(full.ids) == 4
    with pytest.raises(PromptTooLong):
        asyncio.run(engine.sample([5] * 128, Sampling(1)))
    asyncio.run(engine.close())
    with pytest.raises(EngineDied):
        asyncio.run(engine.sample([5], Sampling(1)))


def test_a_context_beyond_the_models_positions_is_refused(tiny_llama: Path) -> None:
    with pytest.raises(UserError, match=r"rollouts\.context_tokens"):
        TransformersEngine.load(
            Model(path=str(tiny_llama)), Rollouts(context_tokens=5000, max_prompt_tokens=64), [0], torch.device("cpu")
        )


def test_weights_that_come_while_messages_are_sampled_count_from_the_next_message_on(
    engine: TransformersEngine, tiny_llama: Path
) -> None:
    """Also where somebody who has a seat does not ask: nobody waits for the other for ever."""
    old = AutoModelForCausalLM.from_pretrained(tiny_llama, dtype=torch.float32)
    new = AutoModelForCausalLM.from_pretrained(tiny_llama, dtype=torch.float32)
    with torch.no_grad():
        for parameter in new.parameters():
            parameter.mul_(1.2)

    async def story() -> list[Completion]:
        with engine.seat():
            first = asyncio.ensure_future(engine.sample(PROMPTS[0], Sampling(12, seed=0)))
            for _ in range(3):
                await asyncio.sleep(0)
            assert engine._busy is not None
            assert not engine._waiting, "its batch has begun"
            with engine.seat():
                later = asyncio.ensure_future(engine.sample(PROMPTS[1], Sampling(12, seed=1)))
                await asyncio.sleep(0)
                await asyncio.wait_for(engine.load_weights(new.named_parameters(), 5), 60)
            return [await asyncio.wait_for(one, 60) for one in (first, later)]

    before, after = asyncio.run(story())
    assert (before.version, after.version) == (0, 5)
    for prompt, done, model in ((PROMPTS[0], before, old), (PROMPTS[1], after, new)):
        expected = logprobs_of(model, [*prompt, *done.ids])[len(prompt) - 1 :]
        torch.testing.assert_close(torch.tensor(done.logprobs), expected, atol=1e-5, rtol=0)
