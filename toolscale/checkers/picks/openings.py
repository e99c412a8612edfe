"""Open picks: what else a golden write could have taken from the lists that the golden calls were shown.

A program finds them, and errs on the side of finding: it rules out what the user's words rule out plainly, what the
environment or its rules refuse, and what a superlative settles. Whether the rest would satisfy the user is for who can
read (``docs/gates.md``).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from toolscale.artifacts import CallOutcome, GoldenCall, Json, Task, canonical_json
from toolscale.artifacts.base import JsonPath
from toolscale.checkers.context import GateContext
from toolscale.checkers.parameters import enumerated
from toolscale.checkers.phrasing import worded
from toolscale.checkers.picks.rows import ListedEntries, ListedEntry, listings
from toolscale.checkers.picks.superlatives import leaves_it_open, names_one, superlatives
from toolscale.checkers.values import leaves, replaced
from toolscale.checkers.wording import fold
from toolscale.environment import Replay, equal

MOST_TRIED = 60
"""Other entries of one list that are tried in a golden write's place."""

_SAID_OF_ANYTHING = frozenset({"a", "i"})
_SMALL = 100
"""A whole number below it may be said of something else, so it tells entries apart only where it is an argument."""


@dataclass(frozen=True)
class Other:
    """Another entry that could have been picked: the arguments of the write then, and the end that it leads to."""

    arguments: dict[str, Json]
    row: ListedEntry
    end: Replay


@dataclass(frozen=True, eq=False)
class Listed:
    """The list that a golden write picked from, and the open ones among its other entries."""

    position: int
    """Of the golden write."""
    read: int
    """Of the golden call that returned the list."""
    row: ListedEntry
    """The entry that was picked."""
    places: tuple[JsonPath, ...]
    """The arguments that are others' for other entries."""
    others: tuple[Other, ...]

    @property
    def other_rows(self) -> list[ListedEntry]:
        """The other entries."""
        return [other.row for other in self.others]


def open_lists(task: Task, context: GateContext) -> list[Listed]:
    """The lists that a task's golden writes picked from where other entries could stand in, each with these.

    An entry stands in if the golden calls, with its values in place of the picked one's, all return, break no rule and
    end in another state. The golden calls must replay.
    """
    return _Picks(task, context).open()


@dataclass(frozen=True)
class _Source:
    """A list that a golden write took arguments from."""

    read: int
    listing: ListedEntries
    row: ListedEntry
    taken: Mapping[JsonPath, JsonPath]
    """Place in the write's arguments -> place in the row that was picked."""

    @cached_property
    def varying(self) -> frozenset[JsonPath]:
        """The arguments that another entry would change."""
        return frozenset(
            argument
            for argument, field in self.taken.items()
            if any(field in row and not equal(row[field], self.row[field]) for row in self.listing.rows)
        )

    @property
    def varies(self) -> bool:
        """Whether a field of the entry itself, not one of what holds the list, would change."""
        place = self.listing.place
        return any(self.taken[argument][: len(place)] == place for argument in self.varying)

    def explained_by(self, other: "_Source") -> bool:
        """Whether the other list has more of the arguments, and offers at least as much choice."""
        return self.taken.keys() < other.taken.keys() and self.varying <= other.varying


