"""A TOML file that a user writes, read into a model of ours."""

import tomllib
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from toolscale.errors import UserError

Form = TypeVar("Form", bound=BaseModel)


def read_toml(file: Path, form: type[Form], what: str) -> Form:
    """What the file holds; `what` is what it is called where it cannot be read, such as "the catalogue".

    Raises:
        UserError: it cannot be read, is not TOML, or has another form; says where.
    """
    try:
        return form.model_validate(tomllib.loads(file.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read {what} {file}: {error}") from None
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{file} is not TOML: {error}") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UserError(f"{file}: `{where}`: {first['msg'].removeprefix('Value error, ')}") from None
