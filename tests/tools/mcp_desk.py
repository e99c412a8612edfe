"""What tests of MCP tools share: the desk as a child process and over HTTP, servers that behave badly, its tools."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from toolscale.tools.mcp_connection import McpConnection
from toolscale.tools.mcp_server import McpServer
from toolscale.tools.mcp_tool import McpTool, told_of
from toolscale.tools.tool import ToolAnswer

DESK = [sys.executable, str(Path(__file__).with_name("desk.py"))]

GREETING = """
import json, sys
def answer(text):
    asked = json.loads(text)
    results = {
        "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": INFO},
        "tools/list": {"tools": TOOLS},
    }
    if asked.get("method") in results:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": results[asked["method"]]}), flush=True)
    elif asked.get("method") == "tools/call":
        misbehave(asked["id"])
    elif "id" in asked:
        error = {"code": -32601, "message": "unknown"}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "error": error}), flush=True)
INFO = {"name": "rude", "version": "1"}
TOOLS = [{"name": "go", "inputSchema": {"type": "object"}}]
"""


def rude(call: str, tools: str = "") -> McpServer:
    """A server written by hand that does something bad when its tool `go` is called, as the SDK's would not."""
    program = f"{GREETING}\n{tools}\ndef misbehave(id):\n    {call}\nfor line in sys.stdin:\n    answer(line)\n"
    return McpServer(name="rude", command=[sys.executable, "-c", program])


def desk(**more: Any) -> McpServer:
    return McpServer(name="desk", command=DESK, **more)


async def called(connection: McpConnection, tool: str, dollars: float = 0.0, **arguments: Any) -> ToolAnswer:
    name = f"{connection.server.name}__{tool}"
    return await McpTool(connection, tool, name, told_of(connection, tool), dollars).call(arguments)


def hurried(connection: McpConnection, seconds: float) -> None:
    """From here on calls have less time; the start keeps its own, since a busy machine starts slowly."""
    connection.server = connection.server.model_copy(update={"timeout_seconds": seconds})


@asynccontextmanager
async def over_http(seen: list[dict[str, str]] | None = None) -> AsyncIterator[str]:
    """The desk on a port of this machine; the headers of each request go into `seen`."""
    import socket

    import uvicorn

    from tests.tools.desk import SERVER

    app = SERVER.streamable_http_app()

    async def noting(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and seen is not None:
            seen.append({name.decode(): value.decode() for name, value in scope["headers"]})
        await app(scope, receive, send)

    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(noting, log_level="critical", timeout_graceful_shutdown=1))
        serving = asyncio.create_task(server.serve([door]))
        try:
            yield f"http://127.0.0.1:{door.getsockname()[1]}/mcp"
        finally:
            server.should_exit = True
            await serving
