"""The worker's end of a weight update through files in memory: vLLM imports this in each of its workers.

vLLM's own ways of taking new weights need CUDA. Its interface for them is open, so this adds one that reads
safetensors; what loads them is the same layer-by-layer reload that vLLM's own ways use.
"""

import ctypes
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from safetensors import safe_open
from vllm.distributed.weight_transfer.base import (
    WeightTransferEngine,
    WeightTransferInitInfo,
    WeightTransferUpdateInfo,
)
from vllm.distributed.weight_transfer.factory import WeightTransferEngineFactory
from vllm.model_executor.model_loader.reload import finalize_layerwise_reload, initialize_layerwise_reload

BACKEND = "shm"


_PR_SET_PDEATHSIG = 1


class Worker:
    """What vLLM's worker has beside its own; that vLLM imports it also registers the backend below."""

    def end_with_the_trainer(self) -> None:
        """Have this process killed as soon as the one that started it is gone.

        A trainer that is killed can close nothing, and its engine would keep the GPU's memory for good.
        """
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


@dataclass
class Init(WeightTransferInitInfo):
    """Nothing has to be agreed upon."""


@dataclass
class Update(WeightTransferUpdateInfo):
    """Some of the weights."""

    path: str = ""
    """A safetensors file that the worker can read; it may be gone as soon as the update is done."""


class SharedMemory(WeightTransferEngine[Init, Update]):
    """Loads weights from safetensors files, as many as there are between start and finish."""

    init_info_cls, update_info_cls = Init, Update

    def init_transfer_engine(self, init_info: Init) -> None:
        """Nothing to set up."""

    def start_weight_update(self) -> None:
        """Put the layers back into the form in which they take a checkpoint's weights."""
        initialize_layerwise_reload(self.model)

    def receive_weights(self, update_info: Update) -> None:
        """Load the file's weights."""
        model: Any = self.model
        model.load_weights(_tensors(update_info.path))

    def finish_weight_update(self) -> None:
        """Put the layers into the form in which they compute."""
        finalize_layerwise_reload(self.model, self.model_config)  # type: ignore[no-untyped-call]
        head: Any = getattr(self.model, "lm_head", None)
        if self.device.type == "cpu" and hasattr(head, "quant_method"):
            # A head that is tied to the embedding has no weight of its own to reload, but on the CPU a packed copy.
            head.quant_method.process_weights_after_loading(head)

    def shutdown(self) -> None:
        """Nothing is held."""


def _tensors(path: str) -> Iterator[tuple[str, torch.Tensor]]:
    with safe_open(path, framework="pt") as file:
        for name in file.keys():  # noqa: SIM118 - the file is no dictionary
            yield name, file.get_tensor(name)


WeightTransferEngineFactory.register_engine(BACKEND, SharedMemory)
