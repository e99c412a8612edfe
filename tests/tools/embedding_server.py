"""An OpenAI-compatible `/embeddings` server whose vectors say which words a text has: deterministic, and no model."""

import hashlib
import json
import re
import threading
from collections import deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import numpy as np

DIMENSION = 64


def hashed(text: str, dimension: int = DIMENSION) -> list[float]:
    """A bag of words: each word counts at the place that its hash names."""
    vector = np.zeros(dimension)
    for word in re.findall(r"\w+", text.lower()):
        vector[int.from_bytes(hashlib.sha256(word.encode()).digest()[:4]) % dimension] += 1
    return [float(each) for each in vector]


@dataclass
class EmbeddingServer:
    """Serves `/v1/embeddings` on a free port of this machine for as long as the block lasts."""

    dimension: int = DIMENSION
    requests: list[dict[str, Any]] = field(default_factory=list)
    answers: deque[tuple[int, Any]] = field(default_factory=deque)
    """Status and body of the next answers, where they shall be other than right."""

    def __enter__(self) -> Self:
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"server_of_tests": self}))
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_port}/v1"
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    def answer(self, request: dict[str, Any]) -> tuple[int, Any]:
        self.requests.append(request)
        if self.answers:
            return self.answers.popleft()
        listed = [
            {"object": "embedding", "index": index, "embedding": hashed(text, self.dimension)}
            for index, text in enumerate(request["input"])
        ]
        tokens = sum(len(text.split()) for text in request["input"])
        # Backwards: the index says which text a vector belongs to, not its place.
        return 200, {"object": "list", "data": listed[::-1], "model": "m", "usage": {"prompt_tokens": tokens}}


class _Handler(BaseHTTPRequestHandler):
    server_of_tests: EmbeddingServer
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status, body = self.server_of_tests.answer(request) if self.path.endswith("/embeddings") else (404, {})
        sent = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the tests read `requests`."""
