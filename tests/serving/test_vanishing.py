"""A thousand clients that vanish in the middle of a session leave nothing behind, and nobody else notices."""

import asyncio
import ctypes
import gc
import json
import os
import socket
import struct
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.exchange.world import FINE, WORLD
from tests.serving.test_sessions import SAID
from toolscale.serving.sessions import Sessions
from toolscale.serving.tasks import ServedTasks

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

WARM, VANISHING, AT_ONCE = 200, 1000, 50
GROWN_MB = 12
"""What a thousand sessions may leave; each of them holds more while it is open."""

CALL = {"name": "get_room", "arguments": {"room_id": "R-1"}}


class Held:
    """What this process holds: file descriptors, threads, processes, memory."""

    def __init__(self) -> None:
        gc.collect()
        ctypes.CDLL("libc.so.6").malloc_trim(0)  # else what the allocator keeps, which no leak is, decides
        self.files = len(os.listdir("/proc/self/fd"))
        self.threads = threading.active_count()
        self.children = sum(len(task.read_text().split()) for task in Path("/proc/self/task").glob("*/children"))
        status = Path("/proc/self/status").read_text()
        self.memory = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024

    def leaks_since(self, before: "Held") -> dict[str, float]:
        """What is more than before and should not be."""
        more = {name: getattr(self, name) - getattr(before, name) for name in ("files", "threads", "children")}
        found = {name: float(count) for name, count in more.items() if count > 4}
        return found | ({"MB": grown} if (grown := self.memory - before.memory) > GROWN_MB else {})


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert holds()


def test_openenv_clients_that_vanish_leave_nothing():
    pytest.importorskip("openenv")
    from tests.serving.test_openenv import serving
    from toolscale.serving.openenv_door import ToolAction, ToolCall, ToolScaleEnv

    tasks = ServedTasks([("train", FINE, WORLD)])
    most = WARM + VANISHING + 4  # the server need not have seen one go before the next comes
    with (
        Sessions(tasks, most=most, idle_seconds=900) as sessions,
        serving(sessions, most) as url,
        ToolScaleEnv(base_url=url).sync() as neighbour,
    ):
        neighbour.reset(task_id=FINE.id)
        address = url.replace("http", "ws") + "/ws"
        asyncio.run(_leave_openenv(address, WARM))
        wait_until(lambda: len(sessions) == 1)
        before = Held()
        first, *others = (ToolCall(name=call.name, arguments=call.arguments) for call in FINE.golden_calls)
        neighbour.step(ToolAction(calls=[first]))
        asyncio.run(_leave_openenv(address, VANISHING))
        wait_until(lambda: len(sessions) == 1)
        neighbour.step(ToolAction(calls=others))
        assert neighbour.step(ToolAction(message=SAID)).reward == 1
        assert Held().leaks_since(before) == {}


async def _leave_openenv(address: str, count: int) -> None:
    """Open sessions, and be gone: after a call, or while one is being made."""
    from websockets.asyncio.client import connect

    turns = asyncio.Semaphore(AT_ONCE)

    async def leave(number: int) -> None:
        async with turns:
            client = await connect(address, open_timeout=60, ping_interval=None)
            await client.send(json.dumps({"type": "reset", "data": {"task_id": FINE.id}}))
            assert "Room R-1" in await client.recv()
            await client.send(json.dumps({"type": "step", "data": {"calls": [CALL]}}))
            if number % 2:
                assert "1250" in await client.recv()
            client.transport.abort()

    await asyncio.gather(*map(leave, range(count)))


def test_mcp_clients_that_vanish_leave_nothing():
    pytest.importorskip("mcp")
    httpx = pytest.importorskip("httpx")
    from tests.serving.test_mcp_http import running
    from toolscale.serving.mcp_http import mcp_app

    now = [0.0]
    tasks = ServedTasks([("train", FINE, WORLD)])
    with (
        Sessions(tasks, most=2 * VANISHING, idle_seconds=900, clock=lambda: now[0]) as sessions,
        running(mcp_app(sessions)) as url,
        httpx.Client(base_url=url, timeout=60, limits=httpx.Limits(max_keepalive_connections=0)) as trainer,
    ):
        mine = trainer.post("/sessions", json={"task_id": FINE.id}).json()
        called(trainer, mine["mcp"], FINE.golden_calls[0])

        def time_passes() -> None:
            for _ in range(2):
                now[0] += 600
                called(trainer, mine["mcp"], FINE.golden_calls[0])  # who stays uses the session now and then

        asyncio.run(_leave_mcp(url, WARM))
        time_passes()
        assert len(sessions) == 1
        before = Held()
        asyncio.run(_leave_mcp(url, VANISHING))
        assert len(sessions) == VANISHING + 1
        time_passes()
        assert len(sessions) == 1
        for call in FINE.golden_calls[1:]:
            called(trainer, mine["mcp"], call)
        ended = trainer.post(f"/sessions/{mine['id']}/verdict", json={"key": mine["key"], "message": SAID})
        assert ended.json()["reward"] == 1
        assert Held().leaks_since(before) == {}


def called(client, address: str, call) -> None:
    asked = {"name": call.name, "arguments": call.arguments}
    answer = client.post(address, json=request(asked), headers=ACCEPT)
    assert "result" in answer.json(), answer.text


ACCEPT = {"Accept": "application/json, text/event-stream"}


def request(asked):
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked}


async def _leave_mcp(url: str, count: int) -> None:
    """Open sessions, and be gone: after a call, or in the middle of a request."""
    import httpx

    host, port = url.removeprefix("http://").split(":")
    turns = asyncio.Semaphore(AT_ONCE)

    def break_off(address: str) -> None:
        body = json.dumps(request(CALL)).encode()
        head = f"POST {address} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
        head += f"Accept: {ACCEPT['Accept']}\r\nContent-Length: {len(body)}\r\n\r\n"
        with socket.create_connection((host, int(port)), timeout=60) as sent:
            sent.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # reset, not closed
            sent.sendall(head.encode() + body[: len(body) // 2])

    # A connection of its own for each request, since a kept one may be closed as it is taken up again.
    async with httpx.AsyncClient(base_url=url, timeout=60, limits=httpx.Limits(max_keepalive_connections=0)) as client:

        async def leave(number: int) -> None:
            async with turns:
                session = (await client.post("/sessions", json={})).json()
                if number % 2:
                    answer = await client.post(session["mcp"], json=request(CALL), headers=ACCEPT)
                    assert "1250" in answer.text
                else:
                    await asyncio.to_thread(break_off, session["mcp"])

        await asyncio.gather(*map(leave, range(count)))
