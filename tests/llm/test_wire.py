"""No endpoint fills the memory, and no request goes where nobody sent it: the same in both lanes and in batches."""

import asyncio
import gzip
import json
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import pytest
from aiohttp import web

from tests.llm.batching import MODEL, ask, settings_for
from tests.llm.conftest import FOR, HELLO, KEY
from tests.openai_server import completion
from toolscale.errors import UserError
from toolscale.llm import Gateway, RetriesExhausted, SentElsewhere
from toolscale.settings import ModelSettings
from toolscale.store import BatchJob, ModelCall, Store

MOST = 1_000_000
HUGE = 2**28
"""Bytes: what would be held, if it were."""
BOMB = gzip.compress(b" " * HUGE)
REDIRECTS = [301, 302, 303, 307, 308]

Respond = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def answering(respond: Respond, host: str = "127.0.0.1") -> AsyncIterator[str]:
    app = web.Application(client_max_size=10**8)
    app.router.add_route("*", "/{path:.*}", respond)
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, host, 0).start()
    try:
        yield f"http://{host}:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()


@contextmanager
def little_memory() -> Iterator[None]:
    """Sees that what happens within allocates a small part of `HUGE`, however busy the machine is."""
    tracemalloc.start()
    try:
        yield
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < HUGE / 4


