"""What a training begins with beside the policy: prompts and checks first, then the KL's reference and PPO's critic."""

from collections.abc import Sequence

from transformers import PreTrainedTokenizerBase

from trainer.checks import check_positions, check_template
from trainer.config import Config, Model
from trainer.distributed import Processes
from trainer.learning.ppo import CriticLearner
from trainer.learning.reference import AsItBegan, Reference
from trainer.model.critic import Critic
from trainer.model.policy import Policy
from trainer.output.folder import TrainingFolder
from trainer.rollout.chat import Chat
from trainer.rollout.opening import check_engine
from trainer.tasks.exercise import Playable


async def open_chat(
    tokenizer: PreTrainedTokenizerBase, config: Config, exercises: Sequence[Playable], processes: Processes
) -> Chat:
    """The chat with the prompts of these tasks, after what can be known of model and engine before either is loaded.

    Raises:
        UserError: what `Policy.check`, `check_positions` and `check_engine` find, or the chat template is unfit.
    """
    chat = Chat.of(tokenizer, config.model)
    check_template(chat, config.rollouts)
    check_positions(config, Policy.check(config.model))
    await check_engine(config.model, config.rollouts, chat, processes)
    chat.make_prompts(exercises, processes)
    return chat


def starting_point(config: Config, folder: TrainingFolder) -> Model:
    """The checkpoint that both are read from: after the warm start, where there is one; of adapters, these alone."""
    if config.warm_start is None:
        return config.model
    if lora := config.model.lora:
        return config.model.model_copy(update={"lora": lora.model_copy(update={"path": folder.warm_start})})
    return config.model.model_copy(update={"path": str(folder.warm_start), "revision": None})


def open_reference(
    config: Config, folder: TrainingFolder, policy: Policy, processes: Processes
) -> Reference | AsItBegan | None:
    """The policy at the start, which it is now unless a checkpoint is to be loaded; None without a KL to it."""
    if not config.algorithm.kl_coefficient:
        return None
    if config.model.lora:
        return AsItBegan(policy)
    return Policy.load(starting_point(config, folder), processes, trained=False)


def open_critic(config: Config, folder: TrainingFolder, processes: Processes) -> CriticLearner | None:
    """PPO's critic; None for GRPO."""
    if config.ppo is None:
        return None
    critic = Critic.load(starting_point(config, folder), processes)
    return CriticLearner(critic, config.ppo, config.optimization, steps=config.steps, processes=processes)
