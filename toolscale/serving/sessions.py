"""The sessions of a server: bounded in number and idle time, each known only to who opened it."""

import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toolscale.environment import Sandbox
from toolscale.serving.play import Play, PlayError
from toolscale.serving.tasks import ServedTasks

if TYPE_CHECKING:
    from toolscale.serving.users import ServedUsers

MOST_SESSIONS = 64
"""Open at the same time, unless said otherwise."""

IDLE_SECONDS = 900.0
"""Without use, after which a session ends, unless said otherwise."""

MOST_IDLE_SANDBOXES = 8
"""Environments without a session whose warm process is kept; of the others it is ended."""


@dataclass
class OpenSession:
    """A session; who has its id may play it."""

    play: Play
    id: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    key: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    """Where the agent itself knows the id, who has this may end and judge."""
    used: float = 0.0
    environment: int = 0


class Sessions:
    """All open sessions of a server. Thread-safe; close it, or use it as a context."""

    def __init__(
        self,
        tasks: ServedTasks,
        *,
        most: int,
        idle_seconds: float,
        users: "ServedUsers | None" = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Holds at most `most` sessions; one that nobody used for `idle_seconds` is closed.

        `users` play the users of all sessions; without them each says everything at once.
        """
        self.tasks = tasks
        self._users = users
        self.most = most
        self._idle_seconds = idle_seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._by_id: dict[str, OpenSession] = {}
        self._opening = 0
        self._sandboxes: dict[int, Sandbox] = {}

    def __enter__(self) -> "Sessions":
        return self

    def __exit__(self, *_: object) -> None:
        self.close_all()

    def __len__(self) -> int:
        return len(self._by_id)

    @property
    def simulated(self) -> bool:
        """Whether a model plays the users."""
        return self._users is not None

    def open(self, task_id: str, number: int = 0) -> OpenSession:
        """Begin a task anew. A simulated user of the same number says the same to the same words.

        Raises:
            PlayError: too many sessions are open, or the simulated user did not begin.
            UserError: there is no such task.
        """
        task, spec = self.tasks.get(task_id)
        with self._place():
            user = self._users.open(task, number) if self._users else None
            with self._lock:
                sandbox = self._sandboxes.pop(id(spec), None) or Sandbox(spec)
                self._sandboxes[id(spec)] = sandbox
                opened = OpenSession(Play(task, sandbox, user), used=self._clock(), environment=id(spec))
                self._by_id[opened.id] = opened
                self._end_unused()
                return opened

    @contextmanager
    def _place(self) -> Iterator[None]:
        """A place is taken before its user is asked to begin, which may be slow and costs."""
        with self._lock:
            self._drop_idle()
            if len(self._by_id) + self._opening >= self.most:
                raise PlayError(f"{self.most} sessions are open, which is the limit: close one or try again later")
            self._opening += 1
        try:
            yield
        finally:
            with self._lock:
                self._opening -= 1

    def get(self, session_id: str) -> OpenSession:
        """The session of that id. Raises PlayError where there is none, or no more."""
        with self._lock:
            self._drop_idle()
            if session_id not in self._by_id:
                raise PlayError("there is no such session: it was never opened, was closed, or was idle for too long")
            self._by_id[session_id].used = self._clock()
            return self._by_id[session_id]

    def close(self, session_id: str) -> None:
        """End a session, if it is there."""
        with self._lock:
            self._by_id.pop(session_id, None)

    def close_all(self) -> None:
        """End all sessions and the processes behind them."""
        with self._lock:
            self._by_id.clear()
            for sandbox in self._sandboxes.values():
                sandbox.close()
            self._sandboxes.clear()

    def _drop_idle(self) -> None:
        before = self._clock() - self._idle_seconds
        for name in [name for name, each in self._by_id.items() if each.used < before]:
            del self._by_id[name]

    def _end_unused(self) -> None:
        used = {each.environment for each in self._by_id.values()}
        idle = [name for name in self._sandboxes if name not in used]
        for name in idle[: max(0, len(idle) - MOST_IDLE_SANDBOXES)]:
            self._sandboxes.pop(name).close()
