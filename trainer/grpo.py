"""GRPO on the factory's tasks (ToolOrchestra, sections 3.2 and 3.3): play, reward, learn, and play again."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from toolscale import terminal
from toolscale.errors import UserError
from toolscale.rewards.toolrl import TrainingProgress
from trainer.checkpoint import Checkpoints
from trainer.config import Config
from trainer.data import Exercises, read_exercises
from trainer.distributed import Processes, join, leave
from trainer.evaluation import Evaluated, calls_of, evaluate, held_out
from trainer.exercise import Playable
from trainer.export import Provenance, gathered, write_model
from trainer.folder import TrainingFolder
from trainer.learner import Learner
from trainer.metrics import Metrics, MetricsKind, MetricsListener, MetricsRecord, tell_dagster
from trainer.mix import mixed
from trainer.policy import Policy
from trainer.rewarding import check_preferences, group_rewards
from trainer.rollout.bench import opened
from trainer.rollout.chat import Chat
from trainer.rollout.collect import Collector
from trainer.rollout.engine import Engine, EngineDied
from trainer.rollout.opening import open_engine
from trainer.sequence import Group
from trainer.sft import read_lessons, warm_start
from trainer.tokenizer import open_tokenizer


@dataclass(frozen=True)
class TrainingResult:
    """What a training came to; also `result.json` in its folder."""

    model: str
    """Folder that transformers and vLLM load."""
    checkpoint: str
    """Where a longer training would go on."""
    dataset: str
    """Version of the dataset."""
    steps: int
    before: dict[str, float] | None
    """The evaluation before GRPO (after the warm start, where there is one); None without held-out tasks."""
    after: dict[str, float] | None
    raw: dict[str, float] | None = None
    """The evaluation of the checkpoint as it came, where `evaluation.untrained` asks for it."""


@dataclass
class Standing:
    """Where a training stands: what a checkpoint keeps beside tensors."""

    dataset: str
    step: int = 0
    """Steps that are done."""
    position: int = 0
    """Exercises that were taken, over all epochs."""
    before: dict[str, float] | None = None
    after: dict[str, float] | None = None
    raw: dict[str, float] | None = None


@dataclass
class Clock:
    """Seconds of the parts of a step."""

    seconds: dict[str, float] = field(default_factory=dict)
    _last: float = field(default_factory=time.perf_counter)

    def lap(self, name: str) -> None:
        """What was since the last lap is this part's."""
        now = time.perf_counter()
        self.seconds[name] = self.seconds.get(name, 0.0) + now - self._last
        self._last = now


def train(
    config: Config, dataset: Path | None, out: Path, *, resume: bool = False, hear: MetricsListener | None = None
) -> TrainingResult:
    """Train on the dataset's tasks and leave everything in `out`; with `resume`, go on to the bit where it stands.

    Under torchrun every process calls this. `hear` is told each line of metrics, by the first process.

    Raises:
        UserError: something is wrong that a user can mend; what was finished before lies in the last checkpoint.
    """
    processes = join()
    try:
        return asyncio.run(_train(config, dataset, out, processes, resume, hear or say))
    except EngineDied as error:
        raise UserError(f"{error}; then continue from the last checkpoint with --resume") from error
    finally:
        leave()


