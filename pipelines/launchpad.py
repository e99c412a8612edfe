"""The options of a run as Dagster's launchpad takes them, and the table `run` of a domain's file."""

from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeVar, get_origin

from pydantic import BaseModel, Field, create_model

from toolscale.run_options import RunOptions, kind_of, usual

T = TypeVar("T", bound=BaseModel)


def with_options(*names: str, **renamed: str) -> Callable[[type[T]], type[T]]:
    """Give a configuration these options of a run as fields; `renamed` is field -> option."""

    def given(config: type[T]) -> type[T]:
        options = {name: name for name in names} | renamed
        fields: dict[str, Any] = {field: _taken(option) for field, option in options.items()}
        made = create_model(config.__name__, __base__=config, __module__=config.__module__, **fields)
        made.__doc__ = config.__doc__
        return made

    return given


def _taken(option: str) -> tuple[Any, Any]:
    """The type and the default of an option: text where Dagster has no type for it."""
    declared, kind, default = RunOptions.model_fields[option], kind_of(option), usual(option)
    as_text = get_origin(kind) in (Literal, tuple)
    taken = str if as_text else kind
    constraints = [] if as_text else declared.metadata
    told = Field(description=declared.description)
    return Annotated[taken | None if default is None else taken, told, *constraints], default
