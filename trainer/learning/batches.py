"""What a step learns from: tasks are drawn, dealt to the processes, played and rewarded; groups that teach nothing
make room for others (DAPO's dynamic sampling)."""

import math
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean

from toolscale.rewards.toolrl import TrainingProgress
from trainer.config import Config
from trainer.distributed import Processes, in_daemon
from trainer.rewards.filters import teaches_nothing
from trainer.rewards.rewarding import Reward, group_rewards
from trainer.rollout.collect import Collector
from trainer.rollout.evaluation import calls_of
from trainer.sequence import LIMITS, Group
from trainer.tasks.curriculum import Result
from trainer.tasks.drawing import Drawing, Place
from trainer.tasks.exercise import Playable


@dataclass(frozen=True)
class Played:
    """A task's group, and what each of its rollouts earned."""

    exercise: Playable
    group: Group
    rewards: list[Reward]
    teaches: bool
    """Whether it is not dropped as a whole (`filters.teaches_nothing`)."""


@dataclass(frozen=True)
class Batch:
    """One process's share of what a step learns from."""

    step: int
    """From 0; also the version of the weights that learn from it."""
    played: tuple[Played, ...]
    """Those that teach nothing too: they are in the figures, and the learner drops them."""
    drawn: dict[str, float]
    """Figures of how the tasks of all processes were drawn."""
    after: Place
    """Where drawing goes on once this has been learnt from."""
    seconds: float
    """That playing took."""

    @property
    def groups(self) -> list[Group]:
        """See `Played.group`."""
        return [each.group for each in self.played]

    @property
    def rewards(self) -> list[list[Reward]]:
        """See `Played.rewards`."""
        return [each.rewards for each in self.played]

    @property
    def earned(self) -> list[list[float]]:
        """R of each rollout."""
        return [[reward.total for reward in each.rewards] for each in self.played]

    def figures(self, processes: Processes, tools: Sequence[str]) -> dict[str, float]:
        """What its rollouts that count were like, over all processes: means a rollout; and how they were drawn.

        `age_mean` and `age_max` are by how many versions the weights that sampled a rollout's oldest message were
        behind those that learn from it.
        """
        rollouts = [rollout for group in self.groups for rollout in group.rollouts if rollout.counts]
        endings = Counter(rollout.ending for rollout in rollouts)
        ages = [self.step - min(rollout.sequence.versions, default=self.step) for rollout in rollouts]
        sums = {
            "solved": sum(rollout.solved for rollout in rollouts),
            "calls": sum(len(rollout.trajectory.calls) for rollout in rollouts),
            "turns": sum(len(rollout.sequence.versions) for rollout in rollouts),
            "sampled_tokens": sum(rollout.sequence.sampled_count for rollout in rollouts),
            "all_tokens": sum(len(rollout.sequence) for rollout in rollouts),
            "dollars": sum(rollout.vector.dollars for rollout in rollouts),
            "age_mean": sum(ages),
            **{f"calls_{tool}": float(calls_of(tool, rollouts)) for tool in tools},
            **{f"ending_{ending}": endings[ending] for ending in ("done", *LIMITS, "malformed")},
        }
        count, spent, *values = processes.sums([len(rollouts), self._spent_in_vain(), *sums.values()])
        means = {name: value / max(1, count) for name, value in zip(sums, values, strict=True)}
        return {
            **means,
            "age_max": processes.largest(max(ages, default=0)),
            "alike_tokens": spent,
            **self.drawn,
        }

    def _spent_in_vain(self) -> int:
        return sum(
            rollout.sequence.sampled_count
            for each in self.played
            if not each.teaches
            for rollout in each.group.rollouts
        )


@dataclass(frozen=True)
class _Round:
    """Tasks that were drawn and played at one time."""

    drawn: list[Playable]
    """Over all processes."""
    wanted: int
    """Groups that were waited for; the rest of those that were drawn was abandoned."""
    estimated: list[float]
    """What a curriculum expected of the drawn ones; empty without one."""
    played: list[Played]
    """By this process."""
    results: list[Result]
    """Of each that was drawn; empty where nobody asks for them."""
    dull: int
    """Groups over all processes that teach nothing and may be replaced."""


