"""Both lanes give the same answers and the same errors, and a rate limit fails no call and stalls nobody else."""

import asyncio
import gzip
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from tests.llm.conftest import FOR, HELLO, KEY
from tests.openai_server import completion, tool_call
from toolscale.llm import (
    BadKey,
    BadRequest,
    ChatReply,
    ContextTooLong,
    Gateway,
    QuotaExhausted,
    Refused,
    RetriesExhausted,
    UnknownModel,
)
from toolscale.llm import traffic as traffic_module
from toolscale.llm.admission import Admission
from toolscale.llm.errors import Limited, Transient
from toolscale.llm.failures import understood
from toolscale.llm.lanes import speaks_openai
from toolscale.llm.lanes.openai_sdk import _body
from toolscale.llm.reply import read_reply
from toolscale.llm.request import make_request
from toolscale.settings import Settings
from toolscale.store import ModelCall, Store

Respond = Callable[[dict[str, Any]], web.Response]


def answer(request: dict[str, Any], **headers: str) -> web.Response:
    return web.json_response(completion(request, {"content": "trains"}), headers=headers)


def error(status: int, message: str = "made to fail", code: str | None = None, **headers: str) -> web.Response:
    body = {"error": {"message": message, "type": "some_error", "code": code}}
    return web.json_response(body, status=status, headers=headers)


@asynccontextmanager
async def serving(respond: Respond, seconds: float = 0.0) -> AsyncIterator[str]:
    """The base URL of a server in this event loop."""

    async def handle(request: web.Request) -> web.Response:
        read = await request.json()
        await asyncio.sleep(seconds)
        return respond(read)

    app = web.Application()
    app.router.add_post("/v1/chat/completions", handle)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()


@pytest.fixture
def gateway_to(store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Gateway]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.chdir(tmp_path)

    def to(url: str, **settings: Any) -> Gateway:
        given = {"default_model": "openai/anything", "default_api_base": url, "retry_seconds": 0.01, **settings}
        return Gateway(Settings(**given), store)

    return to


