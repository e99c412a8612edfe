"""vLLM beside the trainer: it samples from exactly the policy that the trainer scores, before and after updates."""

import asyncio
import multiprocessing
from collections.abc import AsyncIterator, Coroutine, Iterator, Sequence
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

import psutil
import pytest
import torch
from transformers import AutoTokenizer

from toolscale.errors import UserError
from trainer.config import Model, Rewarding, Rollouts
from trainer.model.packing import microbatches
from trainer.model.policy import Policy
from trainer.rollout.chat import Chat
from trainer.rollout.collect import Collector
from trainer.rollout.engine import Completion, EngineDied, NotServed, PromptTooLong, Sampling
from trainer.rollout.failures import FAILURES
from trainer.rollout.vllm_engine import VllmEngine, check_cache
from trainer.rollout.weight_transfer import Files, choose_way
from trainer.sequence import TokenSequence
from trainer.tasks.exercise import Exercise

from .forward import logprobs_of

T = TypeVar("T")

pytestmark = pytest.mark.timeout(1800)  # An engine takes minutes to start on a machine that has other work.

LIMITS = Rollouts(
    max_turns=6,
    max_prompt_tokens=600,
    max_sampled_tokens=200,
    context_tokens=1024,
    kv_cache_gib=0.25,
    enforce_eager=True,
    at_once=16,
)


class Running:
    """An engine on an event loop of its own, which outlives a test."""

    def __init__(self, folder: Path) -> None:
        self.loop = asyncio.new_event_loop()
        self.model = Model(path=str(folder), dtype="float32")
        self.chat = Chat(AutoTokenizer.from_pretrained(folder))
        self.engine = self.wait(VllmEngine.start(self.model, LIMITS, self.chat.stop_ids))

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(asyncio.wait_for(work, 900))


@pytest.fixture(scope="module")
def running(taught_llama: Path) -> Iterator[Running]:
    made = Running(taught_llama)
    yield made
    made.wait(made.engine.close())
    made.loop.close()


@pytest.mark.vllm
def test_ratio_is_one_for_every_sampled_token_before_the_first_update(
    running: Running, exercises: list[Exercise]
) -> None:
    policy = Policy.load(running.model)
    with Collector(running.engine, running.chat, LIMITS, Rewarding()) as collector:
        groups = running.wait(collector.groups(exercises[:4], 4, seed="0"))
    sequences = [rollout.sequence for group in groups for rollout in group.rollouts]
    assert max(len(sequence.versions) for sequence in sequences) >= 2
    seen = 0
    with torch.no_grad():
        for batch in microbatches(sequences, 4096):
            ratio = (policy(batch).logprobs - batch.behaviour).exp()
            torch.testing.assert_close(ratio, torch.ones_like(ratio), atol=1e-4, rtol=0)
            seen += len(ratio)
    assert seen == sum(sequence.sampled_count for sequence in sequences)


@pytest.mark.vllm
def test_after_an_update_the_new_policy_samples_and_cached_prefixes_are_forgotten(
    running: Running, exercises: list[Exercise]
) -> None:
    old = Policy.load(running.model)
    new = Policy.load(running.model)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in new.parameters():
            noise = torch.randn(parameter.shape, generator=generator)
            parameter.add_(0.05 * parameter.std(correction=0) * noise)
    with Collector(running.engine, running.chat, LIMITS, Rewarding()) as collector:
        running.wait(collector.groups(exercises[:2], 2, seed="1"))  # fills the prefix cache with the old policy's
        running.wait(running.engine.load_weights(new.weights(), 5))
        groups = running.wait(collector.groups(exercises[:2], 2, seed="1"))
    for sequence in (rollout.sequence for group in groups for rollout in group.rollouts):
        assert set(sequence.versions) == {5}
        assert _gap(new, sequence) < 1e-4
        assert _gap(old, sequence) > 1e-2
    running.wait(running.engine.load_weights(old.weights(), 6))


@pytest.mark.vllm
def test_weights_that_come_in_the_middle_count_from_the_next_message_on_and_the_abandoned_are_forgotten(
    running: Running, exercises: list[Exercise]
) -> None:
    old, new = Policy.load(running.model), Policy.load(running.model)
    with torch.no_grad():
        for parameter in new.parameters():
            parameter.mul_(1.1)
    running.wait(running.engine.load_weights(old.weights(), 8))

    answered = asyncio.Event()

    class Tells:
        """Tells when the first message was sampled."""

        context_limit = running.engine.context_limit
        seat, load_weights, close = running.engine.seat, running.engine.load_weights, running.engine.close

        async def sample(self, prompt: Sequence[int], sampling: Sampling) -> Completion:
            done = await running.engine.sample(prompt, sampling)
            answered.set()
            return done

    async def story(collector: Collector) -> list[TokenSequence]:
        playing = asyncio.ensure_future(collector.first_whole(exercises[:8], 4, "2", 6))
        await answered.wait()
        await running.engine.load_weights(new.weights(), 9)
        groups = await playing
        assert len(groups) == 6
        return [rollout.sequence for group in groups.values() for rollout in group.rollouts]

    with Collector(Tells(), running.chat, LIMITS, Rewarding()) as collector:
        sequences = running.wait(story(collector))
    assert any(len(set(sequence.versions)) == 2 for sequence in sequences)
    for sequence in sequences:
        for version, policy in ((8, old), (9, new)):
            assert _gap(policy, _only(sequence, version)) < 1e-4
    assert not running.engine._llm.output_processor.has_unfinished_requests()
    running.wait(running.engine.load_weights(old.weights(), 10))


