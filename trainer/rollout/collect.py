"""Many episodes side by side: the groups of a training step, or of an evaluation."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from toolscale.checkers import GoldenReplay
from toolscale.environment import Limits, Sandbox
from toolscale.errors import UserError
from trainer.config import Rewarding, Rollouts
from trainer.exercise import Exercise, Playable, QuestionExercise
from trainer.rollout.bench import Bench
from trainer.rollout.chat import Chat
from trainer.rollout.engine import Engine
from trainer.rollout.episode import Player, Scene
from trainer.rollout.setting import CatalogueSetting, DomainSetting, RolloutSetting, StepSetting, drawn_slowness
from trainer.sequence import Group, Rollout

log = logging.getLogger(__name__)


class Collector:
    """An engine, the sandboxes of all environments, and a catalogue's tools, ready to play.

    Close it, or use it as a context.
    """

    def __init__(
        self, engine: Engine, chat: Chat, rollouts: Rollouts, prices: Rewarding, bench: Bench | None = None
    ) -> None:
        """`bench` has the tools of questions; without it only tasks and steps can be played."""
        self._rollouts = rollouts
        self._threads = ThreadPoolExecutor(rollouts.sandboxes, thread_name_prefix="sandbox")
        self._player = Player(engine, chat, rollouts, prices, self._threads)
        self._bench = bench
        self._sandboxes: dict[int, Sandbox] = {}

    def __enter__(self) -> "Collector":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the sandboxes' processes; the engine is the caller's."""
        for sandbox in self._sandboxes.values():
            sandbox.close()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def fitting(self, exercises: Sequence[Playable]) -> list[Playable]:
        """The exercises whose prompt keeps to the limit; those that do not are left out, and the log says how many.

        Raises:
            UserError: none fits.
        """
        limit = self._rollouts.max_prompt_tokens
        lengths = {id(exercise): self._prompt_tokens(exercise) for exercise in exercises}
        fitting = [exercise for exercise in exercises if lengths[id(exercise)] <= limit]
        if exercises and not fitting:
            shortest = min(lengths.values())
            raise UserError(
                f"no task's prompt keeps to rollouts.max_prompt_tokens, {limit}: the shortest of {len(exercises)} has "
                f"{shortest} tokens; raise the limit, or offer fewer functions by data.tools_per_task"
            )
        if left_out := len(exercises) - len(fitting):
            log.warning("%d of %d tasks left out: their prompts pass %d tokens", left_out, len(exercises), limit)
        return fitting

    async def groups(
        self, exercises: Sequence[Playable], rollouts_per_task: int, seed: str, temperature: float | None = None
    ) -> list[Group]:
        """Play every exercise `rollouts_per_task` times, at most `at_once` episodes side by side.

        Args:
            exercises: the same one may stand here twice; it is then played with other seeds.
            rollouts_per_task: 1 for a greedy evaluation.
            seed: decides every episode on an engine that samples the same for the same seed: give each step its own,
                and each process.
            temperature: None takes the configuration's.

        Returns:
            One group an exercise, in their order.

        Raises:
            UserError: a prompt is longer than the limit, or the sandbox cannot run on this machine.
            EngineDied: the engine answers no more; nothing is left running.
        """
        drawn_at = self._rollouts.temperature if temperature is None else temperature
        scenes = await asyncio.gather(*(self._player.in_thread(partial(self._scene, one)) for one in exercises))
        played: dict[tuple[int, int], Rollout] = {}
        waiting = [(place, attempt) for place in range(len(scenes)) for attempt in range(rollouts_per_task)]
        waiting.reverse()

        async def play_on() -> None:
            with self._player.engine.seat():
                while waiting:
                    place, attempt = waiting.pop()
                    own = f"{seed}/{place}/{scenes[place].exercise.id}/{attempt}"
                    played[place, attempt] = await self._player.play(scenes[place], attempt, own, drawn_at)

        await _all_or_none([play_on() for _ in range(min(self._rollouts.at_once, len(waiting)))])
        return [
            Group(scene.exercise.id, tuple(played[place, attempt] for attempt in range(rollouts_per_task)))
            for place, scene in enumerate(scenes)
        ]

    def _scene(self, exercise: Playable) -> Scene:
        messages = exercise.messages
        prompt = self._player.chat.opening(messages, exercise.tools)
        scene = Scene(exercise, tuple(messages), tuple(prompt), self._settings(exercise))
        if (length := len(scene.prompt)) > (limit := self._rollouts.max_prompt_tokens):
            raise UserError(
                f"the prompt of task {exercise.id} has {length} tokens, over rollouts.max_prompt_tokens, {limit}: "
                "raise the limit, or offer fewer functions by data.tools_per_task"
            )
        return scene

    def _settings(self, exercise: Playable) -> Callable[[int, str], RolloutSetting]:
        """What gives each attempt at an exercise, which has a seed, a setting of its own."""
        if isinstance(exercise, Exercise):
            sandbox = self._sandbox(exercise)
            golden = GoldenReplay.of(sandbox, exercise.task)
            bounds, in_thread = self._rollouts.tool_latency, self._player.in_thread
            return lambda attempt, seed: DomainSetting(
                exercise, sandbox, golden, in_thread, drawn_slowness(bounds, seed)
            )
        if isinstance(exercise, QuestionExercise):
            bench, configuration = self._bench, exercise.task.configuration
            if bench is None or configuration is None:
                raise UserError(f"question {exercise.id} has no tools: open a catalogue for it")
            return lambda attempt, seed: CatalogueSetting(
                exercise, bench.opener.open(configuration, task=exercise.id, sample=attempt), bench.judging
            )
        return lambda attempt, seed: StepSetting(exercise.step)

    def _sandbox(self, exercise: Exercise) -> Sandbox:
        key = id(exercise.environment)
        if key not in self._sandboxes:
            # The sandbox holds the environment, so the id stays this environment's.
            made = Sandbox(exercise.environment, Limits(children=self._rollouts.sandboxes))
            self._sandboxes.setdefault(key, made)
        return self._sandboxes[key]

    def _prompt_tokens(self, exercise: Playable) -> int:
        return len(self._player.chat.opening(exercise.messages, exercise.tools))


async def _all_or_none(coroutines: Sequence[Coroutine[Any, Any, None]]) -> None:
    """Wait for all; where one fails, cancel the others and raise what it raised."""
    running = [asyncio.ensure_future(coroutine) for coroutine in coroutines]
    try:
        await asyncio.gather(*running)
    finally:
        for one in running:
            one.cancel()
        await asyncio.gather(*running, return_exceptions=True)
