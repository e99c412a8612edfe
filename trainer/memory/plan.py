"""How much memory a training takes on each device: `python -m trainer plan`.

What policy and critic take is measured on tensors that have no data (`trainer.memory.footprint`), in each phase of a
step: engine and learner need not be there at the same time. What CUDA and its libraries add of their own (contexts,
fragments, workspaces, vLLM's graphs) is not in it; leave a tenth free.
"""

import os
from dataclasses import dataclass, replace

import torch

from toolscale.errors import UserError
from trainer.config import Config
from trainer.memory.footprint import Footprint, Layout, footprint, measured, on_their_way
from trainer.memory.shape import Shape, read_shape, shape_of
from trainer.model.critic import Critic
from trainer.model.decoder import Decoder
from trainer.model.policy import Policy

GIB = 2**30
SIZES = (24, 40, 80, 141)
"""GiB of usual devices."""
_MANY = 4096
"""Tokens from which on each layer adds the same; with fewer, the largest moment may be another one with more layers."""
_SMALLEST = Layout(groups=1, prompt=1, rollouts=1, sampled=1)


@dataclass(frozen=True)
class Phase:
    """A part of a step, and what it takes at its most."""

    name: str
    training: int
    """Bytes of what learns, on each device."""
    beside_engine: bool
    """Whether the engine has its memory meanwhile."""


@dataclass(frozen=True)
class Plan:
    """Bytes on each device, and what the KV cache has to hold."""

    gpus: int
    shape: Shape
    tokens: int
    """Of the largest micro-batch."""
    parameters: int
    gradients: int
    """Of the policy or of the critic: one learns after the other."""
    moments: int
    """AdamW's two, of the policy."""
    critic: int
    """PPO's critic."""
    critic_moments: int
    reference: int
    """The starting checkpoint, where a KL to it is in the loss."""
    passing: int
    """What forward and backward pass take with two tokens: gathered layers and their gradients, weights in the dtype of
    the arithmetic, a piece of the logits."""
    activations: int
    """What the tokens of the largest micro-batch take on top."""
    asked: int
    """What the largest micro-batch takes where its tokens are only scored."""
    asks: bool
    """Whether a step begins with that: old log-probabilities, those of the reference, the critic's values."""
    on_their_way: int
    """Of the weights while the engine is given them."""
    offloaded: bool
    """Whether moments are in the host's memory but for an optimizer step."""
    engine: float
    """The rollout engine's copy of the weights, where it is on this device."""
    engine_share: float
    """Of the device, which vLLM takes for itself."""
    engine_sleeps: bool
    """Whether vLLM gives that back while the policy learns."""
    engine_kept: float
    """Its weights, where they wait in the host's memory meanwhile."""
    kv_cache: float | None
    """The cache, where the settings say how large it is; None is what weights leave of vLLM's share."""
    kv_token: float
    kv_context: float
    """The cache of one trajectory that fills its context: without that vLLM does not start."""
    kv_full: float
    """The cache if every trajectory that a process plays at once filled its context: what would never make one wait."""

    @property
    def kept(self) -> int:
        """What training keeps from step to step."""
        moments = 0 if self.offloaded else self.moments + self.critic_moments
        return self.parameters + self.critic + self.reference + moments

    @property
    def in_host(self) -> float:
        """What is put aside in the memory of the host."""
        return (self.moments + self.critic_moments if self.offloaded else 0) + self.engine_kept

    @property
    def update(self) -> int:
        """The most that an update takes: when passes are made, or when moments have come for the optimizer's step."""
        come = max(self.moments, self.critic_moments) if self.offloaded else 0
        return self.kept + self.gradients + max(self.passing + self.activations, come)

    @property
    def phases(self) -> tuple[Phase, ...]:
        """Those of a step, in order. The first weights are handed over before the engine has slept once."""
        awake = not self.engine_sleeps
        asking = [Phase("old log-probabilities", self.kept + self.asked, awake)] if self.asks else []
        return (
            Phase("rollouts", self.kept, True),
            *asking,
            Phase("update", self.update, awake),
            Phase("weight transfer", self.kept + self.on_their_way, True),
        )

    def beside(self, phase: Phase, size: float) -> float:
        """What the engine has meanwhile of a device of so many bytes."""
        if not phase.beside_engine:
            return 0
        return max(self.engine_share * size, self.engine + (self.kv_cache or 0))

    def cache(self, size: float) -> float:
        """What the engine has for its cache on such a device."""
        return self.kv_cache or self.engine_share * size - self.engine

    def largest(self, size: float) -> Phase:
        """The phase that takes most of such a device."""
        return max(self.phases, key=lambda phase: phase.training + self.beside(phase, size))

    def most(self, size: float) -> float:
        """What that phase takes with the engine."""
        largest = self.largest(size)
        return largest.training + self.beside(largest, size)

    def fits(self, size: float) -> bool:
        """Whether every phase has room on a device of so many bytes, and vLLM for one context."""
        return self.most(size) <= size and (not self.engine_share or self.kv_context <= self.cache(size))


