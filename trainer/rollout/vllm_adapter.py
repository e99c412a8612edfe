"""The policy's adapter in vLLM: beside the engine's own weights, which stay as they were loaded."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from torch import Tensor

from trainer.config import Model
from trainer.model.lora import write_adapter
from trainer.rollout.memory_folder import MemoryFolder
from trainer.rollout.weight_transfer import forget_prefixes

if TYPE_CHECKING:
    from vllm.lora.request import LoRARequest
    from vllm.v1.engine.async_llm import AsyncLLM

_RANKS = (1, 8, 16, 32, 64, 128, 256, 320, 512)
"""Those that vLLM has kernels for; one between two of them takes the next."""


def adapter_arguments(model: Model) -> dict[str, Any]:
    """What vLLM has to be started with."""
    assert model.lora is not None
    rank = model.lora.rank
    return {"enable_lora": True, "max_loras": 1, "max_lora_rank": next(each for each in _RANKS if each >= rank)}


class Adapter:
    """One adapter, replaced at each update, in files of which vLLM's workers read each once."""

    def __init__(self, llm: "AsyncLLM", model: Model) -> None:
        self.request: LoRARequest | None = None
        """What a message is asked for with; None before the first update, when the engine has its own weights alone."""
        self._llm = llm
        self._model = model
        self._folder: MemoryFolder | None = None

    async def load(self, weights: Iterable[tuple[str, Tensor]]) -> None:
        """Take the adapter's tensors, and forget cached prefixes."""
        from vllm.lora.request import LoRARequest

        tensors = dict(weights)
        if self._folder is None:
            needed = 2 * sum(tensor.numel() * tensor.element_size() for tensor in tensors.values())
            self._folder = MemoryFolder(needed)
        path = self._folder.path
        write_adapter(path, self._model, tensors)
        await self._llm.add_lora(LoRARequest("policy", 1, str(path), load_inplace=True))
        await forget_prefixes(self._llm.reset_prefix_cache, "the vLLM engine beside the trainer")
        self.request = LoRARequest("policy", 1, str(path))

    def close(self) -> None:
        """Remove the files."""
        if self._folder is not None:
            self._folder.close()
