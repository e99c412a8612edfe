"""Domains generated in several processes: what they tell comes to one listener, the rows are those of one process."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ProcessPoolExecutor, wait
from dataclasses import replace
from multiprocessing import get_context, parent_process
from multiprocessing.queues import Queue
from threading import Thread

from pipelines.factory import Factory
from pipelines.progress import Listener, Progress
from toolscale.llm.sight import Sight

Make = Callable[[str, Factory, Listener], None]
"""Generates one domain; a function of a module, so that another process finds it."""

_Told = tuple[Progress, Sight | None]

_told: "Queue[_Told | None]"


def side_by_side(make: Make, domains: Sequence[str], factory: Factory, listener: Listener, processes: int) -> None:
    """Generate the domains, so many at once, the first named first.

    Raises:
        Exception: what the first domain to fail raised. Those that wait are not begun; what was answered is kept.
    """
    context = get_context("spawn")  # a fork would copy locks and threads of whatever the caller runs
    told: Queue[_Told | None] = context.Queue()
    hearing = Thread(target=_hear, args=(told, listener), daemon=True)
    hearing.start()
    pool = ProcessPoolExecutor(min(processes, len(domains)), context, _begin, (told,))
    try:
        begun: list[Future[None]] = [pool.submit(_make_and_tell, make, domain, factory) for domain in domains]
        done, _ = wait(begun, return_when=FIRST_EXCEPTION)
        for future in done:
            future.result()
    finally:
        pool.shutdown(cancel_futures=True)
        told.put(None)
        hearing.join()


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


def _make_and_tell(make: Make, domain: str, factory: Factory) -> None:
    make(domain, factory, _tell)


def _tell(progress: Progress) -> None:
    _told.put((replace(progress, look=None), progress.look() if progress.look else None))
