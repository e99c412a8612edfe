"""What the tests of batches share: settings, calls, and a run as a process that can be killed.

Run as a program (`python -m tests.llm.batching URL STORE CALLS`) it asks for the answers and prints them.
"""

import asyncio
import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from toolscale.llm import Gateway
from toolscale.settings import Price, Settings
from toolscale.store import Store

MODEL = "openai/reference"
FOR: dict[str, Any] = {"stage": "subjects", "domain": "railway"}


def settings_for(url: str, **given: Any) -> Settings:
    """Every call of the stage `subjects` waits for a batch."""
    settings = {
        "default_model": MODEL,
        "default_api_base": url,
        "prices": {MODEL: Price(input=10, output=20)},
        "retry_seconds": 0.01,
        "batch_stages": ["subjects"],
        "batch_gather_seconds": 0.2,
        "batch_poll_seconds": 0.2,
        **given,
    }
    return Settings(**settings)


async def ask(gateway: Gateway, numbers: range, **more: Any) -> list[Any]:
    """What each call came to: its answer, or its exception."""
    asked = ([{"role": "user", "content": f"What comes after {n}?"}] for n in numbers)
    calls = (gateway.text("teacher", messages, **{**FOR, **more}) for messages in asked)
    return await asyncio.gather(*calls, return_exceptions=True)


@contextmanager
def answering(status: int, body: str, kind: str) -> Iterator[str]:
    """A server that answers everything alike; its base URL."""

    class Alike(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())

        do_POST = do_GET  # noqa: N815 - the library's name

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Alike) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


async def until(holds: Any) -> None:
    """Wait until something holds; a step of a test, so as long as a busy machine takes."""
    async with asyncio.timeout(60):
        while not holds():  # noqa: ASYNC110 - it comes about in another process, which sets no event
            await asyncio.sleep(0.02)


async def _main(url: str, database: str, calls: int) -> None:
    with Store(f"sqlite:///{Path(database)}") as store:
        async with Gateway(settings_for(url), store) as gateway:
            print("ready", flush=True)
            answers = await ask(gateway, range(calls))
    print(json.dumps([answer if isinstance(answer, str) else repr(answer) for answer in answers]), flush=True)


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
