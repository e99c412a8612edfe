"""Gateways to a server of this machine."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.openai_server import OpenAIServer
from toolscale.llm import Gateway
from toolscale.settings import Settings
from toolscale.store import Store

KEY = "sk-canary-0123456789abcdef"
HELLO = [{"role": "user", "content": "hello"}]
FOR: dict[str, Any] = {"stage": "subjects", "domain": "railway"}

Connect = Callable[..., Gateway]


@pytest.fixture
def connect(store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Connect:
    """A gateway whose every role is answered by a server; keyword arguments are settings."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.chdir(tmp_path)

    def to(server: OpenAIServer, store: Store = store, **settings: Any) -> Gateway:
        given = {"default_model": "openai/anything", "default_api_base": server.url, "retry_seconds": 0.01, **settings}
        return Gateway(Settings(**given), store)

    return to
