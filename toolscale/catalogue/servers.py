"""The MCP servers of a catalogue, asked what tools they have."""

import asyncio
import shlex
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from pydantic import ValidationError

from toolscale.catalogue.catalogue import CatalogueTool
from toolscale.errors import UserError
from toolscale.tools.mcp_connection import McpConnection
from toolscale.tools.mcp_server import McpServer, offered_name
from toolscale.tools.mcp_tool import McpTool, told_of
from toolscale.tools.tool import Tool

MOST_TOOLS = 100
"""Tools of a server that are offered where nobody chose among them."""


@dataclass
class Asked:
    """What an open server has of what a catalogue wants of it."""

    found: list[CatalogueTool] = field(default_factory=list)
    """With the descriptions and parameters that the server gave."""
    tools: dict[str, Tool] = field(default_factory=dict)
    """The same, ready to be called."""
    missing: dict[str, str] = field(default_factory=dict)
    """Those that cannot be offered, and why."""


def with_servers(tools: Sequence[CatalogueTool], servers: Sequence[str]) -> list[CatalogueTool]:
    """The tools, and those of servers that a command line names, as ``NAME=COMMAND``, ``NAME:TOOL,TOOL=URL`` and so on.

    Raises:
        UserError: one is written otherwise, or has the name of another.
    """
    known = {server.name for server, _ in servers_of(tools)}
    added: list[CatalogueTool] = []
    for written in servers:
        server = _server_in(written)
        if server.name in known:
            raise UserError(f"--mcp {server.name}: there is a server of that name already: give it another")
        known.add(server.name)
        for tool in server.tools or [""]:
            name = offered_name(server.name, tool) if tool else server.name
            added.append(CatalogueTool(name=name, kind="mcp", description="", server=server, tool=tool))
    if twice := {tool.name for tool in tools} & {tool.name for tool in added}:
        raise UserError(f"--mcp: the catalogue has a tool `{min(twice)}` already: give the server another name")
    return [*tools, *added]


def _server_in(written: str) -> McpServer:
    before, _, where = written.partition("=")
    name, colon, tools = before.partition(":")
    over_http = where.startswith(("http://", "https://"))
    try:
        return McpServer(
            name=name.strip(),
            command=[] if over_http else shlex.split(where),
            url=where if over_http else "",
            tools=[tool.strip() for tool in tools.split(",")] if colon else None,
        )
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        said = ": ".join([*map(str, first["loc"]), first["msg"].removeprefix("Value error, ")])
    except ValueError as error:
        said = str(error)
    raise UserError(
        f"--mcp {before}: {said}. Write it as NAME=COMMAND or NAME=URL; NAME:TOOL,TOOL=... offers only those"
    )


def told_by_servers(tools: Sequence[CatalogueTool]) -> list[CatalogueTool]:
    """The tools, each of an MCP server's with the description and parameters that the server gives it now.

    For configurations that are drawn before any tool is opened. Each server is opened for it, and closed again.

    Raises:
        UserError: a server or one of the tools cannot be had.
    """
    if all(tool.server is None or tool.parameters is not None for tool in tools):
        return list(tools)
    with ThreadPoolExecutor(1) as thread:  # the caller may be on an event loop, which cannot run another
        found = thread.submit(asyncio.run, _told(tools)).result()
    return [found.get(tool.name, tool) for tool in tools]


async def _told(tools: Sequence[CatalogueTool]) -> dict[str, CatalogueTool]:
    found: dict[str, CatalogueTool] = {}
    for server, wanted in servers_of(tools):
        async with McpConnection(server) as connection:
            asked = asked_of(connection, wanted)
        if asked.missing:
            raise UserError(next(iter(asked.missing.values())))
        found |= {tool.name: tool for tool in asked.found}
    return found


def servers_of(tools: Sequence[CatalogueTool]) -> list[tuple[McpServer, list[CatalogueTool]]]:
    """Each server that tools are of, with its tools."""
    servers = {tool.server.name: tool.server for tool in tools if tool.server is not None}
    return [
        (server, [tool for tool in tools if tool.server is not None and tool.server.name == name])
        for name, server in servers.items()
    ]


def asked_of(connection: McpConnection, wanted: Sequence[CatalogueTool]) -> Asked:
    """What an open connection has of these tools."""
    asked = Asked()
    for tool in _each(connection, wanted, asked):
        try:
            told = told_of(connection, tool.tool, tool.description)
        except UserError as error:
            asked.missing[tool.name] = str(error)
            continue
        asked.found.append(tool.model_copy(update={"description": told.description, "parameters": told.parameters}))
        asked.tools[tool.name] = McpTool(connection, tool.tool, tool.name, told, tool.fee)
    return asked


def _each(connection: McpConnection, wanted: Sequence[CatalogueTool], asked: Asked) -> list[CatalogueTool]:
    """The tools that are wanted one by one; where all are, those that the server lists."""
    tools: dict[str, CatalogueTool] = {}
    for tool in wanted:
        names = [tool.tool] if tool.tool else [each.name for each in connection.listed]
        if len(names) > MOST_TOOLS:
            asked.missing[tool.name] = f"the MCP server {tool.name} has {len(names)} tools: name those to be offered"
            continue
        for name in names:
            try:
                called = offered_name(connection.server.name, name)
            except ValueError as error:
                asked.missing[tool.name] = str(error)
                continue
            if called in tools:
                asked.missing[called] = f"the MCP server {connection.server.name} has two tools of that name"
            tools[called] = tool.model_copy(update={"name": called, "tool": name})
    return [tool for called, tool in tools.items() if called not in asked.missing]
