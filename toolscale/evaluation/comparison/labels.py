"""Names beside the points of a plot, each where no other name or point stands."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SIZE = 7
_WIDE, _HIGH = 0.63 * _SIZE, 1.25 * _SIZE
"""Points (1/72 inch) of a character."""
_MARK = 4.0
"""Half of what a point's mark takes."""

Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""


def label(
    axes: "Axes", texts: Sequence[tuple[str, float, float]], points: Sequence[tuple[float, float]], color: str
) -> None:
    """Write each text beside its point, off all points; one that finds no place is left out, for the table has it."""
    figure = axes.get_figure(root=True)
    if figure is None:
        return
    figure.draw_without_rendering()  # else the axes do not yet have the place that the layout gives them
    scale = 72 / figure.dpi
    marks = [_around(*(scale * axes.transData.transform(point))) for point in points]
    names = [_Name(text, (x, y), *(scale * axes.transData.transform((x, y)))) for text, x, y in texts]
    best = _written(names, marks)
    # A name that finds no good place behind the others may leave them good ones when it comes first.
    for name in names:
        order = [name, *(each for each, _ in best if each is not name)]
        best = min(best, _written(order, marks), key=_cost)
    for name, place in best:
        if place is not None:
            dx, dy = name.offsets[place]
            # A width is a guess, and shall not part a name from a point on its right.
            ends = dx + name.wide
            at, side = ((ends, dy), "right") if ends < 0 else ((dx, dy), "left")
            axes.annotate(
                name.text, name.point, xytext=at, textcoords="offset points", ha=side, fontsize=_SIZE, color=color
            )


@dataclass(frozen=True)
class _Name:
    text: str
    point: tuple[float, float]
    across: float
    up: float

    @property
    def wide(self) -> float:
        return _WIDE * len(self.text)

    @cached_property
    def offsets(self) -> list[tuple[float, float]]:
        return _offsets(self.wide)

    @cached_property
    def boxes(self) -> list[Box]:
        across, up = self.across, self.up
        return [(across + dx, up + dy, across + dx + self.wide, up + dy + _HIGH) for dx, dy in self.offsets]


Written = list[tuple[_Name, int | None]]
"""Names in the order in which they took their places; a place is one of the name's offsets."""


def _written(names: Sequence[_Name], marks: Sequence[Box]) -> Written:
    taken, written = list(marks), Written()
    for name in names:
        free = (place for place, box in enumerate(name.boxes) if not any(_overlap(box, other) for other in taken))
        place = next(free, None)
        if place is not None:
            taken.append(name.boxes[place])
        written.append((name, place))
    return written


def _cost(written: Written) -> int:
    """Better places come first; a name without any outweighs all the others."""
    return sum(place if place is not None else 1000 for _, place in written)


def _around(x: float, y: float) -> Box:
    return x - _MARK, y - _MARK, x + _MARK, y + _MARK


def _offsets(width: float) -> list[tuple[float, float]]:
    """Where a text may begin: right, left, above, below, and a little further out."""
    level = -_HIGH / 3
    return [
        (6, level),
        (-6 - width, level),
        (-width / 2, 5),
        (-width / 2, -5 - _HIGH),
        (5, 5),
        (5, -5 - _HIGH),
        (-5 - width, 5),
        (-5 - width, -5 - _HIGH),
    ]


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
