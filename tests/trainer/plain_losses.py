"""The losses of GRPO's forms written down a second time, in plain Python and from the papers alone, with their slopes.

A batch is a list of sequences with one number for each sampled token, and an advantage for each sequence. A loss is its
value, and its derivative by each of the new log-probabilities.
"""

from dataclasses import dataclass, field
from math import exp

Sequences = list[list[float]]
LOSSES = ("grpo", "dr_grpo", "dapo", "gspo", "cispo")


@dataclass
class Loss:
    """A value and its slopes."""

    value: float = 0.0
    slopes: Sequences = field(default_factory=list)


@dataclass
class Clips:
    """The ratio's bounds, the dual clip's, and that of truncated importance sampling."""

    low: float = 0.2
    high: float = 0.2
    dual: float | None = None
    cap: float | None = None
    """None is without importance sampling."""


def loss(
    name: str,
    new: Sequences,
    old: Sequences,
    behaviour: Sequences,
    advantages: list[float],
    clips: Clips,
    longest: int = 1,
    beta: float = 0.0,
    reference: Sequences | None = None,
) -> Loss:
    """A loss by its name."""
    made = Loss()
    tokens = sum(len(each) for each in new)
    for place, mine in enumerate(new):
        if name in ("grpo", "gspo"):
            share = 1 / (len(new) * len(mine))
        elif name == "dr_grpo":
            share = 1 / (len(new) * longest)
        else:
            share = 1 / tokens
        of_sequence = gspo if name == "gspo" else cispo if name == "cispo" else surrogate
        value, slopes = of_sequence(mine, old[place], behaviour[place], advantages[place], clips)
        if reference is not None:
            for at, now in enumerate(mine):
                away = reference[place][at] - now
                value += beta * (exp(away) - away - 1)
                slopes[at] += beta * (1 - exp(away))
        made.value += share * value
        made.slopes.append([share * slope for slope in slopes])
    return made


def bounded(ratio: float, advantage: float, clips: Clips) -> tuple[float, bool]:
    """min(r A, clip(r) A), and for A < 0 no less than c A; and whether it still depends on r."""
    held = min(max(ratio, 1 - clips.low), 1 + clips.high)
    gained, free = (ratio * advantage, True) if ratio * advantage <= held * advantage else (held * advantage, False)
    if advantage < 0 and clips.dual is not None and gained < clips.dual * advantage:
        return clips.dual * advantage, False
    return gained, free


def surrogate(
    new: list[float], old: list[float], behaviour: list[float], advantage: float, clips: Clips
) -> tuple[float, list[float]]:
    """The sum over tokens of minus what is bounded, each token by its own ratio."""
    value, slopes = 0.0, []
    for now, before, engine in zip(new, old, behaviour, strict=True):
        ratio = exp(now - before)
        weight = 1.0 if clips.cap is None else min(exp(before - engine), clips.cap)
        gained, free = bounded(ratio, advantage, clips)
        value -= weight * gained
        slopes.append(-weight * ratio * advantage if free else 0.0)
    return value, slopes


def gspo(
    new: list[float], old: list[float], behaviour: list[float], advantage: float, clips: Clips
) -> tuple[float, list[float]]:
    """As many times as there are tokens: minus what is bounded, by s = (pi(y) / pi_old(y))^(1 / |y|)."""
    length = len(new)
    ratio = exp((sum(new) - sum(old)) / length)
    weight = 1.0 if clips.cap is None else min(exp((sum(old) - sum(behaviour)) / length), clips.cap)
    gained, free = bounded(ratio, advantage, clips)
    return -weight * gained * length, [-weight * ratio * advantage if free else 0.0] * length


def cispo(
    new: list[float], old: list[float], behaviour: list[float], advantage: float, clips: Clips
) -> tuple[float, list[float]]:
    """The sum of -sg(clip(r)) A log pi."""
    value, slopes = 0.0, []
    for now, before, engine in zip(new, old, behaviour, strict=True):
        weight = min(max(exp(now - before), 1 - clips.low), 1 + clips.high)
        weight *= 1.0 if clips.cap is None else min(exp(before - engine), clips.cap)
        value -= weight * advantage * now
        slopes.append(-weight * advantage)
    return value, slopes
