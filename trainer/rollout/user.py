"""The user of a domain task in training: a model that speaks turn by turn, and whose failures are not the policy's."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from toolscale.artifacts import CallOutcome, Verdict
from toolscale.episodes.loop import Answers
from toolscale.episodes.user import SimulatedUser, User, heard_from
from toolscale.errors import UserError
from toolscale.llm import Gateway, GatewayError, RetriesExhausted, TimedOut
from toolscale.llm.endpoints import see_that_it_can_be_asked
from toolscale.llm.prices import Prices
from toolscale.messages import Message
from toolscale.settings import Settings
from trainer.config import Rollouts
from trainer.exercise import Exercise, Playable
from trainer.rollout.setting import RolloutSetting
from trainer.rollout.tool_calls import AgentMessage

_SAMPLES = 2**31
"""The store counts samples in 32 bits."""

_OPENINGS = 3

_FAILURES = 20
"""Failures of the endpoint in a row after which there is no use in going on."""


def check_users(exercises: Sequence[Playable], rollouts: Rollouts) -> None:
    """Raises UserError where users are to be simulated, and a task has no scenario, or the model cannot be asked."""
    own = [one for one in exercises if isinstance(one, Exercise)]
    if rollouts.user_mode == "direct" or not own:
        return
    if silent := [one.id for one in own if one.task.user_scenario is None]:
        raise UserError(
            f"rollouts.user_mode: task {silent[0]} has no user_scenario that a simulated user could play; set it to "
            "direct, or leave out such tasks"
        )
    settings = Settings.load()
    user = settings.for_role("user")
    see_that_it_can_be_asked(user.model, user.api_base)
    Prices(settings.prices).look_up(user.model)


@dataclass
class Users:
    """A model that plays the users of all episodes, asked through the gateway."""

    gateway: Gateway
    failed: int = 0
    """Calls in a row that the endpoint did not answer."""

    def of(self, exercise: Exercise, number: int) -> User:
        """The user of an exercise; with the same number, they say the same to the same words."""
        return SimulatedUser(exercise.task, self.gateway, seed=0, sample=number % _SAMPLES)

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
                raise UserError(
                    f"the simulated user cannot be asked: {error}; a training goes on with --resume"
                ) from error
            return Answers(ending="user_error")
        self.failed = 0
        return answers

    async def open(self, exercise: Exercise, number: int) -> tuple[User, Answers]:
        """The user of an exercise, and what they say first: up to three are asked, since all rollouts hear it."""
        for again in range(_OPENINGS):
            user = self.of(exercise, number + again)
            first = await self.hear(user, [])
            if first.contents:
                break
        return user, first


@dataclass
class Conversing:
    """A setting whose user answers what the agent says; whatever else it does is that of the setting within."""

    within: RolloutSetting
    users: Users
    user: User
    conversation: list[Message] = field(default_factory=list)
    """What the user has said and heard."""

    def read(self, text: str) -> AgentMessage:
        """See `RolloutSetting.read`."""
        return self.within.read(text)

    async def answers(self, message: Message) -> Answers:
        """The calls' answers; what the agent said beside them the user hears."""
        self.conversation.append(message)
        return await self.within.answers(message)

    async def replies(self, message: Message) -> Answers:
        """What the user says to it. It costs the agent neither dollars nor seconds."""
        self.conversation.append(message)
        answers = await self.users.hear(self.user, self.conversation)
        self.conversation += ({"role": "user", "content": said} for said in answers.contents)
        return answers

    @property
    def calls(self) -> list[CallOutcome]:
        """See `RolloutSetting.calls`."""
        return self.within.calls

    async def judged(self, said: list[str], *, answered: bool) -> Verdict:
        """See `RolloutSetting.judged`."""
        return await self.within.judged(said, answered=answered)
