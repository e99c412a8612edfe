"""GRPO on the factory's tasks (ToolOrchestra, sections 3.2 and 3.3), or PPO: play, reward, learn, and play again."""

import asyncio
import json
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import torch

from toolscale import terminal
from toolscale.errors import UserError
from toolscale.whole import writing
from trainer.checks import check_ahead, check_comparable, check_exercises, warn_of_no_evaluation
from trainer.config import Config
from trainer.distributed import Processes, join, leave
from trainer.learning.ahead import Ahead
from trainer.learning.batches import Batch, Batches
from trainer.learning.learner import Learner
from trainer.learning.sft import read_lessons, warm_start
from trainer.learning.watch import Watch
from trainer.memory.verdict import check_gpu, out_of_memory
from trainer.model.policy import Policy
from trainer.model.tokenizer import open_tokenizer
from trainer.output.checkpoint import Checkpoints
from trainer.output.disk import check_room
from trainer.output.export import Provenance, export_adapter, export_model
from trainer.output.folder import TrainingFolder
from trainer.output.metrics import Metrics, MetricsKind, MetricsListener, MetricsRecord, tell_dagster
from trainer.record.pieces import Pieces
from trainer.recorder import Recorder
from trainer.rewards.rewarding import part_means
from trainer.rollout.attempts import write_attempts
from trainer.rollout.bench import Bench, opened
from trainer.rollout.collect import Collector, fitting
from trainer.rollout.decoding import evaluation_decoding
from trainer.rollout.engine import Engine, EngineDied
from trainer.rollout.evaluation import Evaluated, evaluate, held_out
from trainer.rollout.opening import open_engine
from trainer.rollout.user import check_users
from trainer.starting import open_chat, open_critic, open_reference
from trainer.tasks.data import Exercises, places_of, read_exercises
from trainer.tasks.drawing import Drawing, Place
from trainer.tasks.exercise import Playable


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
    """The evaluation before the first step (after the warm start, where there is one); None without held-out tasks."""
    after: dict[str, float] | None
    raw: dict[str, float] | None = None
    """The evaluation of the checkpoint as it came, where `evaluation.untrained` asks for it."""


@dataclass
class Standing:
    """Where a training stands: what a checkpoint keeps beside tensors."""

    dataset: str
    """Its version, in which is what was drawn for its tasks."""
    released: str = ""
    """Its version alone."""
    step: int = 0
    """Steps that are done."""
    place: Place = field(default_factory=Place)
    """Which tasks come next."""
    before: dict[str, float] | None = None
    after: dict[str, float] | None = None
    raw: dict[str, float] | None = None
    evaluated: int = -2
    """The last step after which the policy was evaluated; -1 is the checkpoint as it came."""


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
    check_gpu(config)
    processes = join()
    try:
        return asyncio.run(_train(config, dataset, out, processes, resume, hear or say))
    except EngineDied as error:
        raise UserError(f"{error}, then go on from the last checkpoint with --resume") from error
    except torch.OutOfMemoryError as error:
        raise UserError(f"{out_of_memory(error)}, then go on from the last checkpoint with --resume") from error
    finally:
        leave()


async def _train(
    config: Config, dataset: Path | None, out: Path, processes: Processes, resume: bool, hear: MetricsListener
) -> TrainingResult:
    check_ahead(config.rollouts)
    exercises = read_exercises(dataset, config.data, config.seed, config.tools)
    TrainingFolder(out).see_that_no_dataset_is_there(places_of(dataset, config.data))
    if processes.leads:
        warn_of_no_evaluation(exercises)
    check_exercises(exercises, config)
    check_comparable(exercises.train, config)
    check_users((*exercises.train, *exercises.held_out), config.rollouts)
    # First of all, since a tool that cannot be had here ends the training, and a model takes minutes to load.
    async with opened(config, exercises) as bench:
        with TrainingFolder(out).alone(processes):
            return await _trained(config, exercises, bench, dataset, out, processes, resume, hear)


