"""The warm process of one environment: database parsed, functions compiled, neither ever used here.

It reads the environment as JSON from its socket and answers ``{}`` or ``{"error": ...}``. From then on each byte on
standard input is a fork, and the child serves the trajectory that the socket tells of next (``trajectory``). It ends
when standard input does.

What a function returns may depend on addresses (``id``, ``repr``, the order of a set of objects), so every fork begins
with the same memory: nothing that varies reaches this process, and between two forks it does the same few things,
which leave no trace.
"""

import base64
import gc
import json
import os
import signal
import socket
import sys
import time
from datetime import datetime

from .access import Database
from .changes import Snapshots
from .clock import Chance
from .hidden import freeze_clocks, refuse_introspection
from .isolation import Filter, close_off, fix_addresses
from .modules import load_demanded, preload
from .rules import compiled as rules_compiled
from .serving import serve, write
from .trajectory import ServedCalls, receive, received

SOCKET = 1
"""The descriptor of the socket to the parent; standard input is 0."""


def main() -> None:
    """Serve forks until standard input ends."""
    if sys.platform == "linux":
        fix_addresses()
    parent = socket.socket(fileno=SOCKET)
    environment = json.loads(bytes(received(parent)))
    try:
        filter_ = None if environment["unsandboxed"] else Filter(base64.b64decode(environment["filter"]))
        # Appended, not inserted: found there last, so that nothing beside it can stand in for the standard library.
        sys.path.extend(environment["places"])
        preload(environment["modules"])
        time.tzset()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        sys.argv[:] = [""]
        code = compile(environment["source"], "functions.py", "exec", dont_inherit=True)
        rules = rules_compiled(environment["rules"])
        database = Database(environment["database"])
        snapshots = Snapshots(database)
        chance = Chance(environment["seed"])
        freeze_clocks(datetime.fromisoformat(environment["now"]))
        load_demanded()
        refuse_introspection()
    except Exception as error:
        parent.sendall(_complaint(error))
        return
    limits = environment["limits"]
    parent.sendall(b"{}\n")
    del environment
    gc.collect()
    gc.freeze()
    while os.read(0, 1):
        if os.fork() == 0:
            try:
                trajectory = receive(parent)
                _close_off_and_say_so(trajectory, limits["memory_bytes"], filter_)
                serve(code, rules, database, snapshots, chance, trajectory, limits)
            finally:
                os._exit(0)
        # One child at most: there is always one, so that no exception has to be made, and none but the last stays.
        os.waitpid(-1, os.WNOHANG)


def _close_off_and_say_so(trajectory: ServedCalls, memory_bytes: int, filter_: Filter | None) -> None:
    """Nothing of the environment runs before the parent has ``{}``; if it gets an error instead, nothing ever does."""
    try:
        close_off(trajectory.reply, trajectory.orders, memory_bytes, filter_)
    except Exception as error:
        write(_complaint(error))
        raise
    write(b"{}\n")


def _complaint(error: Exception) -> bytes:
    return json.dumps({"error": f"{type(error).__name__}: {error}"}).encode() + b"\n"


if __name__ == "__main__":
    main()
