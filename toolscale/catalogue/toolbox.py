"""The tools of a catalogue, opened: what all episodes share once, and what belongs to one episode for it alone."""

from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from toolscale.artifacts import FunctionSpec
from toolscale.artifacts.base import Json
from toolscale.catalogue.catalogue import CatalogueTool
from toolscale.catalogue.configuration import SEARCHES, OfferedTool, ToolConfiguration
from toolscale.catalogue.model_tools import Asker, CodeWriter, ModelTool, QueryWriter
from toolscale.catalogue.servers import asked_of, servers_of
from toolscale.environment import Sandbox
from toolscale.errors import UserError
from toolscale.llm import Gateway
from toolscale.llm.endpoints import see_that_it_can_be_asked
from toolscale.tools.mcp_connection import McpConnection
from toolscale.tools.tool import Tool, ToolAnswer, ToolKind


@dataclass(frozen=True)
class Presented:
    """A tool that several episodes share, as one of them offers it."""

    tool: Tool
    offered: OfferedTool

    @property
    def kind(self) -> ToolKind:
        """What stands behind the tool."""
        return self.tool.kind

    @property
    def spec(self) -> FunctionSpec:
        """Name, description with price and latency, parameters."""
        return self.offered.spec().model_copy(update={"kind": self.tool.spec.kind})

    async def call(self, arguments: Mapping[str, Json]) -> ToolAnswer:
        """Answer, or say in `error` why not."""
        return await self.tool.call(arguments)


