"""Small web servers for the tests, on this machine: a handler, and what arrived."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web
from aiohttp.test_utils import TestServer

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class Site:
    """A running server."""

    url: str = ""
    arrived: list[web.Request] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)


@asynccontextmanager
async def serving(handler: Handler, host: str = "127.0.0.1") -> AsyncIterator[Site]:
    """A server that answers every request with the handler, for as long as the block lasts."""
    site = Site()

    async def noted(request: web.Request) -> web.StreamResponse:
        site.arrived.append(request)
        site.bodies.append(await request.read())
        return await handler(request)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", noted)
    server = TestServer(app, host=host)
    await server.start_server(shutdown_timeout=0.1)
    try:
        site.url = f"http://{host}:{server.port}"
        yield site
    finally:
        await server.close()
