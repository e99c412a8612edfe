"""The two smaller commands: supervised fine-tuning alone, and the evaluation of a checkpoint."""

import asyncio
from contextlib import ExitStack, nullcontext
from pathlib import Path

import torch

from toolscale import terminal
from toolscale.errors import UserError
from trainer.checks import check_exercises, check_template
from trainer.config import Config, WarmStart
from trainer.distributed import Processes, join, leave
from trainer.grpo import say
from trainer.learning.sft import read_lessons, warm_start
from trainer.memory.verdict import check_gpu, out_of_memory
from trainer.model.policy import Policy
from trainer.model.tokenizer import open_tokenizer
from trainer.output.disk import check_room
from trainer.output.export import Provenance, export_adapter, export_model
from trainer.output.folder import TrainingFolder
from trainer.output.metrics import Metrics
from trainer.rollout.bench import opened
from trainer.rollout.chat import Chat
from trainer.rollout.collect import Collector
from trainer.rollout.decoding import evaluation_decoding
from trainer.rollout.engine import EngineDied
from trainer.rollout.evaluation import Evaluated, evaluate, held_out
from trainer.rollout.opening import open_engine
from trainer.rollout.user import check_users
from trainer.starting import open_chat
from trainer.tasks.data import places_of, read_exercises


def fine_tune(config: Config, dataset: Path | None, out: Path) -> Path:
    """Imitate successful trajectories or golden steps, by `warm_start` of the settings; returns the model's folder.

    Raises:
        UserError: something is wrong that a user can mend.
    """
    settings, folder = config.warm_start or WarmStart(), TrainingFolder(out)
    folder.see_that_nothing_is_there()
    check_gpu(config, plays=False)
    processes, alone = join(), ExitStack()
    try:
        exercises = read_exercises(dataset, config.data, config.seed, config.tools)
        folder.see_that_no_dataset_is_there(places_of(dataset, config.data))
        check_room(config, out, plays=False)
        alone.enter_context(folder.alone(processes))
        folder.begin(config, None, False, processes)
        tokenizer = open_tokenizer(config.model)
        chat = Chat.of(tokenizer, config.model)
        check_template(chat, config.rollouts)
        lessons = read_lessons(dataset, exercises, chat, config, settings.examples)
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
        provenance = Provenance(config, exercises.version, 0, None, None)
        export_model(folder.model, policy, tokenizer, provenance, processes)
        if config.model.lora:
            export_adapter(folder.adapter, policy, tokenizer, provenance, processes)
        if processes.leads:
            terminal.say(f"the model lies at {folder.model}")
        return folder.model
    except torch.OutOfMemoryError as error:
        raise out_of_memory(error) from error
    finally:
        alone.close()
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
    exercises = read_exercises(dataset, config.data, config.seed, config.tools)
    if not exercises.held_out:
        raise UserError(f"{dataset} has no task in the split `eval` that meets `data` in the configuration; loosen it")
    check_exercises(exercises, config)
    check_users(exercises.held_out, config.rollouts)
    chat = await open_chat(open_tokenizer(config.model), config, exercises.held_out, processes)
    async with opened(config, exercises) as bench:
        given = config.rollouts.backend == "vllm-server" or (config.model.lora and config.model.lora.path)
        policy = Policy.load(config.model, processes, trained=False) if given else None
        engine = await open_engine(config.model, config.rollouts, chat, processes)
        try:
            if policy is not None:
                await engine.load_weights(policy.handed_out(config.rollouts), 0)
                del policy
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
                    decoding=evaluation_decoding(config),
                )
        finally:
            await engine.close()
