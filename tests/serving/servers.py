"""What the tests of every door serve: an application on a port of its own, and users whom a script plays."""

import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.exchange.world import FINE, WORLD
from toolscale.episodes.user import DONE
from toolscale.serving.sessions import Sessions
from toolscale.serving.tasks import ServedTasks
from toolscale.serving.users import ServedUsers, user_settings


@contextmanager
def running(application: Any) -> Iterator[str]:
    """The address of an application that is served."""
    uvicorn = pytest.importorskip("uvicorn")
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(application, log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        while not server.started:
            time.sleep(0.05)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(20)


def break_off(url: str, path: str, *headers: str) -> None:
    """Begin a request with a body, and be gone before its end."""
    host, port = url.removeprefix("http://").split(":")
    head = [f"POST {path} HTTP/1.1", f"Host: {host}", "Content-Type: application/json", "Content-Length: 100", *headers]
    with socket.create_connection((host, int(port)), timeout=60) as sent:
        sent.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # reset, not closed
        sent.sendall("\r\n".join([*head, "", '{"half']).encode())


def talking(*lines: str) -> Callable[[dict[str, Any]], str]:
    """A user by the number of things that they have said, who is done after the last."""

    def behaviour(request: dict[str, Any]) -> str:
        said = sum(message["role"] == "assistant" for message in request["messages"])
        return (*lines, DONE)[min(said, len(lines))]

    return behaviour


def hotel(model: str, most: int = 8, **budget: Any) -> tuple[ServedUsers, Sessions]:
    """Sessions of the hotel whose users the model at an address plays, and these users; wants `user_may_be_asked`."""
    users = ServedUsers(user_settings("openai/user", model, **budget))
    return users, Sessions(ServedTasks([("train", FINE, WORLD)]), most=most, idle_seconds=900, users=users)
