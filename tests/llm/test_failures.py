"""Each failure is told as what a user would do about it, the same by both lanes."""

import asyncio
import socket
from typing import Any

import pytest
from aiohttp import web

from tests.llm.conftest import FOR, HELLO, KEY
from tests.llm.endpoint import Respond, answer, error, serving
from toolscale.llm import (
    BadKey,
    BadRequest,
    ContextTooLong,
    QuotaExhausted,
    Refused,
    RetriesExhausted,
    TimedOut,
    Unanswerable,
    UnknownModel,
    Unreachable,
)
from toolscale.store import ModelCall, Store


@pytest.mark.parametrize(
    ("respond", "kind", "says"),
    [
        (lambda _: error(401, f"Incorrect API key provided: {KEY}."), BadKey, "OPENAI_API_KEY"),
        (lambda _: error(404, "no such model", "model_not_found"), UnknownModel, "check its name and api_base"),
        (
            lambda _: error(400, "The maximum context length is 8 tokens", "context_length_exceeded"),
            ContextTooLong,
            "longer one",
        ),
        (lambda _: error(400, "Refused by the content management policy", "content_filter"), Refused, "reword it"),
        (lambda _: error(429, "You exceeded your current quota", "insufficient_quota"), QuotaExhausted, "top it up"),
        (lambda _: error(402, "pay first"), QuotaExhausted, "top it up"),
        (lambda _: error(400, "`seed` is odd"), BadRequest, "`seed` is odd"),
        (lambda _: error(503, "overloaded"), RetriesExhausted, "see that it is up"),
        (lambda _: web.Response(status=502, text="<html>Bad gateway</html>"), RetriesExhausted, "see that it is up"),
        (lambda _: web.Response(text="<html>Log in</html>", content_type="text/html"), RetriesExhausted, "openai/"),
        (lambda _: web.json_response({"choices": [{"message": 7}]}), RetriesExhausted, "openai/anything"),
        (lambda _: web.json_response({"choices": []}), RetriesExhausted, "without a choice"),
    ],
    ids=[
        "key",
        "model",
        "context",
        "filter",
        "quota",
        "unpaid",
        "request",
        "5xx",
        "html 502",
        "html",
        "type",
        "empty",
    ],
)
async def test_each_failure_is_the_same_in_both_lanes(
    each_lane: str, gateway_to: Any, respond: Respond, kind: type[Exception], says: str, store: Store
) -> None:
    async with serving(respond) as url, gateway_to(url, retries=1, deadline_seconds=2) as gateway:
        with pytest.raises(kind, match=says) as caught:
            await gateway.text("teacher", HELLO, **FOR)
    assert type(caught.value) is kind
    said = str(caught.value)
    # What may become a reject stands in datasets, whose rows name no URL.
    assert said.startswith("openai/anything: " if issubclass(kind, Unanswerable) else f"openai/anything at {url}: ")
    assert "\n" not in said
    assert KEY not in said
    assert [(call.status, call.error) for call in store.rows(ModelCall)] == [(kind.__name__, said)]


async def test_a_web_page_is_told_as_such(gateway_to: Any) -> None:
    async with (
        serving(lambda _: web.Response(text=" <html>Log in</html>")) as url,
        gateway_to(url, retries=0) as gateway,
    ):
        with pytest.raises(RetriesExhausted, match="a web page, as a proxy does"):
            await gateway.text("teacher", HELLO, **FOR)


async def test_where_nobody_listens_the_user_is_told_so(each_lane: str, gateway_to: Any) -> None:
    async with serving(answer) as url:
        pass
    async with gateway_to(url, retries=1) as gateway:
        with pytest.raises(Unreachable, match="nobody listens there"):
            await gateway.text("teacher", HELLO, **FOR)


async def test_a_host_that_nobody_knows_is_told_as_such(
    each_lane: str, gateway_to: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up = socket.getaddrinfo

    def unknown(host: Any, *args: Any, **kwargs: Any) -> Any:
        if "nowhere" in str(host):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return looked_up(host, *args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    async with gateway_to("http://nowhere.invalid/v1", retries=1) as gateway:
        with pytest.raises(Unreachable, match="nobody knows its host: check api_base"):
            await gateway.text("teacher", HELLO, **FOR)


async def test_tls_with_a_server_that_speaks_none_is_told_at_once(each_lane: str, gateway_to: Any) -> None:
    # The retries would take longer than the test may.
    async with (
        serving(answer) as url,
        gateway_to(url.replace("http:", "https:"), retries=9, retry_seconds=60) as gateway,
        asyncio.timeout(30),
    ):
        with pytest.raises(Unreachable, match="TLS fails: check that api_base begins with"):
            await gateway.text("teacher", HELLO, **FOR)


async def test_a_connection_that_is_dropped_is_no_timeout(each_lane: str, gateway_to: Any) -> None:
    arrived = []

    async def drop(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        arrived.append(await reader.read(10))
        writer.close()

    server = await asyncio.start_server(drop, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, gateway_to(f"http://127.0.0.1:{port}/v1", retries=2) as gateway:
        with pytest.raises(RetriesExhausted, match="the endpoint kept failing"):
            await gateway.text("teacher", HELLO, **FOR)
    assert len(arrived) >= 3


async def test_an_attempt_that_takes_too_long_is_made_again_and_then_told_with_the_setting(
    each_lane: str, gateway_to: Any
) -> None:
    arrived = []

    def respond(request: dict[str, Any]) -> web.Response:
        arrived.append(request)
        return answer(request)

    async with serving(respond, 60) as url, gateway_to(url, retries=1, timeout_seconds=0.3) as gateway:
        with pytest.raises(TimedOut, match="TOOLSCALE_TIMEOUT_SECONDS"):
            await gateway.text("teacher", HELLO, **FOR)
    assert len(arrived) == 2


@pytest.mark.parametrize(
    ("settings", "seconds", "says"),
    [
        ({"timeout_seconds": 60}, 60, "no answer before TOOLSCALE_DEADLINE_SECONDS"),
        ({"retries": 50, "retry_seconds": 60}, 0, "the last failure: .*kept failing.*overloaded"),
    ],
    ids=["in an attempt", "between attempts"],
)
async def test_a_call_ends_at_its_deadline_wherever_it_is(
    each_lane: str, gateway_to: Any, settings: dict[str, Any], seconds: float, says: str
) -> None:
    async with (
        serving(lambda _: error(503, "overloaded"), seconds) as url,
        gateway_to(url, deadline_seconds=0.5, **settings) as gateway,
        asyncio.timeout(30),
    ):
        with pytest.raises(TimedOut, match=says):
            await gateway.text("teacher", HELLO, **FOR)


async def test_a_key_that_only_litellms_client_misses_is_asked_for_by_name(
    gateway_to: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    prices = {"custom_openai/x": {"input": 1, "output": 1}}
    async with serving(answer) as url, gateway_to(url, default_model="custom_openai/x", prices=prices) as gateway:
        with pytest.raises(BadKey, match="needs a key: set CUSTOM_OPENAI_API_KEY"):
            await gateway.text("teacher", HELLO, **FOR)


async def test_a_key_that_no_header_can_carry_is_named_and_not_shown(
    gateway_to: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-schlüssel-1")
    async with serving(answer) as url, gateway_to(url) as gateway:
        with pytest.raises(BadKey, match="OPENAI_API_KEY contains characters") as caught:
            await gateway.text("teacher", HELLO, **FOR)
    assert "sk-schl" not in str(caught.value)
