"""An endpoint in the test's own event loop: what it answers is a function from a request's JSON to a response."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

from tests.openai_server import completion

Respond = Callable[[dict[str, Any]], web.Response]


def answer(request: dict[str, Any], **headers: str) -> web.Response:
    return web.json_response(completion(request, {"content": "trains"}), headers=headers)


def error(status: int, message: str = "made to fail", code: str | None = None, **headers: str) -> web.Response:
    body = {"error": {"message": message, "type": "some_error", "code": code}}
    return web.json_response(body, status=status, headers=headers)


@asynccontextmanager
async def serving(respond: Respond, seconds: float = 0.0) -> AsyncIterator[str]:
    """The base URL of a server in this event loop, whose answers take so many seconds."""

    async def handle(request: web.Request) -> web.Response:
        response = respond(await request.json())
        await asyncio.sleep(seconds)
        return response

    app = web.Application()
    app.router.add_post("/v1/chat/completions", handle)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()
