"""Ending a stage that is under way: what a cancel in the UI, and Ctrl-C at a command, come down to."""

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import dagster as dg

T = TypeVar("T")


def run_until_interrupted(stage: Coroutine[Any, Any, T]) -> T:
    """Run a stage to its end, or until the process is told to end: then its calls are let go within a moment.

    Dagster's handler of the signal raises wherever the signal finds the program. Where that is a callback of the event
    loop, the loop notes the exception and goes on; so for as long as the stage runs, the signal cancels it instead.

    Raises:
        DagsterExecutionInterruptedError: the process was told to end.
    """
    interrupted = False

    async def watched() -> T:
        running = asyncio.current_task()

        def stop() -> None:
            nonlocal interrupted
            interrupted = True
            if running is not None:
                running.cancel()

        with _told_to_end(asyncio.get_running_loop(), stop):
            return await stage

    try:
        return asyncio.run(watched())
    except asyncio.CancelledError:
        if interrupted:
            raise dg.DagsterExecutionInterruptedError from None
        raise


@contextmanager
def _told_to_end(loop: asyncio.AbstractEventLoop, stop: Callable[[], None]) -> Iterator[None]:
    """While the block lasts, the signals that end a process call this instead; only the main thread gets any."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    for each in before:
        loop.add_signal_handler(each, stop)
    try:
        yield
    finally:
        for each, handler in before.items():
            loop.remove_signal_handler(each)
            signal.signal(each, handler)
