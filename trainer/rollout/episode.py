"""One rollout: an episode that the policy plays as the agent, and the reward vector that it earns."""

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TypeVar

from toolscale.artifacts import Trajectory
from toolscale.episodes.loop import TERMINATIONS, Ending, Episode, Spoken, play
from toolscale.messages import Message
from trainer.config import Rewarding, Rollouts
from trainer.exercise import Playable
from trainer.rollout.chat import Chat
from trainer.rollout.engine import Engine, PromptTooLong, Sampling
from trainer.rollout.scoring import reward_vector
from trainer.rollout.setting import RolloutSetting
from trainer.rollout.tool_calls import AgentMessage
from trainer.sequence import Rollout, TokenSequence

T = TypeVar("T")


@dataclass(frozen=True)
class Scene:
    """An exercise, ready to be played as often as one likes."""

    exercise: Playable
    messages: tuple[Message, ...]
    """What stands in the conversation before the agent's first message."""
    prompt: tuple[int, ...]
    """The same with the tools, as ids."""
    setting: Callable[[int, str], RolloutSetting]
    """Attempt and seed of an episode -> what it is played on."""


@dataclass(frozen=True)
class Player:
    """Everything that all episodes of a training share."""

    engine: Engine
    chat: Chat
    limits: Rollouts
    prices: Rewarding
    threads: Executor
    """Where the sandbox's calls are waited for."""

    async def play(self, scene: Scene, attempt: int, seed: str, temperature: float) -> Rollout:
        """Play one episode and judge it.

        Args:
            scene: the task, its prompt and its setting.
            attempt: the rollout's number within its group.
            seed: with the weights and an engine that samples the same for the same seed, decides the whole episode.
            temperature: 0 is greedy.

        Raises:
            EngineDied: the engine answers no more.
        """
        exercise, setting, episode = scene.exercise, scene.setting(attempt, seed), Episode()
        sequence = TokenSequence.of_prompt(list(scene.prompt))
        agent = _PolicyAgent(self, setting.read, sequence, episode, seed, temperature)
        ending = await play(agent, setting, episode, max_turns=self.limits.max_turns)
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
        vector = reward_vector(trajectory, verdict, exercise, episode.dollars, episode.seconds, self.prices)
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
    temperature: float
    messages: list[Message] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    fault: str | None = None
    _sampled: list[int] | None = None
    """The last message."""
    _heard: list[str] = field(default_factory=list)
    """What it brought."""
    _calls: int = 0
    """Calls so far: they number the tool messages."""

    def hears(self, messages: Sequence[Message]) -> None:
        """See `Agent.hears`."""
        self.messages += messages
        self._heard = [message["content"] for message in messages]

    async def speaks(self) -> Spoken | Ending:
        """Sample a message, and read it; a limit that cuts it, or leaves no room for it, ends the episode."""
        if self._sampled is not None:
            self.sequence.append_given(self.player.chat.answers(self._sampled, self._heard))
        if self._room() < 1:
            return "length_limit"
        sampling = Sampling(
            max_tokens=self._room(),
            temperature=self.temperature,
            top_p=self.player.limits.top_p,
            seed=_number(f"{self.seed}/{self.episode.turns}"),
        )
        started, prompt_tokens = time.perf_counter(), len(self.sequence)
        try:
            completion = await self.player.engine.sample(self.sequence.ids, sampling)
        except PromptTooLong:
            return "length_limit"
        seconds = time.perf_counter() - started
        self.sequence.append_sampled(completion.ids, completion.logprobs, completion.version)
        self._sampled = completion.ids
        message, ending = self._read(self.player.chat.text(completion.ids), cut=completion.finished == "length")
        self.messages.append(message)
        return Spoken(
            message,
            seconds=seconds,
            prompt_tokens=prompt_tokens,
            completion_tokens=len(completion.ids),
            ending=ending,
        )

    def _room(self) -> int:
        """Tokens that the next message may have."""
        limits, sequence = self.player.limits, self.sequence
        return min(
            limits.max_sampled_tokens - sequence.sampled_count,
            limits.context_tokens - len(sequence),
            limits.max_message_tokens or limits.max_sampled_tokens,
        )

    def _read(self, text: str, *, cut: bool) -> tuple[Message, Ending | None]:
        """The message that a text spells, and why it is the last, if it is."""
        if cut:
            return {"role": "assistant", "content": text}, "length_limit"
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
        return {"role": "assistant", "content": read.content or None, **({"tool_calls": calls} if calls else {})}, None


def _number(text: str) -> int:
    """A seed from words: 63 bits, the same on every machine."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest()) >> 1
