"""A stand-in for vLLM's server, on a port of its own."""

import asyncio
import contextlib
import os
import queue
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import torch
from aiohttp import web

from trainer.config import Model, Rollouts

WEIGHTS = [("a", torch.ones(2)), ("b", torch.zeros(3))]


class Standing:
    """A stand-in for a server: it answers on vLLM's routes as vLLM does, notes what it was asked, and can drop dead."""

    def __init__(self) -> None:
        self.dead = False
        self.hangs = False
        self.without_engine = False
        """Its API goes on alone: its /health says so, and what the engine would answer stays open."""
        self.breaks = 0
        """Requests for messages whose connection breaks."""
        self.finish = "stop"
        self.takes = 0.01
        """Seconds for a message."""
        self.holds_blocks = 0
        """Tries to reset its cache that come to nothing."""
        self.fails_at: list[int] | None = None
        self.holds = "default"
        self.context = 64
        self.asked: list[tuple[str, Any]] = []
        self.url = ""
        self.ends = asyncio.Event()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        route = request.path.lstrip("/")
        body: Any = await request.json() if request.method == "POST" else None
        if self.dead:
            _hang_up(request)
        self.asked.append((route, body))
        if self.hangs or (self.without_engine and route not in ("v1/models", "health")):
            await self.ends.wait()
        if route == "v1/models":
            return web.json_response({"data": [{"id": "policy", "max_model_len": self.context}]})
        if route == "health":
            return web.Response(status=503 if self.without_engine else 200)
        if route == "weight_info":
            return web.json_response({"weight_version": self.holds})
        if route == "v1/completions":
            return await self.complete(request, body["prompt"])
        return web.json_response(self.obey(route, body))

    async def complete(self, request: web.Request, prompt: list[int]) -> web.StreamResponse:
        await asyncio.sleep(self.takes)
        if self.without_engine:
            await self.ends.wait()
        if self.breaks:
            self.breaks -= 1
            _hang_up(request)
        if self.fails_at in ([], prompt):
            return web.json_response({"error": "internal"}, status=500)
        choice = {"token_ids": [7, 2], "logprobs": {"token_logprobs": [-0.25, -0.5]}, "finish_reason": self.finish}
        return web.json_response({"choices": [choice]})

    def obey(self, route: str, body: dict[str, Any]) -> dict[str, Any]:
        """Take part in an update."""
        if route == "finish_weight_update":
            self.holds = body["weight_version"]
        if route == "update_weights":
            assert os.path.isfile(body["update_info"]["path"])
        if route == "reset_prefix_cache":
            self.holds_blocks -= 1
            return {"success": self.holds_blocks < 0}
        return {}

    def routes(self) -> list[str]:
        return [route for route, _ in self.asked]


def _hang_up(request: web.Request) -> None:
    assert request.transport is not None
    request.transport.close()


@contextlib.asynccontextmanager
async def servers(count: int, keepalive: float = 5) -> AsyncIterator[list[Standing]]:
    standing, runners = [], []
    for _ in range(count):
        one, app = Standing(), web.Application()
        app.router.add_route("*", "/{route:.*}", one.answer)
        runner = web.AppRunner(app, keepalive_timeout=keepalive)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        one.url = site.name
        standing.append(one)
        runners.append(runner)
    try:
        yield standing
    finally:
        for one in standing:
            one.ends.set()
        for runner in runners:
            await runner.cleanup()


@contextlib.contextmanager
def server_elsewhere(keepalive: float) -> Iterator[Standing]:
    """A server that goes on while this thread is busy."""
    ready: queue.Queue[Standing] = queue.Queue()
    done = threading.Event()

    async def serve() -> None:
        async with servers(1, keepalive) as (standing,):
            ready.put(standing)
            await asyncio.to_thread(done.wait)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    try:
        yield ready.get(timeout=30)
    finally:
        done.set()
        thread.join()


def limits(standing: list[Standing], context: int = 64) -> Rollouts:
    urls = [one.url for one in standing]
    return Rollouts(backend="vllm-server", servers=urls, context_tokens=context, max_prompt_tokens=32)


MODEL = Model(path="unused", dtype="float32")