class Batches:
    """Plays one batch after the other. All processes play the same ones, each its share."""

    def __init__(self, config: Config, collector: Collector, drawing: Drawing, processes: Processes) -> None:
        self._config, self._collector, self._drawing = config, collector, drawing
        # A batch may be played while the learner counts over the other group.
        self._processes = processes.beside()

    async def play(self, step: int) -> Batch:
        """Play a step's groups, and others for those that teach nothing, as long as `algorithm.redraw` allows."""
        began, algorithm = time.perf_counter(), self._config.algorithm
        rounds: list[_Round] = []
        missing, left = algorithm.tasks_per_step, (1 + algorithm.redraw) * algorithm.tasks_per_step
        while missing:
            rounds.append(await self._round(step, missing, rounds))
            left -= missing
            missing = min(rounds[-1].dull, left)
        if estimates := self._drawing.estimates:
            estimates.learn([result for each in rounds for result in each.results], step)
        played = tuple(played for each in rounds for played in each.played)
        return Batch(step, played, _figures(rounds), self._drawing.place, time.perf_counter() - began)

    async def _round(self, step: int, wanted: int, before: Sequence[_Round]) -> _Round:
        """Draw and play `wanted` groups over all processes; `rollouts.oversample` begins more, and the first count."""
        rank, size = self._processes.rank, self._processes.size
        taken = {exercise.id for each in before for exercise in each.drawn}
        drawn = self._drawing.next(math.ceil(wanted * self._config.rollouts.oversample), step, besides=taken)
        estimates = self._drawing.estimates
        estimated = [estimates.of(one, step) for one in drawn] if estimates else []
        enough = len(range(rank, wanted, size))
        mine = drawn[rank::size] if enough else []
        seed = "/".join(map(str, (self._config.seed, step, rank, *([len(before)] if before else []))))
        whole = await self._collector.first_whole(mine, self._config.algorithm.rollouts_per_task, seed, enough)
        played = {place: self._rewarded(mine[place], group, step) for place, group in whole.items()}
        own = {rank + size * place: each for place, each in played.items()}
        results, dull = await self._over_all(drawn, own)
        return _Round(drawn, wanted, estimated, list(played.values()), results, dull)

    def _rewarded(self, exercise: Playable, group: Group, step: int) -> Played:
        progress = TrainingProgress(step, self._config.steps)
        rewards = group_rewards(group, exercise, self._config.rewarding, progress)
        earned = [reward.total for reward in rewards]
        return Played(exercise, group, rewards, not teaches_nothing(group, earned, self._config.algorithm))

    async def _over_all(self, drawn: Sequence[Playable], own: Mapping[int, Played]) -> tuple[list[Result], int]:
        """What every process's groups came to, and how many teach nothing; `own` by place in `drawn`."""
        if not self._config.algorithm.redraw and self._drawing.estimates is None:
            return [], 0
        figures: list[float] = []
        for place in range(len(drawn)):
            rollouts = [each for each in own[place].group.rollouts if each.counts] if place in own else []
            figures += [sum(each.solved for each in rollouts), len(rollouts)]
        figures.append(sum(not each.teaches for each in own.values()))
        # In a thread: the others may still be playing, and this process's learner may have to be answered meanwhile. Of
        # its own: asyncio waits for those of its pool, so a process that fails would wait for the others, and they for
        # it.
        *sums, dull = await in_daemon(partial(self._processes.sums, figures))
        results = [Result(*each) for each in zip(drawn, sums[::2], sums[1::2], strict=True)]
        return results, int(dull) if self._config.algorithm.redraw else 0


def _figures(rounds: Sequence[_Round]) -> dict[str, float]:
    """How the tasks of a batch were drawn, and how well a curriculum knew them."""
    figures: dict[str, float] = {
        "drawn_groups": sum(each.wanted for each in rounds),
        "redrawn_groups": sum(each.wanted for each in rounds[1:]),
        "abandoned_groups": sum(len(each.drawn) - each.wanted for each in rounds),
    }
    pairs = [
        (estimate, result.solved / result.played)
        for each in rounds
        if each.estimated
        for estimate, result in zip(each.estimated, each.results, strict=True)
        if result.played
    ]
    if pairs:
        figures["estimated_rate"] = fmean(estimate for estimate, _ in pairs)
        figures["estimate_error"] = math.sqrt(fmean((estimate - rate) ** 2 for estimate, rate in pairs))
    return figures