def plan(config: Config, gpus: int) -> Plan:
    """The memory of a training on so many devices, weights sharded over all of them.

    There must be no process group yet.

    Raises:
        UserError: the model's shape cannot be found.
    """
    read = read_shape(config.model)
    shape, layout, rollouts, algorithm = shape_of(read), largest(config), config.rollouts, config.algorithm
    taken = footprint if layout.tokens >= _MANY else measured
    policy = taken(Policy, config.model, read, gpus, layout)
    critic = taken(Critic, config.model, read, gpus, layout) if config.ppo else Footprint(0, 0, 0, 0, 0)
    most: Footprint = policy
    kind: type[Decoder] = Policy
    if critic.gradients + critic.passes > policy.gradients + policy.passes:
        most, kind = critic, Critic
    passing = footprint(kind, config.model, read, gpus, _SMALLEST).passes
    held = policy.trained if config.model.lora else policy.parameters  # `AsItBegan` keeps adapters alone.
    sampled = getattr(torch, rollouts.dtype or config.model.dtype).itemsize
    parallel = rollouts.tensor_parallel
    per_device = -(-algorithm.tasks_per_step * algorithm.rollouts_per_task // gpus)
    kv_token = shape.kv_bytes(sampled) / min(parallel, shape.kv_heads)
    in_process = rollouts.backend == "vllm"
    sleeps = in_process and rollouts.sleep is not False
    engine = 0 if rollouts.backend == "vllm-server" else sampled * shape.parameters / parallel
    return Plan(
        gpus=gpus,
        shape=shape,
        tokens=layout.tokens,
        parameters=policy.parameters,
        gradients=most.gradients,
        moments=2 * policy.trained,
        critic=critic.parameters,
        critic_moments=2 * critic.trained,
        reference=held if algorithm.kl_coefficient else 0,
        passing=passing,
        activations=most.passes - passing,
        asked=max(policy.asked, critic.asked),
        asks=algorithm.asks_old or bool(algorithm.kl_coefficient or config.ppo),
        on_their_way=on_their_way(config.model, rollouts, read, gpus),
        offloaded=config.optimization.offload,
        engine=engine,
        engine_share=rollouts.gpu_memory_share if in_process else 0,
        engine_sleeps=sleeps,
        engine_kept=engine if sleeps and rollouts.lora_as == "adapter" else 0,
        kv_cache=rollouts.kv_cache_gib * GIB if in_process and rollouts.kv_cache_gib else None,
        kv_token=kv_token,
        kv_context=kv_token * rollouts.context_tokens,
        kv_full=kv_token * min(rollouts.at_once, per_device) * rollouts.context_tokens,
    )


def largest(config: Config) -> Layout:
    """The micro-batch that takes most: as many tokens as there may be, in groups with the longest prompts.

    A sequence longer than the budget has a micro-batch of its own.
    """
    rollouts = config.rollouts
    budget = max(config.optimization.tokens_per_microbatch, rollouts.context_tokens)
    prompt = rollouts.max_prompt_tokens
    # A group is divided where the prompt leaves less than a token to each.
    group = min(config.algorithm.rollouts_per_task, budget - prompt)
    longest = min(rollouts.context_tokens - prompt, (budget - prompt) // group)
    groups = budget // (prompt + group * longest)
    return Layout(groups, prompt, group, (budget // groups - prompt) // group)


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
    return UserError(
        f"the GPU's memory ran out ({str(error).strip().splitlines()[0]}): lower optimization.tokens_per_microbatch or "
        "rollouts.gpu_memory_share; `python -m trainer plan` shows what takes how much, and --resume goes on from the "
        "last checkpoint"
    )


def told(config: Config, plan: Plan) -> str:
    """The plan as a table for a terminal."""
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
    return "\n".join(
        [
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
            "rollout engine, on each device",
            _row("weights", plan.engine),
            _row("KV cache if every context filled up", plan.kv_full),
            _row("KV cache of 1,000 tokens", 1000 * plan.kv_token),
            "",
            *([_row("in the host's memory, for each device", plan.in_host).lstrip(), ""] if plan.in_host else []),
            *(_verdict(config, plan, size) for size in SIZES),
        ]
    )


def _row(name: str, bytes_: float) -> str:
    return f"  {name:<52}{bytes_ / GIB:>8.2f}"


def _verdict(config: Config, plan: Plan, size: int) -> str:
    """What the figures mean for a device of so many GiB."""
    begun = f"{size:>4} GiB a device: "
    if not plan.fits(size * GIB):
        return f"{begun}too little: {_why_not(config, plan, size * GIB)}"
    most = plan.most(size * GIB)
    tight = ", tightly" if most > 0.9 * size * GIB else ""
    fits = f"{begun}fits{tight}, with {most / GIB:.1f} at most ({plan.largest(size * GIB).name})"
    if not plan.engine_share:
        return fits
    cache = plan.cache(size * GIB)
    return f"{fits}; a cache of {cache / GIB:.0f} GiB holds {int(cache / plan.kv_context):,} full contexts"


def _why_not(config: Config, plan: Plan, size: float) -> str:
    """What is short of room on a device of so many bytes, and what would help."""
    if plan.most(size) <= size:
        return (
            f"the engine's weights and the cache of one context take {(plan.engine + plan.kv_context) / GIB:.2f} GiB, "
            f"and vLLM has {(plan.engine + plan.cache(size)) / GIB:.2f}: raise "
            f"rollouts.{'gpu_memory_share' if plan.kv_cache is None else 'kv_cache_gib'}"
        )
    phase = plan.largest(size)
    beside = plan.beside(phase, size)
    left = max(0.0, size - beside)
    helps = _helps(config, plan, phase, left)
    engine = f", and the engine leaves it {left / GIB:.1f}" if beside else ""
    return (
        f"training takes {phase.training / GIB:.1f} GiB ({phase.name}){engine}; "
        f"what helps: {', or '.join(helps) or 'a smaller model, or more memory a GPU'}"
    )


def _helps(config: Config, plan: Plan, phase: Phase, left: float) -> list[str]:
    """Settings under which this phase takes less than it does of what the engine leaves."""
    updates = phase.name == "update"
    # The rest is shared among the devices: weights, gradients and moments.
    passes = phase.training - plan.kept
    if updates:
        passes = plan.passing + plan.activations
    passing = phase.training <= plan.kept + plan.gradients * updates + passes
    helps = []
    if updates and passing and not config.model.activation_checkpointing:
        helps.append("model.activation_checkpointing: true")
    if phase.beside_engine and plan.engine_share:
        helps.append("rollouts.sleep: true" if updates else "a lower rollouts.gpu_memory_share")
    if config.model.lora is None:
        helps.append("LoRA (`model.lora: {}`)")
    if not plan.offloaded and (not updates or replace(plan, offloaded=True).update < plan.update):
        helps.append("optimization.offload: true")
    if updates and passing:
        free = left - plan.kept - plan.gradients - plan.passing
        tokens = int(free / (plan.activations / plan.tokens)) // 1000 * 1000
        if tokens >= config.rollouts.context_tokens:
            helps.append(f"optimization.tokens_per_microbatch of {tokens}")
        elif tokens > 0:
            helps.append(f"rollouts.context_tokens and optimization.tokens_per_microbatch of {tokens}")
    whole = passes if passing else 0
    if left > whole:
        helps.append(f"about {-(-(phase.training - whole) * plan.gpus // int(left - whole))} GPUs")
    return helps
