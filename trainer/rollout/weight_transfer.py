"""The trainer's end of a weight update: how the policy's new weights get into vLLM's workers.

An update is a start, the weights in pieces of bounded size, and a finish; then every cached prefix is forgotten. The
commands go over a control (a call in process, or HTTP), the weights over a link: files in memory, CUDA's shared
handles, or NCCL.
"""

import asyncio
import os
import socket
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Literal, Protocol

import torch
from torch import Tensor

from toolscale.errors import UserError
from trainer.distributed import in_daemon
from trainer.rollout.engine import EngineDied
from trainer.rollout.memory_folder import MemoryFolder

Piece = list[tuple[str, Tensor]]
Way = Literal["shm", "ipc", "nccl"]

PIECE_BYTES = 1 << 30
"""The weights that are on their way at one time."""

_RESET_SECONDS, _HELD_SECONDS = 0.2, 60.0
"""Between two tries to have prefixes forgotten, and how long they are tried."""


class Control(Protocol):
    """Where the commands of an update go: one vLLM, with one or more workers."""

    async def open_transfer(self, init: dict[str, Any]) -> None:
        """Make the workers ready to be given weights; once, before the first update."""

    async def start(self) -> None:
        """An update begins."""

    async def update(self, info: dict[str, Any]) -> None:
        """Take a piece; returns when the workers have it."""

    async def finish(self, version: int) -> None:
        """All pieces are there; forget cached prefixes."""


class Link(Protocol):
    """The way that the weights take."""

    async def open(self, controls: Sequence[Control]) -> None:
        """Make both ends ready."""

    async def send(self, controls: Sequence[Control], piece: Piece) -> None:
        """Give every vLLM a piece, and return when the trainer may change its tensors again."""


async def push(
    weights: Iterable[tuple[str, Tensor]], version: int, controls: Sequence[Control], link: Link, dtype: torch.dtype
) -> None:
    """Give every vLLM the policy's weights, in the precision in which they compute.

    `weights` is consumed one tensor at a time, on this thread: gathering a shard may be a collective.
    """
    await asyncio.gather(*(control.start() for control in controls))
    for piece in _pieces(weights, dtype):
        await link.send(controls, piece)
        del piece  # Or it would still be there while the next one is made.
    await asyncio.gather(*(control.finish(version) for control in controls))


async def forget_prefixes(reset: Callable[[], Awaitable[bool]], whose: str) -> None:
    """Have a vLLM forget its cached prefixes, which are of the old weights.

    It does not while requests hold some of its cache: those that were abandoned do until its next step.

    Raises:
        EngineDied: it did not in time.
    """
    tries = 0
    while not await reset():
        tries += 1
        if tries * _RESET_SECONDS >= _HELD_SECONDS:
            raise EngineDied(
                f"{whose} keeps prefixes of the old weights, since requests run on there after {_HELD_SECONDS:g} "
                "seconds: let nothing but this training ask it"
            )
        await asyncio.sleep(_RESET_SECONDS)


def choose_way(asked: Literal["auto", "shm", "ipc", "nccl"], *, in_process: bool) -> Way:
    """The link to use: memory files on the CPU; on GPUs shared handles within a machine's process, else NCCL.

    Raises:
        UserError: a way that cannot work here.
    """
    cuda = torch.cuda.is_available()
    if asked == "auto":
        return ("ipc" if in_process else "nccl") if cuda else "shm"
    if asked != "shm" and not cuda:
        raise UserError(f"rollouts.weight_transfer is {asked}, which needs a GPU, and there is none: set it to shm")
    if asked == "nccl" and in_process:
        raise UserError("rollouts.weight_transfer: nccl cannot join two processes on one GPU; set it to ipc, or to shm")
    if asked == "ipc" and not in_process:
        raise UserError("rollouts.weight_transfer: ipc is for an engine in process; set it to nccl, or to shm")
    return asked


def link_of(way: Way, *, workers: Sequence[int]) -> Link:
    """The link for vLLMs that have so many workers each."""
    if way == "shm":
        return Files()
    return Handles() if way == "ipc" else Nccl(workers)


