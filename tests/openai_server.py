"""A real OpenAI-compatible server for tests: its behaviour is a function from a request to an assistant message.

    with OpenAIServer(lambda request: "hello") as server:
        Settings(default_model="openai/anything", default_api_base=server.url)

Faults are queued: ``server.faults.extend([500, 429])`` fails the next two requests; ``Fault(...)`` says more.
"""

import json
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Behaviour = Callable[[dict[str, Any]], str | dict[str, Any]]
"""The request's JSON -> the message's text, or a whole assistant message (``content``, ``tool_calls``, ``refusal``)."""


@dataclass(frozen=True)
class Fault:
    """What the server does instead of answering."""

    status: int = 500
    body: str = json.dumps({"error": {"message": "made to fail", "type": "server_error", "code": None}})
    seconds: float = 0.0
    """Wait before answering at all."""


MALFORMED = Fault(status=200, body='{"choices": [{"mess')
EMPTY = Fault(status=200, body='{"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": []}')


@dataclass
class OpenAIServer:
    """Serves ``/v1/chat/completions`` on a free port of this machine for as long as the ``with`` block lasts."""

    behaviour: Behaviour
    key: str | None = None
    """The only key that is accepted; any if None."""
    seconds: float = 0.0
    """How long each answer takes."""
    requests: list[dict[str, Any]] = field(default_factory=list)
    """Every request that arrived, failed ones too."""
    faults: deque[Fault | int] = field(default_factory=deque)
    most_at_once: int = 0

    def __enter__(self) -> Self:
        self._lock, self._at_once = threading.Lock(), 0
        self._http = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"server_of_tests": self}))
        self.url = f"http://127.0.0.1:{self._http.server_port}/v1"
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    def respond(self, request: dict[str, Any], authorization: str) -> tuple[int, str]:
        """Status and body for one request."""
        with self._lock:
            self.requests.append(request)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            fault = self.faults.popleft() if self.faults else None
        try:
            return self._answer(request, authorization, fault)
        finally:
            with self._lock:
                self._at_once -= 1

    def _answer(self, request: dict[str, Any], authorization: str, fault: Fault | int | None) -> tuple[int, str]:
        if self.key is not None and authorization != f"Bearer {self.key}":
            said = f"Incorrect API key provided: {authorization.removeprefix('Bearer ')}."
            return 401, json.dumps({"error": {"message": said, "type": "invalid_request_error", "code": None}})
        if fault is not None:
            fault = Fault(status=fault) if isinstance(fault, int) else fault
            time.sleep(fault.seconds)
            return fault.status, fault.body
        time.sleep(self.seconds)
        answer = self.behaviour(request)
        return 200, json.dumps(completion(request, {"content": answer} if isinstance(answer, str) else answer))


def completion(request: dict[str, Any], message: dict[str, Any]) -> dict[str, Any]:
    """The response's JSON; a token is four characters, of the tools as of the messages."""
    sent = [request["messages"], *([request["tools"]] if request.get("tools") else [])]
    prompt, said = sum(len(json.dumps(each)) for each in sent) // 4, len(json.dumps(message)) // 4
    reason = message.pop("finish_reason", "tool_calls" if message.get("tool_calls") else "stop")
    return {
        "id": "chatcmpl-test",
        "object": "chat.completion",
        "created": 1700000000,
        "model": request["model"],
        "choices": [
            {"index": 0, "finish_reason": reason, "message": {"role": "assistant", "content": None, **message}}
        ],
        "usage": {"prompt_tokens": prompt, "completion_tokens": said, "total_tokens": prompt + said},
    }


def tool_call(name: str, arguments: str, call_id: str = "call_1") -> dict[str, Any]:
    """A tool call as it stands in an assistant message."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: a client that hangs up on a slow answer is part of many tests."""


class _Handler(BaseHTTPRequestHandler):
    server_of_tests: OpenAIServer
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self.path.endswith("/chat/completions"):
            status, body = 404, json.dumps({"error": {"message": f"no such route: {self.path}"}})
        else:
            status, body = self.server_of_tests.respond(request, self.headers.get("Authorization", ""))
        sent = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the tests read `requests`."""
