"""A rate limit fails no call before its deadline and stalls nobody else."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import httpx
import openai
import pytest
from aiohttp import web

from tests.llm.conftest import FOR, HELLO
from tests.llm.endpoint import answer, error, serving
from toolscale.llm import RetriesExhausted
from toolscale.llm.admission import Admission
from toolscale.llm.errors import Limited
from toolscale.llm.failures import understood


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
