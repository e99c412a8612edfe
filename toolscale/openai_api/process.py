"""A server as a process: it binds its port, says where it is, and ends cleanly when told to."""

import asyncio
import gc
import signal
import socket
from collections.abc import Callable
from typing import Any, Protocol

from aiohttp import web

from toolscale.errors import UserError
from toolscale.terminal import say

_LARGEST_REQUEST_BYTES = 256 * 2**20
_BACKLOG = 4096
_GRACE_SECONDS = 5.0
"""How long answers that are under way may take once the server is told to end."""


class Server(Protocol):
    """What answers requests."""

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one."""

    def close(self) -> None:
        """Let go of what requests wait for: the server ends."""


def serve(host: str, port: int, server: Server, *, heard: Callable[[str], None] = lambda url: None) -> None:
    """Serve until SIGINT or SIGTERM. Port 0 takes a free one; the first line on standard output is the base URL,
    which `heard` is told just before.

    Raises:
        UserError: the host or the port cannot be had.
    """
    asyncio.run(serving(host, port, server, heard))


async def serving(host: str, port: int, server: Server, heard: Callable[[str], None] = lambda url: None) -> None:
    """What `serve` does, for a server whose parts belong to the running loop."""
    told_to_end = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, told_to_end.set)
    protocol = web.Server(
        server.handle, request_factory=_request, handler_cancellation=True, access_log=None, debug=False
    )
    runner = web.ServerRunner(protocol, shutdown_timeout=_GRACE_SECONDS)
    await runner.setup()
    listening = _bound(host, port)
    try:
        await web.SockSite(runner, listening, backlog=_BACKLOG).start()
        gc.freeze()  # what is there now stays: collections need not walk it again
        heard(_base_url(host, listening))
        say(_base_url(host, listening))
        await told_to_end.wait()
    finally:
        server.close()
        await runner.cleanup()


def _request(*arguments: Any) -> web.BaseRequest:
    message, payload, protocol, writer, task = arguments
    loop = asyncio.get_running_loop()
    return web.BaseRequest(message, payload, protocol, writer, task, loop, client_max_size=_LARGEST_REQUEST_BYTES)


def _bound(host: str, port: int) -> socket.socket:
    """A socket that is bound to the address: one, so that port 0 means one port."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.socket(family, socket.SOCK_STREAM)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
    except OSError as error:
        raise UserError(f"cannot listen on {host}:{port}: {error.strerror}; choose another --host or --port") from None
    return bound


def _base_url(host: str, listening: socket.socket) -> str:
    """What a client takes as its base URL."""
    return f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}/v1"
