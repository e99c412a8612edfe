"""What is wrong with settings and tasks together, said before a model is loaded."""

import logging
from collections.abc import Sequence

import torch
from transformers import PretrainedConfig

from toolscale.catalogue.catalogue import read_tools
from toolscale.errors import UserError
from trainer.config import Config, Rollouts
from trainer.model.policy import Policy
from trainer.rewards.parts import check_parts, weights_at
from trainer.rollout.chat import Chat
from trainer.rollout.scoring import check_prices
from trainer.tasks.data import Exercises
from trainer.tasks.exercise import Playable
from trainer.tasks.mix import quotas_of
from trainer.tasks.preferences import check_preferences

log = logging.getLogger(__name__)


def check_exercises(exercises: Exercises, config: Config) -> None:
    """See that everything that is to be played can be played and rewarded.

    Raises:
        UserError: a dataset of the mix would never come up; a task offers a tool that the catalogue does not have, or a
            model without a price; nobody says what the policy's tokens cost at a task; the configured preference does
            not fit what is offered; or a part of the reward is not there.
    """
    if config.data.mix is not None:
        quotas_of([source.share for source in config.data.mix])
    every = (*exercises.train, *exercises.held_out)
    offered = set(exercises.catalogue_tools)
    known = {tool.name for tool in read_tools(config.tools.catalogue)} if offered else set()
    if unknown := sorted(offered - known):
        raise UserError(
            f"tasks offer {', '.join(unknown)}, which the catalogue {config.tools.catalogue} does not have: set "
            "tools.catalogue to the one that they were made with"
        )
    for configuration in filter(None, (exercise.configuration for exercise in every)):
        for tool in configuration.tools:
            if tool.kind == "model":
                configuration.price_of(tool)
    check_prices(every, config.rewarding)
    check_preferences(exercises.train, config.rewarding)
    check_parts(exercises.train, config.rewarding)


def warn_of_no_evaluation(exercises: Exercises) -> None:
    """Warn where nothing will say whether a training helped."""
    if not exercises.held_out:
        log.warning(
            "no task is in the split `eval` of the dataset and meets `data` in the configuration (data.domains and "
            "data.pass_rates also choose among held-out tasks): the training is evaluated neither before nor after"
        )


def check_settings(config: Config, read: PretrainedConfig) -> None:
    """See that settings suit the model, as far as neither GPU, dataset nor network is wanted for that.

    Args:
        config: of the training.
        read: the configuration of its model.

    Raises:
        UserError: contexts are longer than the model's, `model.lora.path` is no adapter for it, rollouts are to run
            ahead on the GPUs that learn, or a part of the reward is not there.
    """
    Policy.check(config.model, read)
    check_positions(config, read)
    check_ahead(config.rollouts, on_gpus=True)
    check_parts((), config.rewarding)
    if config.data.mix is not None:
        quotas_of([source.share for source in config.data.mix])


def check_positions(config: Config, read: PretrainedConfig) -> None:
    """Raises UserError where contexts may be longer than the model knows positions."""
    text, wanted = read.get_text_config(), config.rollouts.context_tokens
    rope = getattr(text, "rope_scaling", None) or getattr(text, "rope_parameters", None) or {}
    # A scale stretches them; some kinds have it in the number already, and the engine knows which.
    longest = int((getattr(text, "max_position_embeddings", None) or wanted) * max(1, rope.get("factor") or 1))
    if wanted > longest:
        raise UserError(
            f"rollouts.context_tokens is {wanted}, and {config.model.path} has {longest} positions: lower it, and "
            "what has to fit into it"
        )


def check_ahead(rollouts: Rollouts, *, on_gpus: bool | None = None) -> None:
    """Raises UserError where rollouts are to run ahead on the very GPU that learns; None asks if there is one here."""
    on_gpus = torch.cuda.is_available() if on_gpus is None else on_gpus
    if rollouts.ahead and rollouts.backend != "vllm-server" and on_gpus:
        raise UserError(
            f"rollouts.ahead plays while the policy learns, and rollouts.backend {rollouts.backend} has the learner's "
            "GPU: start vLLM on other GPUs and set rollouts.backend to vllm-server, or rollouts.ahead to 0"
        )


def check_template(chat: Chat, rollouts: Rollouts) -> None:
    """Warn where a server, which writes every prompt anew, would show the model others than it has here."""
    if rewrites := chat.rewrites(user_speaks=rollouts.user_mode == "simulated"):
        log.warning(
            "the model's chat template does not leave earlier turns as they were: %s; the policy's own context is only "
            "appended to, so that it learns from prompts that a server will not show it: set model.chat_template to a "
            "template that keeps earlier turns and serve the model with it, or try other model.template_arguments",
            "; ".join(rewrites),
        )


def check_comparable(exercises: Sequence[Playable], config: Config) -> None:
    """Raises UserError where a task would be played once whose reward is normalized over several rollouts."""
    if config.algorithm.rollouts_per_task > 1:
        return
    compared = (exercise for exercise in exercises if "preference" in weights_at(exercise, config.rewarding))
    if (asked := next(compared, None)) is not None:
        raise UserError(
            f"algorithm.rollouts_per_task is 1, and M of the question {asked.id} is normalized over its rollouts, so "
            "that R would always be 0: give 2 or more, or leave questions out"
        )
