"""What an endpoint says that a call took is believed only where it can be so: no budget runs on made-up counts."""

import asyncio
import json
import math
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from tests.llm.batching import MODEL, ask, settings_for
from tests.llm.conftest import FOR, HELLO
from tests.llm.endpoint import serving
from tests.openai_server import completion
from toolscale.llm import BudgetSpent, Gateway, RetriesExhausted
from toolscale.llm.batches.lines import outcome_in
from toolscale.llm.embeddings import read_embeddings
from toolscale.llm.errors import Transient
from toolscale.llm.estimates import CHARACTERS_PER_TOKEN, with_estimates
from toolscale.llm.reply import ChatReply, read_reply
from toolscale.llm.request import embedding_request, make_request
from toolscale.llm.usage import MOST_TOKENS, read_usage
from toolscale.settings import Price
from toolscale.store import ModelCall, Store

MADE_UP = [
    -1,
    -(10**9),
    10**300,
    MOST_TOKENS + 1,
    2**63,
    1.5,
    math.nan,
    math.inf,
    -math.inf,
    True,
    "12",
    "9" * 300,
    [1],
    {},
]
COUNTS = ["prompt_tokens", "completion_tokens"]


def answered(usage: Any) -> dict[str, Any]:
    return {**completion({"messages": HELLO, "model": "x"}, {"content": "trains"}), "usage": usage}


@pytest.mark.parametrize("name", COUNTS)
@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=3))
def test_a_usage_is_in_range_or_a_fault_of_the_endpoint(name: str, count: Any) -> None:
    try:
        read = read_usage({name: count}, "openai/x")
    except Transient as fault:
        read, final = None, fault.final
    if read is None:
        assert isinstance(final, RetriesExhausted)
        assert len(str(final)) < 300
    else:
        assert all(type(each) is int and 0 <= each <= MOST_TOKENS for each in read)
        assert count is None or getattr(read, name) == count


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")  # litellm's own
@pytest.mark.parametrize("count", MADE_UP, ids=lambda count: repr(count)[:20])
@pytest.mark.parametrize("name", COUNTS)
async def test_a_count_that_cannot_be_is_a_fault_of_the_endpoint_in_both_lanes(
    each_lane: str, gateway_to: Any, name: str, count: Any, store: Store
) -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 3, "total_tokens": 6, name: count}
    sent = json.dumps(answered(usage))
    given = {"retries": 1, "max_cost": 1.0, "prices": {"openai/anything": Price(input=1, output=1)}}
    async with (
        serving(lambda _: web.Response(text=sent, content_type="application/json")) as url,
        gateway_to(url, **given) as gateway,
    ):
        (came,) = await asyncio.gather(gateway.text("teacher", HELLO, **FOR), return_exceptions=True)
    (call,) = store.rows(ModelCall)
    if each_lane == "litellm" and came == "trains":  # it has read `true`, `"12"` or `{}` as it thinks best
        assert 0 <= getattr(call, name) < 100
        assert call.dollars >= 0
    else:
        assert isinstance(came, RetriesExhausted)
        assert (call.status, call.error, call.dollars) == ("RetriesExhausted", str(came), 0)
        assert "\n" not in str(came)
    if each_lane == "openai":
        assert f"a usage that cannot be (`{name}` is " in str(came)


@pytest.mark.parametrize("count", MADE_UP, ids=lambda count: repr(count)[:20])
def test_embeddings_and_lines_of_a_batch_are_read_by_the_same_rule(count: Any) -> None:
    usage = {"prompt_tokens": count}
    with pytest.raises(Transient, match="usage that cannot be"):
        read_reply(json.dumps(answered(usage)).encode(), "openai/x")
    embedded = json.dumps({"data": [{"embedding": [1.0], "index": 0}], "usage": usage}).encode()
    with pytest.raises(Transient, match="usage that cannot be"):
        read_embeddings(embedded, embedding_request("openai/x", None, ["a"]))
    line = json.dumps({"custom_id": "k", "response": {"status_code": 200, "body": answered(usage)}}).encode()
    key, outcome = outcome_in(line, "openai/x") or ("", None)
    assert key == "k"
    assert isinstance(outcome, Transient)


@pytest.mark.parametrize("usage", ["none", [], 7, True])
def test_a_usage_of_another_form_is_a_fault_too(usage: Any) -> None:
    with pytest.raises(Transient, match="`usage` is"):
        read_reply(json.dumps(answered(usage)).encode(), "openai/x")


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": 0, "completion_tokens": 0}, {"prompt_tokens": None}])
async def test_an_endpoint_that_does_not_count_is_counted_by_characters(
    each_lane: str, gateway_to: Any, usage: Any, store: Store
) -> None:
    prices = {"openai/anything": Price(input=1e6 / 100, output=0)}
    async with serving(lambda _: web.json_response(answered(usage))) as url, gateway_to(url, prices=prices) as gateway:
        await gateway.text("teacher", HELLO, **FOR)
    (call,) = store.rows(ModelCall)
    assert call.prompt_tokens > len(HELLO[0]["content"]) / CHARACTERS_PER_TOKEN
    assert call.completion_tokens == len("trains") / CHARACTERS_PER_TOKEN
    assert call.dollars > 0


