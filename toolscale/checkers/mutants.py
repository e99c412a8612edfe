"""Mutants of a solution: the golden calls with one write dropped, or one of its arguments altered."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from toolscale.artifacts import Call, GoldenCall, Json, canonical_json
from toolscale.artifacts.base import JsonPath
from toolscale.checkers.facts import EnvironmentFacts
from toolscale.checkers.parameters import enumerated, is_required, schemas_at
from toolscale.checkers.values import containers, leaves, replaced, written
from toolscale.checkers.verdict import GoldenReplay
from toolscale.environment import equal

_MOST_ENUM_VALUES = 3
_MOST_MEMBERS = 3


@dataclass(frozen=True)
class Mutant:
    """A trajectory that should fail, and what is wrong with it, for the middle of a sentence."""

    change: str
    calls: Sequence[Call | GoldenCall]


def mutants(golden_replay: GoldenReplay, facts: EnvironmentFacts) -> Iterator[Mutant]:
    """Every mutant of the task's golden writes, one change each, none twice.

    A golden write is a call that wrote, or one of a function that is declared to write.
    """
    golden = golden_replay.task.golden_calls
    for position, (call, done) in enumerate(zip(golden, golden_replay.replay.outcomes, strict=True)):
        if not facts.is_write(done):
            continue
        place = f"golden_calls[{position}] `{call.name}`" + ("" if done.wrote else " (which changed nothing)")
        yield Mutant(f"without {place}", [*golden[:position], *golden[position + 1 :]])
        met = {canonical_json(call.arguments)}
        for change, arguments in altered_arguments(call, facts):
            if (text := canonical_json(arguments)) not in met:
                met.add(text)
                altered = Call(name=call.name, arguments=arguments)
                yield Mutant(f"with {change} in {place}", [*golden[:position], altered, *golden[position + 1 :]])


def altered_arguments(call: GoldenCall, facts: EnvironmentFacts) -> Iterator[tuple[str, dict[str, Json]]]:
    """The call's arguments with one change, and the change in words."""
    arguments: dict[str, Json] = call.arguments
    parameters = facts.parameters[call.name]
    for path, leaf in leaves(arguments):
        others = [value for value in enumerated(parameters, path) if not equal(value, leaf)][:_MOST_ENUM_VALUES]
        for other in [*others, *_other_values(leaf, facts)]:
            yield f"`{written(path)}` = {other!r} instead of {leaf!r}", replaced(arguments, path, other)
    for path, container in containers(arguments):
        if isinstance(container, list):
            if not container:
                yield f"`{written(path)}` = ['x'] instead of []", replaced(arguments, path, ["x"])
            for other in [*_other_values(container[-1], facts)][:1] if container else ():
                longer: Json = [*container, other]
                yield f"`{written(path)}` with {other!r} in it too", replaced(arguments, path, longer)
            for position in range(min(len(container), _MOST_MEMBERS)):
                shorter: Json = [*container[:position], *container[position + 1 :]]
                yield f"`{written((*path, position))}` left out", replaced(arguments, path, shorter)
            continue
        for key, value in container.items():
            place = (*path, key)
            if not is_required(parameters, place) and not _is_default(call.name, place, value, facts):
                rest = {name: member for name, member in container.items() if name != key}
                yield f"`{written(place)}` left out", replaced(arguments, path, rest)


def _other_values(leaf: Json, facts: EnvironmentFacts) -> Iterator[Json]:
    if leaf is None:
        yield "x"
    elif isinstance(leaf, bool):
        yield not leaf
    elif isinstance(leaf, int | float):
        yield leaf + 1
        yield leaf - 1
    elif isinstance(leaf, str):
        yield f"{leaf}_x"
        if leaf:
            yield leaf[:-1] + _another_character(leaf[-1])
            yield _another_character(leaf[0]) + leaf[1:]
        if next_day := _next_day(leaf):
            yield next_day
        if other_key := facts.another_key(leaf):
            yield other_key
        elif other_value := facts.another_value(leaf):
            yield other_value


def _another_character(character: str) -> str:
    """A character of the same sort, so that "B-12" becomes "B-13" and "Anna" becomes "Annb"."""
    if character in "zZ9":
        return {"z": "y", "Z": "Y", "9": "8"}[character]
    return chr(ord(character) + 1) if character.isascii() and character.isalnum() else "x"


def _next_day(text: str) -> str | None:
    """The same text a day later, where it begins with an ISO date."""
    try:
        return (date.fromisoformat(text[:10]) + timedelta(days=1)).isoformat() + text[10:] if text[4:5] == "-" else None
    except (ValueError, OverflowError):
        return None


def _is_default(function: str, path: JsonPath, value: Json, facts: EnvironmentFacts) -> bool:
    """True if leaving the argument out says the same: its value is what the function takes anyway."""
    defaults = [schema["default"] for schema in schemas_at(facts.parameters[function], path) if "default" in schema]
    if len(path) == 1 and (function, path[0]) in facts.defaults:
        defaults.append(facts.defaults[function, str(path[0])])
    return any(equal(value, default) for default in defaults)
