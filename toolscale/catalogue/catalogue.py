"""The catalogue: every tool and model that an orchestrator may be offered, read from TOML, and named sets of them.

``read_tools("full")`` is a set of the packaged ``catalogue.toml``; ``read_tools("mine.toml")`` one of a file of yours.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, Self, TypeVar

from pydantic import Field

from toolscale.artifacts.base import Artifact, Json, Name
from toolscale.catalogue.latency import LatencyProfile
from toolscale.errors import UserError
from toolscale.settings import ModelSettings, Price
from toolscale.toml_file import read_toml
from toolscale.tools.mcp_server import McpServer, offered_name
from toolscale.tools.tool import ToolKind
from toolscale.tools.web_search import SERVICES

T = TypeVar("T")

PACKAGED = Path(__file__).parent / "catalogue.toml"

ModelRole = Literal["query_writer", "code_writer", "math", "generalist"]
"""What a model is offered for (paper, Appendix, tools in training)."""

MODEL_ROLES: tuple[ModelRole, ...] = ("query_writer", "code_writer", "math", "generalist")

PURPOSES: Mapping[ModelRole, str] = {
    "query_writer": "writes the search query for a question, searches, and returns what was found",
    "code_writer": "writes a Python program for a problem, runs it, and returns the program and its output",
    "math": "solves a mathematical problem",
    "generalist": "answers a question",
}


class CatalogueModel(Artifact):
    """A model, whatever it is offered for."""

    name: str = Field(min_length=1, description="What price schedules know it by.")
    model: str = Field(min_length=1, description="litellm's model string, where it is asked.")
    api_base: str | None = Field(default=None, description="Base URL of its endpoint, where it is not the provider's.")
    vendor: str = ""
    open_weights: bool = False
    description: str = Field(min_length=1, description="Its strengths and weaknesses, for the orchestrator.")
    max_tokens: int = Field(default=8000, gt=0, description="Longest answer.")
    temperature: float | None = Field(default=None, ge=0)
    price: Price | None = Field(default=None, description="Where no schedule lists it, as for a model of your own.")
    latency: LatencyProfile | None = None
    simulated: bool = Field(default=False, description="Its calls take what `latency` says, not what the clock says.")

    def settings(self) -> ModelSettings:
        """How the gateway asks it."""
        return ModelSettings(
            model=self.model, api_base=self.api_base, temperature=self.temperature, max_tokens=self.max_tokens
        )


class BasicTool(Artifact):
    """A tool that is no model."""

    kind: Literal["web_search", "extract_content", "local_search", "code_interpreter"]
    name: Name | Literal[""] = ""
    description: str = Field(min_length=1)
    service: str = Field(default="tavily", description="Who searches the web: tavily or brave.")
    fee: float | None = Field(
        default=None, ge=0, allow_inf_nan=False, description="Dollars a call; else what the tool's provider asks."
    )
    latency: LatencyProfile | None = None


class McpTools(McpServer):
    """An MCP server, and which of its tools are offered. A set names it, and gets them all."""

    kind: Literal["mcp"]
    tools: list[str] = Field(min_length=1, description="By the server's names; nothing else of it is offered.")
    description: str = Field(default="", description="What the tools are for, in front of what the server says.")
    fee: float = Field(default=0.0, ge=0, allow_inf_nan=False, description="Dollars a call.")
    latency: LatencyProfile | None = None

    def offered(self) -> list["CatalogueTool"]:
        """Its tools, of which only the server can say what they take."""
        known = {name: getattr(self, name) for name in McpServer.model_fields}
        server = McpServer(**known)
        return [
            CatalogueTool(
                name=offered_name(self.name, tool),
                kind="mcp",
                description=self.description,
                fee=self.fee,
                latency=self.latency,
                server=server,
                tool=tool,
            )
            for tool in self.tools
        ]


class ToolSet(Artifact):
    """What is offered together: tools by their names, and models by theirs in each role."""

    tools: list[str] = Field(default_factory=list)
    query_writer: list[str] = Field(default_factory=list)
    code_writer: list[str] = Field(default_factory=list)
    math: list[str] = Field(default_factory=list)
    generalist: list[str] = Field(default_factory=list)


class CatalogueTool(Artifact):
    """One tool that may be offered: a basic one, one of an MCP server, or a model in a role."""

    name: Name
    kind: ToolKind
    description: str
    service: str = ""
    """Who searches the web, for a web search."""
    fee: float = 0.0
    latency: LatencyProfile | None = None
    role: ModelRole | None = None
    model: CatalogueModel | None = None
    server: McpServer | None = None
    """Who has it, for a tool of an MCP server."""
    tool: str = ""
    """The server's own name of it; empty = all that the server has, each a tool once the server is asked."""
    parameters: dict[str, Json] | None = None
    """What it takes, as its server says; None before the server is asked."""


class _File(Artifact):
    tool: list[Annotated[BasicTool | McpTools, Field(discriminator="kind")]] = Field(default_factory=list)
    model: list[CatalogueModel] = Field(default_factory=list)
    sets: dict[str, ToolSet] = Field(default_factory=dict)


