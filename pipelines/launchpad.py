"""The options of a run as Dagster's launchpad takes them, and the table `run` of a domain's file.

Dagster's schema knows types and choices: the launchpad's editor marks what is neither, and launches nothing. It knows
no ranges; each stands in its field's description, and a value beyond it is refused before the first stage.
"""

from collections.abc import Callable, Iterable
from enum import Enum
from functools import cache
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin

import dagster as dg
from pydantic import BaseModel, Field, create_model

from pipelines.refusals import refused_in_words
from toolscale.run_options import RunOptions, kind_of, usual

T = TypeVar("T", bound=BaseModel)


class Launchpad(dg.Config):
    """Fields of the launchpad. A value that none can have is refused in a sentence that names its field."""

    def __init__(self, **given: Any) -> None:
        with refused_in_words():
            super().__init__(**given)


def with_options(*names: str, **renamed: str) -> Callable[[type[T]], type[T]]:
    """Give a configuration these options of a run as fields; `renamed` is field -> option."""

    def given(config: type[T]) -> type[T]:
        options = {name: name for name in names} | renamed
        of_dagster = issubclass(config, dg.Config)
        fields: dict[str, Any] = {field: _taken(option, of_dagster) for field, option in options.items()}
        made = create_model(config.__name__, __base__=config, __module__=config.__module__, **fields)
        made.__doc__ = config.__doc__
        return made

    return given


def _taken(option: str, of_dagster: bool) -> tuple[Any, Any]:
    """The type and the default of an option: text where Dagster has no type for it."""
    declared, kind, default = RunOptions.model_fields[option], kind_of(option), usual(option)
    taken, constraints = kind, declared.metadata
    if get_origin(kind) is tuple:
        taken, constraints = str, []
    elif get_origin(kind) is Literal and of_dagster:
        taken = _choice(option)
    told = Field(description=" ".join(filter(None, (declared.description, in_words(constraints)))))
    return Annotated[taken | None if default is None else taken, told, *constraints], default


@cache
def _choice(option: str) -> Any:
    """The values of an option as an enumeration, which is what Dagster shows as a choice."""
    return Enum(option, {each: each for each in get_args(kind_of(option))}, type=str)


def in_words(constraints: Iterable[Any]) -> str:
    """The range that constraints leave, as a sentence; empty if they leave any value."""
    told = {limit: getattr(each, limit) for each in constraints for limit in ("ge", "gt", "le") if hasattr(each, limit)}
    low = f"{told['ge']} or more" if "ge" in told else f"more than {told['gt']}" if "gt" in told else ""
    high = f"at most {told['le']}" if "le" in told else ""
    words = ", ".join(filter(None, (low, high)))
    return f"{words[0].upper()}{words[1:]}." if words else ""
