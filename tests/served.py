"""`toolscale serve-offline` as a real process, and a client that forgives nothing."""

import http.client
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import openai


class Server:
    """A running server."""

    def __init__(self, process: subprocess.Popen[str], url: str) -> None:
        self.process, self.url = process, url
        self.port = urlsplit(url).port

    def client(self, key: str = "none") -> openai.OpenAI:
        return openai.OpenAI(base_url=self.url, api_key=key, max_retries=0, timeout=10)

    def post(self, body: dict | bytes, path: str = "/v1/chat/completions", timeout: float = 5):
        """Status, headers and body of a response, read by a client that forgives nothing."""
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request("POST", path, sent, {"Content-Type": "application/json"})
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        finally:
            connection.close()

    def get(self, path: str):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()

    def stats(self):
        return self.get("/stats")[1]


def start(*options: str, **environment: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "toolscale.cli", "serve-offline", "--port", "0", *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **environment})


@contextmanager
def serving(*options: str, **environment: str) -> Iterator[Server]:
    process = start(*options, **environment)
    try:
        yield Server(process, process.stdout.readline().strip())
    finally:
        if process.poll() is None:
            process.terminate()
        assert process.wait(timeout=10) == 0


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)
