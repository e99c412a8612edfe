"""A thousand clients that vanish in the middle of a session leave nothing behind, and nobody else notices."""

import asyncio
import ctypes
import gc
import json
import os
import threading
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from tests.exchange.world import FINE, WORLD
from tests.serving.servers import break_off, running
from tests.serving.test_sessions import SAID
from toolscale.serving.sessions import Sessions
from toolscale.serving.tasks import ServedTasks

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

WAVES, CLIENTS, AT_ONCE = 5, 200, 50
"""A thousand clients, whom a wave goes before that is not counted; in each wave so many at once."""

EACH_KB = 5
"""What a client may leave; a session holds more while it is open."""

CALL = {"name": "get_room", "arguments": {"room_id": "R-1"}}


class Held:
    """What this process holds: file descriptors, threads, processes, memory in KB."""

    def __init__(self) -> None:
        gc.collect()
        ctypes.CDLL("libc.so.6").malloc_trim(0)  # else what the allocator keeps, which no leak is, decides
        self.files = len(os.listdir("/proc/self/fd"))
        self.threads = threading.active_count()
        self.children = sum(len(task.read_text().split()) for task in Path("/proc/self/task").glob("*/children"))
        status = Path("/proc/self/status").read_text()
        self.memory = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))


def leaks(after: list[Held]) -> dict[str, float]:
    """What grew with every wave, a client: what grew with some, as a pool of threads does, is no leak."""
    allowed = {"files": 0.1, "threads": 0.1, "children": 0.1, "memory": EACH_KB}
    held = {name: [getattr(each, name) for each in after] for name in allowed}
    least = {name: min(more - less for less, more in pairwise(held[name])) / CLIENTS for name in allowed}
    return {name: grown for name, grown in least.items() if grown > allowed[name]}


@pytest.mark.parametrize(("leaves", "leak"), [(lambda: bytearray(8192), "memory"), (lambda: os.dup(0), "files")])
def test_what_each_client_leaves_is_seen(leaves, leak):
    left, after = [], []
    for _ in range(WAVES + 1):
        left += [leaves() for _ in range(CLIENTS)]
        after.append(Held())
    if leak == "files":
        for file in left:
            os.close(file)
    assert list(leaks(after)) == [leak]


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
    most = 2 * CLIENTS  # the server need not have seen one go before the next comes
    with (
        Sessions(tasks, most=most, idle_seconds=900) as sessions,
        serving(sessions, most) as url,
        ToolScaleEnv(base_url=url).sync() as neighbour,
    ):
        neighbour.reset(task_id=FINE.id)
        first, *others = (ToolCall(name=call.name, arguments=call.arguments) for call in FINE.golden_calls)
        neighbour.step(ToolAction(calls=[first]))
        after = []
        for _ in range(WAVES + 1):
            asyncio.run(_leave_openenv(url.replace("http", "ws") + "/ws"))
            wait_until(lambda: len(sessions) == 1)
            after.append(Held())
        neighbour.step(ToolAction(calls=others))
        assert neighbour.step(ToolAction(message=SAID)).reward == 1
        assert leaks(after) == {}


async def _leave_openenv(address: str) -> None:
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

    await asyncio.gather(*map(leave, range(CLIENTS)))


def test_mcp_clients_that_vanish_leave_nothing():
    pytest.importorskip("mcp")
    httpx = pytest.importorskip("httpx")
    from toolscale.serving.mcp_http import mcp_app

    now = [0.0]
    tasks = ServedTasks([("train", FINE, WORLD)])
    with (
        Sessions(tasks, most=2 * CLIENTS, idle_seconds=900, clock=lambda: now[0]) as sessions,
        running(mcp_app(sessions)) as url,
        httpx.Client(base_url=url, timeout=60, limits=httpx.Limits(max_keepalive_connections=0)) as trainer,
    ):
        mine = trainer.post("/sessions", json={"task_id": FINE.id}).json()
        called(trainer, mine["mcp"], FINE.golden_calls[0])
        after = []
        for _ in range(WAVES + 1):
            asyncio.run(_leave_mcp(url))
            assert len(sessions) == CLIENTS + 1
            for _ in range(2):
                now[0] += 600
                called(trainer, mine["mcp"], FINE.golden_calls[0])  # who stays uses the session now and then
            assert len(sessions) == 1
            after.append(Held())
        for call in FINE.golden_calls[1:]:
            called(trainer, mine["mcp"], call)
        ended = trainer.post(f"/sessions/{mine['id']}/verdict", json={"key": mine["key"], "message": SAID})
        assert ended.json()["reward"] == 1
        assert leaks(after) == {}


def called(client, address: str, call) -> None:
    asked = {"name": call.name, "arguments": call.arguments}
    answer = client.post(address, json=request(asked), headers=ACCEPT)
    assert "result" in answer.json(), answer.text


ACCEPT = {"Accept": "application/json, text/event-stream"}


def request(asked):
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked}


async def _leave_mcp(url: str) -> None:
    """Open sessions, and be gone: after a call, or in the middle of a request."""
    import httpx

    turns = asyncio.Semaphore(AT_ONCE)

    # A connection of its own for each request, since a kept one may be closed as it is taken up again.
    async with httpx.AsyncClient(base_url=url, timeout=60, limits=httpx.Limits(max_keepalive_connections=0)) as client:

        async def leave(number: int) -> None:
            async with turns:
                session = (await client.post("/sessions", json={})).json()
                if number % 2:
                    answer = await client.post(session["mcp"], json=request(CALL), headers=ACCEPT)
                    assert "1250" in answer.text
                else:
                    await asyncio.to_thread(break_off, url, session["mcp"], f"Accept: {ACCEPT['Accept']}")

        await asyncio.gather(*map(leave, range(CLIENTS)))
