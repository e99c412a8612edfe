"""Figures that are known to lie between two bounds."""

from dataclasses import dataclass
from math import exp, hypot, log, sqrt


@dataclass(frozen=True, slots=True)
class Range:
    """A figure between a low and a high bound, neither below 0."""

    low: float
    high: float

    @property
    def middle(self) -> float:
        """Where the figure most likely lies: as many times the low bound as the high one is of it."""
        return sqrt(self.low) * sqrt(self.high) if self.low > 0 else self.high / 2

    def __add__(self, other: "Range") -> "Range":
        """Bounds add up: what makes one stage longer than expected may well do so to all."""
        return Range(self.low + other.low, self.high + other.high)

    def __mul__(self, other: "Range | float") -> "Range":
        """How many there are and how large they are err apart from each other, so their doubts combine by squares."""
        by = other if isinstance(other, Range) else Range(other, other)
        if self.low * by.low <= 0:
            return Range(self.low * by.low, self.high * by.high)
        middle = sqrt(self.low * self.high * by.low * by.high)
        doubt = exp(hypot(log(self.high / self.low), log(by.high / by.low)) / 2)
        return Range(middle / doubt, middle * doubt)
