"""The yardstick: what scripted rules come to at held-out claims, and R of any attempt on the scale that they span.

In training R is normalized over the rollouts of one step, so it says who did better within a group, and nothing from
one step to the next. Here the group is always the same: the attempt, the three ways, and nothing done at all.
"""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from toolscale.messages import Message
from toolscale.mock_endpoint.experts.claims import REMEDIES
from toolscale.rewards import RewardVector, final_rewards
from trainer.config import Config
from trainer.orchestrator_demo.ways import BEST, LARGE, SMALL, WAYS, Rule, Wish, always
from trainer.rollout.bench import opened
from trainer.rollout.chat import Chat
from trainer.rollout.chat_template import call
from trainer.rollout.collect import Collector, fitting
from trainer.rollout.engine import Completion, Sampling
from trainer.rollout.evaluation import held_out
from trainer.rollout.tool_calls import read_message
from trainer.tasks.data import Exercises
from trainer.tasks.exercise import Exercise

RULES: Mapping[str, Rule] = {**{name: always(tool) for name, tool in WAYS.items()}, "best": BEST}
"""By name."""

NOBODY = "nobody"

Vectors = Mapping[str, RewardVector]
"""Task -> M of the attempt at it."""


@dataclass(frozen=True)
class Yardstick:
    """Held-out claims, and what the rules came to at each."""

    exercises: Mapping[str, Exercise]
    rules: Mapping[str, Vectors]

    def reward(self, task: str, attempt: RewardVector) -> float:
        """R of an attempt at a task, by its user's preference."""
        idle = RewardVector(attempt.tools, (0,) * len(attempt.tools), solved=False, dollars=0.0, seconds=0.0)
        scale = [self.rules[way][task] for way in WAYS]
        return float(final_rewards([attempt, idle, *scale], self.exercises[task].wanted)[0])

    def situation(self, task: str) -> tuple[Wish, str]:
        """What a good policy goes by at a task: the user's wish, and the claim's topic."""
        exercise = self.exercises[task]
        assert exercise.instance is not None
        assert exercise.instance.preference is not None
        return exercise.instance.preference.theme, exercise.task.intent


def way_of(attempt: RewardVector) -> str:
    """The dearest expert that was asked, else `itself`; `nobody` where nothing was settled."""
    calls = dict(zip(attempt.tools, attempt.calls, strict=True))
    if not any(calls[remedy] for remedy in REMEDIES):
        return NOBODY
    return "large" if calls[LARGE] else "small" if calls[SMALL] else "itself"


async def measure(config: Config, exercises: Exercises, chat: Chat) -> Yardstick:
    """Play the rules at those held-out claims that a training with these settings evaluates.

    The experts have to be there.
    """
    chosen = held_out(fitting(exercises.held_out, chat, config.rollouts.max_prompt_tokens), config.evaluation)
    played = {}
    async with opened(config, exercises) as bench:
        for name, rule in RULES.items():
            engine: Any = _Scripted(chat, rule, config.rollouts.context_tokens)
            with Collector(engine, chat, config.rollouts, config.rewarding, bench) as collector:
                groups = await collector.groups(chosen, 1, name)
            played[name] = {group.task_id: group.rollouts[0].vector for group in groups}
    claims = {exercise.id: exercise for exercise in chosen if isinstance(exercise, Exercise)}
    return Yardstick(claims, played)


class _Scripted:
    """An engine that speaks by a rule, whatever the conversation."""

    def __init__(self, chat: Chat, rule: Rule, context_limit: int) -> None:
        self._chat, self._rule, self.context_limit = chat, rule, context_limit

    def seat(self) -> "nullcontext[None]":
        return nullcontext()

    async def sample(self, prompt: Sequence[int], sampling: Sampling) -> Completion:
        # Some templates write as JSON once more what a tool answered.
        heard = str(self._chat.tokenizer.decode(list(prompt))).replace('\\"', '"')
        # Rules speak Hermes; what a policy of another format would say is its template's to write.
        said = read_message(self._rule.says(heard))
        calls = [call(each.name, each.arguments) for each in said.calls]
        message: Message = {"role": "assistant", "content": said.content} | ({"tool_calls": calls} if calls else {})
        unthought, spoken = self._chat.spoken(message)
        ids = unthought + spoken
        return Completion(ids, [0.0] * len(ids), "stop", 0)
