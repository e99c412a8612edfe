"""The two smaller commands: supervised fine-tuning alone, and the evaluation of a checkpoint."""

import asyncio
from contextlib import nullcontext
from pathlib import Path

import torch

from toolscale import terminal
from toolscale.errors import UserError
from trainer.config import Config, WarmStart
from trainer.data import read_exercises
from trainer.distributed import Processes, join, leave
from trainer.evaluation import Evaluated, evaluate, held_out
from trainer.export import Provenance, gathered, write_model
from trainer.folder import TrainingFolder
from trainer.grpo import say
from trainer.metrics import Metrics
from trainer.policy import Policy
from trainer.rollout.bench import opened
from trainer.rollout.chat import Chat
from trainer.rollout.collect import Collector
from trainer.rollout.engine import EngineDied
from trainer.rollout.opening import open_engine
from trainer.sft import read_lessons, warm_start
from trainer.tokenizer import open_tokenizer


def fine_tune(config: Config, dataset: Path | None, out: Path) -> Path:
    """Imitate the dataset's successful trajectories, by `warm_start` of the settings, and return the model's folder.

    Raises:
        UserError: something is wrong that a user can mend.
    """
    settings = config.warm_start or WarmStart()
    processes = join()
    try:
        folder = TrainingFolder(out)
        folder.begin(config, None, False, processes)
        tokenizer = open_tokenizer(config.model)
        exercises = read_exercises(dataset, config.data, config.seed, config.tools)
        lessons = read_lessons(dataset, exercises, Chat(tokenizer), config, settings.examples)
        torch.manual_seed(config.seed)
        policy = Policy.load(config.model, processes)
        metrics = Metrics(out, config.logging, hear=say) if processes.leads else None
        with metrics or nullcontext():
            warm_start(
                policy,
                lessons,
                settings,
                config,
                processes,
                lambda step, figures: metrics.write("sft", step, figures) if metrics else None,
            )
        weights = gathered(policy, processes)
        if processes.leads:
            provenance = Provenance(config, exercises.version, 0, None, None)
            write_model(folder.model, weights, policy.model.config, tokenizer, provenance)
            terminal.say(f"the model lies at {folder.model}")
        return folder.model
    finally:
        leave()


def evaluate_checkpoint(config: Config, dataset: Path | None) -> Evaluated:
    """Play the held-out tasks with the configured checkpoint, and print what came out as JSON.

    Raises:
        UserError: something is wrong that a user can mend.
    """
    processes = join()
    try:
        found = asyncio.run(_evaluated(config, dataset, processes))
    except EngineDied as error:
        raise UserError(f"{error}") from error
    finally:
        leave()
    if processes.leads:
        terminal.say_json(found.as_figures())
    return found


async def _evaluated(config: Config, dataset: Path | None, processes: Processes) -> Evaluated:
    chat = Chat(open_tokenizer(config.model))
    exercises = read_exercises(dataset, config.data, config.seed, config.tools)
    if not exercises.held_out:
        raise UserError(f"{dataset} has no task in the split `eval` that meets `data` in the configuration; loosen it")
    engine = await open_engine(config.model, config.rollouts, chat, processes)
    try:
        async with opened(config, exercises) as bench:
            with Collector(engine, chat, config.rollouts, config.rewarding, bench) as collector:
                asked = held_out(collector.fitting(exercises.held_out), config.evaluation)
                return await evaluate(
                    collector,
                    asked,
                    config.evaluation,
                    config.seed,
                    processes,
                    exercises.catalogue_tools,
                    exercises.datasets,
                )
    finally:
        await engine.close()
