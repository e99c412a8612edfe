"""Open picks as questions: between which options a golden write chose, without saying which one it took."""

from collections.abc import Sequence
from dataclasses import dataclass

from toolscale.artifacts import Json, Task, canonical_json
from toolscale.artifacts.base import JsonPath
from toolscale.checkers.context import GateContext
from toolscale.checkers.picks.openings import Listed, open_lists
from toolscale.checkers.values import leaves, written
from toolscale.environment import Replay

Given = dict[str, Json]
"""Place in the arguments of a call, such as ``items[0].sku`` -> value."""


@dataclass(frozen=True)
class Option:
    """One entry that could be picked: what the write is given then."""

    given: Given
    """Only what differs between the options."""
    end: Replay | None
    """Where it leads; None for the golden one."""


@dataclass(frozen=True)
class Choice:
    """Between what a golden write chose, as far as some of its arguments go."""

    position: int
    """Of the golden call."""
    function: str
    beside: Given
    """The arguments that no choice is about."""
    reads: frozenset[int]
    """The golden calls that returned the lists."""
    options: tuple[Option, ...]
    """In an order that says nothing of which is golden."""

    @property
    def golden(self) -> Option:
        """What the golden call took."""
        return next(option for option in self.options if option.end is None)


def choices(task: Task, context: GateContext) -> list[Choice]:
    """What nothing that a program sees decides in the golden calls of a task, which must replay."""
    lists = open_lists(task, context)
    alike: dict[tuple[int, tuple[JsonPath, ...]], list[Listed]] = {}
    for listed in lists:
        alike.setdefault((listed.position, listed.places), []).append(listed)
    return [_choice(task, together, lists) for together in alike.values()]


def _choice(task: Task, together: Sequence[Listed], lists: Sequence[Listed]) -> Choice:
    """The choice between the entries of lists that differ in the same arguments of the same call."""
    position, places = together[0].position, together[0].places
    call = task.golden_calls[position]
    chosen = {place for listed in lists if listed.position == position for place in listed.places}
    others = [(other.arguments, other.end) for listed in together for other in listed.others]
    options = {
        canonical_json(option.given): option
        for option in (Option(_given(arguments, places), end) for arguments, end in [*others, (call.arguments, None)])
    }
    return Choice(
        position,
        call.name,
        _given(call.arguments, [place for place, _ in leaves(call.arguments) if place not in chosen]),
        frozenset(listed.read for listed in together),
        tuple(options[name] for name in sorted(options)),
    )


def _given(arguments: dict[str, Json], places: Sequence[JsonPath]) -> Given:
    values = dict(leaves(arguments))
    return {written(place): values[place] for place in places}
