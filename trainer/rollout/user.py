"""The user of a domain task in training, who speaks turn by turn."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field

from toolscale.artifacts import CallOutcome, Verdict
from toolscale.episodes.loop import Answers
from toolscale.episodes.user import User
from toolscale.episodes.users import Users
from toolscale.errors import UserError
from toolscale.llm import Gateway
from toolscale.llm.endpoints import see_that_it_can_be_asked
from toolscale.llm.prices import Prices
from toolscale.messages import Message
from toolscale.settings import Settings
from trainer.config import Rollouts
from trainer.rollout.setting import RolloutSetting
from trainer.rollout.tool_calls import AgentMessage
from trainer.tasks.exercise import Exercise, Playable

log = logging.getLogger(__name__)


def users_behind(gateway: Gateway) -> Users:
    """The users of a training."""
    return Users(gateway, advice="; a training goes on with --resume")


def check_users(exercises: Sequence[Playable], rollouts: Rollouts) -> None:
    """See that every task has its user. Warns where that is no language model.

    Raises:
        UserError: a domain's users call functions of their own; or users are to be simulated, and a task has no
            scenario, or the model cannot be asked.
    """
    own = [one for one in exercises if isinstance(one, Exercise)]
    for each in own:
        if any(function.caller == "user" for function in each.environment.unoffered):
            raise UserError(
                f"the domain {each.task.domain}: its users call functions too, and no user here does: leave it out by "
                "data.domains"
            )
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
    if user.model.startswith("offline/"):
        log.warning(
            "rollouts.user_mode is simulated, and no model is named for the role user: the offline stand-in plays "
            "users, who say why they call and, when they are asked, what they know; name a language model, such as "
            """TOOLSCALE_MODELS='{"user": {"model": "openai/gpt-5-mini"}}'"""
        )


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
