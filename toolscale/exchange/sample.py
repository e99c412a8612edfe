"""A seeded sample of a set: draws that pass over one another share nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol, TypeVar

from toolscale.errors import UserError


class _Identified(Protocol):
    @property
    def id(self) -> str: ...


T = TypeVar("T", bound=_Identified)


@dataclass(frozen=True)
class Sample:
    """Which rows of a set: so many of an order that the seed decides, after those that are passed over."""

    tasks: int | None = None
    skip: int = 0
    seed: int = 0

    def of(self, rows: Sequence[T]) -> list[T]:
        """The rows drawn, in the set's order. Raises UserError where all are passed over."""
        ranked = sorted(row.id for row in rows)
        if self.skip >= len(ranked):
            raise UserError(f"--skip {self.skip} passes over all {len(ranked)} rows of the set; give less")
        Random(self.seed).shuffle(ranked)
        kept = set(ranked[self.skip :][: self.tasks])
        return [row for row in rows if row.id in kept]

    @property
    def told(self) -> list[str]:
        """For the card."""
        if self.tasks is None and not self.skip:
            return []
        drawn = "All" if self.tasks is None else f"{self.tasks:,}"
        after = f", after the first {self.skip:,}" if self.skip else ""
        return [f"{drawn} of them, in an order by seed {self.seed}{after}."]
