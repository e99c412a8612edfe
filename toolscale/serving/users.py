"""Simulated users of served sessions: one model behind the gateway, asked on an event loop of its own.

Sessions are played from threads, an OpenEnv session's each from its own, so that who waits for a user holds up nobody.
"""

import asyncio
import threading
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, Self, TypeVar
from uuid import uuid4

from toolscale.artifacts import Task
from toolscale.episodes.loop import Answers
from toolscale.episodes.user import User
from toolscale.episodes.users import Users
from toolscale.errors import UserError
from toolscale.llm import Gateway
from toolscale.llm.endpoints import see_that_it_can_be_asked
from toolscale.llm.prices import Prices
from toolscale.messages import Message
from toolscale.serving.play import PlayError
from toolscale.settings import Settings, model_at
from toolscale.store import Store
from toolscale.terminal import say

MOST_SECONDS = 120.0
"""For one answer of a user, with all retries."""

T = TypeVar("T")


def user_settings(
    model: str, api_base: str = "", *, max_cost: float | None = None, max_calls: int | None = None
) -> Settings:
    """The settings under which a model plays the users.

    Args:
        model: litellm's model string; empty = the role `user` of the settings.
        api_base: its endpoint, if not the provider's.
        max_cost: dollars that the server may spend on it until it stops; None = as in the settings.
        max_calls: likewise, calls.

    Raises:
        UserError: the model has no address, key or price.
    """
    budget = {name: value for name, value in (("max_cost", max_cost), ("max_calls", max_calls)) if value is not None}
    settings = Settings.load(**budget)
    user = model_at(model, api_base) if model else settings.for_role("user")
    see_that_it_can_be_asked(user.model, user.api_base)
    Prices(settings.prices).look_up(user.model)
    return settings.model_copy(
        update={
            "models": {**settings.models, "user": user},
            "deadline_seconds": min(settings.deadline_seconds, MOST_SECONDS),
        }
    )


class ServedUsers:
    """The users of all sessions of a server. Thread-safe; a context, within which the ledger has a run of its own."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._loop = asyncio.new_event_loop()

    def __enter__(self) -> Self:
        self._store = Store(self._settings.database_url())
        self._gateway = Gateway(self._settings, self._store, run=f"serve-{uuid4()}")
        self._users = Users(self._gateway)
        self._thread = threading.Thread(target=self._loop.run_forever, name="simulated users", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.wait_for(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        self._store.close()

    async def _end(self) -> None:
        """Let go of the endpoint; whoever still waits for a user waits no longer."""
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for each in others:
            each.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self._gateway.close()

    def open(self, task: Task, number: int) -> "ServedUser":
        """The user of a session, who has said why they come.

        Raises:
            PlayError: they could not be asked, or said nothing of use.
        """
        try:
            user, first = self.wait_for(self._users.open(task, number))
        except UserError as error:
            say(f"toolscale: {error}", error=True)
            first = Answers(ending="user_error")
        if not first.contents:
            raise PlayError("the simulated user of this task did not begin, and no session was opened: try again later")
        return ServedUser(self, user, first.contents[0])

    def hear(self, user: User, conversation: list[Message]) -> Answers:
        """What a user says next, or why there is nothing; what clients need not know is told to who runs the server."""
        try:
            return self.wait_for(self._users.hear(user, conversation))
        except UserError as error:
            say(f"toolscale: {error}", error=True)
            return Answers(ending="user_error")

    def wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        """What a coroutine comes to on the users' loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


@dataclass(frozen=True)
class ServedUser:
    """The user of one session. See `toolscale.serving.play.Talker`."""

    users: ServedUsers
    user: User
    opening: str

    def answers(self, conversation: list[Message]) -> Answers:
        """What they say next."""
        return self.users.hear(self.user, conversation)
