"""What the sandbox costs: CPU of this process and of all its children, for databases of three sizes.

Run with ``python benchmarks/sandbox.py``. CPU time is what compares between machines; wall time depends on the load.
"""

import json
import os
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

from rich.console import Console
from rich.table import Table

from toolscale.artifacts import Call, EnvironmentSpec, FunctionSpec
from toolscale.environment import Sandbox

SOURCE = """
def get(db, id): return db["orders"][id]
def rename(db, id, name):
    db["orders"][id]["name"] = name
    return db["orders"][id]
def cheapest(db): return min(db["orders"].values(), key=lambda order: order["total"])["id"]
"""
SIZES = {"10 KB": 10_000, "0.5 MB": 500_000, "2.8 MB": 2_800_000}


def environment(size: int) -> EnvironmentSpec:
    """An environment whose database has about that many bytes as JSON."""

    def order(number: int) -> dict[str, Any]:
        lines = [{"sku": f"S{number}-{line}", "count": line, "price": 9.5} for line in range(3)]
        return {"id": f"O{number}", "name": f"Customer {number}", "total": 10.5 + number, "paid": True, "lines": lines}

    count = max(20, size // len(json.dumps(order(1000))))
    parameters: dict[str, Any] = {"type": "object", "properties": {}}
    return EnvironmentSpec(
        domain="orders",
        now=datetime(2026, 1, 1),
        functions=[
            FunctionSpec(name=name, description=name, parameters=parameters, kind="write")
            for name in ("get", "rename", "cheapest")
        ],
        source=SOURCE,
        database={"orders": {f"O{n}": order(n) for n in range(count)}},
    )


def measured(sandbox: Sandbox, work: Callable[[int], list[Call]], repeats: int) -> tuple[float, float]:
    """CPU and wall milliseconds of one replay. Each repeat makes other calls, so that none is remembered."""
    sandbox.run(work(-1))
    started, used = time.perf_counter(), _cpu(sandbox)
    for number in range(repeats):
        if not sandbox.run(work(number)).ok:
            raise RuntimeError("a call of the benchmark failed")
    return (_cpu(sandbox) - used) / repeats * 1000, (time.perf_counter() - started) / repeats * 1000


def _cpu(sandbox: Sandbox) -> float:
    """CPU seconds of this process, the warm process, and every child that it has buried."""
    process = sandbox._template._process
    own = time.process_time()
    if process is None:
        return own
    with open(f"/proc/{process.pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return own + sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def reads(number: int, count: int) -> list[Call]:
    """Look-ups of single entries, none of which was made before."""
    return [Call(name="get", arguments={"id": f"O{n % 20}"}) for n in range(count - 1)] + [rename(number)]


def rename(number: int) -> Call:
    """A write that no other repeat makes."""
    return Call(name="rename", arguments={"id": "O1", "name": f"Name {number}"})


def scans(number: int, count: int) -> list[Call]:
    """Scans over the whole table."""
    return [Call(name="cheapest")] * (count - 1) + [rename(number)]


def main() -> None:
    """Print the table."""
    table = Table("database", "", "CPU ms", "wall ms", title="Sandbox (CPU: own and children)")
    for label, size in SIZES.items():
        spec = environment(size)
        began = time.perf_counter()
        with Sandbox(spec) as sandbox:
            sandbox.run([rename(0)])
            table.add_row(label, "start the warm process", "", f"{(time.perf_counter() - began) * 1000:.0f}")
            reset = measured(sandbox, lambda n: [rename(n)], 300)
            table.add_row("", "reset and one call", *map("{:.2f}".format, reset))
            batch = measured(sandbox, lambda n: reads(n, 20), 200)
            table.add_row("", "reset and 20 calls", *map("{:.2f}".format, batch))
            each = [(b - r) / 19 for b, r in zip(batch, reset, strict=True)]
            table.add_row("", "each further call", *map("{:.3f}".format, each))
            scanned = measured(sandbox, lambda n: scans(n, 20), 30)
            each = [(b - r) / 19 for b, r in zip(scanned, reset, strict=True)]
            table.add_row("", "each further scan", *map("{:.2f}".format, each))
            golden = sandbox.run(reads(0, 10))

            def verdict(number: int, sandbox: Sandbox = sandbox, golden: Any = golden) -> list[Call]:
                sandbox.run(reads(number, 11)).same_state(golden)
                return reads(number, 10)

            table.add_row("", "verdict: two replays of 10", *map("{:.2f}".format, measured(sandbox, verdict, 100)))
        table.add_section()
    Console().print(table)


if __name__ == "__main__":
    main()
