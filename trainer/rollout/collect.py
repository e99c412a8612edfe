"""Many episodes side by side: the groups of a training step, or of an evaluation."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any

from toolscale.checkers import GoldenReplay
from toolscale.environment import Limits, Sandbox
from toolscale.episodes.loop import Answers
from toolscale.errors import UserError
from toolscale.tools.tool import Tool
from trainer.config import Rewarding, Rollouts
from trainer.rollout.bench import Bench
from trainer.rollout.chat import Chat
from trainer.rollout.decoding import Decoding
from trainer.rollout.engine import Engine
from trainer.rollout.episode import Player, Scene, number_of
from trainer.rollout.setting import CatalogueSetting, DomainSetting, RolloutSetting, StepSetting, drawn_slowness
from trainer.rollout.user import Conversing
from trainer.sequence import Group, Rollout
from trainer.tasks.exercise import Exercise, Playable, QuestionExercise

log = logging.getLogger(__name__)


class Collector:
    """An engine, the sandboxes of all environments, and a catalogue's tools, ready to play.

    Close it, or use it as a context.
    """

    def __init__(
        self, engine: Engine, chat: Chat, rollouts: Rollouts, prices: Rewarding, bench: Bench | None = None
    ) -> None:
        """`bench` has a catalogue's tools and who plays users; without it what needs neither can be played."""
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
        kept = fitting(exercises, self._player.chat, limit)
        if left_out := len(exercises) - len(kept):
            log.warning("%d of %d tasks left out: their prompts pass %d tokens", left_out, len(exercises), limit)
        return kept

    async def groups(
        self, exercises: Sequence[Playable], rollouts_per_task: int, seed: str, decoding: Decoding | None = None
    ) -> list[Group]:
        """Play every exercise `rollouts_per_task` times, at most `at_once` episodes side by side.

        Args:
            exercises: the same one may stand here twice; it is then played with other seeds.
            rollouts_per_task: 1 for a greedy evaluation.
            seed: decides every episode on an engine that samples the same for the same seed: give each step its own,
                and each process.
            decoding: None samples as a training does.

        Returns:
            One group an exercise, in their order.

        Raises:
            UserError: a prompt is longer than the limit, or the sandbox cannot run on this machine.
            EngineDied: the engine answers no more; nothing is left running.
        """
        whole = await self.first_whole(exercises, rollouts_per_task, seed, len(exercises), decoding)
        return list(whole.values())

    async def first_whole(
        self,
        exercises: Sequence[Playable],
        rollouts_per_task: int,
        seed: str,
        enough: int,
        decoding: Decoding | None = None,
    ) -> dict[int, Group]:
        """The same until `enough` of the exercises have all their rollouts; the rest is then cancelled.

        Returns:
            The group of each of these, by its exercise's place.
        """
        drawn_at = decoding or Decoding(self._rollouts.temperature, self._rollouts.top_p)
        scenes = await asyncio.gather(*(self._scene(one, f"{seed}/{place}") for place, one in enumerate(exercises)))
        waiting = [(place, attempt) for place in range(len(scenes)) for attempt in range(rollouts_per_task)]
        waiting.reverse()
        played: list[dict[int, Rollout]] = [{} for _ in scenes]
        whole: list[int] = []
        settled = asyncio.Event()

        async def play_on() -> None:
            with self._player.engine.seat():
                while waiting:
                    place, attempt = waiting.pop()
                    own = f"{seed}/{place}/{scenes[place].exercise.id}/{attempt}"
                    played[place][attempt] = await self._player.play(scenes[place], attempt, own, drawn_at)
                    if len(played[place]) == rollouts_per_task:
                        whole.append(place)
                    if len(whole) >= enough:
                        settled.set()

        await _all_until(settled, [play_on() for _ in range(min(self._rollouts.at_once, len(waiting)))])
        return {
            place: Group(scenes[place].exercise.id, tuple(rollout for _, rollout in sorted(played[place].items())))
            for place in sorted(whole[:enough])
        }

    async def _scene(self, exercise: Playable, seed: str) -> Scene:
        """An exercise, ready; the seed decides what its user says first, where a model plays them."""
        if isinstance(exercise, Exercise) and self._rollouts.user_mode == "simulated":
            return await self._with_user(exercise, seed)
        return await self._player.in_thread(partial(self._alone, exercise))

    def _alone(self, exercise: Playable) -> Scene:
        prompt = self._player.chat.prompt(exercise)
        golden = GoldenReplay.of(self._sandbox(exercise), exercise.task) if isinstance(exercise, Exercise) else None
        hung = golden is not None and not golden.replay.alive
        first = Answers(ending="environment_error") if hung else Answers()
        scene = Scene(exercise, tuple(exercise.messages), tuple(prompt), self._settings(exercise, golden), first)
        if (length := len(scene.prompt)) > (limit := self._rollouts.max_prompt_tokens):
            raise UserError(
                f"the prompt of task {exercise.id} has {length} tokens, over rollouts.max_prompt_tokens, {limit}: "
                "raise the limit, or offer fewer functions by data.tools_per_task"
            )
        return scene

    async def _with_user(self, exercise: Exercise, seed: str) -> Scene:
        """With a user who has spoken first; first words that fill the prompt are the user's failure."""
        if self._bench is None or self._bench.users is None:
            raise UserError(f"task {exercise.id} has nobody who plays its user: open a gateway for it")
        users = self._bench.users
        alone = await self._player.in_thread(partial(self._alone, exercise))
        if alone.first.ending is not None:
            return alone
        user, first = await users.open(exercise.task, number_of(f"{seed}/{exercise.id}"))
        told = exercise.told(direct=False)
        said = exercise.preferring([{"role": "user", "content": content} for content in first.contents])
        first = replace(first, contents=[message["content"] for message in said])
        prompt = self._player.chat.opening([*told, *said], exercise.tools) if said else alone.prompt
        if len(prompt) > self._rollouts.max_prompt_tokens:
            first = Answers(ending="user_error")
        return Scene(
            exercise,
            tuple(told),
            tuple(prompt),
            lambda attempt, own: Conversing(alone.setting(attempt, own), users, user, list(said)),
            first,
        )

    def _settings(self, exercise: Playable, golden: GoldenReplay | None) -> Callable[[int, str], RolloutSetting]:
        """What gives each attempt at an exercise, which has a seed, a setting of its own."""
        reads = partial(self._player.chat.read, tools=exercise.tools)
        if isinstance(exercise, Exercise):
            assert golden is not None
            sandbox = self._sandbox(exercise)
            bounds, in_thread = self._rollouts.tool_latency, self._player.in_thread
            opened = self._opener(exercise) if exercise.configuration else lambda attempt: ()
            return lambda attempt, seed: DomainSetting(
                exercise, sandbox, golden, in_thread, drawn_slowness(bounds, seed), reads, opened(attempt)
            )
        if isinstance(exercise, QuestionExercise):
            opened, judging = self._opener(exercise), self._bench.judging if self._bench else None
            return lambda attempt, seed: CatalogueSetting(exercise, reads, opened(attempt), judging)
        return lambda attempt, seed: StepSetting(exercise.step)

    def _opener(self, exercise: Exercise | QuestionExercise) -> Callable[[int], Sequence[Tool]]:
        """What opens the tools of each attempt at an exercise."""
        bench, configuration = self._bench, exercise.configuration
        if bench is None or configuration is None:
            raise UserError(f"{exercise.id} has no tools: open a catalogue for it")
        return lambda attempt: bench.opener.open(configuration, task=exercise.id, sample=attempt)

    def _sandbox(self, exercise: Exercise) -> Sandbox:
        key = id(exercise.environment)
        if key not in self._sandboxes:
            # The sandbox holds the environment, so the id stays this environment's.
            made = Sandbox(exercise.environment, Limits(children=self._rollouts.sandboxes))
            self._sandboxes.setdefault(key, made)
        return self._sandboxes[key]