@dataclass(frozen=True)
class Catalogue:
    """A catalogue's tools, models and sets, each by its name."""

    place: str
    basics: Mapping[str, BasicTool | McpTools]
    models: Mapping[str, CatalogueModel]
    sets: Mapping[str, ToolSet]

    @classmethod
    def read(cls, path: Path | None = None) -> Self:
        """The catalogue in a file; the packaged one without a path.

        Raises:
            UserError: the file cannot be read, has another form, or a set names what it does not have.
        """
        file = path or PACKAGED
        read = read_toml(file, _File, "the catalogue")
        basics = _by_name(file, [(tool.name or tool.kind, tool) for tool in read.tool])
        models = _by_name(file, [(model.name, model) for model in read.model])
        catalogue = cls(str(file), basics, models, read.sets)
        for name in catalogue.sets:
            catalogue.select(name)
        return catalogue

    def select(self, name: str = "") -> list[CatalogueTool]:
        """The tools of a set, in its order: basic ones first, then models role by role.

        Raises:
            UserError: there is no such set, it names what the catalogue does not have, or two tools get one name.
        """
        chosen = self._set(name)
        tools = [each for tool in chosen.tools for each in self._basic(tool, name)]
        for role in MODEL_ROLES:
            tools += [self._in_role(role, model, name) for model in getattr(chosen, role)]
        return list(_by_name(Path(self.place), [(tool.name, tool) for tool in tools]).values())

    def _set(self, name: str) -> ToolSet:
        if not name and len(self.sets) == 1:
            return next(iter(self.sets.values()))
        if name not in self.sets:
            asked = f"no set `{name}`" if name else "several sets"
            raise UserError(f"{self.place} has {asked}: name one of {', '.join(self.sets) or '(none)'}")
        return self.sets[name]

    def _basic(self, name: str, where: str) -> list[CatalogueTool]:
        if name not in self.basics:
            raise UserError(f"{self.place}: the set `{where}` names the tool `{name}`, and there is no such [[tool]]")
        tool = self.basics[name]
        if isinstance(tool, McpTools):
            return tool.offered()
        found = CatalogueTool(
            name=name, kind=tool.kind, description=tool.description, fee=tool.fee or 0.0, latency=tool.latency
        )
        return [found if tool.kind != "web_search" else _searched_by(found, tool.service, tool.fee)]

    def _in_role(self, role: ModelRole, name: str, where: str) -> CatalogueTool:
        if name not in self.models:
            raise UserError(f"{self.place}: the set `{where}` names the model `{name}`, and there is no such [[model]]")
        model = self.models[name]
        return CatalogueTool(
            name=tool_name(role, name),
            kind="model",
            description=f"{short(name)} {PURPOSES[role]}. {model.description}",
            latency=model.latency,
            role=role,
            model=model,
        )


def read_tools(where: str) -> list[CatalogueTool]:
    """The tools that a command line names: a set of the packaged catalogue, a file, or ``FILE:SET``.

    Raises:
        UserError: see ``Catalogue``.
    """
    file, _, name = where.partition(":")
    if file.endswith(".toml"):
        return Catalogue.read(Path(file)).select(name)
    return Catalogue.read().select(where)


def described(tools: Sequence[CatalogueTool], descriptions: Mapping[str, str]) -> list[CatalogueTool]:
    """The tools, with other descriptions of the models that `descriptions` knows by name."""

    def anew(tool: CatalogueTool) -> CatalogueTool:
        if tool.role is None or tool.model is None or tool.model.name not in descriptions:
            return tool
        told = descriptions[tool.model.name]
        model = tool.model.model_copy(update={"description": told})
        said = f"{short(model.name)} {PURPOSES[tool.role]}. {told}"
        return tool.model_copy(update={"description": said, "model": model})

    return [anew(tool) for tool in tools]


def searched_by(tools: Sequence[CatalogueTool], service: str) -> list[CatalogueTool]:
    """The tools, with every web search made by another service, at its price.

    Raises:
        UserError: nobody knows the service.
    """
    return [_searched_by(tool, service, None) if tool.kind == "web_search" else tool for tool in tools]


def tool_name(role: ModelRole, model: str) -> str:
    """What an orchestrator calls a model in a role by, such as ``generalist_gpt_5``."""
    return f"{role}_{re.sub(r'[^a-z0-9]+', '_', short(model).lower()).strip('_')}"


def short(model: str) -> str:
    """A model's name without who made it."""
    return model.rpartition("/")[2]


def _searched_by(tool: CatalogueTool, service: str, fee: float | None) -> CatalogueTool:
    if service not in SERVICES:
        raise UserError(f"there is no search service `{service}`, only {', '.join(SERVICES)}")
    return tool.model_copy(update={"service": service, "fee": SERVICES[service].dollars if fee is None else fee})


def _by_name(file: Path, named: Sequence[tuple[str, T]]) -> dict[str, T]:
    found: dict[str, T] = {}
    for name, each in named:
        if name in found:
            raise UserError(f"{file}: `{name}` is there twice")
        found[name] = each
    return found
