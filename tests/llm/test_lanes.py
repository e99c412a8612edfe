"""Both lanes send the same, give the same answers, and are chosen by the model string."""

import asyncio
import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from tests.llm.conftest import FOR, HELLO
from tests.llm.endpoint import answer, serving
from tests.openai_server import completion, tool_call
from toolscale.errors import UserError
from toolscale.llm import ChatReply, Gateway
from toolscale.llm.errors import Transient
from toolscale.llm.lanes import lane_of
from toolscale.llm.lanes.openai_sdk import body_of
from toolscale.llm.reply import read_reply
from toolscale.llm.request import make_request
from toolscale.settings import Settings
from toolscale.store import ModelCall, Store


@pytest.mark.parametrize(
    ("model", "lane"),
    [
        ("openai/gpt-5-mini", "openai_sdk"),
        ("hosted_vllm/Qwen/Qwen3-8B", "openai_sdk"),
        ("openai/responses/gpt-5", "litellm"),
        ("anthropic/claude", "litellm"),
        ("ollama/qwen3", "litellm"),
        ("offline/reference", "in_process"),
        ("mystery-model", "litellm"),
    ],
)
def test_the_lane_follows_from_the_model_string(model: str, lane: str) -> None:
    assert lane_of(model) == lane


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


async def test_a_compressed_answer_is_read(gateway_to: Any) -> None:
    def respond(request: dict[str, Any]) -> web.Response:
        body = gzip.compress(json.dumps(completion(request, {"content": "Zürich"})).encode())
        return web.Response(body=body, headers={"Content-Encoding": "gzip"}, content_type="application/json")

    async with serving(respond) as url, gateway_to(url) as gateway:
        assert await gateway.text("teacher", HELLO, **FOR) == "Zürich"


def test_reasoning_models_get_the_parameters_that_they_accept() -> None:
    def sent(model: str) -> dict[str, Any]:
        params = {"temperature": 0.2, "max_tokens": 9}
        body = json.loads(body_of(make_request(model, None, HELLO, None, params, seed=0, sample=0)))
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


async def test_what_a_model_of_our_own_refuses_is_no_cause_of_itself(tmp_path) -> None:
    settings, poem = Settings(data_root=str(tmp_path)), [{"role": "user", "content": "Write me a poem."}]
    with Store(settings.database_url()) as store:
        async with Gateway(settings, store) as gateway:
            with pytest.raises(UserError, match="only this factory's prompts") as refused:
                await gateway.chat("agent", poem, [], stage="episode", domain="d")
    behind = refused.value.__cause__
    assert refused.value not in (behind, getattr(behind, "__cause__", None))
