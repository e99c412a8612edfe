"""YAML files that people edit: what belongs to a domain and needs no Python."""

from pathlib import Path
from typing import Annotated, Any, TypeVar

import yaml
from pydantic import AfterValidator, StringConstraints, TypeAdapter, ValidationError

from toolscale.errors import UserError
from toolscale.templates.template import sound

T = TypeVar("T")

Text = Annotated[str, StringConstraints(pattern=r"\S")]
"""A text that is not blank."""

Template = Annotated[Text, AfterValidator(sound)]
"""A template in a data file: its brackets pair, and its slots are of a kind that there is."""


def read_document(file: Path, form: type[T]) -> T:
    """A YAML file as a value of that type, which says what each text means: `NO` is a country where a text is wanted.

    Raises:
        UserError: it is missing, not YAML, or not of that type, or a name stands in it twice; says where.
    """
    return typed(TypeAdapter(form), _loaded(file, _Loader), str(file))


def read_values(file: Path) -> Any:
    """What a YAML file holds, where a number is a number and `null` is none.

    Raises:
        UserError: it is missing or not YAML, or a name stands in it twice; says where.
    """
    return _loaded(file, _LoaderOfValues)


def _loaded(file: Path, loader: Any) -> Any:
    """What a YAML file holds.

    Raises:
        UserError: it is missing or not YAML, or a name stands in it twice; says where.
    """
    try:
        return yaml.load(file.read_text(encoding="utf-8"), loader)
    except OSError as error:
        raise UserError(f"{file}: {error.strerror}") from error
    except yaml.MarkedYAMLError as error:
        raise UserError(f"{file}, line {error.problem_mark.line + 1}: {error.problem}") from error


def typed(form: TypeAdapter[T], found: Any, where: str) -> T:
    """What was found, as a value of that type.

    Raises:
        UserError: it is not of that type; says where.
    """
    try:
        return form.validate_python(found)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        told = first["msg"].removeprefix("Value error, ")
        raise UserError(f"{where}: {'.'.join(map(str, first['loc']))}: {told}") from None


class _NoNameTwice:
    """Beside a loader: a name that stands twice in one place is an error."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        found: dict[Any, Any] = super().construct_mapping(node, deep)  # type: ignore[misc]
        if len(found) < len(node.value):
            names = [key.value for key, _ in node.value]
            twice = next(key for at, (key, _) in enumerate(node.value) if key.value in names[:at])
            raise yaml.MarkedYAMLError(problem=f"`{twice.value}` stands here twice", problem_mark=twice.start_mark)
        return found


class _Loader(_NoNameTwice, getattr(yaml, "CBaseLoader", yaml.BaseLoader)):  # type: ignore[misc]
    """Reads every scalar as text."""


class _LoaderOfValues(_NoNameTwice, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Reads scalars as what they look like."""
