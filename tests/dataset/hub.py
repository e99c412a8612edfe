"""The test Hub as a process, and what tests ask of it."""

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]


class Hub:
    def __init__(self, address: str):
        self.address = address

    def fails(self, route: str, status: int, message: str = "made to fail", times: int = 10**9) -> None:
        """The next `times` requests whose `METHOD path` contains `route` are refused."""
        body = json.dumps({"route": route, "status": status, "message": message, "times": times}).encode()
        urllib.request.urlopen(urllib.request.Request(f"{self.address}/_fault", body, method="POST")).close()

    def requests(self) -> list[str]:
        with urllib.request.urlopen(f"{self.address}/_requests") as answer:
            return json.load(answer)


@contextmanager
def hub() -> Iterator[Hub]:
    process = subprocess.Popen([sys.executable, "-m", "tests.hub_server"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        yield Hub(process.stdout.readline().strip())
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
