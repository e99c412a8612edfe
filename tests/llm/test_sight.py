"""What the gateway says of itself is what happened."""

import asyncio
import threading
from typing import Any

import pytest

from tests.llm.conftest import FOR, HELLO, Connect
from tests.openai_server import Fault, OpenAIServer
from toolscale.llm import BadRequest
from toolscale.llm.limiter import Limiter
from toolscale.llm.sight import Meter, Queue, Sight
from toolscale.settings import Price

PRICED = {"openai/anything": Price(input=1, output=1)}


def messages(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


async def test_every_call_is_counted_once_as_what_became_of_it(connect: Connect) -> None:
    with OpenAIServer(lambda request: "hello") as server:
        gateway = connect(server, prices=PRICED, retries=0)
        await asyncio.gather(*(gateway.text("teacher", messages(f"hello {n}"), **FOR) for n in range(5)))
        await gateway.text("teacher", messages("hello 0"), **FOR)
        server.faults.append(Fault(status=400))
        with pytest.raises(BadRequest):
            await gateway.text("teacher", messages("no"), **FOR)
        seen = gateway.sight()
        await gateway.close()
    assert (seen.done, seen.cached, seen.failed, seen.in_flight, seen.waiting) == (5, 1, 1, 0, 0)
    assert seen.tokens == seen.prompt_tokens + seen.completion_tokens > 0
    assert seen.dollars == pytest.approx(seen.tokens / 1e6)


async def test_what_an_endpoints_last_failure_said_is_seen_while_its_calls_are_tried_again(connect: Connect) -> None:
    with OpenAIServer(lambda request: "hello") as server:
        gateway = connect(server, prices=PRICED, retries=1, retry_seconds=0.01)
        server.faults.append(Fault(status=503))
        await gateway.text("teacher", HELLO, **FOR)
        (queue,) = gateway.sight().queues
        await gateway.close()
    assert "503" in queue.error
    assert 0 <= queue.error_age < 60
    assert gateway.sight().failed == 0, "the call was answered in the end"


async def test_an_identical_call_under_way_counts_as_cached(connect: Connect) -> None:
    with OpenAIServer(lambda request: "hello", seconds=0.05) as server:
        gateway = connect(server, prices=PRICED)
        await asyncio.gather(*(gateway.text("teacher", HELLO, **FOR) for _ in range(4)))
        seen = gateway.sight()
        await gateway.close()
    assert (seen.done, seen.cached, len(server.requests)) == (1, 3, 1)


async def test_calls_beyond_the_limit_wait_and_the_others_are_in_flight(connect: Connect) -> None:
    may_answer = threading.Event()

    def answer(request: dict[str, Any]) -> str:
        may_answer.wait(30)
        return "hello"

    with OpenAIServer(answer) as server:
        gateway = connect(server, prices=PRICED, max_in_flight=3)
        calls = [asyncio.create_task(gateway.text("teacher", messages(f"{n}"), **FOR)) for n in range(8)]
        async with asyncio.timeout(30):
            while (seen := gateway.sight()).in_flight < 3 or seen.waiting < 5:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        may_answer.set()
        await asyncio.gather(*calls)
        after = gateway.sight()
        await gateway.close()
    assert (seen.in_flight, seen.waiting, seen.done) == (3, 5, 0)
    (queue,) = seen.queues
    assert (queue.endpoint, queue.in_flight, queue.at_once) == (server.url, 3, 3)
    assert not queue.limits, "the ceiling is the user's own, not the endpoint's"
    assert (after.in_flight, after.waiting, after.done) == (0, 0, 8)


def test_only_an_endpoint_that_refused_calls_limits_those_that_wait() -> None:
    limiter: Limiter[str] = Limiter(8, lambda: 0.0, lambda: 0.0)
    for name in "abcdefghij":
        limiter.join("tasks", name)
    while limiter.admit():
        pass
    assert (limiter.waiting, limiter.limits) == (2, False)
    limiter.refused(0.0, None)
    assert limiter.limits


def test_several_looks_add_up() -> None:
    meter = Meter()
    meter.answered(10, 5, 0.5)
    meter.answered(1, 1, None)
    queue = Queue("openai", 1, 0, 16, False, 0.0)
    both = Sight.of([meter.read([queue]), Sight(cached=3), meter.read([])])
    assert (both.done, both.cached, both.tokens, both.dollars, both.unpriced) == (4, 3, 34, 1.0, 2)
    assert both.queues == (queue,)
