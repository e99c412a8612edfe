"""Figures that every process adds to, and that are read over all of them."""

from collections.abc import Mapping, Sequence

from trainer.distributed import Processes


class Tally:
    """Named sums and maxima of one step."""

    def __init__(
        self, sums: Sequence[str], maxima: Sequence[str] = (), start: Mapping[str, float] | None = None
    ) -> None:
        """The names are given beforehand: all processes speak of the same ones, also where one has nothing to add."""
        self._sums = dict.fromkeys(sums, 0.0)
        self._maxima = dict.fromkeys(maxima, 0.0)
        for name, value in (start or {}).items():
            self.add(name, value)

    def add(self, name: str, value: float) -> None:
        """Add to a sum."""
        self._sums[name] += value

    def rise(self, name: str, value: float) -> None:
        """Raise a maximum, if `value` is larger (or no number, which must not go unseen)."""
        self._maxima[name] = self._maxima[name] if value <= self._maxima[name] else value

    def over(self, processes: Processes) -> dict[str, float]:
        """Sums and maxima over all processes; every one of them has to ask."""
        figures = dict(zip(self._sums, processes.sums(list(self._sums.values())), strict=True))
        return figures | {name: processes.largest(value) for name, value in self._maxima.items()}
