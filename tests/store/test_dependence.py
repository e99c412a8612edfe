"""A changed parameter asks again for what depends on it, and for nothing else."""

import asyncio
from typing import Any

import pytest

from tests.openai_server import OpenAIServer
from tests.store.old import TOOLS
from toolscale.llm import Gateway
from toolscale.settings import Settings
from toolscale.stages import Role
from toolscale.store import Store

ROLES: tuple[Role, ...] = ("teacher", "validator", "agent")
SCHEMA = {"type": "object", "properties": {"said": {"type": "string"}}, "required": ["said"]}


def answer(request: dict[str, Any]) -> str:
    return '{"said": "x"}' if "response_format" in request else "x"


class Run:
    """A run of the same twelve calls: for each of three roles two texts, a chat with tools and a typed answer."""

    def __init__(self, server: OpenAIServer, store: Store) -> None:
        self.server, self.store = server, store

    def __call__(self, tools: list[dict[str, Any]] = TOOLS, **settings: Any) -> list[dict[str, Any]]:
        """The requests that had to be made."""
        before = len(self.server.requests)
        asyncio.run(self._calls(tools, settings))
        return self.server.requests[before:]

    async def _calls(self, tools: list[dict[str, Any]], settings: dict[str, Any]) -> None:
        free = {"input": 0, "output": 0}
        given = {
            "default_model": "openai/one",
            "default_api_base": self.server.url,
            "prices": {"openai/one": free, "openai/two": free},
        }
        async with Gateway(Settings(**given | settings), self.store) as gateway:
            for role in ROLES:
                told: dict[str, Any] = {"stage": "subjects", "domain": "railway"}
                said = [{"role": "user", "content": f"to the {role}"}]
                await gateway.text(role, said, **told)
                await gateway.text(role, said, **told, sample=1)
                await gateway.chat(role, said, tools, **told)
                await gateway.typed(role, said, SCHEMA, **told)


@pytest.fixture
def run(store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.chdir(tmp_path)
    with OpenAIServer(answer) as server:
        first = Run(server, store)
        assert len(first()) == 12
        assert first() == []
        yield first


def of_role(request: dict[str, Any]) -> str:
    return next(role for role in ROLES if f"to the {role}" in str(request["messages"]))


def test_another_model_for_one_role_asks_again_for_that_role_alone(run: Run) -> None:
    again = run(models={"validator": {"model": "openai/two", "api_base": run.server.url}})
    assert [of_role(request) for request in again] == ["validator"] * 4
    assert {request["model"] for request in again} == {"two"}
    assert run() == []


def test_another_temperature_for_one_role_asks_again_for_that_role_alone(run: Run) -> None:
    again = run(models={"agent": {"temperature": 0.5}})
    assert [(of_role(request), request["temperature"]) for request in again] == [("agent", 0.5)] * 4
    assert run() == []


def test_an_added_tool_asks_again_for_the_calls_that_offer_it_alone(run: Run) -> None:
    another = {"type": "function", "function": {"name": "book", "parameters": {"type": "object"}}}
    again = run(tools=[*TOOLS, another])
    assert [(of_role(request), len(request["tools"])) for request in again] == [(role, 2) for role in ROLES]
    assert run() == []


def test_what_no_answer_depends_on_asks_for_nothing_again(run: Run) -> None:
    prices = {"openai/one": {"input": 1, "output": 2}}
    assert run(max_in_flight=3, timeout_seconds=7, retries=1, prices=prices) == []
