"""The two ways to an MCP server, a child process and streamable HTTP, with bounds on what comes back.

The SDK's own pipe keeps a line without an end until the memory is full, so the pipe is ours; its HTTP client is watched
as it reads. Without the packages of `toolscale[mcp]` the connection says so before it comes here.
"""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from toolscale.errors import UserError
from toolscale.printable import in_one_line
from toolscale.tools.mcp_server import McpServer

if TYPE_CHECKING:
    import httpx2
    from mcp.client import Transport

MOST_BYTES = 8_000_000
"""That a server may send before anything more is asked of it."""

_MOST_STRAY_LINES = 1_000
"""Lines on standard output that are no messages; some servers greet there."""
_LAST_WORDS = 2_000
_GRACE_SECONDS = 2.0
_CONNECT_SECONDS = 30.0


class Line:
    """What is known of a connection: how much came since anything was asked, and why it ended."""

    def __init__(self) -> None:
        self.received = 0
        self.ended = ""
        """Why, in words that go on after the server's name; empty as long as it stands."""
        self.status = 0
        """Of HTTP, where the last answer was not one of MCP."""
        self.last_words = ""
        """The end of what a child process wrote to standard error: a stranger's text."""

    def end(self, why: str) -> None:
        """Note why the connection ended; what came first counts."""
        self.ended = self.ended or why

    def count(self, length: int) -> bool:
        """Count what came; whether it is too much."""
        self.received += length
        if self.received > MOST_BYTES:
            self.end(f"sent more than {MOST_BYTES:,} bytes at once, and was let go")
        return self.received > MOST_BYTES


def transport_to(server: McpServer, line: Line) -> "Transport":
    """The way to a server, which opens when it is entered and leaves nothing behind.

    Raises:
        UserError: a variable that it is to be given is not set. Entered, also if the program cannot be started.
    """
    if server.command:
        return _child(server, server.environment(), line)
    return _over_http(server.url, server.header_values(), line)


@asynccontextmanager
async def _child(server: McpServer, given: dict[str, str], line: Line) -> AsyncIterator[Any]:
    import anyio
    from mcp.client.stdio import get_default_environment
    from mcp.shared.message import SessionMessage

    process = await _started(server, {**get_default_environment(), **given})
    to_session, from_server = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_server, from_session = anyio.create_memory_object_stream[SessionMessage](0)
    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_read, process, to_session, line)
            tasks.start_soon(_write, process, from_session, line)
            tasks.start_soon(_listen, process, line)
            try:
                yield from_server, to_server
            finally:
                tasks.cancel_scope.cancel()
    finally:
        for stream in (to_session, from_server, to_server, from_session):
            stream.close()
        await _stopped(process)


async def _started(server: McpServer, environment: dict[str, str]) -> asyncio.subprocess.Process:
    pipe = asyncio.subprocess.PIPE
    try:
        return await asyncio.create_subprocess_exec(
            *server.command,
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            env=environment,
            limit=MOST_BYTES,
            start_new_session=True,  # so that what it starts ends with it
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UserError(
            f"the MCP server {server.name} cannot be started: {in_one_line(server.command[0])}: {reason}"
        ) from None


async def _read(process: asyncio.subprocess.Process, to_session: Any, line: Line) -> None:
    """Pass on every message of the server; the end of the stream tells the session that the connection ended."""
    from anyio import BrokenResourceError, ClosedResourceError
    from mcp.shared.message import SessionMessage
    from mcp.types import jsonrpc_message_adapter

    assert process.stdout is not None
    stray = 0
    with to_session, suppress(BrokenResourceError, ClosedResourceError):
        while not line.ended:
            try:
                text = await process.stdout.readuntil(b"\n")
            except asyncio.IncompleteReadError:
                line.end("has ended")
                break
            except asyncio.LimitOverrunError as error:
                line.count(max(error.consumed, MOST_BYTES) + 1)
                break
            if line.count(len(text)):
                break
            try:
                message = jsonrpc_message_adapter.validate_json(text, by_name=False)
            except ValueError:
                stray += bool(text.strip())
                if stray > _MOST_STRAY_LINES:
                    line.end("writes what is no message of MCP, and was let go")
                continue
            await to_session.send(SessionMessage(message))


async def _write(process: asyncio.subprocess.Process, from_session: Any, line: Line) -> None:
    assert process.stdin is not None
    with suppress(OSError):
        async for sent in from_session:
            line.received = 0
            text = sent.message.model_dump_json(by_alias=True, exclude_unset=True)
            process.stdin.write(text.encode() + b"\n")
            await process.stdin.drain()


async def _listen(process: asyncio.subprocess.Process, line: Line) -> None:
    """Read standard error, so that a server that writes much there does not stand still."""
    assert process.stderr is not None
    kept = b""
    while piece := await process.stderr.read(1 << 16):
        kept = (kept + piece)[-_LAST_WORDS:]
        line.last_words = kept.decode("utf-8", errors="replace")


async def _stopped(process: asyncio.subprocess.Process) -> None:
    """End the process with all that it started: by the end of its input, then by two signals."""
    import anyio

    assert process.stdin is not None
    try:
        with anyio.CancelScope(shield=True):
            process.stdin.close()
            if await _left(process):
                return
            _signal(process, signal.SIGTERM)
            await _left(process)
    finally:
        _signal(process, signal.SIGKILL)
        with anyio.CancelScope(shield=True):
            await _left(process)
        process._transport.close()  # type: ignore[attr-defined]  # else pipes that a grandchild holds stay open


async def _left(process: asyncio.subprocess.Process) -> bool:
    """Whether the process ends within the time of grace."""
    for _ in range(int(_GRACE_SECONDS / 0.02)):
        if process.returncode is not None:
            return True
        await asyncio.sleep(0.02)
    return process.returncode is not None


def _signal(process: asyncio.subprocess.Process, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


@asynccontextmanager
async def _over_http(url: str, headers: dict[str, str], line: Line) -> AsyncIterator[Any]:
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    async def asked(request: "httpx2.Request") -> None:
        if request.method == "POST":
            line.received = line.status = 0

    async def answered(response: "httpx2.Response") -> None:
        speaks_mcp = response.headers.get("content-type", "").startswith("application/json")
        if response.status_code in (401, 403) or (response.status_code >= 400 and not speaks_mcp):
            line.status = response.status_code
        if response.headers.get("content-encoding", "identity") != "identity":
            raise httpx2.DecodingError("it came packed, which was not asked for")
        response.stream = _watched(response.stream, line)

    async with (
        httpx2.AsyncClient(
            headers={"Accept-Encoding": "identity", **headers},
            # No limit on a read: a call's own limit ends it.
            timeout=httpx2.Timeout(_CONNECT_SECONDS, read=None),
            event_hooks={"request": [asked], "response": [answered]},
            trust_env=False,
        ) as client,
        streamable_http_client(url, http_client=client, max_sse_event_size=MOST_BYTES) as streams,
    ):
        yield streams


def _watched(stream: Any, line: Line) -> Any:
    import httpx2

    class Watched(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for piece in stream:
                if line.count(len(piece)):
                    raise httpx2.ReadError(line.ended)
                yield piece

        async def aclose(self) -> None:
            await stream.aclose()

    return Watched()
