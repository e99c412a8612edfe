"""Domains generated in several processes: what they tell comes to one listener, the rows are those of one process."""

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from multiprocessing import get_context, parent_process
from multiprocessing.context import SpawnContext
from multiprocessing.queues import Queue
from threading import Lock, Thread
from typing import TypeVar

from pipelines.factory import Factory
from pipelines.progress import Listener, Progress
from toolscale.llm.sight import Sight

T = TypeVar("T")

Make = Callable[[str, Factory, Listener], T]
"""Generates one domain; a function of a module, so that another process finds it."""

_Told = tuple[Progress, Sight | None]

_told: "Queue[_Told | None]"

_HEARD_OUT_SECONDS = 5


def side_by_side(
    make: Make[T], domains: Iterable[str | None], factory: Factory, listener: Listener, processes: int
) -> Generator[tuple[str, "Future[T]"]]:
    """Generate the domains, so many at once, in their order: each with what came of it, as soon as it is done.

    A domain is asked for when a process is free for it; nothing in the place of one means that none can be begun before
    another has ended. Who stops listening lets those under way end, and begins no other. A process that dies, as for
    want of memory, fails its own domain alone (`BrokenProcessPool`).
    """
    context = get_context("spawn")  # a fork would copy locks and threads of whatever the caller runs
    waiting, hears = iter(domains), _one_at_a_time(listener)
    under_way: dict[Future[T], tuple[str, _Lane]] = {}

    def begin() -> None:
        while free and (domain := next(waiting, None)) is not None:
            lane = free.popleft()
            under_way[lane.pool.submit(_make_and_tell, make, domain, factory)] = (domain, lane)

    lanes = [_Lane(context, hears) for _ in range(processes)]
    free = deque(lanes)
    try:
        begin()
        while under_way:
            for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                domain, lane = under_way.pop(future)
                yield domain, future
                if isinstance(future.exception(), BrokenProcessPool):
                    lane.close()
                    lane = _Lane(context, hears)
                    lanes.append(lane)
                free.appendleft(lane)  # it has loaded everything, which one that never began has not
                begin()
    finally:
        for lane in lanes:
            lane.close()


class _Lane:
    """A process that makes one domain after the other, and whatever hears of them."""

    def __init__(self, context: SpawnContext, listener: Listener) -> None:
        self._told: Queue[_Told | None] = context.Queue()
        self._hearing = Thread(target=_hear, args=(self._told, listener), daemon=True)
        self._hearing.start()
        self.pool = ProcessPoolExecutor(1, context, _begin, (self._told,))

    def close(self) -> None:
        """Let the domain under way end."""
        self.pool.shutdown(cancel_futures=True)
        self._told.put(None)
        self._hearing.join(_HEARD_OUT_SECONDS)  # not for ever: one that was killed may have told half of something


def _one_at_a_time(listener: Listener) -> Listener:
    lock = Lock()

    def hear(progress: Progress) -> None:
        with lock:
            listener(progress)

    return hear


def _hear(told: "Queue[_Told | None]", listener: Listener) -> None:
    while (one := told.get()) is not None:
        progress, sight = one
        listener(progress if sight is None else replace(progress, look=lambda seen=sight: seen))  # type: ignore[misc]


def _begin(told: "Queue[_Told | None]") -> None:
    """What a new process does first: know where to tell, and end when the command ends, however that ends."""
    global _told  # noqa: PLW0603 - a process of the pool has one, given to it once
    _told = told
    parent = parent_process()

    def end_with_the_command() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    Thread(target=end_with_the_command, daemon=True).start()


def _make_and_tell(make: Make[T], domain: str, factory: Factory) -> T:
    return make(domain, factory, _tell)


def _tell(progress: Progress) -> None:
    _told.put((replace(progress, look=None), progress.look() if progress.look else None))
