"""The HTTP server listens beyond loopback only with a token, and lets nobody in without it."""

import asyncio

import pytest

from toolscale.errors import UserError
from toolscale.serving.http import guarded, token_from


def test_without_the_token_nothing_is_reached():
    reached, sent = [], []

    async def application(scope, receive, send):
        reached.append(scope["path"])

    async def send(message):
        sent.append(message)

    app = guarded(application, "secret")
    for kind in ("http", "websocket"):
        for header in ([], [(b"authorization", b"Bearer wrong")]):
            asyncio.run(app({"type": kind, "path": "/ws", "headers": header}, None, send))
    assert reached == []
    assert [message.get("status", message.get("code")) for message in sent if "body" not in message] == [
        401, 401, 1008, 1008,
    ]  # fmt: skip
    asyncio.run(app({"type": "http", "path": "/ws", "headers": [(b"authorization", b"Bearer secret")]}, None, send))
    assert reached == ["/ws"]


def test_beyond_loopback_a_token_is_needed(monkeypatch):
    monkeypatch.setenv("OUR_TOKEN", "secret")
    assert [token_from(host, "") for host in ("127.0.0.1", "::1", "localhost")] == ["", "", ""]
    assert token_from("0.0.0.0", "OUR_TOKEN") == "secret"
    for host, variable in (("0.0.0.0", ""), ("example.org", ""), ("127.0.0.1", "NOT_SET")):
        with pytest.raises(UserError, match="token"):
            token_from(host, variable)
