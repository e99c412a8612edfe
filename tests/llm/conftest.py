"""Gateways to a server of this machine."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from tests.openai_server import OpenAIServer
from toolscale.llm import Gateway
from toolscale.llm import traffic as traffic_module
from toolscale.settings import Settings
from toolscale.store import Store

KEY = "sk-canary-0123456789abcdef"
HELLO = [{"role": "user", "content": "hello"}]
FOR: dict[str, Any] = {"stage": "subjects", "domain": "railway"}

Connect = Callable[..., Gateway]


@pytest.fixture
async def connect(store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AsyncIterator[Connect]:
    """A gateway whose every role is answered by a server; keyword arguments are settings. Closed after the test."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.chdir(tmp_path)
    made: list[Gateway] = []

    def to(server: OpenAIServer, store: Store = store, **settings: Any) -> Gateway:
        given = {"default_model": "openai/anything", "default_api_base": server.url, "retry_seconds": 0.01, **settings}
        made.append(Gateway(Settings(**given), store))
        return made[-1]

    yield to
    for gateway in made:
        await gateway.close()


@pytest.fixture
async def gateway_to(
    store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> AsyncIterator[Callable[..., Gateway]]:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.chdir(tmp_path)
    made: list[Gateway] = []

    def to(url: str, **settings: Any) -> Gateway:
        given = {"default_model": "openai/anything", "default_api_base": url, "retry_seconds": 0.01, **settings}
        made.append(Gateway(Settings(**given), store))
        return made[-1]

    yield to
    for gateway in made:
        await gateway.close()


@pytest.fixture(params=["openai", "litellm"])
def each_lane(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "litellm":
        monkeypatch.setattr(traffic_module, "lane_of", lambda model: "litellm")
    return str(request.param)
