"""The processes behind a sandbox: one template, and a child for each trajectory."""

import base64
import importlib.util
import json
import os
import secrets
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from toolscale.artifacts import EnvironmentSpec
from toolscale.environment.inside.modules import demanded
from toolscale.environment.inside.trajectory import ORDER_BYTES, WORD_BYTES, WORDS_SIZE
from toolscale.environment.reply import BrokenProtocolError
from toolscale.environment.system_calls import filter_program
from toolscale.errors import UserError
from toolscale.terminal import say

ALLOW_UNSANDBOXED = "TOOLSCALE_ALLOW_UNSANDBOXED"
"""Set to 1 to run functions where the system cannot isolate them. They can then do whatever you can."""

_ENVIRONMENT_VARIABLES = {
    "LC_CTYPE": "C.UTF-8",
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
    "TZ": "UTC0",
}
"""All that a template inherits: no secrets, and nothing that would make two runs differ."""

_VARIABLES_OF_ADDED_MODULES = {
    "OPENBLAS_NUM_THREADS": "1",
    "PYDANTIC_DISABLE_PLUGINS": "__all__",
    "PYDANTIC_ERRORS_INCLUDE_URL": "0",
}
"""Beside them where more than the standard library is loaded: a fork has none of numpy's threads, and what pydantic
does must not differ with what else is installed, nor what it says with its version."""

_HERE = Path(__file__).parent
_PYTHON = (sys.executable, "-s", "-S")
_CHUNK = 1 << 16
_LEAST_ROOM = 1 << 20
_START_SECONDS = 60.0


