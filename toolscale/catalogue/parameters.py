"""What each tool takes, as JSON Schema: known without the tool being opened, but for those of MCP servers."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from toolscale.artifacts.base import Json
from toolscale.catalogue.catalogue import CatalogueTool, ModelRole
from toolscale.errors import UserError
from toolscale.tools.base import Arguments
from toolscale.tools.code import CodeArguments
from toolscale.tools.local_search import LocalSearchArguments
from toolscale.tools.pages import PageArguments
from toolscale.tools.tool import ToolKind
from toolscale.tools.web_search import SearchArguments


class QuestionArguments(Arguments):
    """What a generalist or a math model takes."""

    question: str = Field(
        min_length=1, description="The question, with everything that is needed to answer it: the model sees only this."
    )


class ProblemArguments(Arguments):
    """What a code writer takes."""

    problem: str = Field(
        min_length=1,
        description="What the program is to find out or do, with all data it needs: the model sees only this.",
    )


class SearchNeed(Arguments):
    """What a query writer takes where there is one search."""

    question: str = Field(min_length=1, description="What is to be found out, and what is known so far.")


class SearchNeedAndPlace(SearchNeed):
    """What a query writer takes where there are several searches."""

    search: str = Field(description="The search to use.")


_BASIC: Mapping[ToolKind, type[Arguments]] = {
    "web_search": SearchArguments,
    "extract_content": PageArguments,
    "local_search": LocalSearchArguments,
    "code_interpreter": CodeArguments,
}

_MODELS: Mapping[ModelRole, type[Arguments]] = {
    "query_writer": SearchNeed,
    "code_writer": ProblemArguments,
    "math": QuestionArguments,
    "generalist": QuestionArguments,
}


def parameters_of(tool: CatalogueTool, searches: Sequence[str]) -> dict[str, Json]:
    """The JSON Schema of a tool's arguments. `searches` are the searches that are offered with it.

    Raises:
        UserError: it is a tool of an MCP server that nobody has asked yet.
    """
    if tool.kind == "mcp":
        if tool.parameters is None:
            raise UserError(
                f"{tool.name}: only its MCP server knows what it takes, and it was not asked: open the tools with a "
                "Toolbox, or call told_by_servers"
            )
        return tool.parameters
    if tool.role is None:
        return _BASIC[tool.kind].parameters()
    if tool.role != "query_writer" or len(searches) < 2:
        return _MODELS[tool.role].parameters()
    schema: dict[str, Any] = SearchNeedAndPlace.parameters()
    schema["properties"]["search"]["enum"] = list(searches)
    return schema