async def test_no_endpoint_talks_its_way_past_the_budget(gateway_to: Any, store: Store) -> None:
    """One that says nothing of what it took costs what its texts would."""
    prices = {"openai/anything": Price(input=1e6 / 100, output=1e6 / 100)}
    given = {"prices": prices, "max_cost": 20.0, "max_in_flight": 1}
    async with serving(lambda _: web.json_response(answered(None))) as url, gateway_to(url, **given) as gateway:
        for sample in range(200):
            calls = [gateway.text("teacher", HELLO, sample=sample, max_tokens=10, **FOR)]
            (came,) = await asyncio.gather(*calls, return_exceptions=True)
            if came != "trains":
                break
    assert isinstance(came, BudgetSpent)
    paid = sum(call.dollars for call in store.rows(ModelCall))
    assert 0 < paid <= 21


CACHED = [
    {"prompt_tokens_details": {"cached_tokens": 600}},
    {"cache_read_input_tokens": 600},
    {"prompt_cache_hit_tokens": 600, "prompt_cache_miss_tokens": 400},
]


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")  # litellm's own
@pytest.mark.parametrize("said", CACHED, ids=lambda said: next(iter(said)))
async def test_cached_input_is_paid_as_its_provider_prices_it(
    each_lane: str, gateway_to: Any, said: dict[str, Any], store: Store
) -> None:
    usage = {"prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 1010, **said}
    prices = {"openai/anything": Price(input=10, output=100, cached_input=1)}
    async with serving(lambda _: web.json_response(answered(usage))) as url, gateway_to(url, prices=prices) as gateway:
        await gateway.text("teacher", HELLO, **FOR)
        seen = gateway.sight()
    (call,), (line,) = store.rows(ModelCall), store.cost_by("stage")
    assert (call.prompt_tokens, call.cached_tokens) == (1000, 600)
    assert call.dollars == pytest.approx((400 * 10 + 600 * 1 + 10 * 100) / 1e6)
    assert seen.cached_tokens == line.cached_tokens == 600


async def test_what_is_written_to_a_cache_costs_what_writing_costs(
    each_lane: str, gateway_to: Any, store: Store
) -> None:
    usage = {"prompt_tokens": 1000, "completion_tokens": 0, "cache_creation_input_tokens": 400}
    prices = {"openai/anything": Price(input=10, output=0, cached_input=1, cache_write=20)}
    async with serving(lambda _: web.json_response(answered(usage))) as url, gateway_to(url, prices=prices) as gateway:
        await gateway.text("teacher", HELLO, **FOR)
    (call,) = store.rows(ModelCall)
    assert call.dollars == pytest.approx((600 * 10 + 400 * 20) / 1e6)


@given(st.integers(0, MOST_TOKENS), st.integers(0, MOST_TOKENS), st.integers(0, MOST_TOKENS))
def test_what_was_cached_is_of_the_prompt_however_the_endpoint_counts_it(prompt: int, read: int, written: int) -> None:
    counts = {"prompt_tokens": prompt, "cache_read_input_tokens": read, "cache_creation_input_tokens": written}
    found = read_usage(counts, "openai/x")
    beside = read + written > prompt
    assert found.prompt_tokens == min(MOST_TOKENS, prompt + beside * (read + written))
    assert (found.cached_tokens, found.cache_write_tokens) == (read, written)


@pytest.mark.parametrize("count", MADE_UP, ids=lambda count: repr(count)[:20])
def test_a_count_of_cached_tokens_that_cannot_be_takes_nothing_off(count: Any) -> None:
    for said in ({"prompt_tokens_details": {"cached_tokens": count}}, {"prompt_tokens_details": count}):
        assert read_usage({"prompt_tokens": 7, **said}, "openai/x") == (7, 0, 0, 0)


@given(st.text(max_size=50), st.integers(0, 50), st.integers(0, 50))
def test_an_estimate_only_fills_in_what_was_not_said(text: str, prompt: int, completion: int) -> None:
    request = make_request("openai/x", None, HELLO, None, {}, seed=0, sample=0)
    reply = ChatReply({"role": "assistant", "content": text}, "stop", prompt, completion, cached=False)
    filled = with_estimates(reply, request)
    assert filled.prompt_tokens == prompt or (prompt == 0 and filled.prompt_tokens > 0)
    assert filled.completion_tokens == completion or (completion == 0 and filled.completion_tokens > 0)
    assert bool(filled.completion_tokens) is bool(text or completion)
    assert filled.message == reply.message


@pytest.mark.parametrize("counts", [{"completed": -1}, {"completed": 10**30}, {"failed": "many"}, "none"])
async def test_a_batch_whose_counts_cannot_be_is_the_endpoints_fault_and_not_the_stores(
    counts: Any, store: Store
) -> None:
    described = {"id": "batch_1", "object": "batch", "status": "completed", "request_counts": counts, "metadata": {}}

    async def batches(request: web.Request) -> web.Response:
        return web.json_response({"id": "file_1"} if request.path.endswith("/files") else described)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", batches)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    async with Gateway(settings_for(url, deadline_seconds=0.2), store) as gateway:
        (failure,) = await ask(gateway, range(1))
    await runner.cleanup()
    assert isinstance(failure, RetriesExhausted), failure
    assert str(failure).startswith(f"{MODEL}: the endpoint's batch routes send what is no batch")