class Files:
    """Safetensors in memory, or on disk where memory is short of room. Both ends must be on one machine."""

    async def open(self, controls: Sequence[Control]) -> None:
        """See `Link.open`."""
        await asyncio.gather(*(control.open_transfer({}) for control in controls))

    async def send(self, controls: Sequence[Control], piece: Piece) -> None:
        """See `Link.send`."""
        from safetensors.torch import save_file

        needed = sum(tensor.numel() * tensor.element_size() for _, tensor in piece)
        with MemoryFolder(needed) as folder:
            path = folder / "piece.safetensors"
            save_file({name: tensor.detach().cpu().contiguous() for name, tensor in piece}, path)
            await asyncio.gather(*(control.update({"path": str(path)}) for control in controls))


class Handles:
    """CUDA's shared memory handles: the workers read the trainer's tensors where they lie, on the same GPU."""

    async def open(self, controls: Sequence[Control]) -> None:
        """See `Link.open`."""
        await asyncio.gather(*(control.open_transfer({"packed": False}) for control in controls))

    async def send(self, controls: Sequence[Control], piece: Piece) -> None:
        """See `Link.send`."""
        import base64
        import pickle

        from torch.multiprocessing.reductions import reduce_tensor

        held = [tensor.detach().contiguous() for _, tensor in piece]
        gpu = str(torch.cuda.get_device_properties(torch.cuda.current_device()).uuid)
        handles = [{gpu: reduce_tensor(tensor)[1]} for tensor in held]  # type: ignore[no-untyped-call]
        torch.cuda.synchronize()
        info = _described(piece) | {"ipc_handles_pickled": base64.b64encode(pickle.dumps(handles)).decode()}
        await asyncio.gather(*(control.update(info) for control in controls))
        del held
        torch.cuda.ipc_collect()  # type: ignore[no-untyped-call]


class Nccl:
    """A process group of the trainer, which is rank 0, and all workers."""

    def __init__(self, workers: Sequence[int]) -> None:
        self._workers = workers
        self._group: Any = None

    async def open(self, controls: Sequence[Control]) -> None:
        """See `Link.open`."""
        from vllm.distributed.weight_transfer.nccl_common import trainer_init

        with socket.socket() as free:
            free.bind(("", 0))
            port = free.getsockname()[1]
        meeting = {
            "master_address": os.environ.get("TOOLSCALE_TRAINER_ADDRESS") or socket.gethostbyname(socket.gethostname()),
            "master_port": port,
            "world_size": 1 + sum(self._workers),
        }
        first = [1 + sum(self._workers[:place]) for place in range(len(self._workers))]
        _, self._group = await asyncio.gather(
            asyncio.gather(
                *(
                    control.open_transfer({**meeting, "rank_offset": rank, "packed": False})
                    for control, rank in zip(controls, first, strict=True)
                )
            ),
            in_daemon(partial(_on_this_gpu, trainer_init, meeting)),
        )

    async def send(self, controls: Sequence[Control], piece: Piece) -> None:
        """See `Link.send`."""
        info = _described(piece)
        await asyncio.gather(
            asyncio.gather(*(control.update(info) for control in controls)),
            in_daemon(partial(_on_this_gpu, self._broadcast, piece)),
        )

    def _broadcast(self, piece: Piece) -> None:
        for _, tensor in piece:
            self._group.broadcast(tensor.detach().contiguous(), src=0, stream=torch.cuda.current_stream())
        torch.cuda.synchronize()


def _on_this_gpu(work: Any, argument: Any) -> Any:
    # The current GPU is a thread's own affair: a new thread would be on the first one.
    torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
    return work(argument)


def _described(piece: Piece) -> dict[str, Any]:
    return {
        "names": [name for name, _ in piece],
        "dtype_names": [str(tensor.dtype).removeprefix("torch.") for _, tensor in piece],
        "shapes": [list(tensor.shape) for _, tensor in piece],
    }


def _pieces(weights: Iterable[tuple[str, Tensor]], dtype: torch.dtype) -> Iterator[Piece]:
    piece: Piece = []
    size = 0
    for name, whole in weights:
        piece.append((name, whole.detach().to(dtype)))
        size += piece[-1][1].nbytes
        del whole  # Before the next one is gathered.
        if size >= PIECE_BYTES:
            yield piece
            piece, size = [], 0
    if piece:
        yield piece