class Toolbox:
    """Opens the tools of a catalogue for one episode after the other; use it as a context.

    async with Toolbox(read_tools("full"), gateway, index=Path("index")) as toolbox:
        configuration = configure(toolbox.available, schedule("together"))
        tools = toolbox.open(configuration, task="q1")
    """

    def __init__(
        self,
        tools: Sequence[CatalogueTool],
        gateway: Gateway,
        *,
        index: Path | None = None,
        index_named_by: str = "--index",
        lent: Mapping[str, Tool] | None = None,
    ) -> None:
        """Tools that are not open yet.

        Args:
            tools, gateway: what may be offered, and where its models are asked.
            index: the folder that `local_search` searches.
            index_named_by: how the reader of a message names that folder.
            lent: tools that are open already, by name.
        """
        self._catalogue = {tool.name: tool for tool in tools}
        self._gateway = gateway
        self._index = index
        self._index_named_by = index_named_by
        self._shared: dict[str, Tool] = dict(lent or {})
        self._sandbox: Sandbox | None = None
        self._stack = AsyncExitStack()
        self.missing: dict[str, str] = {}
        """Tools that cannot be had here, and why."""

    async def __aenter__(self) -> Self:
        try:
            for tool in self._catalogue.values():
                if tool.name in self._shared or tool.kind == "mcp":
                    continue
                try:
                    await self._prepare(tool)
                except UserError as error:
                    self.missing[tool.name] = str(error)
            await self._ask_servers()
        except BaseException:
            await self._stack.aclose()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    @property
    def available(self) -> list[CatalogueTool]:
        """The catalogue's tools that can be had here."""
        return [tool for tool in self._catalogue.values() if tool.name not in self.missing]

    def open(
        self,
        configuration: ToolConfiguration,
        *,
        task: str = "",
        domain: str = "orchestration",
        seed: int = 0,
        sample: int = 0,
    ) -> list[Tool]:
        """The tools of a configuration, for one episode.

        Args:
            configuration: what is offered, in this order.
            task: id of the question or task, for the ledger.
            domain: what the ledger sums by.
            seed, sample: of the episode: another sample gets other answers of the models.

        Raises:
            UserError: the configuration offers what the catalogue does not have, or what cannot be had here.
        """
        opened: dict[str, Tool] = {}
        for offered in sorted(configuration.tools, key=lambda each: each.kind == "model"):  # models use the others
            tool = self._known(offered.name)
            if tool.model is None:
                opened[offered.name] = self._basic(offered)
                continue
            price = configuration.price_of(offered)
            asker = Asker(tool.model, self._gateway, price, task, domain, seed, sample)
            opened[offered.name] = self._model(tool, offered, asker, opened)
        return [opened[name] for name in configuration.names]

    def see_that_it_has(self, configuration: ToolConfiguration) -> None:
        """See that a configuration can be opened. Raises UserError where it cannot, as `open` would."""
        for offered in configuration.tools:
            if self._known(offered.name).model is not None:
                configuration.price_of(offered)

    def _known(self, name: str) -> CatalogueTool:
        if name in self.missing:
            raise UserError(f"{name} cannot be had: {self.missing[name]}")
        if name not in self._catalogue:
            raise UserError(
                f"the configuration offers {name}, which the catalogue does not have: name the one that it was drawn "
                "from with --catalogue"
            )
        return self._catalogue[name]

    def _basic(self, offered: OfferedTool) -> Tool:
        if offered.kind == "code_interpreter" and offered.name not in self._shared:
            return Presented(self._interpreter(), offered)
        return Presented(self._shared[offered.name], offered)

    def _model(self, tool: CatalogueTool, offered: OfferedTool, asker: Asker, opened: Mapping[str, Tool]) -> Tool:
        if tool.role == "query_writer":
            return QueryWriter(offered, asker, [each for each in opened.values() if each.kind in SEARCHES])
        if tool.role == "code_writer":
            return CodeWriter(offered, asker, self._interpreter)
        return ModelTool(offered, asker, tool.role or "generalist")

    def _interpreter(self) -> Tool:
        """A fresh interpreter; all share one warm process."""
        from toolscale.tools.code import CodeInterpreter, code_sandbox

        if self._sandbox is None:
            self._sandbox = self._stack.enter_context(code_sandbox())
        return CodeInterpreter(self._sandbox)

    async def _prepare(self, tool: CatalogueTool) -> None:
        """Open what all episodes share, and see that the rest can be opened. Raises UserError if it cannot."""
        match tool.kind:
            case "web_search":
                from toolscale.tools.web_search import WebSearch

                search = WebSearch(tool.service, dollars=tool.fee)
                self._shared[tool.name] = await self._stack.enter_async_context(search)
            case "extract_content":
                from toolscale.tools.pages import ExtractContent

                self._shared[tool.name] = await self._stack.enter_async_context(ExtractContent())
            case "local_search":
                self._shared[tool.name] = self._local_search()
            case "model" if tool.model is not None:
                see_that_it_can_be_asked(tool.model.model, tool.model.api_base)
                self._gateway.price_of(tool.model.model)

    async def _ask_servers(self) -> None:
        """Open every MCP server, and put what it says of its tools in the place of what the catalogue says."""
        wanted = [tool for tool in self._catalogue.values() if tool.name not in self._shared]
        for server, tools in servers_of(wanted):
            try:
                connection = await self._stack.enter_async_context(McpConnection(server))
            except UserError as error:
                self.missing |= {tool.name: str(error) for tool in tools}
                continue
            asked = asked_of(connection, tools)
            self.missing |= asked.missing
            self._shared |= asked.tools
            for tool in tools:
                if not tool.tool:
                    del self._catalogue[tool.name]
            self._catalogue |= {tool.name: tool for tool in asked.found}

    def _local_search(self) -> Tool:
        from toolscale.tools.embedders import embedder_for
        from toolscale.tools.index import Index
        from toolscale.tools.local_search import LocalSearch

        if self._index is None:
            raise UserError(
                f"there is no index: make one with `toolscale index build`, and name it with {self._index_named_by}"
            )
        index = Index.open(self._index)
        made_by = index.manifest
        return LocalSearch(index, embedder_for(made_by.model, self._gateway, api_base=made_by.api_base))