def _only(sequence: TokenSequence, version: int) -> TokenSequence:
    """The same, where only messages of one version count as sampled."""
    sampled, message = list(sequence.sampled), -1
    for place in range(1, len(sequence)):
        message += sequence.sampled[place] and not sequence.sampled[place - 1]
        sampled[place] = sequence.sampled[place] and sequence.versions[message] == version
    return replace(sequence, sampled=sampled)


@pytest.mark.vllm
def test_limits_are_kept_and_a_seed_gives_the_same_message(running: Running) -> None:
    prompt = running.chat.opening([{"role": "user", "content": "Hang coat T1 on 31."}], [])

    async def sampled(most: int, seed: int, temperature: float = 1.0) -> Any:
        return await running.engine.sample(prompt, Sampling(most, temperature, seed=seed))

    assert running.wait(sampled(30, 1)).ids == running.wait(sampled(30, 1)).ids
    assert running.wait(sampled(30, 1, 0.0)).ids == running.wait(sampled(30, 2, 0.0)).ids
    cut = running.wait(sampled(1, 1))
    assert (len(cut.ids), cut.finished) == (1, "length")
    full = running.wait(running.engine.sample([5] * 1020, Sampling(50, seed=0)))
    assert len(full.ids) <= 4
    with pytest.raises(PromptTooLong):
        running.wait(running.engine.sample([5] * 1024, Sampling(1)))


@pytest.mark.vllm
def test_z_an_engine_whose_process_dies_says_so(running: Running) -> None:
    for process in multiprocessing.active_children():
        if "EngineCore" in process.name:
            process.kill()
    prompt = running.chat.opening([{"role": "user", "content": "?"}], [])
    with pytest.raises(EngineDied, match="its log above has the cause"):
        running.wait(running.engine.sample(prompt, Sampling(50)))


class Failing:
    """An AsyncLLM that fails at prompts, or ends messages as it likes."""

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.ends = "stop"

    async def generate(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        if self.error is not None:
            raise self.error
        yield SimpleNamespace(
            outputs=[
                SimpleNamespace(token_ids=[7], logprobs=[{7: SimpleNamespace(logprob=-1.0)}], finish_reason=self.ends)
            ]
        )


def test_a_prompt_at_which_the_engine_fails_costs_its_own_rollout_and_twenty_in_a_row_the_training() -> None:
    pytest.importorskip("vllm")
    from vllm.v1.engine.exceptions import EngineDeadError, EngineGenerateError

    llm: Any = Failing()
    engine = VllmEngine(llm, Files(), Model(path="unused", dtype="float32"), LIMITS, [2])

    def sampled() -> Completion:
        return asyncio.run(engine.sample([5], Sampling(4)))

    for llm.ends in ("abort", "error"):
        with pytest.raises(NotServed, match=f"finish reason {llm.ends}"):
            sampled()
    for llm.ends in ("stop", "length"):
        assert sampled().finished == llm.ends, "no other ending counts as a limit"
    llm.error = EngineGenerateError()
    llm.error.__cause__ = RuntimeError("out of range")
    for _ in range(FAILURES - 1):
        with pytest.raises(NotServed, match="out of range"):
            sampled()
    with pytest.raises(EngineDied, match="20 in a row"):
        sampled()
    llm.error = EngineDeadError()
    with pytest.raises(EngineDied, match="died"):
        sampled()


def _hold(folder: Path, told: Connection) -> None:
    """Start an engine, tell its process's id, and wait to be killed."""
    running = Running(folder)
    told.send([process.pid for process in multiprocessing.active_children()])
    running.loop.run_forever()


@pytest.mark.vllm
def test_an_engine_ends_with_a_trainer_that_was_killed(tiny_llama: Path) -> None:
    heard, told = multiprocessing.Pipe(duplex=False)
    # Not a daemon: those may have no children.
    trainer = multiprocessing.get_context("spawn").Process(target=_hold, args=(tiny_llama, told), daemon=False)
    trainer.start()
    assert heard.poll(900)
    engines = [psutil.Process(pid) for pid in heard.recv()]
    assert engines
    trainer.kill()
    trainer.join()
    _, alive = psutil.wait_procs(engines, timeout=30)
    assert not alive


def test_a_cache_too_small_for_one_episode_is_refused_before_anything_is_loaded(tiny_llama: Path) -> None:
    model = Model(path=str(tiny_llama), dtype="float32")
    # 2 (keys and values) x 2 layers x 2 heads x 32 x 4 bytes x 1024 tokens = 1 MiB
    mib = 1 / 1024
    check_cache(model, LIMITS, 1.0 * mib, "float32")
    with pytest.raises(UserError, match=r"KV cache .* too small for one episode"):
        check_cache(model, LIMITS, 0.99 * mib, "float32")
    check_cache(model, LIMITS, 0.5 * mib, "bfloat16")


@pytest.mark.skipif(torch.cuda.is_available(), reason="says what is missing without a GPU")
def test_ways_that_need_a_gpu_are_refused_without_one() -> None:
    assert choose_way("auto", in_process=True) == "shm"
    assert choose_way("auto", in_process=False) == "shm"
    for way in ("ipc", "nccl"):
        with pytest.raises(UserError, match="needs a GPU"):
            choose_way(way, in_process=True)


def _gap(policy: Policy, sequence: TokenSequence) -> float:
    sampled = torch.tensor(sequence.sampled[1:])
    difference = torch.tensor(sequence.logprobs[1:]) - logprobs_of(policy.model, sequence.ids)
    return float(difference[sampled].abs().max()) if sampled.any() else 0.0
