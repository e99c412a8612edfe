"""The model that plays the users of many episodes, and whose failures are not the agent's."""

from dataclasses import dataclass

from toolscale.artifacts import Task
from toolscale.episodes.loop import Answers
from toolscale.episodes.user import SimulatedUser, User, heard_from
from toolscale.errors import UserError
from toolscale.llm import Gateway, GatewayError, RetriesExhausted, TimedOut
from toolscale.messages import Message

_SAMPLES = 2**31
"""The store counts samples in 32 bits."""

_OPENINGS = 3

_FAILURES = 20
"""Failures of the endpoint in a row after which there is no use in going on."""


@dataclass
class Users:
    """A model that plays the users of all episodes, asked through the gateway."""

    gateway: Gateway
    advice: str = ""
    """Said after what ends it all."""
    failed: int = 0
    """Calls in a row that the endpoint did not answer."""

    def of(self, task: Task, number: int) -> User:
        """The user of a task; with the same number, they say the same to the same words."""
        return SimulatedUser(task, self.gateway, seed=0, sample=number % _SAMPLES)

    async def hear(self, user: User, conversation: list[Message]) -> Answers:
        """What a user says next. An endpoint that fails after all retries has broken only this episode.

        Raises:
            UserError: the model cannot be asked at all, or its endpoint fails time after time.
        """
        try:
            answers = await heard_from(user, conversation)
        except GatewayError as error:
            self.failed += 1
            if not isinstance(error, (TimedOut, RetriesExhausted)) or self.failed >= _FAILURES:
                raise UserError(f"the simulated user cannot be asked: {error}{self.advice}") from error
            return Answers(ending="user_error")
        self.failed = 0
        return answers

    async def open(self, task: Task, number: int) -> tuple[User, Answers]:
        """The user of a task, and what they say first: up to three are asked, since all attempts hear it."""
        for again in range(_OPENINGS):
            user = self.of(task, number + again)
            first = await self.hear(user, [])
            if first.contents:
                break
        return user, first
