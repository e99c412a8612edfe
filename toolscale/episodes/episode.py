"""An episode of user, agent and a domain's functions, and the trajectory that it yields."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from toolscale.artifacts import Task, Trajectory
from toolscale.environment import Sandbox, Session
from toolscale.episodes.loop import TERMINATIONS, Answers, Ending, Episode, Spoken, play
from toolscale.episodes.tools import answers_of, in_session
from toolscale.episodes.user import DirectUser, SimulatedUser, User, heard_from
from toolscale.llm import Gateway, Offer, Unanswerable
from toolscale.messages import Message
from toolscale.prompts import render
from toolscale.stages import ROLES, Stage

UserMode = Literal["direct", "simulated"]

MAX_TURNS = 50
"""The paper's limit on an agent's turns (section 4.1)."""


async def run_episode(
    task: Task,
    sandbox: Sandbox,
    gateway: Gateway,
    *,
    stage: Stage = "episode",
    attempt: int = 0,
    user_mode: UserMode = "direct",
    max_turns: int = MAX_TURNS,
    seed: int = 0,
) -> Trajectory:
    """One attempt at a task, of the agent or of whoever another stage asks.

    The agent sees the policy, the conversation and the tools, nothing of the task's golden calls. A turn is one message
    of the agent. The episode ends when the user is done, at the turn limit, or when a side cannot go on.

    Raises:
        GatewayError: the endpoint failed; that is nobody's attempt, and nothing that was answered is lost.
    """
    user: User = DirectUser(task) if user_mode == "direct" else SimulatedUser(task, gateway, seed=seed, sample=attempt)
    session = Session(sandbox, task.start)
    spec = sandbox.spec
    system = render("agent", domain=spec.domain, policy=spec.policy, now=spec.now, direct=user_mode == "direct")
    conversation: list[Message] = []
    agent = _ModelAgent(
        gateway, stage, Offer.of(spec.tools()), spec.domain, task.id, system, conversation, seed, attempt
    )
    setting = _Domain(session, user, conversation)
    episode = Episode()
    ending = await play(agent, setting, episode, max_turns=max_turns, first=await heard_from(user, conversation))
    return Trajectory(
        task_id=task.id,
        attempt=attempt,
        messages=[*system, *conversation],
        calls=list(session.replay.outcomes),
        agent_messages=[
            message["content"] for message in conversation if message["role"] == "assistant" and message.get("content")
        ],
        termination=TERMINATIONS[ending],
        prompt_tokens=episode.prompt_tokens,
        completion_tokens=episode.completion_tokens,
    )


@dataclass(frozen=True)
class _ModelAgent:
    """The model in the role that acts."""

    gateway: Gateway
    stage: Stage
    offer: Offer
    domain: str
    task: str
    system: Sequence[Message]
    conversation: list[Message]
    seed: int
    sample: int

    def hears(self, messages: Sequence[Message]) -> None:
        self.conversation.extend(messages)

    async def speaks(self) -> Spoken | Ending:
        try:
            reply = await self.gateway.chat(
                ROLES[self.stage],
                [*self.system, *self.conversation],
                self.offer,
                stage=self.stage,
                domain=self.domain,
                task=self.task,
                seed=self.seed,
                sample=self.sample,
            )
        except Unanswerable:
            return "agent_error"
        self.conversation.append(reply.message)
        return Spoken(reply.message, prompt_tokens=reply.prompt_tokens, completion_tokens=reply.completion_tokens)


@dataclass(frozen=True)
class _Domain:
    """A domain's functions, and a user to talk to."""

    session: Session
    user: User
    conversation: list[Message]

    async def answers(self, message: Message) -> Answers:
        contents = await answers_of(message, in_session(self.session))
        return Answers(contents, ending=None if self.session.replay.alive else "environment_error")

    async def replies(self, message: Message) -> Answers:
        return await heard_from(self.user, self.conversation)
