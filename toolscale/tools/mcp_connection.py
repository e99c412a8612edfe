"""One connection to an MCP server, for all episodes of a run: opened once, its list of tools read once, closed once."""

import asyncio
import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Self

from pydantic import ValidationError

from toolscale.artifacts.base import Json
from toolscale.errors import UserError
from toolscale.llm.redaction import redacted
from toolscale.printable import in_one_line
from toolscale.tools.base import ToolFailed
from toolscale.tools.mcp_server import McpServer
from toolscale.tools.mcp_transports import Line, transport_to

if TYPE_CHECKING:
    from mcp import ClientSession, MCPError
    from mcp.types import CallToolResult, Tool

_MOST_PAGES = 50
_SHOWN_CHARACTERS = 300
_CLOSING_SECONDS = 15.0


class Refused(ToolFailed):
    """The server answered a call with an error of the protocol. ``said`` is the server's text, and so a stranger's."""

    def __init__(self, message: str, said: str) -> None:
        super().__init__(message)
        self.said = said


class McpConnection:
    """A connection; use it as a context, on one event loop. Calls may be made side by side.

    A server that ends, floods or talks nonsense is not started again: its calls fail, each with one sentence.
    """

    def __init__(self, server: McpServer) -> None:
        self.server = server
        self.listed: list[Tool] = []
        """What the server has, as it said when the connection was opened; later changes are not followed."""
        self._line = Line()
        self._session: ClientSession | None = None
        self._leave = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Connect, and read the list of tools.

        Raises:
            UserError: there is no such program, nobody answers, it does not speak MCP, it takes too long, a variable
                that it is to be given is not set, or the package `mcp` is not installed.
        """
        _see_that_it_is_installed()
        opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        # Enter and exit of the SDK's contexts have to be in one task, and the caller's may be several.
        self._keeper = asyncio.create_task(self._keep(opened))
        try:
            async with asyncio.timeout(self.server.timeout_seconds):
                await asyncio.shield(opened)
        except TimeoutError:
            opened.cancel()  # or the complaint that follows would be one that nobody hears
            await self.close()
            raise UserError(
                f"the MCP server {self.server.name} did not say within {self.server.timeout_seconds:g} seconds which "
                f"tools it has{self._last_words()}"
            ) from None
        except BaseException:
            opened.cancel()
            await self.close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End the connection, and the process where it is one. It takes a few seconds at most."""
        keeper, self._keeper, self._session = self._keeper, None, None
        if keeper is None:
            return
        self._leave.set()
        if not self.listed:
            keeper.cancel()  # it may still wait for the server
        await asyncio.wait({keeper}, timeout=_CLOSING_SECONDS)
        if not keeper.done():
            keeper.cancel()
            await asyncio.wait({keeper}, timeout=_CLOSING_SECONDS)

    async def call(self, tool: str, arguments: Mapping[str, Json]) -> "CallToolResult":
        """What the server answers to a call.

        Raises:
            ToolFailed: nothing that can be read, or nothing in time.
            Refused: an error of the protocol.
        """
        from mcp import MCPError
        from mcp.types import CallToolRequest, CallToolRequestParams, CallToolResult

        name, seconds = self.server.name, self.server.timeout_seconds
        if self._session is None or self._line.ended:
            raise ToolFailed(self._gone())
        asked = CallToolRequest(params=CallToolRequestParams(name=tool, arguments=dict(arguments)))
        try:
            async with asyncio.timeout(seconds):
                # Not `call_tool`, which checks answers by the server's own schema and patterns, in unbounded time.
                return await self._session.send_request(asked, CallToolResult)
        except TimeoutError:
            raise ToolFailed(f"{name} did not answer within {seconds:g} seconds") from None
        except MCPError as error:
            raise self._failure(error) from None
        except ValidationError:
            raise ToolFailed(f"{name} sent an answer of another form than MCP has") from None
        except Exception as error:
            # The SDK's streams raise errors of several libraries where the other side is gone.
            raise ToolFailed(self._gone() if self._line.ended else f"{name}: {type(error).__name__}") from None

    async def _keep(self, opened: "asyncio.Future[None]") -> None:
        """Hold the connection from its opening until it is to be left."""
        from mcp import Client

        try:
            async with Client(transport_to(self.server, self._line), cache=None) as client:
                self.listed = await self._list(client.session)
                self._session = client.session
                opened.set_result(None)
                await self._leave.wait()
        except (Exception, asyncio.CancelledError) as error:
            self._line.end("is gone")
            if not opened.done():
                opened.set_exception(self._complaint(error))

    async def _list(self, session: "ClientSession") -> "list[Tool]":
        from mcp.types import PaginatedRequestParams

        tools: list[Tool] = []
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            page = await session.list_tools(params=PaginatedRequestParams(cursor=cursor))
            tools += page.tools
            cursor = page.next_cursor
            if not cursor:
                return tools
        raise UserError(f"the MCP server {self.server.name} lists tools on more than {_MOST_PAGES} pages")

    def _failure(self, error: "MCPError") -> ToolFailed:
        """What an error of the protocol comes to; the SDK tells those of the way there as such too."""
        from mcp.types import CONNECTION_CLOSED

        name = self.server.name
        if self._line.ended:
            return ToolFailed(self._gone())
        if self._line.status:
            return ToolFailed(f"{name} {self._answered()}")
        if (error.code, error.message) == (CONNECTION_CLOSED, "Connection closed"):  # servers use the code too
            return ToolFailed(f"{name} cannot be reached")
        return Refused(f"{name} refuses the call", error.message)

    def _complaint(self, error: BaseException) -> UserError:
        """The sentence on a connection that could not be opened."""
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if isinstance(error, UserError):
            return error
        if self._line.ended and self._line.ended != "is gone":
            return UserError(f"the MCP server {self._gone()} before it said which tools it has{self._last_words()}")
        if isinstance(error, ValidationError):
            return UserError(f"the MCP server {self.server.name} lists its tools in another form than MCP has")
        if self._line.status:
            return UserError(f"the MCP server {self.server.name} {self._answered()}")
        said = self._cleaned(str(error)) or type(error).__name__
        return UserError(f"the MCP server {self.server.name} cannot be talked to: {said}{self._last_words()}")

    def _answered(self) -> str:
        keys = ", ".join(self.server.variables) or "its `headers`, which name none"
        refused = f": it wants a key, see {keys}" if self._line.status in (401, 403) else ""
        return f"answered HTTP {self._line.status}{refused}"

    def _gone(self) -> str:
        return f"{self.server.name} {self._line.ended or 'is closed'}"

    def _last_words(self) -> str:
        said = self._cleaned(self._line.last_words, of_end=True)
        return f"; its last words: {said}" if said else ""

    def _cleaned(self, text: str, *, of_end: bool = False) -> str:
        """A stranger's text for an error: no keys, on one line, short."""
        line = in_one_line(redacted(text, self.server.variables))
        return line[-_SHOWN_CHARACTERS:] if of_end else line[:_SHOWN_CHARACTERS]


def _see_that_it_is_installed() -> None:
    try:
        import mcp
    except ModuleNotFoundError:
        raise UserError("MCP servers need a package more: pip install 'toolscale[mcp]'") from None
    # It logs what servers say, keys included, and without a handler Python prints that.
    logger = logging.getLogger(mcp.__name__)
    logger.propagate = False
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
