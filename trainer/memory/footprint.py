"""What a model takes on a device while it learns, measured: its own code runs on tensors that have shapes and no data.

So there is no formula that could fall behind the code. Kernels' own workspaces, CUDA's context and fragments are not in
it.
"""

import asyncio
import copy
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed.tensor import DTensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map_only
from transformers import PretrainedConfig

from trainer.config import Model, Rollouts
from trainer.distributed import Processes
from trainer.model.attention import Span
from trainer.model.decoder import Decoder
from trainer.model.packing import Microbatch
from trainer.model.policy import Policy
from trainer.rollout.weight_transfer import Control, Piece, push

FEW = 3
"""Layers that are measured of a model whose layers are alike, and one more."""


@dataclass(frozen=True)
class Footprint:
    """Bytes of a model on one device."""

    parameters: int
    """Its share of them, and buffers."""
    trained: int
    """Of these, what has gradients."""
    gradients: int
    passes: int
    """The most that one micro-batch, forward and back, takes beside parameters and gradients."""
    asked: int
    """The most that one takes whose tokens are only scored, beside parameters."""


@dataclass(frozen=True)
class Layout:
    """A micro-batch of groups, each with a prompt that its rollouts share."""

    groups: int
    prompt: int
    rollouts: int
    """Of a group."""
    sampled: int
    """By each."""

    @property
    def tokens(self) -> int:
        """Of the micro-batch."""
        return self.groups * (self.prompt + self.rollouts * self.sampled)

    @property
    def spans(self) -> list[Span]:
        """Every stretch, in order, with the one that goes before it."""
        spans: list[Span] = []
        end = 0
        for _ in range(self.groups):
            prompt = slice(end, end := end + self.prompt)
            spans.append((prompt, None))
            spans += [(slice(end, end := end + self.sampled), prompt) for _ in range(self.rollouts)]
        return spans


def footprint(kind: type[Decoder], settings: Model, config: PretrainedConfig, gpus: int, layout: Layout) -> Footprint:
    """What a policy, or a critic, takes on one of so many devices, each with micro-batches like `layout`.

    Where all layers are alike, each adds the same, so few are measured. There must be no process group: a pretended one
    is opened for as long as this takes.
    """
    # Of the others, a GPU's kernels keep what this one keeps.
    settings = settings.model_copy(update={"attention": "eager" if settings.attention == "eager" else "sdpa"})
    layers = config.num_hidden_layers
    if layers <= FEW + 1 or len(set(getattr(config, "layer_types", None) or "_")) > 1:
        return measured(kind, settings, config, gpus, layout)
    few, more = (measured(kind, settings, _with_layers(config, FEW + one), gpus, layout) for one in (0, 1))
    return Footprint(**{name: size + (layers - FEW) * (getattr(more, name) - size) for name, size in vars(few).items()})


def measured(
    kind: type[Decoder],
    settings: Model,
    config: PretrainedConfig,
    gpus: int,
    layout: Layout,
    micro_batches: int = 2,
) -> Footprint:
    """The same, of the model with all its layers. The second micro-batch finds the gradients of the first."""
    with _pretended(gpus) as processes:
        model = kind.empty(settings, config, processes)
        # Some layers make real numbers, indices and the like, on their way.
        with FakeTensorMode(allow_non_fake_inputs=True), Ledger() as ledger:
            model.to_empty(device="cpu")
            model.model.tie_weights()
            held = ledger.now
            with torch.no_grad():
                model(microbatch(layout))
            asked = ledger.most - held
            for _ in range(micro_batches):
                given = microbatch(layout)
                ledger.most = ledger.now
                _sum(model(given)).backward()  # type: ignore[no-untyped-call]
                del given
            gradients = ledger.now - held
        trained = sum(_bytes(parameter) for parameter in model.parameters() if parameter.requires_grad)
    return Footprint(held, trained, gradients, ledger.most - held - gradients, asked)


