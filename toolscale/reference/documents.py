"""YAML files that people edit: what belongs to a domain and needs no Python."""

from pathlib import Path
from typing import Annotated, Any, TypeVar

import yaml
from pydantic import StringConstraints, TypeAdapter, ValidationError

from toolscale.errors import UserError

T = TypeVar("T")

Text = Annotated[str, StringConstraints(pattern=r"\S")]
"""A text that is not blank."""


def read_document(file: Path, form: type[T]) -> T:
    """A YAML file as a value of that type, which says what each text means: `NO` is a country where a text is wanted.

    Raises:
        UserError: it is missing, not YAML, or not of that type, or a name stands in it twice; says where.
    """
    try:
        return typed(TypeAdapter(form), yaml.load(file.read_text(encoding="utf-8"), _Loader), str(file))
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


class _Loader(getattr(yaml, "CBaseLoader", yaml.BaseLoader)):  # type: ignore[misc]
    """Reads every scalar as text, and no name twice."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        found: dict[Any, Any] = super().construct_mapping(node, deep)
        if len(found) < len(node.value):
            names = [key.value for key, _ in node.value]
            twice = next(key for at, (key, _) in enumerate(node.value) if key.value in names[:at])
            raise yaml.MarkedYAMLError(problem=f"`{twice.value}` stands here twice", problem_mark=twice.start_mark)
        return found
