"""Which tasks come next: in the order of epochs, or by a curriculum of pass rates."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from trainer.config import Data
from trainer.tasks.curriculum import Estimates, chances
from trainer.tasks.exercise import Playable
from trainer.tasks.mix import mixed, of_source, sources


@dataclass(frozen=True)
class Place:
    """Where drawing stands; as JSON it is part of a checkpoint."""

    position: int = 0
    """Exercises that were drawn, over all epochs."""
    estimates: dict[str, Any] | None = None
    """What a curriculum knows (`Estimates.as_json`)."""


class Drawing:
    """Draws a training's tasks. The seed and the results that it was told decide all that it draws."""

    def __init__(self, exercises: Sequence[Playable], data: Data, seed: int, place: Place) -> None:
        self._exercises, self._data, self._seed = exercises, data, seed
        self._position = place.position
        self.estimates = None if data.curriculum is None else Estimates(exercises, data.curriculum, place.estimates)

    @property
    def place(self) -> Place:
        """To go on from."""
        return Place(self._position, self.estimates.as_json() if self.estimates else None)

    def next(self, count: int, step: int, besides: Collection[str] = ()) -> list[Playable]:
        """The next `count` exercises, of each dataset of a mix its share.

        Args:
            count: how many.
            step: whose; the older a curriculum's estimate, the less it counts.
            besides: ids of tasks that a curriculum does not draw, as long as there are others. It draws none twice.
        """
        before, self._position = self._position, self._position + count
        if self.estimates is None:
            return mixed(self._exercises, before, count, self._data, self._seed)
        drawn: list[Playable] = []
        for place, source in enumerate(sources(self._data, before, count, self._seed), start=before):
            taken = {*besides, *(one.id for one in drawn)}
            own = of_source(self._exercises, source)
            left = [one for one in own if one.id not in taken] or own
            rates = [self.estimates.of(one, step) for one in left]
            draw = Random(f"{self._seed}/curriculum/{place}")
            drawn += draw.choices(left, chances(rates, self.estimates.settings))
        return drawn