def on_their_way(settings: Model, rollouts: Rollouts, config: PretrainedConfig, gpus: int) -> int:
    """The most bytes that a policy's weights take on one of so many devices while its engine is given them."""
    with _pretended(gpus) as processes:
        policy = Policy.empty(settings, config, processes)
        with FakeTensorMode(allow_non_fake_inputs=True), Ledger() as ledger, torch.no_grad():
            policy.to_empty(device="cpu")
            policy.model.tie_weights()
            held = ledger.most = ledger.now
            given = policy.handed_out(rollouts)
            if rollouts.lora_as == "adapter":
                adapters = dict(given)
                del adapters
            elif rollouts.backend == "transformers":
                for each in given:
                    del each
            else:
                sampled = getattr(torch, rollouts.dtype or settings.dtype)
                asyncio.run(push(given, 0, [], Nowhere(), sampled))
    return ledger.most - held


class Nowhere:
    """A link at whose other end nobody is."""

    async def open(self, controls: Sequence[Control]) -> None:
        """See `Link.open`."""

    async def send(self, controls: Sequence[Control], piece: Piece) -> None:
        """See `Link.send`."""


def _with_layers(config: PretrainedConfig, layers: int) -> PretrainedConfig:
    shorter = copy.deepcopy(config)
    shorter.num_hidden_layers = layers
    if getattr(shorter, "layer_types", None):
        shorter.layer_types = shorter.layer_types[:layers]
    return shorter


class Ledger(TorchDispatchMode):
    """Counts the bytes of all tensors that come to be while it is entered, until they are gone."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.now = 0
        self.most = 0
        self._sizes: dict[int, int] = {}
        self._resize = torch.UntypedStorage.resize_

    def __enter__(self) -> "Ledger":
        # FSDP gives gathered weights back by resizing what held them, which is no operation on tensors.
        def resize(storage: torch.UntypedStorage, size: int) -> torch.UntypedStorage:
            resized: torch.UntypedStorage = self._resize(storage, size)
            if storage._cdata in self._sizes:
                self._count(storage)
            return resized

        torch.UntypedStorage.resize_ = resize  # type: ignore[assignment, method-assign]
        super().__enter__()  # type: ignore[no-untyped-call]
        return self

    def __exit__(self, *raised: Any) -> None:
        super().__exit__(*raised)  # type: ignore[no-untyped-call]
        torch.UntypedStorage.resize_ = self._resize  # type: ignore[method-assign]

    def __torch_dispatch__(
        self, operation: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        made = operation(*args, **(kwargs or {}))
        tree_map_only(Tensor, self._note, made)
        return made

    def _note(self, tensor: Tensor) -> None:
        local = tensor._local_tensor if isinstance(tensor, DTensor) else tensor
        storage = local.untyped_storage()
        if storage._cdata not in self._sizes:
            self._sizes[storage._cdata] = 0
            weakref.finalize(storage, self._forget, storage._cdata)
        self._count(storage)

    def _count(self, storage: torch.UntypedStorage) -> None:
        size = storage.nbytes()
        self.now += size - self._sizes[storage._cdata]
        self._sizes[storage._cdata] = size
        self.most = max(self.most, self.now)

    def _forget(self, key: int) -> None:
        self.now -= self._sizes.pop(key)


@dataclass(frozen=True)
class _Laid(Microbatch):
    """A micro-batch that knows its stretches: tensors without data cannot be asked where one ends."""

    known: Sequence[Span] = ()

    @property
    def spans(self) -> list[Span]:
        return list(self.known)

    @property
    def plainly_causal(self) -> bool:
        return False


def microbatch(layout: Layout) -> Microbatch:
    """Of this layout; in a mode of tensors without data it has none."""
    each = torch.zeros(layout.tokens, dtype=torch.int64)
    return _Laid(each, each, each, each, each, each, each, each.float(), known=layout.spans)


def _sum(output: Any) -> Tensor:
    """Of a policy's log-probabilities, or of a critic's values."""
    total: Tensor = getattr(output, "logprobs", output).sum()
    return total


def _bytes(tensor: Tensor) -> int:
    local = tensor.to_local() if isinstance(tensor, DTensor) else tensor
    return local.numel() * local.element_size()


@contextmanager
def _pretended(gpus: int) -> Iterator[Processes]:
    """The first of so many processes that are not there, whose collectives give memory and no values."""
    if gpus == 1:
        yield Processes()
        return
    from torch.testing._internal.distributed.fake_pg import FakeStore

    dist.init_process_group("fake", rank=0, world_size=gpus, store=FakeStore())
    try:
        yield Processes(0, gpus)
    finally:
        dist.destroy_process_group()