async def _train(
    config: Config, dataset: Path | None, out: Path, processes: Processes, resume: bool, hear: MetricsListener
) -> TrainingResult:
    folder = TrainingFolder(out)
    checkpoints = Checkpoints(folder.checkpoints, config.checkpoints.keep, processes)
    latest = folder.begin(config, checkpoints.latest(), resume, processes)
    tokenizer = open_tokenizer(config.model)
    chat = Chat(tokenizer)
    exercises = read_exercises(dataset, config.data, config.seed, config.tools)
    check_preferences(exercises.train, config.rewarding)
    torch.manual_seed(config.seed + processes.rank)
    policy = Policy.load(config.model, processes)
    standing = Standing(exercises.version)
    if latest is not None:
        standing = _standing(latest, exercises)
    writer = (
        Metrics(out, config.logging, resumed_at=standing.step if latest else None, hear=hear)
        if processes.leads
        else None
    )
    with writer or nullcontext():
        note = writer.write if writer else _unheard
        if latest is None and config.warm_start is not None:
            lessons = read_lessons(dataset, exercises, chat, config, config.warm_start.examples)
            warm_start(
                policy, lessons, config.warm_start, config, processes, lambda step, each: note("sft", step, each)
            )
            if config.algorithm.kl_coefficient:
                _export(folder.warm_start, policy, tokenizer, config, standing, processes)
        learner = Learner(
            policy,
            config.algorithm,
            config.optimization,
            steps=config.steps,
            temperature=config.rollouts.temperature,
            processes=processes,
            reference=_reference(config, folder, processes),
        )
        if latest is not None:
            checkpoints.load(latest, policy, learner.optimizer)
        engine = await open_engine(config.model, config.rollouts, chat, processes)
        try:
            async with opened(config, exercises) as bench:
                with Collector(engine, chat, config.rollouts, config.rewarding, bench) as collector:
                    training = _Training(
                        config, exercises, processes, learner, engine, collector, checkpoints, standing, note
                    )
                    await training.run(fresh=latest is None)
        finally:
            await engine.close()
        _export(folder.model, policy, tokenizer, config, standing, processes)
    last = checkpoints.latest()
    result = TrainingResult(
        str(folder.model), str(last), exercises.version, standing.step, standing.before, standing.after, standing.raw
    )
    if processes.leads:
        (out / "result.json").write_text(json.dumps(vars(result), indent=1) + "\n", encoding="utf-8")
        tell_dagster({"result": vars(result)})
    return result


@dataclass
class _Training:
    """A training while it runs."""

    config: Config
    exercises: Exercises
    processes: Processes
    learner: Learner
    engine: Engine
    collector: Collector
    checkpoints: Checkpoints
    standing: Standing
    note: Any

    async def run(self, *, fresh: bool) -> None:
        """From where it stands to the last step."""
        config, standing = self.config, self.standing
        train = self.collector.fitting(self.exercises.train)
        asked = held_out(self.collector.fitting(self.exercises.held_out), config.evaluation)
        if fresh and config.evaluation.untrained:
            standing.raw = await self._evaluate(asked, step=-1)
        await self.engine.load_weights(self.learner.policy.weights(), standing.step)
        if fresh:
            standing.before = standing.after = await self._evaluate(asked)
            self._save()
        while standing.step < config.steps:
            await self._step(train)
            last = standing.step == config.steps
            if last or (config.evaluation.every and standing.step % config.evaluation.every == 0):
                standing.after = await self._evaluate(asked)
            if last or standing.step % config.checkpoints.every == 0:
                self._save()

    async def _step(self, train: Sequence[Playable]) -> None:
        """Play a batch of tasks, reward each rollout, update the policy, and hand its weights to the engine."""
        config, processes, standing, clock = self.config, self.processes, self.standing, Clock()
        algorithm = config.algorithm
        batch = mixed(train, standing.position, algorithm.tasks_per_step, config.data, config.seed)
        mine = batch[processes.rank :: processes.size]
        seed = f"{config.seed}/{standing.step}/{processes.rank}"
        groups = await self.collector.groups(mine, algorithm.rollouts_per_task, seed)
        clock.lap("rollouts")
        progress = TrainingProgress(standing.step, config.steps)
        rewards = [
            group_rewards(group, exercise, config.rewarding, progress)
            for group, exercise in zip(groups, mine, strict=True)
        ]
        learned = self.learner.update(groups, rewards, standing.step)
        clock.lap("update")
        standing.step += 1
        standing.position += len(batch)
        await self.engine.load_weights(self.learner.policy.weights(), standing.step)
        clock.lap("weights")
        played = _played(groups, processes, self.exercises.catalogue_tools)
        self.note("train", standing.step, {**learned, **played}, clock.seconds | {"step": sum(clock.seconds.values())})

    async def _evaluate(self, asked: Sequence[Playable], step: int | None = None) -> dict[str, float] | None:
        if not asked:
            return None
        clock = Clock()
        found = await evaluate(
            self.collector,
            asked,
            self.config.evaluation,
            self.config.seed,
            self.processes,
            self.exercises.catalogue_tools,
            self.exercises.datasets,
        )
        clock.lap("evaluation")
        self.note("evaluation", self.standing.step if step is None else step, found.as_figures(), clock.seconds)
        return found.as_figures()

    def _save(self) -> None:
        self.checkpoints.save(self.standing.step, self.learner.policy, self.learner.optimizer, vars(self.standing))


