"""One episode of the policy: it samples messages, a stage answers its calls and judges what it did."""

import asyncio
import json
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, TypeVar

from toolscale.artifacts import Trajectory
from trainer.config import Rewarding, Rollouts
from trainer.exercise import Message, Playable
from trainer.rollout.chat import Chat
from trainer.rollout.engine import Engine, PromptTooLong, Sampling
from trainer.rollout.scoring import reward_vector
from trainer.rollout.stage import Answers, Stage
from trainer.rollout.tool_calls import AgentMessage
from trainer.sequence import Ending, Rollout, TokenSequence

T = TypeVar("T")

_TERMINATIONS: dict[Ending, Any] = {
    "done": "done",
    "turn_limit": "turn_limit",
    "length_limit": "agent_error",
    "malformed": "agent_error",
    "environment_error": "environment_error",
}


@dataclass(frozen=True)
class Scene:
    """An exercise, ready to be played as often as one likes."""

    exercise: Playable
    messages: tuple[Message, ...]
    """What stands in the conversation before the agent's first message."""
    prompt: tuple[int, ...]
    """The same with the tools, as ids."""
    stage: Callable[[int, str], Stage]
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
            scene: the task, its prompt and its stage.
            attempt: the rollout's number within its group.
            seed: with the weights and an engine that samples the same for the same seed, decides the whole episode.
            temperature: 0 is greedy.

        Raises:
            EngineDied: the engine answers no more.
        """
        exercise, stage = scene.exercise, scene.stage(attempt, seed)
        episode = _Episode(self, scene, stage, seed, temperature)
        ending = await episode.run()
        verdict = await stage.judged(episode.said, answered=ending == "done")
        trajectory = Trajectory(
            task_id=exercise.id,
            attempt=attempt,
            messages=[*scene.messages, *episode.messages],
            calls=stage.calls,
            agent_messages=episode.said,
            termination=_TERMINATIONS[ending],
            prompt_tokens=episode.prompt_tokens,
            completion_tokens=episode.sequence.sampled_count,
        )
        vector = reward_vector(trajectory, verdict, exercise, episode.dollars, episode.seconds, self.prices)
        return Rollout(exercise.id, episode.sequence, trajectory, verdict, ending, vector, episode.fault)

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Wait for the sandbox without holding up the other episodes."""
        return await asyncio.get_running_loop().run_in_executor(self.threads, work)


@dataclass
class _Episode:
    """An episode while it is played."""

    player: Player
    scene: Scene
    stage: Stage
    seed: str
    temperature: float
    sequence: TokenSequence = field(init=False)
    messages: list[Message] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    fault: str | None = None
    prompt_tokens: int = 0
    dollars: float = 0.0
    """What tools cost."""
    seconds: float = 0.0
    """Of messages and of calls; simulated ones take what their profile says."""
    made: int = 0
    """Calls so far: they number the tool messages."""

    def __post_init__(self) -> None:
        self.sequence = TokenSequence.of_prompt(list(self.scene.prompt))

    async def run(self) -> Ending:
        """Turn after turn until the agent is done, or cannot go on. A turn is one message of the agent."""
        for turn in range(self.player.limits.max_turns):
            if self._room() < 1:
                return "length_limit"
            sampled = await self._sample(turn)
            if sampled is None:
                return "length_limit"
            message = self.stage.read(self.player.chat.text(sampled))
            spoken = self._record(message)
            if message.fault is not None:
                self.fault = message.fault
                return "malformed"
            if not message.calls:
                return "done"
            answers = await self.stage.answers(spoken, message.calls)
            if answers is None:
                return "environment_error"
            self._record_answers(answers)
            if turn + 1 < self.player.limits.max_turns:
                self.sequence.append_given(self.player.chat.answers(sampled, answers.contents))
        return "turn_limit"

    def _room(self) -> int:
        """Tokens that the next message may have."""
        limits, sequence = self.player.limits, self.sequence
        return min(
            limits.max_sampled_tokens - sequence.sampled_count,
            limits.context_tokens - len(sequence),
            limits.max_message_tokens or limits.max_sampled_tokens,
        )

    async def _sample(self, turn: int) -> list[int] | None:
        """The next message's ids; None where a limit cut it, or left no room for it."""
        sampling = Sampling(
            max_tokens=self._room(),
            temperature=self.temperature,
            top_p=self.player.limits.top_p,
            seed=_number(f"{self.seed}/{turn}"),
        )
        started = time.perf_counter()
        try:
            completion = await self.player.engine.sample(self.sequence.ids, sampling)
        except PromptTooLong:
            return None
        self.seconds += time.perf_counter() - started
        self.prompt_tokens += len(self.sequence)
        self.sequence.append_sampled(completion.ids, completion.logprobs, completion.version)
        if completion.finished == "length":
            self.messages.append({"role": "assistant", "content": self.player.chat.text(completion.ids)})
            return None
        return completion.ids

    def _record(self, message: AgentMessage) -> Message:
        calls = [
            {
                "id": f"call_{self.made + place}",
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.arguments, ensure_ascii=False)},
            }
            for place, call in enumerate(message.calls)
        ]
        spoken = {"role": "assistant", "content": message.content or None, **({"tool_calls": calls} if calls else {})}
        self.messages.append(spoken)
        if message.content and message.fault is None:
            self.said.append(message.content)
        return spoken

    def _record_answers(self, answers: Answers) -> None:
        self.dollars += answers.dollars
        self.seconds += answers.seconds
        for content in answers.contents:
            self.messages.append({"role": "tool", "tool_call_id": f"call_{self.made}", "content": content})
            self.made += 1


def _number(text: str) -> int:
    """A seed from words: 63 bits, the same on every machine."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest()) >> 1
