"""The warm process of one environment: database parsed, functions compiled, neither ever used here.

It reads the environment as JSON on standard input and answers ``{}`` or ``{"error": ...}`` on its socket. From then on
each request is one trajectory: a length and the reply pipe, then the calls as JSON. It forks and answers with the
child's pid and, where the system has them, a pidfd. It ends when the socket does.
"""

import gc
import json
import os
import signal
import socket
import sys
import time
from contextlib import suppress
from datetime import datetime
from typing import Any

from .access import Database
from .changes import Snapshots
from .clock import Chance, freeze
from .isolation import Filter, close_off, fix_addresses
from .modules import load_demanded, preload
from .rules import compiled as rules_compiled
from .serving import serve, write


def main() -> None:
    """Serve forks on the socket whose descriptor is the first argument."""
    if sys.platform == "linux":
        fix_addresses()
    parent = socket.socket(fileno=int(sys.argv[1]))
    environment = json.load(sys.stdin)
    try:
        # Appended, not inserted: found there last, so that nothing beside it can stand in for the standard library.
        sys.path.append(environment["pyseccomp"])
        sys.path.extend(environment["places"])
        filter_ = None if environment["unsandboxed"] else Filter()
    except Exception as error:
        parent.sendall(json.dumps({"error": f"{type(error).__name__}: {error}"}).encode() + b"\n")
        return
    preload(environment["modules"])
    time.tzset()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.argv[:] = [""]
    code = compile(environment["source"], "functions.py", "exec", dont_inherit=True)
    rules = rules_compiled(environment["rules"])
    database = Database(environment["database"])
    snapshots = Snapshots(database)
    chance = Chance(environment["seed"])
    freeze(datetime.fromisoformat(environment["now"]))
    load_demanded()
    limits = environment["limits"]
    parent.sendall(b"{}\n")
    del environment
    gc.collect()
    gc.freeze()
    while (request := _receive(parent)) is not None:
        payload, reply = request
        _reap()
        pid = os.fork()
        if pid == 0:
            try:
                _close_off_and_say_so(reply, limits["memory_bytes"], filter_)
                serve(code, rules, database, snapshots, chance, json.loads(payload), limits["reply_bytes"])
            finally:
                os._exit(0)
        os.close(reply)
        _introduce(parent, pid)


def _close_off_and_say_so(reply: int, memory_bytes: int, filter_: Filter | None) -> None:
    """Nothing of the environment runs before the parent has ``{}``; if it gets an error instead, nothing ever does."""
    try:
        close_off(reply, memory_bytes, filter_)
    except Exception as error:
        write(json.dumps({"error": f"{type(error).__name__}: {error}"}).encode())
        raise
    write(b"{}")


def _receive(parent: socket.socket) -> tuple[bytearray, int] | None:
    header, descriptors, _, _ = socket.recv_fds(parent, 8, 1)
    if not header:
        return None
    payload = bytearray(int.from_bytes(header))
    view = memoryview(payload)
    while view:
        got = parent.recv_into(view)
        if not got:
            return None
        view = view[got:]
    return payload, descriptors[0]


def _reap() -> None:
    """Bury the children that have ended. Only here, so that a pid stays theirs until its pidfd is made."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _introduce(parent: socket.socket, pid: int) -> None:
    open_pidfd: Any = getattr(os, "pidfd_open", None)
    message = [pid.to_bytes(8)]
    try:
        pidfd = open_pidfd(pid)
    except (OSError, TypeError):
        parent.sendall(message[0])
        return
    socket.send_fds(parent, message, [pidfd])
    os.close(pidfd)


if __name__ == "__main__":
    main()
