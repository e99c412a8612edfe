"""What a model call costs the client, and what it makes of an endpoint's limit: ``python benchmarks/gateway.py``.

Starts ``toolscale serve-offline --echo-schema`` in a process of its own. First table: CPU of this process a call
(all threads; the slope between a short and a long run, so that imports and connections do not count) and calls a
second, answers taking 100 to 300 ms, 256 calls at once; a bare aiohttp loop and each lane of the gateway, whose answers
are typed and written to a durable cache and ledger. Second table: 2,000 calls of 64 clients against 16 slots, with and
without Retry-After: the share of the ideal rate, and the calls that were refused.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import aiohttp
from pydantic import BaseModel
from rich.console import Console
from rich.table import Table

from toolscale.llm import Gateway, traffic
from toolscale.llm.typed import AnswerForm
from toolscale.settings import Settings
from toolscale.store import Store

AT_ONCE = 256
LATENCY = "0.1:0.3"
SLOT_SECONDS = 0.2

Call = Callable[[int], Awaitable[Any]]
Row = dict[str, Any]


class Passenger(BaseModel):
    """The typed answer that is asked for."""

    name: str
    age: int
    stations: list[str]


def messages(number: int) -> list[dict[str, Any]]:
    """About 800 characters, other ones for each number."""
    return [
        {"role": "system", "content": "Look before you book; never change a ticket that was not asked for. " * 10},
        {"role": "user", "content": f"Passenger {number} of the morning train from Leeds to York, with stations."},
    ]


@contextmanager
def server(*switches: str) -> Iterator[str]:
    """The base URL of a server with these switches."""
    command = [sys.executable, "-m", "toolscale.cli", "serve-offline", "--echo-schema", "--port", "0", *switches]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


async def run(call: Call, first: int, calls: int, at_once: int) -> tuple[float, float]:
    """CPU and wall seconds of so many calls."""
    numbers = iter(range(first, first + calls))

    async def client() -> None:
        for number in numbers:
            await call(number)

    cpu, wall = time.process_time(), time.perf_counter()
    await asyncio.gather(*[client() for _ in range(at_once)])
    return time.process_time() - cpu, time.perf_counter() - wall


async def cost(call: Call, short: int, long: int) -> Row:
    """CPU of a call, and calls a second."""
    await run(call, 0, AT_ONCE, AT_ONCE)
    few = await run(call, 1_000_000, short, AT_ONCE)
    many = await run(call, 2_000_000, long, AT_ONCE)
    return {
        "cpu_ms": round(1e3 * (many[0] - few[0]) / (long - short), 3),
        "calls_per_second": round((long - short) / (many[1] - few[1])),
    }


@contextmanager
def gateway_to(url: str, **settings: Any) -> Iterator[Gateway]:
    """A gateway with a durable store; the price is given, so nothing is looked up."""
    with tempfile.TemporaryDirectory() as folder, Store(f"sqlite:///{folder}/benchmark.db") as store:
        given = {
            "models": {"teacher": {"model": "openai/reference", "api_base": url, "answers": "schema"}},
            "prices": {"openai/reference": {"input": 1, "output": 2}},
            **settings,
        }
        yield Gateway(Settings(**given), store)


def typed(gateway: Gateway) -> Call:
    """A typed call through a gateway."""
    return lambda number: gateway.typed("teacher", messages(number), Passenger, stage="benchmark", domain="railway")


async def bare_loop(url: str, short: int, long: int) -> Row:
    """aiohttp alone: no cache, no ledger, no check."""
    _, params = AnswerForm.of(Passenger).ask([], "schema")
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def call(number: int) -> Any:
            body = {"model": "reference", "messages": messages(number), **params}
            async with session.post(f"{url}/chat/completions", json=body) as response:
                return json.loads((await response.json())["choices"][0]["message"]["content"])

        return await cost(call, short, long)


async def lane(url: str, short: int, long: int) -> Row:
    """The gateway, by the lane that its model string leads to."""
    with gateway_to(url, max_in_flight=AT_ONCE) as gateway:
        async with gateway:
            return await cost(typed(gateway), short, long)


async def costs(short: int, long: int) -> list[Row]:
    """The first table."""
    rows = []
    with server("--latency", LATENCY) as url:
        rows.append({"path": "bare aiohttp loop", **await bare_loop(url, short, long)})
        rows.append({"path": "gateway, openai SDK's lane", **await lane(url, short, long)})
        by_string, traffic.speaks_openai = traffic.speaks_openai, lambda model, api_base: False
        try:
            rows.append({"path": "gateway, litellm's lane", **await lane(url, short, long)})
        finally:
            traffic.speaks_openai = by_string
    return rows


async def overload(calls: int, slots: int, clients: int, retry_after: float | None) -> Row:
    """One row of the second table."""
    asks = [] if retry_after is None else ["--retry-after", str(retry_after)]
    with (
        server("--latency", str(SLOT_SECONDS), "--slots", str(slots), *asks) as url,
        gateway_to(url, max_in_flight=clients) as gateway,
    ):
        async with gateway:
            await typed(gateway)(-1)
            _, wall = await run(typed(gateway), 0, calls, clients)
        async with aiohttp.ClientSession() as session, session.get(url.removesuffix("/v1") + "/stats") as response:
            counted = await response.json()
    ideal = slots / SLOT_SECONDS
    return {
        "slots": slots,
        "clients": clients,
        "retry_after": retry_after,
        "calls": calls,
        "answered": counted["ok"] - 1,
        "wasted": counted["rejected_429"],
        "wasted_share": round(counted["rejected_429"] / calls, 4),
        "calls_per_second": round(calls / wall, 1),
        "of_ideal": round(calls / wall / ideal, 4),
    }


def shown(title: str, rows: list[Row]) -> None:
    """Print rows as a table."""
    table = Table(title=title)
    for name in rows[0]:
        table.add_column(name, justify="left" if name == "path" else "right")
    for row in rows:
        table.add_row(*["none" if value is None else str(value) for value in row.values()])
    Console().print(table)


async def main(short: int, long: int, calls: int, as_json: bool) -> None:
    """Both tables."""
    found = {"cost": await costs(short, long)}
    found["overload"] = [
        await overload(calls, slots, 64, retry_after)
        for slots, retry_after in ((16, None), (16, 1.0), (5, None), (40, None))
    ]
    if as_json:
        print(json.dumps(found, indent=2))
        return
    for title, rows in found.items():
        shown(title, rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--short", type=int, default=400, help="calls of the short run")
    parser.add_argument("--long", type=int, default=4000, help="calls of the long run")
    parser.add_argument("--calls", type=int, default=2000, help="calls of each row under overload")
    given = parser.parse_args()
    asyncio.run(main(given.short, given.long, given.calls, given.json))
