"""CPU per call of the gateway: ``python benchmarks/gateway.py``.

A provider in this process answers at once, so what is left is the gateway's own path: hash, cache look-up, litellm,
ledger. Messages and tools have the size of an agent's in the middle of an episode. One line for calls that are made,
one for the same calls answered from the cache, one for litellm alone.
"""

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from typing import Any

from toolscale.llm import PROVIDERS, Gateway
from toolscale.llm.providers import litellm, ready_for
from toolscale.settings import Settings
from toolscale.store import Store

MODEL = "echo/benchmark"
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": f"find_train_{number}",
            "description": "Trains between two stations on a day, cheapest first, with seats left in each class.",
            "parameters": {
                "type": "object",
                "properties": {name: {"type": "string"} for name in ("origin", "destination", "day")},
                "required": ["origin", "destination"],
            },
        },
    }
    for number in range(16)
]


def conversation(number: int) -> list[dict[str, Any]]:
    """About 5 KB: a policy, a request, and four calls with their results."""
    turns: list[dict[str, Any]] = [
        {"role": "system", "content": "Look before you book; never change a ticket that was not asked for. " * 40},
        {"role": "user", "content": f"Request {number}: the earliest train from Leeds to York, second class, please."},
    ]
    for turn in range(4):
        call = {"id": f"c{turn}", "type": "function", "function": {"name": "find_train_1", "arguments": "{}"}}
        turns.append({"role": "assistant", "content": None, "tool_calls": [call]})
        turns.append({"role": "tool", "tool_call_id": f"c{turn}", "content": '{"train": "1E02", "seats": 14}' * 10})
    return turns


def __getattr__(name: str) -> Any:
    """``PROVIDER``, made when first asked for: the class needs litellm, which the registry imports lazily."""
    if name != "PROVIDER":
        raise AttributeError(name)
    library = litellm()

    class Echo(library.CustomLLM):  # type: ignore[name-defined,misc]
        async def acompletion(self, *, messages: list[Any], model_response: Any, **_: Any) -> Any:
            model_response.choices[0].message.content = f"{len(messages)} messages"
            model_response.usage = library.Usage(prompt_tokens=1000, completion_tokens=2, total_tokens=1002)
            return model_response

    return Echo()


async def cpu_per_call(make: Callable[[int], Awaitable[Any]], calls: int, at_once: int) -> dict[str, float]:
    """Milliseconds of CPU (all threads) and of wall time, each call."""
    numbers = iter(range(calls))

    async def caller() -> None:
        for number in numbers:
            await make(number)

    cpu, wall = time.process_time(), time.perf_counter()
    await asyncio.gather(*[caller() for _ in range(at_once)])
    return {
        "cpu_ms": round(1e3 * (time.process_time() - cpu) / calls, 3),
        "wall_ms": round(1e3 * (time.perf_counter() - wall) / calls, 3),
    }


async def main(calls: int, at_once: int) -> None:
    """Print a line for each path."""
    PROVIDERS["echo"] = f"{__name__}:PROVIDER"
    library = ready_for(MODEL)
    with tempfile.TemporaryDirectory() as folder, Store(f"sqlite:///{folder}/benchmark.db") as store:
        gateway = Gateway(Settings(default_model=MODEL, max_in_flight=at_once), store)

        async def through_gateway(number: int) -> None:
            await gateway.chat("agent", conversation(number), TOOLS, stage="benchmark", domain="railway")

        async def through_litellm(number: int) -> None:
            await library.acompletion(
                model=MODEL, messages=conversation(number), tools=TOOLS, seed=0, _skip_mcp_handler=True
            )

        await through_gateway(-1)
        for name, make in (
            ("uncached", through_gateway),
            ("cached", through_gateway),
            ("litellm alone", through_litellm),
        ):
            print(json.dumps({"path": name, "calls": calls, **await cpu_per_call(make, calls, at_once)}), flush=True)


if __name__ == "__main__":
    asyncio.run(main(calls=int(sys.argv[1]) if len(sys.argv) > 1 else 2000, at_once=64))