def fitting(exercises: Sequence[Playable], chat: Chat, limit: int) -> list[Playable]:
    """The exercises whose prompt has at most so many tokens.

    Raises:
        UserError: none has.
    """
    lengths = [len(chat.prompt(exercise)) for exercise in exercises]
    kept = [exercise for exercise, length in zip(exercises, lengths, strict=True) if length <= limit]
    if exercises and not kept:
        raise UserError(
            f"no task's prompt keeps to rollouts.max_prompt_tokens, {limit}: the shortest of {len(exercises)} has "
            f"{min(lengths)} tokens; raise the limit, or offer fewer functions by data.tools_per_task"
        )
    return kept


async def _all_until(settled: asyncio.Event, coroutines: Sequence[Coroutine[Any, Any, None]]) -> None:
    """Wait for all, or until it is settled; where one fails, raise what it raised. None is left running."""
    running = [asyncio.ensure_future(coroutine) for coroutine in coroutines]
    everything, stop = asyncio.gather(*running), asyncio.ensure_future(settled.wait())
    try:
        await asyncio.wait((everything, stop), return_when=asyncio.FIRST_COMPLETED)
        if everything.done():
            everything.result()
    finally:
        for one in (*running, stop):
            one.cancel()
        await asyncio.gather(*running, stop, everything, return_exceptions=True)
