"""An engine that shares a GPU sleeps while the policy learns, and wakes in the order that leaves most room."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from transformers import AutoTokenizer

from trainer.config import Model, Rewarding, Rollouts
from trainer.grpo import _Training
from trainer.model.packing import microbatches
from trainer.model.policy import Policy
from trainer.rollout.chat import Chat
from trainer.rollout.collect import Collector
from trainer.rollout.vllm_engine import FLOAT32_HEAD, VllmEngine, sleeps
from trainer.rollout.weight_transfer import Control, Piece
from trainer.tasks.exercise import Exercise

from .chance import with_adapters

LORA = {"rank": 4, "alpha": 8}
MODEL = Model(path="nowhere", dtype="float32", lora=LORA)
LIMITS = Rollouts(
    max_turns=6,
    max_prompt_tokens=600,
    max_sampled_tokens=200,
    context_tokens=1024,
    kv_cache_gib=0.25,
    enforce_eager=True,
    at_once=16,
    lora_as="adapter",
    sleep=True,
)
WEIGHTS = [("base_model.model.model.layers.0.mlp.up_proj.lora_A.weight", torch.ones(4, 8))]


class Recorded:
    """An AsyncLLM that only notes what is asked of it, and says that it did."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __getattr__(self, name: str) -> Any:
        async def noted(*given: Any) -> bool:
            words = [str(each) for each in given if isinstance(each, int | list)]
            self.asked.append(" ".join([name, *words]))
            return True

        return noted


class Wire:
    """A link that hands over nothing."""

    async def open(self, controls: list[Control]) -> None: ...

    async def send(self, controls: list[Control], piece: Piece) -> None:
        for control in controls:
            await control.update({})


def asked_of(engine: VllmEngine, llm: Recorded, sleeping: bool) -> list[str]:
    async def update() -> None:
        if sleeping:
            await engine.sleep()
            await engine.sleep()
        await engine.load_weights(WEIGHTS, 1)

    llm.asked.clear()
    asyncio.run(update())
    return llm.asked


def made(**settings: object) -> tuple[VllmEngine, Recorded]:
    pytest.importorskip("vllm")
    llm = Recorded()
    rollouts = Rollouts.model_validate({"context_tokens": 64, "max_prompt_tokens": 32, **settings})
    return VllmEngine(llm, Wire(), MODEL, rollouts, [0]), llm  # type: ignore[arg-type]


UPDATE = ["start_weight_update", "update_weights", "finish_weight_update", "reset_prefix_cache"]


def test_on_a_gpu_an_engine_starts_with_room_a_float32_head_and_sleep(
    tiny_llama: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vllm = pytest.importorskip("vllm")
    from vllm.v1.engine.async_llm import AsyncLLM

    done: list[Any] = []

    class Asked(Exception):  # noqa: N818 - it stands for a start
        pass

    def starts(given: dict[str, Any]) -> None:
        done.append(given)
        raise Asked

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: done.append("empty_cache"))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    monkeypatch.setattr(vllm, "AsyncEngineArgs", dict)
    monkeypatch.setattr(AsyncLLM, "from_engine_args", starts)
    for dtype, head in (("bfloat16", FLOAT32_HEAD), ("float32", {})):
        model = Model(path=str(tiny_llama), dtype=dtype)
        rollouts = Rollouts(context_tokens=64, max_prompt_tokens=32, kv_cache_gib=1, weight_transfer="ipc")
        with pytest.raises(Asked):
            asyncio.run(VllmEngine.start(model, rollouts, [0]))
        emptied, given = done
        done.clear()
        assert emptied == "empty_cache", "vLLM starts only where its share is free"
        assert (given["hf_overrides"], given["enable_sleep_mode"], given["dtype"]) == (head, True, dtype)
        assert "enable_chunked_prefill" not in given, "which is turned off on a CPU alone"


def test_what_pieces_of_weights_took_of_a_gpu_is_given_back_before_the_cache_wakes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine, llm = made(sleep=True)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: llm.asked.append("empty_cache"))
    assert asked_of(engine, llm, sleeping=True)[-2:] == ["empty_cache", "wake_up ['kv_cache']"]


