"""What each tool takes, as JSON Schema: known without the tool being opened."""

import importlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from toolscale.artifacts.base import Json
from toolscale.orchestration.tool import Kind

if TYPE_CHECKING:
    from toolscale.orchestration.catalogue import CatalogueTool

_TAKES: Mapping[Kind, tuple[str, str]] = {
    "web_search": ("web_search", "SearchArguments"),
    "extract_content": ("pages", "PageArguments"),
    "local_search": ("local_search", "LocalSearchArguments"),
    "code_interpreter": ("code", "CodeArguments"),
}
"""Kind -> module and class of its arguments; imported when asked for."""


def parameters_of(tool: "CatalogueTool", searches: Sequence[str]) -> dict[str, Json]:
    """The JSON Schema of a tool's arguments. `searches` are the searches that are offered with it."""
    if tool.role is not None:
        from toolscale.orchestration.models import parameters_in

        return parameters_in(tool.role, searches)
    module, name = _TAKES[tool.kind]
    arguments = getattr(importlib.import_module(f"toolscale.orchestration.{module}"), name)
    schema: dict[str, Json] = arguments.parameters()
    return schema
