"""pydantic as functions find it: all of it loaded, none of it looking at the real clock."""

import importlib
import warnings
from typing import Any

_LOADED_LATE = ("dataclasses", "decimal", "enum", "fractions", "ipaddress", "pathlib", "uuid", "zoneinfo")
_READ_THE_CLOCK = ("PastDate", "FutureDate", "PastDatetime", "FutureDatetime")
"""They ask the system for the time past every frozen clock."""


def load() -> None:
    """Load what pydantic would otherwise look for at first use, when there are no files any more."""
    import pydantic

    for name in _LOADED_LATE:
        importlib.import_module(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in pydantic.__all__:
            getattr(pydantic, name)
    for name in _READ_THE_CLOCK:
        getattr(pydantic, name).__get_pydantic_core_schema__ = classmethod(_refused)
    _use_once(pydantic)


def _refused(kind: Any, *_: Any) -> Any:
    raise TypeError(f"{kind.__name__} reads the real clock, which the sandbox does not have")


def _use_once(pydantic: Any) -> None:
    """Whatever is set up when a model is first made, fails, is written or described."""
    model = pydantic.create_model("model", number=(int, pydantic.Field(1, alias="count", gt=0)))
    model.model_json_schema()
    model.model_validate_json(model(count="2").model_dump_json())
    try:
        model(count="two")
    except pydantic.ValidationError as error:
        repr(error)