def test_what_learning_took_of_a_gpu_is_given_back_before_an_engine_takes_weights(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done: list[str] = []

    class Engine:
        async def load_weights(self, weights: object, version: int) -> None:
            done.append(f"load_weights {version}")

    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: done.append("empty_cache"))
    for device, expected in (("cuda", ["empty_cache", "load_weights 3"]), ("cpu", ["load_weights 3"])):
        training = SimpleNamespace(
            processes=SimpleNamespace(device=torch.device(device)),
            learner=SimpleNamespace(policy=SimpleNamespace(handed_out=lambda rollouts: [])),
            config=SimpleNamespace(rollouts=Rollouts()),
            engine=Engine(),
            standing=SimpleNamespace(step=3),
        )
        done.clear()
        asyncio.run(_Training._hand_over(training))  # type: ignore[arg-type]
        assert done == expected


def test_weights_that_are_sent_again_are_dropped_and_the_cache_comes_back_after_them() -> None:
    engine, llm = made(sleep=True)
    expected = ["sleep 2", "wake_up ['weights']", *UPDATE, "wake_up ['kv_cache']"]
    assert asked_of(engine, llm, sleeping=True) == expected
    assert asked_of(engine, llm, sleeping=False) == UPDATE
    assert asked_of(engine, llm, sleeping=True) == expected, "it sleeps again in the next step"


def test_weights_that_stay_beside_an_adapter_go_to_the_host() -> None:
    engine, llm = made(sleep=True, lora_as="adapter")
    expected = ["sleep 1", "wake_up ['weights']", "add_lora", "reset_prefix_cache", "wake_up ['kv_cache']"]
    assert asked_of(engine, llm, sleeping=True) == expected


def test_an_engine_that_is_not_to_sleep_does_not() -> None:
    engine, llm = made(sleep=False)
    assert asked_of(engine, llm, sleeping=True) == UPDATE


@pytest.mark.parametrize("gpu", [True, False])
def test_unless_told_it_sleeps_where_there_is_a_gpu_to_share(gpu: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: gpu)
    assert sleeps(Rollouts()) == gpu
    assert sleeps(Rollouts(sleep=True))
    assert not sleeps(Rollouts(sleep=False))


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    made = asyncio.new_event_loop()
    yield made
    made.close()


@pytest.mark.vllm
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("lora_as", ["adapter", "merged"])
def test_vllm_samples_from_the_adapter_that_the_trainer_scores_also_after_it_slept(
    lora_as: str,
    taught_llama: Path,
    exercises: list[Exercise],
    loop: asyncio.AbstractEventLoop,
    caplog: pytest.LogCaptureFixture,
) -> None:
    limits = LIMITS.model_copy(update={"lora_as": lora_as})
    chat = Chat(AutoTokenizer.from_pretrained(taught_llama))
    first, second = with_adapters(taught_llama), with_adapters(taught_llama, drawn=False)
    model = Model(path=str(taught_llama), dtype="float32", lora=LORA)
    engine = loop.run_until_complete(VllmEngine.start(model, limits, chat.stop_ids))
    assert "rollouts.sleep: there is no GPU" in caplog.text

    def mismatch(policy: Policy, version: int) -> float:
        """Of the tokens that are sampled next from what the policy is now."""
        loop.run_until_complete(engine.sleep())
        loop.run_until_complete(engine.load_weights(policy.handed_out(limits), version))
        with Collector(engine, chat, limits, Rewarding()) as collector:
            groups = loop.run_until_complete(collector.groups(exercises[:2], 2, seed="1"))
        sequences = [rollout.sequence for group in groups for rollout in group.rollouts]
        assert {each for sequence in sequences for each in sequence.versions} == {version}
        with torch.no_grad():
            (batch,) = microbatches(sequences, 100_000)
            return float((policy(batch).logprobs - batch.behaviour).abs().max())

    try:
        assert mismatch(first, 1) < 1e-4
        assert mismatch(second, 2) < 1e-4, "the base model's own, since this adapter changes nothing"
        assert mismatch(first, 3) < 1e-4
    finally:
        loop.run_until_complete(engine.close())