class _Picks:
    """One task's picks."""

    def __init__(self, task: Task, context: GateContext) -> None:
        self.task, self.context = task, context
        self.golden = context.golden(task).replay
        self.text = fold(task.instruction)
        self._said: dict[str | int | float, bool] = {}

    def open(self) -> list[Listed]:
        found = [
            listed
            for position, done in enumerate(self.golden.outcomes)
            if self.context.facts.is_write(done)
            for source in self._sources(position, done)
            if (listed := self._listed(position, done, source))
        ]
        settled = self._settled(found)
        return [listed for listed in found if listed not in settled]

    def _settled(self, lists: Sequence[Listed]) -> list[Listed]:
        """The lists that superlatives settle: one settles no more picks than the user says it, or none."""
        said = {} if leaves_it_open(self.text) else superlatives(self.text)
        named = {which: [each for each in lists if names_one(which, each.row, each.other_rows, said)] for which in said}
        settled: list[Listed] = []
        for which in sorted(named, key=lambda which: len(named[which])):
            open_still = [each for each in named[which] if each not in settled]
            if len({(each.position, each.places) for each in open_still}) <= said[which]:
                settled += open_still
        return settled

    def _listed(self, position: int, done: CallOutcome, source: _Source) -> Listed | None:
        """The list with its entries that would do as well, if it has any."""
        others = []
        for arguments, row in islice(self._admitted(done, source), MOST_TRIED):
            end = self._end(position, arguments)
            if not end.alive:
                break  # what hangs once may hang again
            if self._is_open(end):
                others.append(Other(arguments, row, end))
        if not others:
            return None
        places = tuple(
            place
            for place, value in leaves(dict(done.arguments))
            if any(not equal(dict(leaves(other.arguments))[place], value) for other in others)
        )
        return Listed(position, source.read, source.row, places, tuple(others))

    def _sources(self, position: int, done: CallOutcome) -> list[_Source]:
        """The lists that arguments were taken from, without those that another explains."""
        found = [
            source
            for read, earlier in enumerate(self.golden.outcomes[:position])
            if not self.context.facts.is_write(earlier)
            for listing in listings(earlier.result)
            for source in (self._source(done, read, listing),)
            if source.varies
        ]
        return [source for source in found if not any(map(source.explained_by, found))]

    def _source(self, done: CallOutcome, read: int, listing: ListedEntries) -> _Source:
        """The list, with the row that has most of the write's arguments."""
        parameters = self.context.facts.parameters.get(done.name, {})
        arguments = [
            (place, value, any(equal(value, member) for member in enumerated(parameters, place)))
            for place, value in leaves(_without_sets(done.arguments))
            if isinstance(value, str | int | float) and not isinstance(value, bool)
        ]
        matches = [
            {
                place: field
                for place, value, listed in arguments
                if (field := _field(row, place, value, by_name=listed or not isinstance(value, str))) is not None
            }
            for row in listing.rows
        ]
        best = max(range(len(matches)), key=lambda at: len(matches[at]))
        return _Source(read, listing, listing.rows[best], matches[best])

    def _admitted(self, done: CallOutcome, source: _Source) -> Iterator[tuple[dict[str, Json], ListedEntry]]:
        """Every other entry that nothing the user says rules out, with the arguments of the write for it.

        What another golden write does already ("renew all of them") is no other choice.
        """
        tried = {canonical_json(each.arguments) for each in self.golden.outcomes if each.name == done.name}
        for row in source.listing.rows:
            if self._ruled_out(source, row):
                continue
            arguments: dict[str, Json] = dict(done.arguments)
            for argument, field in source.taken.items():
                arguments = replaced(arguments, argument, row[field])
            if (name := canonical_json(arguments)) not in tried:
                tried.add(name)
                yield arguments, row

    def _ruled_out(self, source: _Source, row: ListedEntry) -> bool:
        """True if another entry lacks what the user says of the picked one, or an argument that the write needs."""
        arguments = set(source.taken.values())
        for field in arguments:
            if row.get(field) is None or (self._says(source.row[field]) and not equal(source.row[field], row[field])):
                return True
        return any(
            not equal(value, row.get(field))
            and not _is_small(value)
            and self._says(value)
            and not self._says(row.get(field))
            for field, value in source.row.items()
            if field not in arguments
        )

    def _says(self, value: Json | None) -> bool:
        """Whether the user says a value, or one of a list of values."""
        if isinstance(value, list):
            return any(map(self._says, value))
        if not isinstance(value, str | int | float) or isinstance(value, bool) or value in _SAID_OF_ANYTHING:
            return False
        if value not in self._said:
            self._said[value] = worded(value, self.text, self.context.sandbox.spec.now)
        return self._said[value]

    def _end(self, position: int, arguments: dict[str, Json]) -> Replay:
        """What the golden calls do with other arguments in one of them, as far as they get."""
        calls = list(self.task.golden_calls)
        calls[position] = calls[position].model_copy(update={"arguments": arguments})
        if later := calls[position + 1 :]:
            replay = self.context.sandbox.run(calls[: position + 1], self.task.start)
            if not replay.ok:
                return replay
            moved = _moved(self.golden.outcomes[position], replay.outcomes[position])
            calls[position + 1 :] = [self._moving_along(call, moved) for call in later]
        return self.context.sandbox.run(calls, self.task.start)

    def _is_open(self, end: Replay) -> bool:
        """Whether it is another end than the golden one, reached without a failure and by the rules."""
        if not end.ok or end.same_state(self.golden):
            return False
        return not self.context.sandbox.spec.rules or not self.context.sandbox.broken_rules(end)

    def _moving_along(self, call: GoldenCall, moved: Mapping[str, str]) -> GoldenCall:
        """A later golden call with what belongs to the picked entry exchanged, but for what the user says."""
        arguments: dict[str, Json] = call.arguments
        for place, value in leaves(call.arguments):
            if isinstance(value, str) and value in moved and not self._says(value):
                arguments = replaced(arguments, place, moved[value])
        return call.model_copy(update={"arguments": arguments})


def _field(row: ListedEntry, place: JsonPath, value: Json, *, by_name: bool) -> JsonPath | None:
    """Where a row has an argument: under the argument's name, else, unless it has to be by name, anywhere."""
    holding = [field for field, held in row.items() if type(held) is type(value) and equal(held, value)]
    named = [field for field in holding if _alike(str(place[-1]), str(field[-1]) if field else "")]
    return next(iter(named or ([] if by_name else holding)), None)


def _without_sets(arguments: dict[str, Json]) -> dict[str, Json]:
    """The arguments without lists of several plain values: who picked a set did not pick its members one by one."""
    return {
        name: value
        for name, value in arguments.items()
        if not (isinstance(value, list) and len(value) > 1 and not isinstance(value[0], dict))
    }


def _alike(argument: str, field: str) -> bool:
    return argument == field or argument.endswith(f"_{field}") or field.endswith(f"_{argument}")


def _is_small(value: Json) -> bool:
    return isinstance(value, int) and abs(value) < _SMALL


def _moved(golden: CallOutcome, other: CallOutcome) -> dict[str, str]:
    """The texts that another pick changed in a call and its result: golden text -> the other's."""
    before = dict(leaves([dict(golden.arguments), golden.result]))
    after = dict(leaves([dict(other.arguments), other.result]))
    return {
        value: instead
        for place, value in before.items()
        if isinstance(value, str) and isinstance(instead := after.get(place), str) and instead != value
    }
