"""How much memory a training takes on each device: `python -m trainer plan`.

What policy and critic take is measured on tensors that have no data (`trainer.memory.footprint`), in each phase of a
step: engine and learner need not be there at the same time. What CUDA and its libraries add of their own (contexts,
fragments, workspaces, vLLM's graphs) is not in it, so that a plan which takes more than nine tenths fits only on paper.
"""

from dataclasses import dataclass
from functools import lru_cache

import torch

from trainer.config import Config, Model, Rollouts
from trainer.memory.footprint import Footprint, Layout, footprint, measured, on_their_way
from trainer.memory.shape import Shape, read_shape, shape_of
from trainer.model.critic import Critic
from trainer.model.decoder import Decoder
from trainer.model.policy import Policy

GIB = 2**30
ENOUGH = 0.9
"""Of a device: what a training may take by its plan, and be relied on to run."""
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

    def worst(self, size: float) -> Phase:
        """The phase that rules such a device out: one that it is too small for without an engine, if there is one."""
        alone = max(self.phases, key=lambda phase: phase.training)
        return alone if alone.training > size else self.largest(size)

    def most(self, size: float) -> float:
        """What that phase takes with the engine."""
        largest = self.largest(size)
        return largest.training + self.beside(largest, size)

    def fits(self, size: float) -> bool:
        """Whether every phase has room on a device of so many bytes, and vLLM for one context."""
        return self.most(size) <= size and self.has_one_context(size)

    def has_room(self, size: float) -> bool:
        """Whether it fits and leaves a tenth free, for what no plan counts."""
        return self.most(size) <= ENOUGH * size and self.has_one_context(size)

    def has_one_context(self, size: float) -> bool:
        """Whether vLLM, where it is here, can hold a trajectory that fills its context."""
        return not self.engine_share or self.kv_context <= self.cache(size)


def plan(config: Config, gpus: int) -> Plan:
    """The memory of a training on so many devices, weights sharded over all of them.

    There must be no process group yet.

    Raises:
        UserError: the model's shape cannot be found.
    """
    layout, rollouts, algorithm = largest(config), config.rollouts, config.algorithm
    handed = rollouts.model_dump_json(include={"backend", "dtype", "lora_as"}, exclude_none=True)
    found = _measure(config.model.model_dump_json(), handed, layout, gpus, critic=config.ppo is not None)
    shape, policy, critic, most = found.shape, found.policy, found.critic, found.most
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
        passing=found.passing,
        activations=most.passes - found.passing,
        asked=max(policy.asked, critic.asked),
        asks=algorithm.asks_old or bool(algorithm.kl_coefficient or config.ppo),
        on_their_way=found.on_their_way,
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


@dataclass(frozen=True)
class _Measured:
    """What takes seconds to find, and is the same for settings that a model's passes do not know."""

    shape: Shape
    policy: Footprint
    critic: Footprint
    passing: int
    """See `Plan`."""
    on_their_way: int

    @property
    def most(self) -> Footprint:
        """Of policy and critic, the one that takes more while it learns."""
        return max(self.policy, self.critic, key=lambda each: each.gradients + each.passes)


@lru_cache(maxsize=64)
def _measure(model: str, handed: str, layout: Layout, gpus: int, critic: bool) -> _Measured:
    """Of settings as JSON, of which that of rollouts has what is asked while the engine is given weights."""
    settings, rollouts = Model.model_validate_json(model), Rollouts.model_validate_json(handed)
    read = read_shape(settings)
    taken = footprint if layout.tokens >= _MANY else measured
    policy = taken(Policy, settings, read, gpus, layout)
    judge = taken(Critic, settings, read, gpus, layout) if critic else Footprint(0, 0, 0, 0, 0)
    larger: type[Decoder] = Critic if judge.gradients + judge.passes > policy.gradients + policy.passes else Policy
    return _Measured(
        shape=shape_of(read),
        policy=policy,
        critic=judge,
        passing=footprint(larger, settings, read, gpus, _SMALLEST).passes,
        on_their_way=on_their_way(settings, rollouts, read, gpus),
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
