"""How a stage at work is heard of: by whoever listens to the run, and in Dagster's log and event log."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace

from pipelines.progress import Listener, Progress
from pipelines.wording import Pace, as_line, errors
from toolscale.llm.sight import Sight

SECONDS_BETWEEN_SIGNS = 15.0
"""So that the events of a day's work stay few: an observation takes about a kilobyte."""

Figures = dict[str, int | float | str]
Observe = Callable[[Figures], None]


class Telling:
    """Tells how far one stage is."""

    def __init__(
        self,
        started: Progress,
        listener: Listener,
        log: Callable[[str], None],
        observe: Observe,
    ) -> None:
        self._latest = started
        self._listener = listener
        self._log = log
        self._observe = observe
        self._pace = Pace()

    @property
    def latest(self) -> Progress:
        """How far the stage is."""
        return self._latest

    def tell(self, done: int, total: int, counts: Mapping[str, int] | None = None) -> None:
        """So many are done, of so many; and what there is so far."""
        self._pace.note(asyncio.get_running_loop().time(), done)
        self._latest = replace(self._latest, state="working", done=done, total=total, counts=dict(counts or {}))
        self._listener(self._latest)

    @asynccontextmanager
    async def signs_of_life(
        self, look: Callable[[], Sight], seconds: float = SECONDS_BETWEEN_SIGNS
    ) -> AsyncIterator[None]:
        """While the block lasts, let the listener look at the stage's model calls, and say now and then how it goes."""
        self._latest = replace(self._latest, state="working", look=look)
        self._listener(self._latest)
        signs = asyncio.create_task(self._every(seconds))
        try:
            yield
        finally:
            signs.cancel()

    async def _every(self, seconds: float) -> None:
        while True:
            await asyncio.sleep(seconds)
            self._listener(self._latest)
            left = self._pace.left(asyncio.get_running_loop().time(), self._latest.total)
            self._log(as_line(self._latest, left))
            self._observe(figures(self._latest, left))


def figures(progress: Progress, left: float | None = None) -> Figures:
    """What is known of a stage at work: numbers, which Dagster plots, and the last error; ``left`` in seconds."""
    found: Figures = dict(progress.counts)
    if progress.total:
        found |= {"done": progress.done, "total": progress.total}
    if "kept" in progress.counts:
        found["rejected"] = progress.done - progress.counts["kept"]
    if left is not None:
        found["seconds_left"] = round(left)
    if progress.look is not None:
        sight = progress.look()
        found |= {name: getattr(sight, name) for name in ("in_flight", "waiting", "cached", "failed", "tokens")}
        if said := errors(sight):
            found["last_error"] = "; ".join(said)
        found |= {"calls": sight.done} if sight.unpriced else {"calls": sight.done, "dollars": sight.dollars}
    return found
