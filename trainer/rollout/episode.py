"""One episode of the policy: it samples messages, the sandbox runs its calls, the checkers judge what it did."""

import asyncio
import json
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field
from hashlib import blake2b
from random import Random
from typing import Any, TypeVar

from toolscale.artifacts import Call, CallOutcome, Trajectory
from toolscale.checkers import GoldenReplay, judge
from toolscale.environment import Sandbox, Session
from toolscale.episodes.tools import tool_content
from toolscale.prompts import render
from trainer.config import Rewarding, Rollouts
from trainer.data import Exercise
from trainer.rollout.chat import Chat, Message
from trainer.rollout.engine import Engine, PromptTooLong, Sampling
from trainer.rollout.scoring import reward_vector
from trainer.rollout.tool_calls import AgentMessage, read_message
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

    exercise: Exercise
    sandbox: Sandbox
    messages: tuple[Message, ...]
    """What stands in the conversation before the agent's first message."""
    prompt: tuple[int, ...]
    """The same with the tools, as ids."""
    golden: GoldenReplay


def opening_messages(exercise: Exercise) -> list[Message]:
    """The instructions of the agent and of a user who says everything at once, as the dataset's attempts had them."""
    spec = exercise.environment
    system = render("agent", domain=spec.domain, policy=spec.policy, now=spec.now, direct=True)
    return [*system, {"role": "user", "content": exercise.task.instruction}]


def set_scene(exercise: Exercise, sandbox: Sandbox, chat: Chat) -> Scene:
    """Encode the prompt and replay the golden calls, once for all rollouts of the exercise."""
    messages = opening_messages(exercise)
    prompt = chat.opening(messages, exercise.tools)
    return Scene(exercise, sandbox, tuple(messages), tuple(prompt), GoldenReplay.of(sandbox, exercise.task))


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
            scene: the task, its environment and its prompt.
            attempt: the rollout's number within its group.
            seed: with the weights and an engine that samples the same for the same seed, decides the whole episode.
            temperature: 0 is greedy.

        Raises:
            EngineDied: the engine answers no more.
        """
        episode = _Episode(self, scene, seed, temperature)
        started = time.monotonic()
        ending = await episode.run()
        seconds = time.monotonic() - started
        outcomes = episode.session.replay.outcomes
        calls = [Call(name=outcome.name, arguments=outcome.arguments) for outcome in outcomes]
        task, sandbox = scene.exercise.task, scene.sandbox
        verdict = await self.in_thread(lambda: judge(sandbox, task, calls, episode.said, scene.golden))
        trajectory = Trajectory(
            task_id=task.id,
            attempt=attempt,
            messages=[*scene.messages, *episode.messages],
            calls=list(outcomes),
            agent_messages=episode.said,
            termination=_TERMINATIONS[ending],
            prompt_tokens=episode.prompt_tokens,
            completion_tokens=episode.sequence.sampled_count,
        )
        vector = reward_vector(trajectory, verdict, scene.exercise.offered, seconds, self.prices)
        return Rollout(task.id, episode.sequence, trajectory, verdict, ending, vector, episode.fault)

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Wait for the sandbox without holding up the other episodes."""
        return await asyncio.get_running_loop().run_in_executor(self.threads, work)


@dataclass
class _Episode:
    """An episode while it is played."""

    player: Player
    scene: Scene
    seed: str
    temperature: float
    sequence: TokenSequence = field(init=False)
    session: Session = field(init=False)
    messages: list[Message] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    fault: str | None = None
    prompt_tokens: int = 0
    made: int = 0
    """Calls so far: they number the tool messages."""

    def __post_init__(self) -> None:
        self.sequence = TokenSequence.of_prompt(list(self.scene.prompt))
        self.session = Session(self.scene.sandbox)
        self.latency = Random(f"{self.seed}/latency")

    async def run(self) -> Ending:
        """Turn after turn until the agent is done, or cannot go on. A turn is one message of the agent."""
        for turn in range(self.player.limits.max_turns):
            if self._room() < 1:
                return "length_limit"
            sampled = await self._sample(turn)
            if sampled is None:
                return "length_limit"
            message = read_message(self.player.chat.text(sampled))
            self._record(message)
            if message.fault is not None:
                self.fault = message.fault
                return "malformed"
            if not message.calls:
                return "done"
            contents = [await self._answer(call) for call in message.calls]
            if not self.session.replay.alive:
                return "environment_error"
            if turn + 1 < self.player.limits.max_turns:
                self.sequence.append_given(self.player.chat.answers(sampled, contents))
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
        try:
            completion = await self.player.engine.sample(self.sequence.ids, sampling)
        except PromptTooLong:
            return None
        self.prompt_tokens += len(self.sequence)
        self.sequence.append_sampled(completion.ids, completion.logprobs, completion.version)
        if completion.finished == "length":
            self.messages.append({"role": "assistant", "content": self.player.chat.text(completion.ids)})
            return None
        return completion.ids

    def _record(self, message: AgentMessage) -> None:
        calls = [
            {
                "id": f"call_{self.made + place}",
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.arguments, ensure_ascii=False)},
            }
            for place, call in enumerate(message.calls)
        ]
        self.messages.append(
            {"role": "assistant", "content": message.content or None, **({"tool_calls": calls} if calls else {})}
        )
        if message.content and message.fault is None:
            self.said.append(message.content)

    async def _answer(self, call: Call) -> str:
        """Run a call and return what the agent reads of it."""
        least, most = self.player.limits.tool_latency
        if most:
            await asyncio.sleep(self.latency.uniform(least, most))
        content = tool_content(await self._outcome(call))
        self.messages.append({"role": "tool", "tool_call_id": f"call_{self.made}", "content": content})
        self.made += 1
        return content

    async def _outcome(self, call: Call) -> CallOutcome | str:
        offered = self.scene.exercise.offered
        if call.name not in offered and self.scene.exercise.environment.function(call.name):
            # The environment has it, but this agent was not offered it: to the agent there is no such function.
            return f"there is no function `{call.name}`. There are: {', '.join(sorted(offered))}"
        return await self.player.in_thread(lambda: self.session.call(call.name, call.arguments))


def _number(text: str) -> int:
    """A seed from words: 63 bits, the same on every machine."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest()) >> 1