def endless(sent: list[int], status: int = 200) -> Respond:
    async def respond(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(status=status, headers={"Content-Type": "application/json"})
        await response.prepare(request)
        while len(sent) * 2**16 < HUGE:
            sent.append(1)
            await response.write(b" " * 2**16)
        return response

    return respond


def bomb(status: int = 200) -> Respond:
    async def respond(request: web.Request) -> web.StreamResponse:
        headers = {"Content-Encoding": "gzip", "Content-Type": "application/json"}
        return web.Response(body=BOMB, status=status, headers=headers)

    return respond


@pytest.mark.parametrize("status", [200, 500])
@pytest.mark.parametrize("kind", ["endless", "bomb"])
async def test_an_answer_without_an_end_is_left_where_it_is_enough(
    each_lane: str, gateway_to: Any, store: Store, kind: str, status: int
) -> None:
    sent: list[int] = []
    respond = endless(sent, status) if kind == "endless" else bomb(status)
    async with (
        answering(respond) as url,
        gateway_to(url, retries=1, max_answer_bytes=MOST) as gateway,
    ):
        await asyncio.gather(gateway.text("teacher", HELLO, sample=1, **FOR), return_exceptions=True)  # imports
        sent.clear()
        with little_memory():
            (came,) = await asyncio.gather(gateway.text("teacher", HELLO, **FOR), return_exceptions=True)
    assert isinstance(came, RetriesExhausted), came
    assert f"answers of more than {MOST:,} bytes: check api_base" in str(came)
    assert "TOOLSCALE_MAX_ANSWER_BYTES" in str(came)
    assert len(sent) * 2**16 < HUGE / 4
    assert {call.status for call in store.rows(ModelCall)} == {"RetriesExhausted"}


@pytest.mark.parametrize("status", REDIRECTS)
async def test_no_redirect_carries_a_question_or_a_key_to_another_address(
    each_lane: str, gateway_to: Any, status: int
) -> None:
    arrived: list[str] = []

    async def other(request: web.Request) -> web.StreamResponse:
        arrived.append(f"{request.method} {request.headers} {await request.text()}")
        return web.json_response(completion({"messages": HELLO, "model": "x"}, {"content": "stolen"}))

    async with answering(other, host="127.0.0.2") as elsewhere:

        async def respond(request: web.Request) -> web.StreamResponse:
            return web.Response(status=status, headers={"Location": f"{elsewhere}/hidden?token=secret"})

        async with answering(respond) as url, gateway_to(url, retries=3, retry_seconds=60) as gateway:
            model = ModelSettings(model="openai/anything", api_base=url)
            for call in (
                gateway.text("teacher", HELLO, **FOR),
                gateway.embed(model, ["a text"], stage="search", domain="index"),
            ):
                with pytest.raises(SentElsewhere, match="api_base to the address") as caught:
                    await call
                assert isinstance(caught.value, UserError)
                assert elsewhere.removesuffix("/v1") in str(caught.value)
                assert "hidden" not in str(caught.value)
                assert "secret" not in str(caught.value)
    assert arrived == []


async def test_only_what_can_be_bounded_is_asked_for_and_read(each_lane: str, gateway_to: Any) -> None:
    asked = []

    async def respond(request: web.Request) -> web.StreamResponse:
        asked.append(request.headers["Accept-Encoding"])
        return web.Response(body=b"{}", headers={"Content-Encoding": "br", "Content-Type": "application/json"})

    async with answering(respond) as url, gateway_to(url, retries=0) as gateway:
        with pytest.raises(RetriesExhausted, match="encoding that was not asked for: br"):
            await gateway.text("teacher", HELLO, **FOR)
    assert set(asked) == {"gzip"}


class BatchServer:
    """A batch API whose one output file is what it is told."""

    def __init__(self, store: Store) -> None:
        self.store, self.content, self.arrived, self.redirected = store, b"", list[str](), ""

    async def __call__(self, request: web.Request) -> web.StreamResponse:
        path = request.path.removeprefix("/v1")
        self.arrived.append(f"{request.method} {path}")
        if self.redirected and path.endswith(self.redirected):
            return web.Response(status=307, headers={"Location": "http://127.0.0.2:9/"})
        if path.endswith("/content"):
            return web.Response(body=self.content, headers={"Content-Encoding": "gzip"})
        if path == "/files":
            return web.json_response({"id": "file_1"})
        described = {"id": "batch_1", "object": "batch", "status": "completed", "output_file_id": "file_2"}
        return web.json_response(described)

    def answers(self) -> bytes:
        """Of every call that waits in the store's one batch."""
        from toolscale.store import BatchCall

        reply = completion({"messages": HELLO, "model": "x"}, {"content": "a hundred and one"})
        response = {"status_code": 200, "body": reply}
        rows = self.store.rows(BatchCall)
        return b"\n".join(json.dumps({"custom_id": row.key, "response": response}).encode() for row in rows)


@pytest.mark.parametrize("file", [b" " * HUGE, b"{}\n" * (HUGE // 3)], ids=["one line", "many lines"])
async def test_a_batch_file_without_an_end_loses_no_answer_and_no_memory(file: bytes, store: Store) -> None:
    server = BatchServer(store)
    server.content = gzip.compress(file, 1)
    async with answering(server) as url:
        settings = settings_for(url, max_answer_bytes=MOST)
        async with Gateway(settings, store) as gateway:
            with little_memory():
                (came,) = await ask(gateway, range(1))
        assert isinstance(came, RetriesExhausted), came
        assert "TOOLSCALE_MAX_ANSWER_BYTES" in str(came) or "more lines than its batch has calls" in str(came)
        (job,) = store.rows(BatchJob)
        assert not job.closed
        server.content = gzip.compress(server.answers() + b"\n" + b" " * MOST)
        async with Gateway(settings_for(url, max_answer_bytes=2 * MOST), store) as gateway:
            assert await ask(gateway, range(1)) == ["a hundred and one"]
    assert server.arrived.count("POST /batches") == 1


@pytest.mark.parametrize("route", ["/files", "/batches", "/content"])
async def test_no_route_of_a_batch_follows_a_redirect(route: str, store: Store) -> None:
    server = BatchServer(store)
    server.redirected = route
    async with answering(server) as url, Gateway(settings_for(url), store) as gateway:
        (came,) = await ask(gateway, range(1))
    assert isinstance(came, SentElsewhere), came
    assert str(came).startswith(f"{MODEL}: the endpoint points to http://127.0.0.2:9,")
    assert KEY not in str(came)
