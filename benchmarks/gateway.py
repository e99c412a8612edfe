"""What a model call costs the client, and what it makes of an endpoint's limits: ``python benchmarks/gateway.py``.

Starts ``toolscale serve-offline --echo-schema`` in a process of its own for each table.

*cost*: CPU of a call (user and system, all threads; the slope between a short and a long run, so that imports and
connections do not count) and calls a second; answers take 100 to 300 ms, 256 calls are out at once. A bare aiohttp
loop; each lane of the gateway, its answers typed and written to a durable cache and ledger; and the peers whose
interpreters are given, each run in a process of its own (``benchmarks/peers``).

*overload*: 64 clients at an endpoint of so many slots that answers in 0.2 s and refuses (429) what finds none. The
share of the ideal rate (slots / 0.2 s), and of what a bare aiohttp loop gets that knows the number of slots and keeps
just as many calls out; and the calls that were refused.

*isolation*: the rate at one endpoint, alone (before and after) and while all calls to another one hang.

Wall-clock figures want a machine of their own; CPU figures do not mind company much.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import aiohttp
from pydantic import BaseModel

sys.path[0] = str(Path(__file__).parents[1])  # not this folder, where `dagster.py` is a benchmark

from benchmarks.tables import show  # noqa: E402
from toolscale.llm import Gateway  # noqa: E402
from toolscale.llm.typed import AnswerForm  # noqa: E402
from toolscale.settings import Settings  # noqa: E402
from toolscale.store import Store  # noqa: E402

AT_ONCE = 256
CLIENTS = 64
LATENCY = "0.1:0.3"
SLOT_SECONDS = 0.2
BY_SDK, BY_LITELLM = "openai/reference", "custom_openai/reference"
"""Model strings that lead to the two lanes, and to the same server."""
PEERS = Path(__file__).parent / "peers"

Call = Callable[[int], Awaitable[Any]]
Row = dict[str, Any]
Peer = tuple[str, str]
"""An interpreter, and the script for it."""


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


async def stats(url: str) -> dict[str, Any]:
    """What the server counted."""
    async with aiohttp.ClientSession() as session, session.get(url.removesuffix("/v1") + "/stats") as response:
        counted: dict[str, Any] = await response.json()
        return counted


@asynccontextmanager
async def bare_loop(url: str) -> AsyncIterator[Call]:
    """aiohttp alone: no cache, no ledger, no check."""
    _, params = AnswerForm.of(Passenger).ask([], "schema")
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def call(number: int) -> Any:
            body = {"model": "reference", "messages": messages(number), **params}
            async with session.post(f"{url}/chat/completions", json=body) as response:
                return json.loads((await response.json())["choices"][0]["message"]["content"])

        yield call


@asynccontextmanager
async def gateway_to(url: str, model: str = BY_SDK, **settings: Any) -> AsyncIterator[Gateway]:
    """A gateway with a durable store; the price is given, so nothing is looked up."""
    with tempfile.TemporaryDirectory() as folder, Store(f"sqlite:///{folder}/benchmark.db") as store:
        given = {
            "models": {"teacher": {"model": model, "api_base": url, "answers": "schema"}},
            "prices": {model: {"input": 1, "output": 2}},
            **settings,
        }
        async with Gateway(Settings(**given), store) as gateway:
            yield gateway


def typed(gateway: Gateway) -> Call:
    """A typed call through a gateway."""
    return lambda number: gateway.typed("teacher", messages(number), Passenger, stage="benchmark", domain="railway")


async def run(call: Call, first: int, calls: int, at_once: int) -> tuple[float, float]:
    """CPU and wall seconds of so many calls."""
    numbers = iter(range(first, first + calls))

    async def client() -> None:
        for number in numbers:
            await call(number)

    cpu, wall = time.process_time(), time.perf_counter()
    await asyncio.gather(*[client() for _ in range(at_once)])
    return time.process_time() - cpu, time.perf_counter() - wall


def slope(short: int, long: int, few: tuple[float, float], many: tuple[float, float]) -> Row:
    """CPU of a call, and calls a second, from the CPU and wall seconds of two runs."""
    return {
        "cpu_ms": round(1e3 * (many[0] - few[0]) / (long - short), 3),
        "calls_per_second": round((long - short) / (many[1] - few[1])),
    }


async def cost(call: Call, short: int, long: int) -> Row:
    """What a call of this process costs."""
    await run(call, 0, AT_ONCE, AT_ONCE)
    few = await run(call, 1_000_000, short, AT_ONCE)
    return slope(short, long, few, await run(call, 2_000_000, long, AT_ONCE))


def run_peer(peer: Peer, url: str, rows: int, at_once: int) -> tuple[float, float]:
    """CPU seconds of a peer's process, those of its children included, and the wall seconds that it counted itself."""
    interpreter, script = peer
    with tempfile.TemporaryFile("w+") as said, tempfile.TemporaryFile("w+") as complained:
        command = [interpreter, str(PEERS / script), url, str(rows), str(at_once)]
        process = subprocess.Popen(command, stdout=said, stderr=complained, cwd=tempfile.gettempdir())
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        complained.seek(0)
        if process.returncode:
            sys.exit(f"{' '.join(command)} failed:\n{complained.read()[-2000:]}")
        found = json.loads(said.read().strip().splitlines()[-1])
    if found["answered"] != rows:
        print(f"{script}: {found['answered']} of {rows} rows were answered", file=sys.stderr)
    return used.ru_utime + used.ru_stime, found["seconds"]


