"""Providers that run in this process: what reaches them, and what becomes of what they say."""

import subprocess
import sys
from importlib.metadata import EntryPoint
from typing import Any

import pytest

from tests.llm.conftest import FOR, HELLO
from toolscale.errors import UserError
from toolscale.llm import Gateway
from toolscale.llm.providers import our_providers
from toolscale.settings import Settings
from toolscale.store import ModelCall, Store

TOOLS = [{"type": "function", "function": {"name": "find", "description": "Find.", "parameters": {"type": "object"}}}]
SCHEMA = {"type": "object", "properties": {"said": {"type": "string"}}, "required": ["said"]}


@pytest.fixture
def gateway(store: Store, monkeypatch: pytest.MonkeyPatch) -> Gateway:
    tiny = EntryPoint("tiny", "tests.llm.tiny_provider:PROVIDER", "toolscale.providers")
    monkeypatch.setitem(our_providers(), tiny.name, tiny)
    return Gateway(Settings(default_model="tiny/echo", retry_seconds=5), store)


@pytest.fixture
def seen() -> list[dict[str, Any]]:
    from tests.llm.tiny_provider import PROVIDER

    PROVIDER.seen.clear()
    return PROVIDER.seen


async def test_it_is_given_messages_tools_and_seed(gateway: Gateway, seen: list[dict[str, Any]]) -> None:
    reply = await gateway.chat("agent", HELLO, TOOLS, **FOR, seed=0, sample=5)
    assert reply.message["content"] == "you said hello"
    assert (reply.prompt_tokens, reply.completion_tokens) == (7, 3)
    assert seen[0]["model"] == "echo"
    assert seen[0]["messages"] == HELLO
    assert seen[0]["tools"] == TOOLS
    assert seen[0]["seed"] == 5


async def test_it_is_given_the_schema_of_a_typed_answer(gateway: Gateway, seen: list[dict[str, Any]]) -> None:
    said = [{"role": "user", "content": '{"said": "x"}'}]
    assert await gateway.typed("teacher", said, SCHEMA, **FOR) == {"said": "x"}
    assert seen[0]["response_format"]["json_schema"]["schema"] == SCHEMA
    assert seen[0]["messages"] == said


async def test_it_costs_nothing(gateway: Gateway, store: Store, seen: list[dict[str, Any]]) -> None:
    await gateway.text("teacher", HELLO, **FOR)
    call = store.rows(ModelCall)[0]
    assert (call.dollars, call.endpoint, call.status) == (0.0, "tiny", "ok")


async def test_its_user_error_reaches_the_caller_as_it_is(gateway: Gateway, seen: list[dict[str, Any]]) -> None:
    with pytest.raises(UserError) as caught:
        await gateway.text("teacher", [{"role": "user", "content": "unknown domain"}], **FOR)
    assert type(caught.value) is UserError
    assert str(caught.value) == "domain `casino`: no reference knows it; set TOOLSCALE_DEFAULT_MODEL"
    assert len(seen) == 1


async def test_a_bug_in_it_is_raised_at_once_as_what_it_is(gateway: Gateway, seen: list[dict[str, Any]]) -> None:
    with pytest.raises(KeyError, match="station"):
        await gateway.text("teacher", [{"role": "user", "content": "bug"}], **FOR)
    assert len(seen) == 1


def test_importing_the_gateway_imports_neither_litellm_nor_the_store_nor_a_provider() -> None:
    heavy = ["litellm", "sqlmodel", "sqlalchemy", "openai", "json_repair", "jsonschema", "toolscale.reference.provider"]
    program = f"import sys, toolscale.llm; print([name for name in {heavy} if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
