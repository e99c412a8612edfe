"""The options of a run, as they are declared in `toolscale/run_options.py`, as flags of a command."""

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any, get_origin

import typer
from typer.models import OptionInfo

from toolscale.errors import UserError
from toolscale.run_options import RunOptions, kind_of, usual

Chosen = dict[str, Any]
"""Option of a run -> what the user chose; the others are not in it."""

_WRITTEN: dict[Any, tuple[Any, str | None]] = {
    tuple: (str, "LOW:HIGH"),
    list: (str, None),
    dict: (list[str], "ROLE=MODEL"),
}
"""What is no single value -> what typer makes of it, and how it is written where the help does not say so."""


def flag(name: str, *flags: str, help: str = "", metavar: str | None = None) -> OptionInfo:
    """An option of a run as typer is told of it: as it is declared, but for what is given."""
    field = RunOptions.model_fields[name]
    told: OptionInfo = typer.Option(*flags, min=_least(field.metadata), help=help or field.description, metavar=metavar)
    return told


def option(name: str, *flags: str, default: Any = ..., help: str = "", metavar: str | None = None) -> Parameter:
    """An option of a run as a parameter of a command: as it is declared, but for what is given."""
    kind, written = _WRITTEN.get(get_origin(kind_of(name)), (kind_of(name), None))
    if default is ...:
        default = usual(name) or None
    told = flag(name, *flags, help=help, metavar=metavar or written)
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind | None, told])


def takes(*options: Parameter) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command options of a run as flags, in place of its parameter `chosen`."""

    def given(command: Callable[..., None]) -> Callable[..., None]:
        told = signature(command, eval_str=True)
        parameters: list[Parameter] = []
        for own in told.parameters.values():
            parameters += options if own.name == "chosen" else [own.replace(kind=Parameter.KEYWORD_ONLY)]

        @wraps(command)
        def with_options(**typed: Any) -> None:
            chosen = {each.name: typed.pop(each.name) for each in options}
            command(
                chosen={name: _read(name, value) for name, value in chosen.items() if value not in (None, "", [])},
                **typed,
            )

        with_options.__signature__ = told.replace(parameters=parameters)  # type: ignore[attr-defined]
        with_options.__annotations__ = {each.name: each.annotation for each in parameters}
        return with_options

    return given


def roles_from(assignments: list[str]) -> dict[str, str]:
    """Role -> model string, from `ROLE=MODEL` as a user types it.

    Raises:
        UserError: one of them is not of that form.
    """
    for assignment in assignments:
        role, _, model = assignment.partition("=")
        if not role or not model:
            raise UserError(f"--role {assignment}: write ROLE=MODEL, such as agent=openai/gpt-5-mini")
    return {role: model for role, _, model in (assignment.partition("=") for assignment in assignments)}


def _least(constraints: list[Any]) -> int | None:
    """The least that the constraints of a number allow."""
    for each in constraints:
        if hasattr(each, "ge"):
            return int(each.ge)
        if hasattr(each, "gt"):
            return int(each.gt) + 1
    return None


def _read(name: str, typed: Any) -> Any:
    """What was typed, as it is declared; two figures are read there."""
    if get_origin(kind_of(name)) is dict:
        return roles_from(typed)
    if get_origin(kind_of(name)) is list:
        return [] if typed.strip() == "none" else [each.strip() for each in typed.split(",")]
    return typed
