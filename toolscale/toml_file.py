"""TOML that a user writes, read as it stands or into a model of ours."""

import re
import tomllib
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from toolscale.artifacts.strict_json import deeper_than
from toolscale.errors import UserError

DEEPEST = 32
"""Levels of tables and lists, and parts of a dotted name."""

Form = TypeVar("Form", bound=BaseModel)

_NAME = r"""(?:[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')"""
_LONG_NAME = re.compile(rf"(?<![A-Za-z0-9_-]){_NAME}(?:[ \t]*+\.[ \t]*+{_NAME}){{{DEEPEST}}}")


def toml_in(text: str) -> dict[str, Any]:
    """What a text in TOML says.

    Raises:
        tomllib.TOMLDecodeError: it is not TOML, or nests too deep.
    """
    too_deep = tomllib.TOMLDecodeError(f"it nests deeper than {DEEPEST} levels")
    if _LONG_NAME.search(text):  # the library takes time in proportion to the square of a name's parts
        raise too_deep
    try:
        said = tomllib.loads(text)
    except RecursionError:
        raise too_deep from None
    if deeper_than(said, DEEPEST):
        raise too_deep
    return said


def read_toml(file: Path, form: type[Form], what: str) -> Form:
    """What the file holds; `what` is what it is called where it cannot be read, such as "the catalogue".

    Raises:
        UserError: it cannot be read, is not TOML, or has another form; says where.
    """
    try:
        return form.model_validate(toml_in(file.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read {what} {file}: {error}") from None
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{file} is not TOML: {error}") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UserError(f"{file}: `{where}`: {first['msg'].removeprefix('Value error, ')}") from None
