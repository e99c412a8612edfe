"""What a plan means: for a terminal, and for the GPU that a training is about to begin on."""

import os
from collections.abc import Iterator

import torch

from toolscale.errors import UserError
from trainer.config import Config
from trainer.memory.plan import GIB, Plan, plan
from trainer.memory.remedies import what_helps

SIZES = (24, 40, 80, 141)
"""GiB of usual devices."""


def check_gpu(config: Config, *, plays: bool = True) -> None:
    """See that the training has room on this process's GPU, if it has one, before anything is loaded.

    Args:
        config: of the training.
        plays: whether there are rollouts, or lessons are all that it learns from.

    Raises:
        UserError: it has not, or the model's shape cannot be found.
    """
    if torch.cuda.is_available():
        gpus, place = int(os.environ.get("WORLD_SIZE", "1")), int(os.environ.get("LOCAL_RANK", "0"))
        if place >= (there := torch.cuda.device_count()):
            raise UserError(
                f"process {place} of this machine has no GPU, there are {there}: start torchrun with --nproc-per-node "
                f"{there}, or see what CUDA_VISIBLE_DEVICES hides"
            )
        config = config if plays else _of_lessons(config)
        see_that_it_fits(config, plan(config, gpus), torch.cuda.get_device_properties(place).total_memory)


def _of_lessons(config: Config) -> Config:
    """The same without an engine on its devices, and without what reinforcement learning has beside the policy."""
    algorithm = config.algorithm.model_copy(update={"kl_coefficient": 0.0})
    rollouts = config.rollouts.model_copy(update={"backend": "vllm-server"})
    return config.model_copy(update={"ppo": None, "algorithm": algorithm, "rollouts": rollouts})


def see_that_it_fits(config: Config, plan: Plan, size: float) -> None:
    """Raises UserError where a device of so many bytes is too small."""
    if not plan.fits(size):
        raise UserError(
            f"a GPU of {size / GIB:.0f} GiB is too small for {config.model.path}: {_why_not(config, plan, size)}; "
            "`python -m trainer plan` shows what takes how much"
        )


def out_of_memory(error: torch.OutOfMemoryError) -> UserError:
    """What a user can do where the device ran out of memory after all: a plan knows no fragments and no neighbours."""
    said = str(error).strip().splitlines()[0]
    return UserError(
        f"the GPU's memory ran out ({said}): lower optimization.tokens_per_microbatch, or "
        "rollouts.gpu_memory_share where vLLM shares the GPU; `python -m trainer plan` shows what takes how much"
    )


def lines(config: Config, plan: Plan) -> Iterator[str]:
    """The plan as a table for a terminal; what would help takes seconds to find, and comes when it is."""
    offloaded = ", in the host's memory" if plan.offloaded else ""
    rows = [
        ("parameters", plan.parameters),
        ("gradients", plan.gradients),
        (f"AdamW's two moments{offloaded}", plan.moments),
        ("critic", plan.critic),
        (f"the critic's two moments{offloaded}", plan.critic_moments),
        ("reference policy", plan.reference),
        ("layers and gradients on their way", plan.passing),
        (f"activations of {plan.tokens:,} tokens", plan.activations),
    ]
    shared = f"{plan.engine_share:g} of it" if plan.engine_share else f"{plan.engine / GIB:.2f}"
    yield from (
        f"{config.model.path}: {plan.shape.parameters / 1e9:.2f} B parameters, {plan.shape.layers} layers",
        f"devices that share the weights: {plan.gpus}",
        "",
        "training, on each device                                  GiB",
        *(_row(name, bytes_) for name, bytes_ in rows if bytes_),
        "",
        "the phases of a step at their most, on each device        GiB  beside the engine",
        *(
            _row(each.name, each.training) + "  " + (shared if each.beside_engine else "which sleeps")
            for each in plan.phases
        ),
        "",
        *(_engine(plan) if plan.engine else []),
        *([_row("in the host's memory, for each device", plan.in_host).lstrip(), ""] if plan.in_host else []),
    )
    for size in SIZES:
        yield _verdict(config, plan, size)


def _engine(plan: Plan) -> list[str]:
    """Of an engine that is on these devices."""
    return [
        "rollout engine, on each device",
        _row("weights", plan.engine),
        _row("KV cache if every context filled up", plan.kv_full),
        _row("KV cache of 1,000 tokens", 1000 * plan.kv_token),
        "",
    ]


def _row(name: str, bytes_: float) -> str:
    return f"  {name:<52}{bytes_ / GIB:>8.2f}"


def _verdict(config: Config, plan: Plan, size: int) -> str:
    """What the figures mean for a device of so many GiB."""
    begun = f"{size:>4} GiB a device: "
    if not plan.fits(size * GIB):
        return f"{begun}too little: {_why_not(config, plan, size * GIB)}"
    most = plan.most(size * GIB)
    at_most = f"with {most / GIB:.1f} at most ({plan.largest(size * GIB).name})"
    if not plan.has_room(size * GIB):
        return (
            f"{begun}fits only on paper, {at_most}, where what no plan counts wants a tenth for itself; "
            f"{what_helps(config, plan, size * GIB)}"
        )
    fits = f"{begun}fits, {at_most}"
    if not plan.engine_share:
        return fits
    cache = plan.cache(size * GIB)
    return f"{fits}; a cache of {cache / GIB:.0f} GiB holds {int(cache / plan.kv_context):,} full contexts"


def _why_not(config: Config, plan: Plan, size: float) -> str:
    """What is short of room on a device of so many bytes, and what would help."""
    if plan.most(size) <= size:
        has = plan.engine + plan.cache(size)
        return (
            f"vLLM has {has / GIB:.2f} GiB, and its weights and the cache of one context take "
            f"{_short(plan.engine + plan.kv_context - has)} more; {what_helps(config, plan, size)}"
        )
    phase = plan.worst(size)
    beside = plan.beside(phase, size)
    left = max(0.0, size - beside)
    engine = f", and the engine leaves it {left / GIB:.1f}" if beside and phase.training <= size else ""
    return f"training takes {phase.training / GIB:.1f} GiB ({phase.name}){engine}; {what_helps(config, plan, size)}"


def _short(bytes_: float) -> str:
    return f"{bytes_ / GIB:.1f} GiB" if bytes_ >= GIB else f"{max(1, round(bytes_ / 2**20))} MiB"