@pytest.fixture(params=["openai", "litellm"])
def each_lane(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "litellm":
        monkeypatch.setattr(traffic_module, "speaks_openai", lambda model, api_base: False)
    return str(request.param)


@pytest.mark.parametrize(
    ("model", "api_base", "expected"),
    [
        ("openai/gpt-5-mini", None, True),
        ("openai/anything", "http://here/v1", True),
        ("hosted_vllm/Qwen/Qwen3-8B", "http://here/v1", True),
        ("hosted_vllm/Qwen/Qwen3-8B", None, False),
        ("openai/responses/gpt-5", None, False),
        ("anthropic/claude", None, False),
        ("anthropic/claude", "http://here", False),
        ("offline/reference", None, False),
        ("mystery-model", None, False),
    ],
)
def test_the_lane_follows_from_the_model_string(
    model: str, api_base: str | None, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HOSTED_VLLM_API_BASE", raising=False)
    assert speaks_openai(model, api_base) is expected


async def test_both_lanes_send_and_read_the_same(each_lane: str, gateway_to: Any, store: Store) -> None:
    tools = [{"type": "function", "function": {"name": "find", "parameters": {"type": "object"}}}]
    call = tool_call("find", '{"day":  1.0}')
    seen: list[dict[str, Any]] = []

    def respond(request: dict[str, Any]) -> web.Response:
        seen.append(request)
        return web.json_response(completion(request, {"content": None, "tool_calls": [call]}))

    async with serving(respond) as url, gateway_to(url) as gateway:
        reply = await gateway.chat("agent", HELLO, tools, **FOR, temperature=0.5, top_k=4)
    assert reply.message == {"role": "assistant", "content": None, "tool_calls": [call]}
    assert reply.finish_reason == "tool_calls"
    assert {name: seen[0][name] for name in ("model", "messages", "tools", "temperature", "top_k")} == {
        "model": "anything",
        "messages": HELLO,
        "tools": tools,
        "temperature": 0.5,
        "top_k": 4,
    }
    ledger = store.rows(ModelCall)[0]
    assert (ledger.prompt_tokens, ledger.completion_tokens, ledger.status) == (
        reply.prompt_tokens,
        reply.completion_tokens,
        "ok",
    )


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
    assert said.startswith("openai/anything")
    assert "\n" not in said
    assert KEY not in said
    assert [(call.status, call.error) for call in store.rows(ModelCall)] == [(kind.__name__, said)]


async def test_a_web_page_and_an_unreachable_host_are_told_as_such(gateway_to: Any) -> None:
    async with (
        serving(lambda _: web.Response(text=" <html>Log in</html>")) as url,
        gateway_to(url, retries=0) as gateway,
    ):
        with pytest.raises(RetriesExhausted, match="a web page, as a proxy does"):
            await gateway.text("teacher", HELLO, **FOR)
    async with gateway_to(url, retries=0) as gateway:
        with pytest.raises(RetriesExhausted, match=f"Cannot connect to host {httpx.URL(url).netloc.decode()}"):
            await gateway.text("teacher", HELLO, **FOR)


async def test_a_rate_limit_counts_against_no_calls_retries(each_lane: str, gateway_to: Any) -> None:
    left = [11]

    def respond(request: dict[str, Any]) -> web.Response:
        left[0] -= 1
        return answer(request) if left[0] < 0 else error(429)

    async with serving(respond) as url, gateway_to(url, retries=0) as gateway:
        calls = [gateway.text("teacher", HELLO, **FOR, sample=sample) for sample in range(8)]
        async with asyncio.timeout(60):
            assert await asyncio.gather(*calls) == ["trains"] * 8


async def test_an_endpoint_that_never_stops_limiting_fails_its_calls_at_the_deadline(gateway_to: Any) -> None:
    async with serving(lambda _: error(429)) as url, gateway_to(url, retries=0, deadline_seconds=0.7) as gateway:
        started = time.perf_counter()
        with pytest.raises(RetriesExhausted, match=r"TOOLSCALE_DEADLINE_SECONDS.*TOOLSCALE_MAX_IN_FLIGHT"):
            await gateway.text("teacher", HELLO, **FOR)
        assert 0.6 < time.perf_counter() - started < 5


async def test_a_refused_call_is_not_sent_again_before_retry_after_has_passed(each_lane: str, gateway_to: Any) -> None:
    moments: list[float] = []

    def respond(request: dict[str, Any]) -> web.Response:
        moments.append(time.perf_counter())
        return error(429, **{"Retry-After": "1"}) if len(moments) == 1 else answer(request)

    async with serving(respond) as url, gateway_to(url) as gateway:
        await gateway.text("teacher", HELLO, **FOR)
    assert len(moments) == 2
    assert moments[1] - moments[0] >= 0.99


async def test_an_endpoint_that_limits_the_rate_does_not_stall_another(gateway_to: Any) -> None:
    async with serving(lambda _: error(429, **{"Retry-After": "30"})) as limited, serving(answer, 0.01) as free:
        models = {"judge": {"model": "openai/limited", "api_base": limited}}
        async with gateway_to(free, models=models, deadline_seconds=0.5) as gateway:
            stuck = [asyncio.create_task(gateway.text("judge", HELLO, **FOR, sample=sample)) for sample in range(20)]
            await asyncio.sleep(0.05)
            started = time.perf_counter()
            await asyncio.gather(*[gateway.text("teacher", HELLO, **FOR, sample=sample) for sample in range(40)])
            assert time.perf_counter() - started < 2
            for task in stuck:
                task.cancel()


async def test_a_compressed_answer_is_read(gateway_to: Any) -> None:
    def respond(request: dict[str, Any]) -> web.Response:
        body = gzip.compress(json.dumps(completion(request, {"content": "Zürich"})).encode())
        return web.Response(body=body, headers={"Content-Encoding": "gzip"}, content_type="application/json")

    async with serving(respond) as url, gateway_to(url) as gateway:
        assert await gateway.text("teacher", HELLO, **FOR) == "Zürich"


async def test_a_key_that_no_header_can_carry_is_named_and_not_shown(
    gateway_to: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-schlüssel-1")
    async with serving(answer) as url, gateway_to(url) as gateway:
        with pytest.raises(BadKey, match="OPENAI_API_KEY holds characters") as caught:
            await gateway.text("teacher", HELLO, **FOR)
    assert "sk-schl" not in str(caught.value)


async def test_a_cancelled_caller_that_waited_or_was_let_through_takes_no_slot_with_it() -> None:
    admission = Admission(1)

    async def hold(seconds: float) -> None:
        async with admission.turn("tasks"):
            await asyncio.sleep(seconds)

    held = asyncio.create_task(hold(0.05))
    await asyncio.sleep(0.06)
    waiting = [asyncio.create_task(hold(10)) for _ in range(3)]
    await asyncio.sleep(0)
    for task in waiting:
        task.cancel()
    await asyncio.gather(held, *waiting, return_exceptions=True)
    async with asyncio.timeout(2):
        await hold(0)


def test_a_refusal_says_how_long_to_wait_in_seconds_milliseconds_or_as_a_date() -> None:
    def asked(**headers: str) -> float | None:
        request = httpx.Request("POST", "http://here/v1")
        response = httpx.Response(
            429, headers={name.replace("_", "-"): said for name, said in headers.items()}, request=request
        )
        found = understood(openai.RateLimitError("slow down", response=response, body=None), "openai/x")
        assert isinstance(found, Limited)
        return found.retry_after

    assert asked(retry_after="2.5") == 2.5
    assert asked(retry_after="9", retry_after_ms="1500") == 1.5
    in_a_minute = asked(retry_after=format_datetime(datetime.now(UTC) + timedelta(seconds=60)))
    assert in_a_minute is not None
    assert 55 < in_a_minute <= 60
    assert [asked(retry_after=said) for said in ("soon", "nan", "inf", "-1")] == [None] * 4
    assert asked() is None


def test_reasoning_models_get_the_parameters_that_they_accept() -> None:
    def sent(model: str) -> dict[str, Any]:
        params = {"temperature": 0.2, "max_tokens": 9}
        body = json.loads(_body(make_request(model, None, HELLO, None, params, seed=0, sample=0)))
        return {name: value for name, value in body.items() if name not in ("messages", "seed")}

    assert sent("openai/gpt-5-mini") == {"model": "gpt-5-mini", "max_completion_tokens": 9}
    assert sent("openai/o3") == {"model": "o3", "max_completion_tokens": 9}
    assert sent("openai/gpt-4o") == {"model": "gpt-4o", "temperature": 0.2, "max_tokens": 9}
    assert sent("hosted_vllm/gpt-5-like") == {"model": "gpt-5-like", "temperature": 0.2, "max_tokens": 9}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["choices", "message", "content", "tool_calls", "function", "arguments", "usage", "refusal"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON | JSON.map(lambda message: {"choices": [{"message": message}]}))
def test_any_json_is_a_reply_or_a_failure_that_may_pass(body: Any) -> None:
    try:
        reply = read_reply(json.dumps(body).encode(), "openai/x")
    except Transient:
        return
    assert isinstance(reply, ChatReply)
    assert reply.message["role"] == "assistant"
    assert json.loads(reply.kept())["message"] == reply.message


def test_arguments_sent_as_an_object_become_the_string_that_they_should_be() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "find", "arguments": {"day": 1}}}
    body = json.dumps({"choices": [{"message": {"content": "\ud83d", "tool_calls": [call]}}]}).encode()
    reply = read_reply(body, "openai/x")
    assert reply.message["tool_calls"][0]["function"]["arguments"] == '{"day": 1}'
    assert reply.message["content"] == "\ufffd"


async def test_a_call_whose_price_is_known_needs_no_litellm(tmp_path: Path) -> None:
    program = """
import asyncio, sys
from toolscale.llm import Gateway
from toolscale.settings import Settings
from toolscale.store import Store
async def main():
    prices = {"openai/x": {"input": 1, "output": 1}}
    settings = Settings(default_model="openai/x", default_api_base=sys.argv[1], prices=prices)
    with Store("sqlite:///ledger.db") as store:
        async with Gateway(settings, store) as gateway:
            print(await gateway.text("teacher", [{"role": "user", "content": "hello"}], stage="s", domain="d"))
    print("litellm" in sys.modules)
asyncio.run(main())
"""
    async with serving(answer) as url:
        ran = await asyncio.to_thread(
            subprocess.run,
            [sys.executable, "-c", program, url],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=False,
        )
    assert ran.stdout.split() == ["trains", "False"], ran.stderr
    assert ran.stderr == ""
