"""One process or many: who is there, what they count together, and how a policy is split among them."""

import asyncio
import contextlib
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TypeVar, cast

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import DTensor

T = TypeVar("T")

PATIENCE = timedelta(hours=2)
"""How long a process waits for the others: they may still be playing long episodes."""


@dataclass(frozen=True)
class Processes:
    """The processes that train together, seen from one of them. Alone there is no process group, and none is needed."""

    rank: int = 0
    size: int = 1
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))
    group: dist.ProcessGroup | None = None
    """What they count over; None is torch's default group."""

    def beside(self) -> "Processes":
        """The same processes with a group of their own, for another thread: all of them have to ask for it.

        Over one group all processes must count the same things in the same order, and threads keep no order.
        """
        return self if self.size == 1 else replace(self, group=dist.new_group(backend="gloo", timeout=PATIENCE))

    @property
    def leads(self) -> bool:
        """Whether this is the process that writes what is written once."""
        return self.rank == 0

    def sums(self, values: Sequence[float]) -> list[float]:
        """Each value added up over all processes; every one of them has to ask."""
        return self._together(values, dist.ReduceOp.SUM)

    def largest(self, value: float) -> float:
        """The largest of all processes' values."""
        return self._together([value], dist.ReduceOp.MAX)[0]

    def gathered(self, value: bytes) -> list[bytes]:
        """The value of every process, in order of rank, for the first process; none for the others. All have to ask."""
        if self.size == 1:
            return [value]
        values: list[bytes] | None = [b""] * self.size if self.leads else None
        dist.gather_object(value, values, group=self.group)
        return values or []

    def everywhere(self, own: T) -> list[T]:
        """What each process has, in the order of their ranks; every one of them has to ask."""
        if self.size == 1:
            return [own]
        found: list[T] = [own] * self.size
        dist.all_gather_object(found, own, group=self.group)
        return found

    def wait(self) -> None:
        """Until every process has come here."""
        self.sums([0.0])

    def in_step(self, own: Sequence[T]) -> Iterator[T | None]:
        """This process's own, then None until the process with the most has had all of its own.

        Each forward and backward pass gathers weights from all processes, so all have to make as many.
        """
        most = int(self.largest(len(own)))
        yield from own
        yield from [None] * (most - len(own))

    def _together(self, values: Sequence[float], how: dist.ReduceOp.RedOpType) -> list[float]:
        if self.size == 1:
            return list(values)
        shared = torch.tensor(values, dtype=torch.float64)
        dist.all_reduce(shared, op=how, group=self.group)
        return [float(value) for value in shared.tolist()]


def join() -> Processes:
    """The processes that torchrun's environment variables describe; alone without them. On a GPU where there is one."""
    rank, size, local = (int(os.environ.get(name, "0")) for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK"))
    device = torch.device("cpu")
    if torch.cuda.is_available():
        device = torch.device("cuda", local)
        torch.cuda.set_device(device)
    if size <= 1:
        return Processes(device=device)
    if not dist.is_initialized():
        backend = "cpu:gloo,cuda:nccl" if device.type == "cuda" else "gloo"
        dist.init_process_group(backend, timeout=PATIENCE)
    return Processes(rank, size, device)


def leave() -> None:
    """Close the process group, if there is one."""
    if dist.is_initialized():
        dist.destroy_process_group()


async def in_daemon(work: Callable[[], T]) -> T:
    """Work in a thread that no ending process waits for: what waits for a peer that died never comes back."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def tell(result: T | None, error: BaseException | None) -> None:
        if done.cancelled():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(cast("T", result))

    def run() -> None:
        try:
            result, error = work(), None
        except Exception as raised:
            result, error = None, raised
        with contextlib.suppress(RuntimeError):  # The loop is closed: nobody waits any more.
            loop.call_soon_threadsafe(tell, result, error)

    threading.Thread(target=run, daemon=True).start()
    return await done


def shard(root: nn.Module, layers: Iterable[nn.Module], processes: Processes, compute: torch.dtype) -> None:
    """Split the parameters over all processes (FSDP2): a layer is gathered when its turn comes, the rest with the root.

    Parameters, gradients and the optimizer stay in float32; the products are made in `compute`.
    """
    mesh = init_device_mesh(processes.device.type, (processes.size,))
    precision = MixedPrecisionPolicy(param_dtype=compute, reduce_dtype=torch.float32)
    for layer in layers:
        fully_shard(layer, mesh=mesh, mp_policy=precision)
    # The root too is given back after a forward pass: one without a backward would else leave it gathered and stale.
    fully_shard(root, mesh=mesh, mp_policy=precision, reshard_after_forward=True)


def full(tensor: Tensor) -> Tensor:
    """The whole of a tensor that is split over processes; all of them have to ask. Others stay as they are."""
    return tensor.full_tensor() if isinstance(tensor, DTensor) else tensor


def share(tensor: Tensor) -> tuple[Tensor, int]:
    """This process's part of a tensor that is split over processes by rows, and the place of its first element in the
    whole; of others all, from 0."""
    if not isinstance(tensor, DTensor):
        return tensor, 0
    assert [str(each) for each in tensor.placements] == ["S(0)"]
    rows, mesh = tensor.shape[0], tensor.device_mesh
    first = min(rows, mesh.get_local_rank() * -(-rows // mesh.size()))
    return tensor.to_local(), first * (tensor.numel() // rows)
