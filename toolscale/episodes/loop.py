"""The one loop of an agent: it speaks, its calls are answered, and so on until the episode ends.

Whoever samples messages is an `Agent`, and keeps the conversation in its own form: messages for an endpoint, token ids
for a policy in training. Whatever answers is a `Setting`: functions in a sandbox, tools of a catalogue, a user, gates
that hear a draft. Where many episodes are sampled in one batch, each is a coroutine that waits in `speaks`, and the
engine gathers those that wait.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from toolscale.artifacts import Termination
from toolscale.messages import Message

Ending = Literal[
    "done",
    "turn_limit",
    "message_limit",
    "length_limit",
    "context_limit",
    "budget",
    "malformed",
    "agent_error",
    "user_error",
    "environment_error",
]
"""Why an episode ended: the agent was done; a limit of turns, of tokens (of one message, of all of the agent's, of the
whole conversation) or of dollars; a message that breaks the tool format; a side that cannot go on."""

TERMINATIONS: Mapping[Ending, Termination] = {
    "done": "done",
    "turn_limit": "turn_limit",
    "message_limit": "agent_error",
    "length_limit": "agent_error",
    "context_limit": "agent_error",
    "budget": "agent_error",
    "malformed": "agent_error",
    "agent_error": "agent_error",
    "user_error": "user_error",
    "environment_error": "environment_error",
}
"""What a trajectory calls an ending: it tells sides apart, and no limits of tokens."""


@dataclass(frozen=True)
class Spoken:
    """A message of the agent, and what it took."""

    message: Message
    dollars: float = 0.0
    seconds: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    ending: Ending | None = None
    """Why it is the last, where the message itself shows that: its calls are not made."""


@dataclass(frozen=True)
class Answers:
    """What a message brought, and what that took."""

    contents: Sequence[str] = ()
    """One for each call of the message. To a message without calls: what the user says, if anything."""
    dollars: float = 0.0
    seconds: float = 0.0
    ending: Ending | None = None
    """Why the agent is not asked again."""


class Agent(Protocol):
    """Who acts."""

    def hears(self, messages: Sequence[Message]) -> None:
        """Take down what came back: one message of a tool for each call, or one of the user."""
        ...

    async def speaks(self) -> Spoken | Ending:
        """The next message, taken down; or why there is none."""
        ...


class Setting(Protocol):
    """What an episode is played on. It belongs to one episode alone."""

    async def answers(self, message: Message) -> Answers:
        """Make the calls of a message: one content for each."""
        ...

    async def replies(self, message: Message) -> Answers:
        """What the user says to a message without calls, or why the episode is over."""
        ...


@dataclass
class Episode:
    """What an episode has come to."""

    turns: int = 0
    """Messages of the agent."""
    dollars: float = 0.0
    seconds: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def add(self, spoken: Spoken, answers: Answers) -> None:
        """Count a turn."""
        self.turns += 1
        self.dollars += spoken.dollars + answers.dollars
        self.seconds += spoken.seconds + answers.seconds
        self.prompt_tokens += spoken.prompt_tokens
        self.completion_tokens += spoken.completion_tokens


async def play(
    agent: Agent,
    setting: Setting,
    episode: Episode,
    *,
    max_turns: int,
    max_dollars: float | None = None,
    first: Answers = Answers(),
) -> Ending:
    """Play an episode to its end.

    Args:
        agent: who acts; it knows its prompt.
        setting: what answers.
        episode: counts what is played; turns that it has already count too.
        max_turns: messages of the agent.
        max_dollars: no further turn begins once the episode has cost so much.
        first: what the user says before the agent's first message, if that is not in the prompt.
    """
    heard: list[Message] = [{"role": "user", "content": content} for content in first.contents]
    ending = first.ending
    while True:
        agent.hears(heard)
        if ending is not None:
            return ending
        if episode.turns >= max_turns:
            return "turn_limit"
        if max_dollars is not None and episode.dollars >= max_dollars:
            return "budget"
        spoken = await agent.speaks()
        if not isinstance(spoken, Spoken):
            return spoken
        heard, answers = await _answered(spoken, setting)
        episode.add(spoken, answers)
        ending = answers.ending


async def _answered(spoken: Spoken, setting: Setting) -> tuple[list[Message], Answers]:
    message = spoken.message
    if spoken.ending is not None:
        return [], Answers(ending=spoken.ending)
    if calls := message.get("tool_calls"):
        answers = await setting.answers(message)
        asked = zip(calls, answers.contents, strict=True)
        return [{"role": "tool", "tool_call_id": call["id"], "content": content} for call, content in asked], answers
    answers = await setting.replies(message)
    return [{"role": "user", "content": content} for content in answers.contents], answers
