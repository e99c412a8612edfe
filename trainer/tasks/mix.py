"""How often tasks come from each of several datasets: exactly the configured shares, evenly spread."""

from collections.abc import Sequence
from functools import lru_cache
from random import Random

from toolscale.errors import UserError
from trainer.config import Data
from trainer.tasks.data import from_position
from trainer.tasks.exercise import Playable

BLOCK = 100
"""Tasks within which the shares hold exactly, so a share is a whole per cent."""


def mixed(exercises: Sequence[Playable], position: int, count: int, data: Data, seed: int) -> list[Playable]:
    """The next `count` exercises after `position`, which counts all that were taken before from all datasets.

    Each hundred positions have the shares of `data.mix`, spread evenly, so that one step is as mixed as the next; who
    comes before whom follows from the seed. Each dataset has its own order and epochs. So the position alone says where
    training stands.

    Raises:
        UserError: a dataset has no exercise, or a share is below half a per cent.
    """
    if data.mix is None:
        return from_position(exercises, position, count, data, seed)
    quotas = quotas_of([source.share for source in data.mix])
    found = []
    for place, source in enumerate(sources(data, position, count, seed), start=position):
        block, offset = divmod(place, BLOCK)
        before = block * quotas[source] + _order(quotas, block, seed)[:offset].count(source)
        found += from_position(of_source(exercises, source), before, 1, data, seed)
    return found


def sources(data: Data, position: int, count: int, seed: int) -> list[int]:
    """Which dataset of the mix each of the next `count` exercises after `position` is of; 0 where there is no mix."""
    if data.mix is None:
        return [0] * count
    quotas = quotas_of([source.share for source in data.mix])
    return [_order(quotas, place // BLOCK, seed)[place % BLOCK] for place in range(position, position + count)]


def quotas_of(shares: Sequence[float]) -> tuple[int, ...]:
    """Tasks of each dataset in a block: the nearest whole numbers that sum to it (largest remainders).

    Raises:
        UserError: one would never come up.
    """
    exact = [BLOCK * share / sum(shares) for share in shares]
    quotas = [int(each) for each in exact]
    by_remainder = sorted(range(len(exact)), key=lambda place: (quotas[place] - exact[place], place))
    for place in by_remainder[: BLOCK - sum(quotas)]:
        quotas[place] += 1
    if 0 in quotas:
        raise UserError(
            f"data.mix: the share of dataset {quotas.index(0)} is under a per cent; raise it or leave it out"
        )
    return tuple(quotas)


def of_source(exercises: Sequence[Playable], source: int) -> list[Playable]:
    """The exercises of one dataset. Raises UserError where it has none."""
    own = [exercise for exercise in exercises if exercise.source == source]
    if not own:
        raise UserError(f"data.mix: no task of dataset {source} keeps to the limits of `rollouts`; raise them")
    return own


@lru_cache(maxsize=16)
def _order(quotas: tuple[int, ...], block: int, seed: int) -> tuple[int, ...]:
    draw = Random(f"{seed}/mix/{block}")
    places = []
    for source, quota in enumerate(quotas):
        first = draw.random()
        places += [((first + number) / quota, source) for number in range(quota)]
    return tuple(source for _, source in sorted(places))