class Template:
    """The warm process of one environment, started at first use and again if it was lost."""

    def __init__(self, spec: EnvironmentSpec, limits: Mapping[str, int], modules: Sequence[str]) -> None:
        modules = [*modules, *demanded(spec.source), *demanded(spec.rules)]
        self._name = spec.domain
        self._unsandboxed = os.environ.get(ALLOW_UNSANDBOXED) == "1"
        self._environment = {
            "source": spec.source,
            "rules": spec.rules,
            "database": spec.database,
            "now": spec.now.isoformat(),
            "seed": spec.seed,
            "limits": dict(limits),
            "unsandboxed": self._unsandboxed,
            "modules": sorted({*modules}),
            "places": sorted({_folder_of(name.partition(".")[0]) for name in modules} - {""}),
        }
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._socket: socket.socket | None = None

    def close(self) -> None:
        """End the process; it ends by itself when its socket does."""
        with self._lock:
            self._stop()

    @property
    def pid(self) -> int | None:
        """The warm process's, if it runs."""
        return self._process.pid if self._process else None

    def fork(self, room: int) -> "Child":
        """A child that waits to be told of calls; the caller closes it.

        Args:
            room: bytes that its calls will have, a line each; a megabyte is always there.

        Raises:
            UserError: it cannot be isolated, or the machine has no more processes.
        """
        room = -(-max(room, 1) // _LEAST_ROOM) * _LEAST_ROOM
        with self._lock:
            try:
                child = self._request(room)
            except (OSError, EOFError):
                # The system may have killed the template (out of memory); an environment keeps nothing there.
                self._stop()
                child = self._second_request(room)
        try:
            self._check_closed_off(child)
        except BaseException:
            child.close()
            raise
        return child

    def _request(self, room: int) -> "Child":
        template = self._socket or self._start()
        assert self._process is not None
        assert self._process.stdin is not None
        with ExitStack() as given, ExitStack() as kept:
            replies, reply = os.pipe()
            order, orders = os.pipe()
            memory = _memory(WORDS_SIZE + room)
            for theirs in (reply, order):
                given.callback(os.close, theirs)
            for ours in (replies, orders, memory):
                kept.callback(os.close, ours)
            os.write(self._process.stdin.fileno(), b".")
            socket.send_fds(template, [room.to_bytes(8)], [reply, order, memory])
            message, descriptors, _, _ = socket.recv_fds(template, 8, 1)
            if len(message) != 8:
                raise EOFError
            kept.pop_all()
            return Child(replies, orders, memory, room, int.from_bytes(message), *descriptors)

    def _second_request(self, room: int) -> "Child":
        try:
            return self._request(room)
        except (OSError, EOFError) as error:
            raise UserError(
                f"the sandbox's process of `{self._name}` was lost twice ({type(error).__name__}: {error}); "
                "the machine may be out of memory or of processes"
            ) from None

    def _check_closed_off(self, child: "Child") -> None:
        try:
            message = child.read_line(_START_SECONDS, _CHUNK)
        except TimeoutError:
            raise _too_slow(self._name) from None
        except (EOFError, BrokenProtocolError):
            message = b'{"error": "it did not start"}'
        if error := json.loads(message).get("error"):
            raise UserError(_refusal(self._name, error))

    def _start(self) -> socket.socket:
        if sys.platform != "linux" and not self._unsandboxed:
            raise UserError(_refusal(self._name, f"{sys.platform} has no seccomp"))
        if self._unsandboxed:
            say(
                f"toolscale: warning: {ALLOW_UNSANDBOXED}=1: the functions of `{self._name}` run without isolation",
                error=True,
            )
        try:
            program = b"" if self._unsandboxed else filter_program()
        except Exception as error:
            raise UserError(_refusal(self._name, f"{type(error).__name__}: {error}")) from None
        ours, theirs = socket.socketpair()
        with theirs:
            # Nothing here may differ between two starts: addresses would, and with them what a function may return.
            self._process = subprocess.Popen(
                [*_PYTHON, "-m", "inside.template"],
                stdin=subprocess.PIPE,
                stdout=theirs.fileno(),
                stderr=subprocess.DEVNULL,
                cwd=_HERE,
                env={**_ENVIRONMENT_VARIABLES, **(_VARIABLES_OF_ADDED_MODULES if self._environment["modules"] else {})},
            )
        ours.settimeout(_START_SECONDS)
        self._socket = ours
        environment = json.dumps({**self._environment, "filter": base64.b64encode(program).decode()}).encode()
        try:
            ours.sendall(len(environment).to_bytes(8) + environment)
            answer = ours.recv(_CHUNK)
        except TimeoutError:
            self._stop()
            raise _too_slow(self._name) from None
        except OSError:
            answer = b""
        if not answer:  # once in many thousand starts on a busy machine; what cannot start at all says why
            self._stop()
            raise EOFError("it ended before it had started")
        if complaint := json.loads(answer).get("error"):
            self._stop()
            raise UserError(_refusal(self._name, complaint))
        return ours

    def _stop(self) -> None:
        if self._socket is not None:
            self._socket.close()
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            try:
                self._process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._socket = self._process = None


class Child:
    """One closed-off process: the calls that it is told of, what it writes, and the power to end it."""

    def __init__(self, replies: int, orders: int, memory: int, room: int, pid: int, pidfd: int | None = None) -> None:
        self.bytes_read = 0
        self.pid = pid
        self._replies, self._orders, self._memory, self._pidfd = replies, orders, memory, pidfd
        self._room = room
        self._told = self._words_told = 0
        self._buffer = bytearray()
        self._poll = select.poll()
        self._poll.register(replies, select.POLLIN)

    def tell(self, lines: Sequence[bytes]) -> list[bytes]:
        """Have calls made, one after the other; what the reply to each must end with.

        Raises EOFError where the child is gone, or has no room for so many more.
        """
        drawn = secrets.token_hex(len(lines) * WORD_BYTES // 2).encode()
        words = [drawn[start : start + WORD_BYTES] for start in range(0, len(drawn), WORD_BYTES)]
        told, said = b"".join(lines), b"".join(word + b"\n" for word in words)
        if self._told + len(told) > self._room or self._words_told + len(said) > WORDS_SIZE:
            raise EOFError
        self._told += os.pwrite(self._memory, told, WORDS_SIZE + self._told)
        self._words_told += os.pwrite(self._memory, said, self._words_told)
        try:
            os.write(self._orders, b"%0*d" % (ORDER_BYTES, len(lines)))
        except BrokenPipeError:
            raise EOFError from None
        return words

    @property
    def is_quiet(self) -> bool:
        """Whether it is there, and has said nothing beside its replies."""
        return not self._buffer and not self._poll.poll(0)

    def read_line(self, seconds: float, max_bytes: int) -> bytes:
        """The next line.

        Raises TimeoutError when it is not complete in time, EOFError when the child is gone, BrokenProtocolError when
        the line is too long.
        """
        deadline = time.monotonic() + seconds
        searched = 0
        while (end := self._buffer.find(b"\n", searched)) < 0:
            searched = len(self._buffer)
            if searched > max_bytes + _CHUNK:
                raise BrokenProtocolError(
                    f"a reply, with the records that it changed, has more than {max_bytes:,} bytes"
                )
            self._read_more(deadline)
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return line

    def close(self) -> None:
        """End the process, if it has not ended, and let go of it."""
        with suppress(ProcessLookupError):
            if self._pidfd is None:
                os.kill(self.pid, signal.SIGKILL)
            else:
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
        for descriptor in (self._replies, self._orders, self._memory, self._pidfd):
            if descriptor is not None:
                os.close(descriptor)

    def _read_more(self, deadline: float) -> None:
        left = max(0.0, deadline - time.monotonic())
        if not self._poll.poll(left * 1000):
            raise TimeoutError
        chunk = os.read(self._replies, _CHUNK)
        if not chunk:
            raise EOFError
        self._buffer += chunk
        self.bytes_read += len(chunk)


def _memory(size: int) -> int:
    """A descriptor of so much memory that both sides see."""
    if hasattr(os, "memfd_create"):
        memory = os.memfd_create("calls")
    else:
        with tempfile.TemporaryFile() as file:
            memory = os.dup(file.fileno())
    os.ftruncate(memory, size)
    return memory


def _folder_of(module: str) -> str:
    """Where this process would import a module from; empty if from nowhere. The template has no PYTHONPATH."""
    found = importlib.util.find_spec(module)
    if found is None or not found.origin or found.origin in ("built-in", "frozen"):
        return ""
    file = Path(found.origin)
    return str(file.parent.parent if found.submodule_search_locations else file.parent)


def _too_slow(name: str) -> UserError:
    return UserError(
        f"the sandbox of `{name}` did not start within {_START_SECONDS:g} seconds: the machine is too busy; "
        "run less at once, then run this again"
    )


def _refusal(name: str, reason: str) -> str:
    return (
        f"cannot isolate the functions of `{name}`: {reason}. Run in a Linux container with libseccomp "
        f"(docker run -it -v $PWD:/work -w /work python:3.11 bash; apt-get install -y libseccomp2), "
        f"or set {ALLOW_UNSANDBOXED}=1 to run them without isolation"
    )
