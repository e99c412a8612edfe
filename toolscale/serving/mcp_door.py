"""MCP: the functions of one task's session as the tools of a server, and that server over stdio.

The verdict is no tool. Over stdio it is had by the method `toolscale/verdict`, which no listing names: the program that
runs the agent sends it, with the agent's last message; a model that only calls tools cannot.
"""

import asyncio
import json
from typing import TYPE_CHECKING, Any

from toolscale.errors import UserError
from toolscale.serving.play import MOST_MESSAGE_CHARACTERS, Play, PlayError

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

VERDICT = "toolscale/verdict"
"""The method: `{"message": TEXT}` in, the reward, the three criteria and their reasons out."""


def serve_stdio(play: Play) -> None:
    """Serve one session on standard input and output until the client leaves.

    Raises:
        UserError: the extra `mcp` is not installed.
    """
    server = mcp_server(play, judges=True)
    asyncio.run(_on_stdio(server))


def mcp_server(play: Play, *, judges: bool) -> "Server[Any]":
    """The server of one session.

    Args:
        play: the session.
        judges: whether it knows the method that ends and judges it; not where the agent sends requests itself.

    Raises:
        UserError: the extra `mcp` is not installed.
    """
    try:
        from mcp import types
        from mcp.server.lowlevel import Server
    except ImportError:
        raise UserError("serving MCP needs the official SDK, version 2: pip install 'toolscale[mcp]'") from None

    class _LastMessage(types.RequestParams):
        message: str = ""

    async def listed(ctx: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool.model_validate(tool) for tool in tools_of(play)])

    async def called(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        try:
            text, returned = await asyncio.to_thread(play.call, params.name, params.arguments)
        except PlayError as refused:
            text, returned = json.dumps({"error": str(refused)}), False
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=not returned)

    async def judged(ctx: Any, params: _LastMessage) -> dict[str, Any]:
        try:
            found = await asyncio.to_thread(play.finish, params.message[: MOST_MESSAGE_CHARACTERS + 1])
        except PlayError as refused:
            return {"error": str(refused)}
        return found.as_json()

    server: Server[Any] = Server(
        "toolscale",
        instructions=f"{play.system}\n\nThe user says:\n{play.instruction}",
        on_list_tools=listed,
        on_call_tool=called,
    )
    if judges:
        server.add_request_handler(VERDICT, _LastMessage, judged)
    return server


def tools_of(play: Play) -> list[dict[str, Any]]:
    """The functions as MCP lists tools."""
    functions = [tool["function"] for tool in play.tools]
    return [
        {"name": each["name"], "description": each["description"], "inputSchema": each["parameters"]}
        for each in functions
    ]


async def _on_stdio(server: "Server[Any]") -> None:
    from mcp.server.stdio import stdio_server

    async with stdio_server() as (reads, writes):
        await server.run(reads, writes, server.create_initialization_options())
