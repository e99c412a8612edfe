"""Figures of a run as a person reads them."""

from collections import deque
from urllib.parse import urlsplit

from pipelines.progress import Progress
from toolscale.llm.sight import Queue, Sight
from toolscale.printable import in_one_line

_LEAST_SECONDS = 3.0
"""A pace over less time says nothing."""


_LONGEST_PLACE = 28
"""Characters of an endpoint's name: what follows it must still fit into 80 columns."""


class Pace:
    """How fast a count grows, over the last minute or, of what takes long, over the last half of the time."""

    def __init__(self, shortest_window: float = 60.0) -> None:
        self._shortest = shortest_window
        self._seen: deque[tuple[float, int]] = deque()
        self._began: float | None = None

    def note(self, now: float, count: int) -> None:
        """What the count is. ``now`` is in seconds, from any origin."""
        self._began = now if self._began is None else self._began
        if self._seen and now - self._seen[-1][0] < 0.1:
            self._seen[-1] = (self._seen[-1][0], count)
        else:
            self._seen.append((now, count))
        window = max(self._shortest, (now - self._began) / 2)
        while len(self._seen) > 2 and now - self._seen[1][0] >= window:
            self._seen.popleft()

    def a_second(self, now: float) -> float | None:
        """Growth a second; None where it is not known."""
        if not self._seen or now - self._seen[0][0] < _LEAST_SECONDS:
            return None
        (then, before), (_, latest) = self._seen[0], self._seen[-1]
        return (latest - before) / (now - then)

    def left(self, now: float, total: int) -> float | None:
        """Seconds until the count is at the total; None where it is not known."""
        pace = self.a_second(now)
        return (total - self._seen[-1][1]) / pace if pace and pace > 0 and self._seen[-1][1] < total else None


def as_line(progress: Progress, left: float | None = None) -> str:
    """A stage's figures in one line; ``left`` is the time that it still takes, in seconds."""
    parts = [progress.stage]
    if progress.total:
        parts.append(f"{progress.done} of {progress.total}")
    parts += [f"{count} {name}" for name, count in progress.counts.items()]
    if left is not None:
        parts.append(f"about {about(left)} left")
    line = ", ".join(parts)
    sight = progress.look() if progress.look else None
    if sight is None or not (sight.in_flight or sight.waiting or sight.done or sight.cached or sight.failed):
        return line
    figures = [f"calls: {calls(sight)}"]
    if sight.tokens:
        figures.append(f"tokens: {tokens(sight, None)}, {dollars(sight)}")
    return "; ".join([line, *figures, *waits(sight), *errors(sight)])


def calls(sight: Sight) -> str:
    """The calls, by what became of them."""
    parts = [f"{sight.in_flight:,} in flight"]
    if sight.waiting:
        parts.append(f"{sight.waiting:,} waiting")
    parts += [f"{sight.done:,} done", f"{sight.cached:,} cached", f"{sight.failed:,} failed"]
    return ", ".join(parts)


def tokens(sight: Sight, a_second: float | None) -> str:
    """The tokens, and how many a second."""
    cached = f" ({short(sight.cached_tokens)} cached)" if sight.cached_tokens else ""
    said = f"{short(sight.prompt_tokens)} in{cached}, {short(sight.completion_tokens)} out"
    return f"{said}, {short(round(a_second))}/s" if a_second else said


def dollars(sight: Sight) -> str:
    """What it cost, as far as the prices are known."""
    if sight.unpriced and not sight.dollars:
        return "price not known"
    known = f"${sight.dollars:,.4f}" if sight.dollars < 1 else f"${sight.dollars:,.2f}"
    return f"{known} and {sight.unpriced:,} calls without a price" if sight.unpriced else known


def waits(sight: Sight) -> list[str]:
    """A sentence for each endpoint that limits the rate."""
    return [_wait(queue) for queue in sight.queues if queue.limits]


def errors(sight: Sight) -> list[str]:
    """What each endpoint that has failed said the last time."""
    return [
        f"last error at {_place(queue)}, {about(queue.error_age)} ago: {in_one_line(queue.error)}"
        for queue in sight.queues
        if queue.error
    ]


def _wait(queue: Queue) -> str:
    said = f"waiting for the rate limit at {_place(queue)}: {queue.at_once:,} at once"
    return f"{said}, next in {about(queue.pause)}" if queue.pause >= 1 else said


def _place(queue: Queue) -> str:
    place = urlsplit(queue.endpoint).netloc or queue.endpoint
    return place if len(place) <= _LONGEST_PLACE else f"{place[: _LONGEST_PLACE - 1]}…"


def about(seconds: float) -> str:
    """A time, no finer than it can be known."""
    if seconds < 10:
        return f"{max(1, round(seconds))} s"
    if seconds < 90:
        return f"{round(seconds / 10) * 10} s"
    if seconds < 90 * 60:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"


def short(count: int) -> str:
    """A count of three figures or so: 940, 34.1k, 1.2M."""
    if count < 10_000:
        return f"{count:,}"
    if count < 999_950:
        return f"{count / 1000:.1f}k"
    return f"{count / 1e6:.1f}M" if count < 999_950_000 else f"{count / 1e9:.1f}G"