async def _trained(
    config: Config,
    exercises: Exercises,
    bench: Bench | None,
    dataset: Path | None,
    out: Path,
    processes: Processes,
    resume: bool,
    hear: MetricsListener,
) -> TrainingResult:
    folder = TrainingFolder(out)
    checkpoints = Checkpoints(folder.checkpoints, config.checkpoints.keep, processes)
    latest = folder.begin(config, checkpoints.latest(), resume, processes)
    if latest is not None:
        checkpoints.check(latest)  # Before a model takes minutes to load.
    fresh = Standing(exercises.version, exercises.released)
    standing = fresh if latest is None else _standing(latest, exercises, config)
    tokenizer = open_tokenizer(config.model)
    chat = await open_chat(tokenizer, config, (*exercises.train, *exercises.held_out), processes)
    # Where no prompt fits, that is said before the model is loaded.
    trained_on, _ = (
        fitting(each, chat, config.rollouts.max_prompt_tokens) for each in (exercises.train, exercises.held_out)
    )
    config = config.lasting(len(trained_on))
    check_room(config, out)
    settings = config.warm_start if latest is None else None
    lessons = read_lessons(dataset, exercises, chat, config, settings.examples) if settings else None
    torch.manual_seed(config.seed + processes.rank)
    policy = Policy.load(config.model, processes)
    resumed_at = (standing.step, standing.evaluated) if latest else None
    writer = Metrics(out, config.logging, resumed_at=resumed_at, hear=hear) if processes.leads else None
    with writer or nullcontext():
        note = writer.write if writer else _unheard
        if settings and lessons:
            warm_start(policy, lessons, settings, config, processes, partial(note, "sft"))
            if config.algorithm.kl_coefficient or config.ppo:
                export = export_adapter if config.model.lora else export_model
                export(folder.warm_start, policy, tokenizer, _provenance(config, standing), processes)
        learner = Learner(
            policy,
            config.algorithm,
            config.optimization,
            steps=config.steps,
            temperature=config.rollouts.temperature,
            longest=config.rollouts.max_sampled_tokens,
            processes=processes,
            reference=open_reference(config, folder, policy, processes),
            critic=open_critic(config, folder, processes),
        )
        if latest is None:
            checkpoints.save(0, learner.tensors(), asdict(standing))  # Whatever comes now, the warm start is done.
        else:
            checkpoints.load(latest, learner.tensors())
        engine = await open_engine(config.model, config.rollouts, chat, processes)
        try:
            with Collector(engine, chat, config.rollouts, config.rewarding, bench) as collector:
                recorder = Recorder(folder, config, Pieces(tokenizer), processes, standing.step)
                training = _Training(
                    config,
                    exercises,
                    processes,
                    learner,
                    engine,
                    collector,
                    recorder,
                    folder,
                    checkpoints,
                    standing,
                    note,
                )
                await training.run()
        finally:
            await engine.close()
        provenance = _provenance(config, standing)
        export_model(folder.model, policy, tokenizer, provenance, processes)
        if config.model.lora:
            export_adapter(folder.adapter, policy, tokenizer, provenance, processes)
    return _result(folder, str(checkpoints.latest()), exercises.version, standing, processes)


