"""What a store of many calls costs to ask: an answer, a run's budget, a domain's and the whole ledger's sums.

Run with ``python benchmarks/large_store.py --calls 100000,10000000``. Each size is a new store in SQLite with made-up
rows, filled in bulk: so many domains, a run each, nine gates a task. Every question is asked with nothing of the store
in this process; the system's cache of the disk is as the filling left it. CPU and wall seconds, and bytes on disk.
"""

import argparse
import asyncio
import json
import os
import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

from toolscale.llm.budget import spent
from toolscale.store import Store
from toolscale.store.upkeep import stats
from toolscale.traces.costs import costs

STAGES = ("subjects", "entries", "functions", "policy", "intents", "tasks", "evolution", *["episode"] * 13)
"""Of a build's calls two in three are attempts."""

CALLS_OF_A_TASK = 50
GATES = 9
LOOKED_UP = 2000
_AT_ONCE = 100_000


def fill(file: Path, calls: int, domains: int, bytes_of_an_answer: int) -> None:
    """Write the rows past the store. Keys come in their order, which is quicker to write and the same to ask."""
    answer = "x" * bytes_of_an_answer
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        for pragma in ("synchronous=OFF", "cache_size=-400000"):
            connection.execute(f"PRAGMA {pragma}")
        for table, rows in {
            "model_call": _calls(calls, domains, answer),
            "gate_result": _gates(calls, domains),
        }.items():
            while some := list(islice(rows, _AT_ONCE)):
                marks = ", ".join(f":{name}" for name in some[0])
                connection.execute("BEGIN")
                connection.executemany(f"insert into {table} ({', '.join(some[0])}) values ({marks})", some)
                connection.execute("COMMIT")


def key_of(place: int) -> str:
    """The key of a call."""
    return f"{place:016x}{0:048x}"


def _calls(calls: int, domains: int, answer: str) -> Iterator[dict[str, Any]]:
    for place in range(calls):
        domain = place * domains // calls
        yield {
            "key": key_of(place),
            "created_at": "2026-11-23 00:00:00.000000",
            "role": "agent",
            "stage": STAGES[place % len(STAGES)],
            "domain": f"domain_{domain:05d}",
            "task": f"domain_{domain:05d}-{place // CALLS_OF_A_TASK:012x}",
            "run": f"run-{domain:05d}",
            "endpoint": "https://api.example/v1",
            "model": "openai/gpt-5-mini",
            "sample": place,
            "request": answer,
            "response": answer,
            "prompt_tokens": 2500,
            "completion_tokens": 45,
            "cached_tokens": 0,
            "dollars": 0.0007,
            "seconds": 1.5,
            "status": "ok",
        }


def _gates(calls: int, domains: int) -> Iterator[dict[str, Any]]:
    for task in range(calls // CALLS_OF_A_TASK):
        domain = task * CALLS_OF_A_TASK * domains // calls
        for gate in (*(f"gate_{place}" for place in range(GATES - 1)), "distinct"):
            name = f"domain_{domain:05d}"
            yield {"task_id": f"{name}-{task:012x}", "gate": gate, "domain": name, "passed": True, "reasons": "[]"}


def questions(calls: int, domains: int) -> dict[str, Callable[[Store], Any]]:
    """What is asked, by name."""
    chosen = random.Random(0)
    domain = f"domain_{domains // 2:05d}"

    async def look_up(store: Store) -> None:
        for _ in range(LOOKED_UP):
            assert await store.find(key_of(chosen.randrange(calls))) is not None

    return {
        f"{LOOKED_UP} answers": lambda store: asyncio.run(look_up(store)),
        "a run's budget": lambda store: spent(store, f"run-{domains // 2:05d}"),
        "a domain's costs by stage": lambda store: store.cost_by("stage", domain=domain),
        "`toolscale cost --domain`": lambda store: costs(store, "stage", domain=domain),
        "all costs by domain, for a release": lambda store: store.cost_by("domain"),
        "`toolscale cost`": lambda store: costs(store, "stage"),
        "`toolscale cache stats`": stats,
    }


def measured(calls: int, domains: int, bytes_of_an_answer: int, folder: Path) -> dict[str, Any]:
    """A store of that size, asked everything once."""
    url = f"sqlite:///{folder}/store.db"
    Store(url).close()
    began = time.perf_counter()
    fill(folder / "store.db", calls, domains, bytes_of_an_answer)
    filled = time.perf_counter() - began
    found: dict[str, Any] = {"calls": calls, "domains": domains, "seconds_to_fill": round(filled, 1)}
    for name, ask in questions(calls, domains).items():
        with Store(url) as store:
            cpu, wall = time.process_time(), time.perf_counter()
            ask(store)
            found[name] = [round(time.process_time() - cpu, 4), round(time.perf_counter() - wall, 4)]
    found["bytes"] = os.stat(folder / "store.db").st_size
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--calls", default="100000,10000000", help="with commas")
    parser.add_argument("--domains", type=int, default=1000)
    parser.add_argument("--answer", type=int, default=400, help="bytes of a request and of an answer")
    parser.add_argument("--folder", type=Path, help="where the stores are made; else where temporary files go")
    parser.add_argument("--json", action="store_true", dest="as_json", help="print one JSON object")
    options = parser.parse_args()
    found = []
    for calls in map(int, options.calls.split(",")):
        with tempfile.TemporaryDirectory(prefix="toolscale-store-", dir=options.folder) as folder:
            found.append(measured(calls, options.domains, options.answer, Path(folder)))
        print(found[-1], file=sys.stderr, flush=True)
    if options.as_json:
        print(json.dumps({"stores": found}))
        return
    print("| | " + " | ".join(f"{each['calls']:,} calls" for each in found) + " |")
    print("| --- | " + " | ".join("---:" for _ in found) + " |")
    for name in questions(1, 1):
        print(
            f"| {name}, CPU and wall, s | " + " | ".join("{:.3f}, {:.3f}".format(*each[name]) for each in found) + " |"
        )
    print("| on disk, GB | " + " | ".join(f"{each['bytes'] / 1e9:.2f}" for each in found) + " |")


if __name__ == "__main__":
    main()
