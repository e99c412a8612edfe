"""What would make room for a training that has too little; each is tried on the plan itself before it is named."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import islice, product
from typing import Any

from pydantic import BaseModel

from trainer.config import Config, Lora
from trainer.memory.plan import ENOUGH, GIB, Plan, plan

_DOUBLINGS = 6
"""How often the devices are doubled at most."""

Changes = Mapping[str, Any]
"""Dotted names, and what they are to be."""


def what_helps(config: Config, made: Plan, size: float) -> str:
    """What leaves a tenth free on a device of so many bytes; where nothing does, what is left to do.

    There must be no process group yet.
    """
    alone = [name for name, planned in _tried(config, made, size) if planned.has_room(size)]
    helps = alone or next(([each] for each in _pairs(config, made, size)), [])
    if devices := next(_devices(config, made, size), None):
        helps.append(devices)
    if helps:
        return f"what helps: {', or '.join(helps)}"
    adapters = "" if config.model.lora else ", which adapters train with less (preset single-gpu-lora)"
    return (
        "no setting that takes less helps, nor do two of them or more such GPUs: take GPUs with more memory, or a "
        f"smaller model{adapters}"
    )


def _tried(config: Config, made: Plan, size: float) -> Iterator[tuple[str, Plan]]:
    """Settings that might help, one at a time; what they are called, and the plan with each."""
    for remedy in _REMEDIES:
        if changes := remedy(config, made, size):
            changed = _with(config, changes)
            yield _named(changes), plan(changed, made.gpus)


def _pairs(config: Config, made: Plan, size: float) -> Iterator[str]:
    """Two settings that help together, where neither does alone: first one whose number does not need the other."""
    for first, second in product((*_QUICK, _lora), _REMEDIES):
        if first is not second and (changes := first(config, made, size)):
            changed = _with(config, changes)
            planned = plan(changed, made.gpus)
            more = second(changed, planned, size)
            if more and plan(_with(changed, more), made.gpus).has_room(size):
                yield f"{_named(changes)} with {_named(more)}"


def _devices(config: Config, made: Plan, size: float) -> Iterator[str]:
    """More of them, by doubling; with another share for the engine where they need that."""
    doubled = (made.gpus * 2**each for each in range(1, _DOUBLINGS + 1))
    # Each plan takes seconds, so that those are not made that cannot help, nor many that hardly differ.
    for gpus in islice((each for each in doubled if _shared(made, each).has_room(size)), 2):
        planned = plan(config, gpus)
        if planned.has_room(size):
            yield f"{gpus} GPUs"
        elif (changes := _share(config, planned, size)) and plan(_with(config, changes), gpus).has_room(size):
            yield f"{gpus} GPUs with {_named(changes)}"


def _shared(made: Plan, gpus: int) -> Plan:
    """The least that each of so many devices may have."""
    parts = ("parameters", "gradients", "moments", "critic", "critic_moments", "reference")
    less = {name: getattr(made, name) * made.gpus // gpus for name in parts}
    return replace(_bare(made), **less)


def _bare(made: Plan) -> Plan:
    """With as small an engine as can be."""
    least = made.engine + made.kv_context if made.engine_share else made.engine
    return replace(made, engine=least, engine_share=0, kv_cache=None)


def _sleep(config: Config, made: Plan, size: float) -> Changes | None:
    wakes = made.engine_share and not made.engine_sleeps and not config.rollouts.ahead
    return {"rollouts.sleep": True} if wakes else None


def _share(config: Config, made: Plan, size: float) -> Changes | None:
    """Of the device, for vLLM: no more than training leaves it, no less than its weights and one context take."""
    if not made.engine_share:
        return None
    most = ENOUGH - max(each.training for each in made.phases if each.beside_engine) / size
    least = (made.engine + (made.kv_cache or made.kv_context)) / size
    # A round number where there is one, and the nearest to what it is.
    for steps in (20, 100):
        low, high = math.ceil(least * steps) / steps, math.floor(most * steps) / steps
        if 0 < low <= high and (share := min(max(made.engine_share, low), high)) != made.engine_share:
            return {"rollouts.gpu_memory_share": share}
    return None


def _cache(config: Config, made: Plan, size: float) -> Changes | None:
    if made.kv_cache is None or not made.engine_share or made.kv_context <= made.kv_cache:
        return None
    return {"rollouts.kv_cache_gib": math.ceil(10 * made.kv_context / GIB) / 10}


def _offload(config: Config, made: Plan, size: float) -> Changes | None:
    return None if made.offloaded else {"optimization.offload": True}


def _checkpointing(config: Config, made: Plan, size: float) -> Changes | None:
    if config.model.activation_checkpointing or not replace(_bare(made), activations=0).has_room(size):
        return None
    return {"model.activation_checkpointing": True}


def _tokens(config: Config, made: Plan, size: float) -> Changes | None:
    """As many in a micro-batch as there is room for; where that is less than a context, no longer contexts either."""
    if not replace(_bare(made), activations=0).has_room(size):
        return None
    update = next(each for each in made.phases if each.name == "update")
    room = ENOUGH * size - made.beside(update, size) - made.kept - made.gradients - made.passing
    tokens = int(room / (made.activations / made.tokens)) // 1000 * 1000
    # Less is no remedy: episodes would hardly have room.
    if not max(1000, config.rollouts.max_prompt_tokens) < tokens < made.tokens:
        return None
    changes = {"optimization.tokens_per_microbatch": tokens}
    return changes if tokens >= config.rollouts.context_tokens else {"rollouts.context_tokens": tokens, **changes}


def _lora(config: Config, made: Plan, size: float) -> Changes | None:
    """Adapters; the weights beside them are as short as the arithmetic is."""
    if config.model.lora:
        return None
    half = 2 if config.model.dtype == "bfloat16" else 1
    nothing: dict[str, Any] = dict.fromkeys(
        ("gradients", "moments", "critic_moments", "reference", "passing", "activations", "asked", "on_their_way"), 0
    )
    least = replace(_bare(made), parameters=made.parameters // half, critic=made.critic // half, **nothing)
    return {"model.lora": Lora()} if least.has_room(size) else None


_Remedy = Callable[[Config, Plan, float], Changes | None]

_QUICK: tuple[_Remedy, ...] = (_sleep, _share, _cache, _offload)
"""Passes are the same with these, and so need not be measured again."""
_REMEDIES: tuple[_Remedy, ...] = (*_QUICK, _checkpointing, _tokens, _lora)
"""From what costs least to what changes the training. They say nothing where it is plain that they do not help."""


def _with(config: Config, changes: Changes) -> Config:
    for name, value in changes.items():
        section, _, setting = name.partition(".")
        changed: BaseModel = getattr(config, section).model_copy(update={setting: value})
        config = config.model_copy(update={section: changed})
    return config


def _named(changes: Changes) -> str:
    """As `--set` takes them."""
    return " and ".join(f"{name}={_written(value)}" for name, value in changes.items())


def _written(value: Any) -> str:
    return "{}" if isinstance(value, Lora) else "true" if value is True else f"{value}"
