"""Small environments for the tests: a source, whose functions are all offered, and a database."""

import ast
from datetime import datetime
from typing import Any

from toolscale.artifacts import Call, EnvironmentSpec, FunctionSpec

NOW = datetime(2026, 3, 14, 15, 9, 26)
TRAINS: dict[str, Any] = {
    "trains": {f"T{n}": {"id": f"T{n}", "price": 10.0 * n, "seats": n, "stops": ["Bern", "Chur"]} for n in range(1, 6)},
    "bookings": {"B1": {"id": "B1", "train_id": "T2", "paid": True}},
    "notices": ["no smoking"],
}


def world(source: str, database: dict[str, Any] | None = None, seed: int = 0) -> EnvironmentSpec:
    """An environment that offers every public top-level function of the source."""
    names = [node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return EnvironmentSpec(
        domain="trial",
        now=NOW,
        seed=seed,
        functions=[
            FunctionSpec(name=name, description=name, parameters={"type": "object", "properties": {}}, kind="write")
            for name in names
            if not name.startswith("_")
        ],
        source=source,
        database=TRAINS if database is None else database,
    )


def call(name: str, **arguments: Any) -> Call:
    """A call of that name."""
    return Call(name=name, arguments=arguments)