async def costs(peers: dict[str, Peer], short: int, long: int) -> list[Row]:
    """The first table."""
    rows: list[Row] = []
    with server("--latency", LATENCY) as url:
        async with bare_loop(url) as call:
            rows.append({"path": "bare aiohttp loop", **await cost(call, short, long)})
        async with gateway_to(url, max_in_flight=AT_ONCE) as gateway:
            rows.append({"path": "gateway, openai SDK's lane", **await cost(typed(gateway), short, long)})
        async with gateway_to(url, BY_LITELLM, max_in_flight=AT_ONCE) as gateway:
            rows.append({"path": "gateway, litellm's lane", **await cost(typed(gateway), short, long)})
        for name, peer in peers.items():
            few, many = [await asyncio.to_thread(run_peer, peer, url, count, AT_ONCE) for count in (short, long)]
            rows.append({"path": name, **slope(short, long, few, many)})
    return rows


async def overload(path: str, calls: int, slots: int, retry_after: float | None, peer: Peer | None) -> Row:
    """One row of the second table."""
    asks = [] if retry_after is None else ["--retry-after", str(retry_after)]
    with server("--latency", str(SLOT_SECONDS), "--slots", str(slots), *asks) as url:
        if peer is not None:
            _, wall = await asyncio.to_thread(run_peer, peer, url, calls, CLIENTS)
        elif path == "bare aiohttp loop":
            async with bare_loop(url) as call:
                _, wall = await run(call, 0, calls, slots)
        else:
            async with gateway_to(url, max_in_flight=CLIENTS) as gateway:
                await typed(gateway)(-1)
                _, wall = await run(typed(gateway), 0, calls, CLIENTS)
        refused = (await stats(url))["rejected_429"]
    return {
        "path": path,
        "slots": slots,
        "retry_after": retry_after,
        "calls": calls,
        "calls_per_second": round(calls / wall, 1),
        "of_ideal": round(calls / wall * SLOT_SECONDS / slots, 3),
        "wasted": refused,
        "wasted_share": round(refused / calls, 4),
    }


async def overloads(peers: dict[str, Peer], calls: int) -> list[Row]:
    """The second table: after each row of the bare loop those that it is the ceiling of."""
    rows: list[Row] = []
    for slots, limits in ((16, (None, 1.0)), (5, (None,)), (40, (None,))):
        ceiling = await overload("bare aiohttp loop", calls, slots, None, None)
        found = [await overload("gateway", calls, slots, retry_after, None) for retry_after in limits]
        if slots == 16:
            found += [await overload(name, calls, slots, None, peer) for name, peer in peers.items()]
        rows += [
            {**row, "of_bare_loop": round(row["calls_per_second"] / ceiling["calls_per_second"], 3)}
            for row in (ceiling, *found)
        ]
    return rows


async def isolation(calls: int) -> list[Row]:
    """The third table: a gateway at one endpoint, and one at two."""
    with server("--latency", str(SLOT_SECONDS)) as healthy, server("--hang-rate", "1") as hanging:
        model = {"model": BY_SDK, "answers": "schema"}
        models = {"teacher": {**model, "api_base": healthy}, "judge": {**model, "api_base": hanging}}
        async with (
            gateway_to(healthy, max_in_flight=CLIENTS) as one,
            gateway_to(healthy, models=models, max_in_flight=CLIENTS) as both,
        ):
            for gateway in (one, both):
                await run(typed(gateway), 0, CLIENTS, CLIENTS)
            before = await run(typed(one), 1_000_000, calls, CLIENTS)
            stuck = [
                asyncio.create_task(both.text("judge", messages(n), stage="benchmark", domain="railway"))
                for n in range(4 * CLIENTS)
            ]
            await asyncio.sleep(1)
            between = await run(typed(both), 2_000_000, calls, CLIENTS)
            out = (await stats(hanging))["in_flight"]
            after = await run(typed(one), 3_000_000, calls, CLIENTS)
            for each in stuck:
                each.cancel()
    alone, beside = 2 * calls / (before[1] + after[1]), calls / between[1]
    return [
        {"path": "one endpoint", "calls_per_second": round(alone, 1), "of_alone": 1.0, "hanging": 0},
        {
            "path": "beside one that hangs",
            "calls_per_second": round(beside, 1),
            "of_alone": round(beside / alone, 3),
            "hanging": out,
        },
    ]


async def main(given: argparse.Namespace) -> None:
    """All tables, or those that were asked for."""
    known = {
        "Bespoke Curator": (given.curator, "curator.py"),
        "NeMo Data Designer": (given.data_designer, "data_designer.py"),
    }
    peers = {name: peer for name, peer in known.items() if peer[0]}
    tables: dict[str, Callable[[], Awaitable[list[Row]]]] = {
        "cost": lambda: costs(peers, given.short, given.long),
        "overload": lambda: overloads(peers, given.calls),
        "isolation": lambda: isolation(given.calls),
    }
    found = {name: await tables[name]() for name in given.only or tables}
    if given.json:
        print(json.dumps(found, indent=2))
        return
    for title, rows in found.items():
        show(title, rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--only", nargs="+", choices=["cost", "overload", "isolation"], help="only these tables")
    parser.add_argument("--short", type=int, default=400, help="calls of the short run")
    parser.add_argument("--long", type=int, default=4000, help="calls of the long run")
    parser.add_argument("--calls", type=int, default=2000, help="calls of each row under overload, and of isolation")
    parser.add_argument("--curator", metavar="PYTHON", help="an interpreter that has bespokelabs-curator")
    parser.add_argument("--data-designer", metavar="PYTHON", help="an interpreter that has data-designer")
    os.environ["OPENAI_API_KEY"] = os.environ["CUSTOM_OPENAI_API_KEY"] = "none"  # the server asks for none
    asyncio.run(main(parser.parse_args()))