def _result(
    folder: TrainingFolder, checkpoint: str, dataset: str, standing: Standing, processes: Processes
) -> TrainingResult:
    """What a training that stands there came to, which is written down."""
    result = TrainingResult(
        str(folder.model), checkpoint, dataset, standing.step, standing.before, standing.after, standing.raw
    )
    if processes.leads:
        file = folder.path / "result.json"
        with writing(file):
            file.write_text(json.dumps(vars(result), indent=1) + "\n", encoding="utf-8")
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
    recorder: Recorder
    folder: TrainingFolder
    checkpoints: Checkpoints
    standing: Standing
    note: Any

    async def run(self) -> None:
        """From where it stands to the last step."""
        config, standing = self.config, self.standing
        train = self.collector.fitting(self.exercises.train)
        asked = held_out(self.collector.fitting(self.exercises.held_out), config.evaluation)
        if config.evaluation.untrained and standing.step == 0 and standing.evaluated < -1:
            standing.raw = await self._evaluate(asked, step=-1)
            self._remember(evaluated=-1)
        await self._hand_over()
        await self._evaluate_where_due(asked)
        drawing = Drawing(train, config.data, config.seed, standing.place)
        batches = Batches(config, self.collector, drawing, self.processes)
        ahead = Ahead(batches, config.rollouts.ahead, standing.step, config.steps)
        try:
            while standing.step < config.steps:
                await self._step(ahead)
                if self._saved_after(standing.step):
                    self.checkpoints.save(standing.step, self.learner.tensors(), asdict(standing))
                await self._evaluate_where_due(asked)
                self.recorder.report(standing.step)
        finally:
            await ahead.close()

    async def _step(self, ahead: Ahead) -> None:
        """Take a batch of rollouts, update the policy on what they earned, and hand its weights to the engine."""
        standing, clock = self.standing, Clock()
        batch = await ahead.next()
        clock.lap("rollouts")
        await self.engine.sleep()
        clock.lap("sleep")
        watch = self.recorder.watch(batch.step + 1)
        learned = await self._learn(batch, watch)
        clock.lap("update")
        standing.step += 1
        standing.place = batch.after
        self.recorder.write(standing.step, batch.played, watch)
        clock.lap("record")
        await self._hand_over()
        clock.lap("weights")
        played = batch.figures(self.processes, self.exercises.catalogue_tools)
        paid = part_means(chain.from_iterable(batch.rewards), self.config.rewarding, self.processes)
        seconds = {**clock.seconds, "step": sum(clock.seconds.values()), "playing": batch.seconds}
        self.note("train", standing.step, {**learned, **played, **paid}, seconds)

    async def _hand_over(self) -> None:
        """Give the engine the policy as it is now, and the memory that learning needed no more."""
        if self.processes.device.type == "cuda":
            torch.cuda.empty_cache()
        policy, rollouts = self.learner.policy, self.config.rollouts
        await self.engine.load_weights(policy.handed_out(rollouts), self.standing.step)

    async def _learn(self, batch: Batch, watch: Watch | None) -> dict[str, float]:
        """Update the policy; in a thread where rollouts run ahead, whose episodes go on meanwhile."""

        def update() -> dict[str, float]:
            return self.learner.update(batch.groups, batch.earned, batch.step, watch)

        def on_this_device() -> dict[str, float]:
            if self.processes.device.type == "cuda":
                torch.cuda.set_device(self.processes.device)  # The current GPU is a thread's own affair.
            return update()

        return await asyncio.to_thread(on_this_device) if self.config.rollouts.ahead else update()

    async def _evaluate_where_due(self, asked: Sequence[Playable]) -> None:
        """Evaluate after the last step and each of `evaluation.every`, and before the first; a checkpoint comes before
        that, so that what fails here costs no step, and remembers what came of it."""
        standing, every = self.standing, self.config.evaluation.every
        due = standing.step in (0, self.config.steps) or (every and standing.step % every == 0)
        if not due or standing.evaluated == standing.step:
            return
        standing.after = await self._evaluate(asked)
        if standing.step == 0:
            standing.before = standing.after
        self._remember(evaluated=standing.step)

    def _remember(self, *, evaluated: int) -> None:
        self.standing.evaluated = evaluated
        if self._saved_after(self.standing.step):
            self.checkpoints.amend(self.standing.step, asdict(self.standing))

    def _saved_after(self, step: int) -> bool:
        return step in (0, self.config.steps) or step % self.config.checkpoints.every == 0

    async def _evaluate(self, asked: Sequence[Playable], step: int | None = None) -> dict[str, float] | None:
        if not asked:
            return None
        clock, at = Clock(), self.standing.step if step is None else step
        found = await evaluate(
            self.collector,
            asked,
            self.config.evaluation,
            self.config.seed,
            self.processes,
            self.exercises.catalogue_tools,
            self.exercises.datasets,
            decoding=evaluation_decoding(self.config),
            hear=partial(write_attempts, self.folder.attempts, at, self.processes.rank),
        )
        clock.lap("evaluation")
        self.note("evaluation", at, found.as_figures(), clock.seconds)
        return found.as_figures()


def _standing(checkpoint: Path, exercises: Exercises, config: Config) -> Standing:
    """What the checkpoint remembers of the training.

    Raises:
        UserError: it cannot be read, or the dataset, or what is drawn for its tasks, is another one now.
    """
    try:
        record = json.loads((checkpoint / "progress.json").read_text(encoding="utf-8"))["progress"]
        standing = Standing(**{**record, "place": Place(**record["place"])})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(
            f"{checkpoint} is no checkpoint of a training ({error}); train anew in another folder"
        ) from None
    if standing.dataset != exercises.version:
        if standing.released == exercises.released:
            drawn_from = {name: getattr(config.tools, name) for name in ("catalogue", "preferences", "descriptions")}
            named = ", ".join(f"tools.{name} ({where})" for name, where in drawn_from.items() if where)
            raise UserError(
                f"{checkpoint} was made on the same dataset with other tools, prices or preferences: what is drawn "
                f"from {named} has changed since; put back what was there, or train anew in another folder"
            )
        raise UserError(
            f"{checkpoint} was made on the dataset {standing.dataset}, and this one is {exercises.version}: resume "
            "with the same dataset, or train anew in another folder"
        )
    return standing


def _provenance(config: Config, standing: Standing) -> Provenance:
    before, after = (Evaluated.read(each) if each else None for each in (standing.before, standing.after))
    return Provenance(config, standing.dataset, standing.step, before, after)


def _unheard(kind: MetricsKind, step: int, values: Any, seconds: Any = None) -> None:
    """The first process writes what is written once."""


def say(line: MetricsRecord) -> None:
    """A line for the terminal."""
    shown = {
        "sft": ("loss",),
        "train": ("reward_mean", "solved", "explained_variance", "mismatch_kl", "entropy", "sampled_tokens"),
        "evaluation": ("tasks", "pass_rate", "low", "high"),
    }[line["kind"]]
    figures = ", ".join(f"{name} {line[name]:.4g}" for name in shown if line.get(name) is not None)
    seconds = line["seconds"].get("step", sum(line["seconds"].values()))
    terminal.say(f"{line['kind']} {line['step']}: {figures}" + (f" ({seconds:.1f} s)" if seconds else ""))
