"""Walking JSON: the leaves of a value, and the places they stand in."""

from collections.abc import Iterator
from typing import Any

from toolscale.artifacts import Json
from toolscale.artifacts.base import JsonPath


def leaves(value: Json, path: JsonPath = ()) -> Iterator[tuple[JsonPath, Json]]:
    """Every value that is neither an object nor a list, with its place."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield from leaves(member, (*path, key))
    elif isinstance(value, list):
        for position, member in enumerate(value):
            yield from leaves(member, (*path, position))
    else:
        yield path, value


def containers(value: Json, path: JsonPath = ()) -> Iterator[tuple[JsonPath, dict[str, Json] | list[Json]]]:
    """Every object and list, outermost first, with its place."""
    if isinstance(value, dict):
        yield path, value
        for key, member in value.items():
            yield from containers(member, (*path, key))
    elif isinstance(value, list):
        yield path, value
        for position, member in enumerate(value):
            yield from containers(member, (*path, position))


def replaced(value: Json, path: JsonPath, new: Json) -> Any:
    """A copy of the value in which another value stands at that place; what is not on the way is shared."""
    if not path:
        return new
    step, rest = path[0], path[1:]
    if isinstance(value, dict) and isinstance(step, str):
        return value | {step: replaced(value[step], rest, new)}
    if isinstance(value, list) and isinstance(step, int):
        return [*value[:step], replaced(value[step], rest, new), *value[step + 1 :]]
    raise LookupError(f"no place {path!r} in the value")


def written(path: JsonPath) -> str:
    """A place as a reader would write it: ``passengers[0].seat``."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


def number_spellings(number: int | float) -> list[str]:
    """How a number may be written in digits: 7 as 7, 7.0 or 7.00; 45.2 as 45.2 or 45.20."""
    if isinstance(number, int):
        spellings = [str(number), f"{number}.00", f"{number}.0"]  # an int may be too large for float formats
    else:
        spellings = [str(number), f"{number:.2f}"]
        if number.is_integer():
            spellings.append(str(int(number)))
    return list(dict.fromkeys(spellings))


def spoken(value: Json) -> Iterator[str]:
    """Everything in a value that could be said: every key and every scalar, in each of its spellings."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield key
            yield from spoken(member)
    elif isinstance(value, list):
        for member in value:
            yield from spoken(member)
    elif isinstance(value, bool):
        yield str(value).lower()
    elif isinstance(value, int | float):
        yield from number_spellings(value)
    elif value is not None:
        yield value