def _played(groups: Sequence[Group], processes: Processes, tools: Sequence[str]) -> dict[str, float]:
    """What the rollouts of a step were like, over all processes: means a rollout."""
    rollouts = [rollout for group in groups for rollout in group.rollouts]
    endings = Counter(rollout.ending for rollout in rollouts)
    sums = {
        "solved": sum(rollout.verdict.solved for rollout in rollouts),
        "calls": sum(len(rollout.trajectory.calls) for rollout in rollouts),
        "turns": sum(len(rollout.sequence.versions) for rollout in rollouts),
        "sampled_tokens": sum(rollout.sequence.sampled_count for rollout in rollouts),
        "all_tokens": sum(len(rollout.sequence) for rollout in rollouts),
        "dollars": sum(rollout.vector.dollars for rollout in rollouts),
        **{f"calls_{tool}": float(calls_of(tool, rollouts)) for tool in tools},
        **{f"ending_{ending}": endings[ending] for ending in ("done", "turn_limit", "length_limit", "malformed")},
    }
    count, *values = processes.sums([len(rollouts), *sums.values()])
    return {name: value / max(1, count) for name, value in zip(sums, values, strict=True)}


def _standing(checkpoint: Path, exercises: Exercises) -> Standing:
    """What the checkpoint remembers of the training.

    Raises:
        UserError: it cannot be read, or the dataset is another one now.
    """
    try:
        standing = Standing(**json.loads((checkpoint / "progress.json").read_text(encoding="utf-8"))["progress"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(
            f"{checkpoint} is no checkpoint of a training ({error}); train anew in another folder"
        ) from None
    if standing.dataset != exercises.version:
        raise UserError(
            f"{checkpoint} was made on the dataset {standing.dataset}, and this one is {exercises.version}: resume "
            "with the same dataset, or train anew in another folder"
        )
    return standing


def _reference(config: Config, folder: TrainingFolder, processes: Processes) -> Policy | None:
    """The policy that GRPO starts from, where the loss has a KL to it."""
    if not config.algorithm.kl_coefficient:
        return None
    start = (
        config.model
        if config.warm_start is None
        else config.model.model_copy(update={"path": str(folder.warm_start), "revision": None})
    )
    return Policy.load(start, processes, trained=False)


def _export(
    folder: Path, policy: Policy, tokenizer: Any, config: Config, standing: Standing, processes: Processes
) -> None:
    """Write the policy as it is now; the first process does, all of them have to come here."""
    weights = gathered(policy, processes)
    if processes.leads:
        before, after = (Evaluated.read(each) if each else None for each in (standing.before, standing.after))
        provenance = Provenance(config, standing.dataset, standing.step, before, after)
        write_model(folder, weights, policy.model.config, tokenizer, provenance)
    processes.wait()


def _unheard(kind: MetricsKind, step: int, values: Any, seconds: Any = None) -> None:
    """The first process writes what is written once."""


def say(line: MetricsRecord) -> None:
    """A line for the terminal."""
    shown = {
        "sft": ("loss",),
        "train": ("reward_mean", "solved", "mismatch_kl", "entropy", "sampled_tokens"),
        "evaluation": ("tasks", "pass_rate", "low", "high"),
    }[line["kind"]]
    figures = ", ".join(f"{name} {line[name]:.4g}" for name in shown if line.get(name) is not None)
    seconds = sum(line["seconds"].values()) / (2 if "step" in line["seconds"] else 1)
    terminal.say(f"{line['kind']} {line['step']}: {figures}" + (f" ({seconds:.1f} s)" if seconds else ""))
