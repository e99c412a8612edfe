"""The engine that the configuration names; never another one in its place."""

from toolscale.errors import UserError
from trainer.config import Model, Rollouts
from trainer.distributed import Processes
from trainer.rollout.chat import Chat
from trainer.rollout.engine import Engine


async def check_engine(model: Model, rollouts: Rollouts, chat: Chat, processes: Processes) -> None:
    """Say what can be known before a model is loaded and lessons are learnt.

    Raises:
        UserError: vLLM is not installed, a server does not answer or has too short a context, weights cannot go the way
            that is asked for, or the cache is too small for one episode.
    """
    if rollouts.backend == "vllm":
        from trainer.rollout.vllm_engine import check_vllm

        check_vllm(model, rollouts)
    if rollouts.backend == "vllm-server":
        await (await _servers(model, rollouts, chat, processes)).close()


async def open_engine(model: Model, rollouts: Rollouts, chat: Chat, processes: Processes | None = None) -> Engine:
    """Start or connect to what samples. At first it holds the weights of `model`: give it the policy's.

    Args:
        model: the checkpoint that training starts from.
        rollouts: which back end, and how large.
        chat: knows which tokens end a message.
        processes: the processes that train together: each has an engine of its own, or servers of its own.

    Raises:
        UserError: what `check_engine` finds, or the back end has too little memory.
    """
    processes = processes or Processes()
    if rollouts.backend == "vllm":
        from trainer.rollout.vllm_engine import VllmEngine

        return await VllmEngine.start(model, rollouts, chat.stop_ids)
    if rollouts.backend == "vllm-server":
        return await _servers(model, rollouts, chat, processes)
    from trainer.rollout.transformers_engine import TransformersEngine

    return TransformersEngine.load(model, rollouts, chat.stop_ids, processes.device)


async def _servers(model: Model, rollouts: Rollouts, chat: Chat, processes: Processes) -> Engine:
    from trainer.rollout.vllm_server import VllmServers

    own = rollouts.servers[processes.rank :: processes.size]
    if not own:
        raise UserError(
            f"rollouts.servers names {len(rollouts.servers)} servers for {processes.size} processes: "
            "each needs one of its own, start more of them"
        )
    return await VllmServers.connect(model, rollouts.model_copy(update={"servers": own}), chat.stop_ids)
