"""One rollout: an episode that the policy plays as the agent, and the reward vector that it earns."""

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from typing import TypeVar

from toolscale.artifacts import Trajectory
from toolscale.episodes.loop import TERMINATIONS, Answers, Ending, Episode, Spoken, play
from toolscale.messages import Message
from trainer.config import Rewarding, Rollouts
from trainer.rollout.chat import Chat
from trainer.rollout.decoding import Decoding
from trainer.rollout.engine import Engine, NotServed, PromptTooLong, Sampling
from trainer.rollout.scoring import reward_vector
from trainer.rollout.setting import RolloutSetting
from trainer.rollout.tool_calls import AgentMessage
from trainer.sequence import Rollout, TokenSequence
from trainer.tasks.exercise import Playable

T = TypeVar("T")


@dataclass(frozen=True)
class Scene:
    """An exercise, ready to be played as often as one likes."""

    exercise: Playable
    messages: tuple[Message, ...]
    """What stands in the conversation at first."""
    prompt: tuple[int, ...]
    """The same with the tools and what the user says first, as ids."""
    setting: Callable[[int, str], RolloutSetting]
    """Attempt and seed of an episode -> what it is played on."""
    first: Answers = field(default_factory=Answers)
    """What a user who is simulated says first, to all rollouts of the group alike; or how they broke it."""


@dataclass(frozen=True)
class Player:
    """Everything that all episodes of a training share."""

    engine: Engine
    chat: Chat
    limits: Rollouts
    prices: Rewarding
    threads: Executor
    """Where the sandbox's calls are waited for."""

    async def play(self, scene: Scene, attempt: int, seed: str, decoding: Decoding) -> Rollout:
        """Play one episode and judge it.

        Args:
            scene: the task, its prompt and its setting.
            attempt: the rollout's number within its group.
            seed: with the weights and an engine that samples the same for the same seed, decides the whole episode.
            decoding: how its messages are sampled.

        Raises:
            EngineDied: the engine answers no more.
        """
        exercise, setting, episode = scene.exercise, scene.setting(attempt, seed), Episode()
        sequence = TokenSequence.of_prompt(list(scene.prompt))
        agent = _PolicyAgent(self, setting.read, sequence, episode, seed, decoding)
        ending = await play(agent, setting, episode, max_turns=self.limits.max_turns, first=scene.first)
        verdict = await setting.judged(agent.said, answered=ending == "done")
        trajectory = Trajectory(
            task_id=exercise.id,
            attempt=attempt,
            messages=[*scene.messages, *agent.messages],
            calls=setting.calls,
            agent_messages=agent.said,
            termination=TERMINATIONS[ending],
            prompt_tokens=episode.prompt_tokens,
            completion_tokens=episode.completion_tokens,
        )
        # What a limit cut, or what breaks the format, is no solution, also where all calls were right.
        solved = verdict.solved and ending == "done"
        vector = reward_vector(trajectory, solved, exercise, episode.dollars, episode.seconds, self.prices)
        return Rollout(exercise.id, sequence, trajectory, verdict, ending, vector, agent.fault)

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Wait for the sandbox without holding up the other episodes."""
        return await asyncio.get_running_loop().run_in_executor(self.threads, work)


@dataclass
class _PolicyAgent:
    """The policy as the agent of an episode, which it keeps twice: as token ids, and as messages."""

    player: Player
    read: Callable[[str], AgentMessage]
    sequence: TokenSequence
    episode: Episode
    seed: str
    decoding: Decoding
    messages: list[Message] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    fault: str | None = None
    _sampled: list[int] | None = None
    """The last message."""
    _heard: Sequence[Message] = ()
    """What it brought."""
    _calls: int = 0
    """Calls so far: they number the tool messages."""

    def hears(self, messages: Sequence[Message]) -> None:
        """See `Agent.hears`."""
        self.messages += messages
        self._heard = messages

    async def speaks(self) -> Spoken | Ending:
        """Sample a message, and read it; a limit that cuts it, or leaves no room for it, ends the episode."""
        if self._sampled is not None:
            said = self.messages[-1 - len(self._heard)]
            self.sequence.append_given(self.player.chat.after(self._sampled, self._heard, said))
        limit, room = self._room()
        if room < 1:
            return limit
        seed = number_of(f"{self.seed}/{self.episode.turns}")
        sampling = Sampling(max_tokens=room, seed=seed, **asdict(self.decoding))
        started, prompt_tokens = time.perf_counter(), len(self.sequence)
        try:
            completion = await self.player.engine.sample(self.sequence.ids, sampling)
        except PromptTooLong:
            return "context_limit"
        except NotServed:
            return "environment_error"
        seconds = time.perf_counter() - started
        self.sequence.append_sampled(completion.ids, completion.logprobs, completion.version)
        self._sampled = completion.ids
        text = self.player.chat.text(completion.ids)
        message, ending = self._read(text, cut=limit if completion.finished == "length" else None)
        self.messages.append(message)
        return Spoken(
            message,
            seconds=seconds,
            prompt_tokens=prompt_tokens,
            completion_tokens=len(completion.ids),
            ending=ending,
        )

    def _room(self) -> tuple[Ending, int]:
        """The limit that the next message would meet first, and the tokens that it leaves."""
        limits, sequence = self.player.limits, self.sequence
        left: dict[Ending, int] = {
            "length_limit": limits.max_sampled_tokens - sequence.sampled_count,
            "context_limit": limits.context_tokens - len(sequence),
            "message_limit": limits.max_message_tokens or limits.max_sampled_tokens,
        }
        first = min(left, key=lambda limit: left[limit])
        return first, left[first]

    def _read(self, text: str, *, cut: Ending | None) -> tuple[Message, Ending | None]:
        """The message that a text spells, and why it is the last, if it is; `cut` is the limit that cut it."""
        if cut:
            return {"role": "assistant", "content": text}, cut
        read = self.read(text)
        if read.fault is not None:
            self.fault = read.fault
            return {"role": "assistant", "content": read.content or None}, "malformed"
        if read.content:
            self.said.append(read.content)
        calls = [
            {
                "id": f"call_{self._calls + place}",
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.arguments, ensure_ascii=False)},
            }
            for place, call in enumerate(read.calls)
        ]
        self._calls += len(calls)
        message: Message = {"role": "assistant", "content": read.content or None}
        if read.thoughts:
            message["reasoning_content"] = read.thoughts
        return {**message, "tool_calls": calls} if calls else message, None


def number_of(text: str) -> int:
    """A seed from words: 63 bits, the same on every machine."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest()) >> 1
