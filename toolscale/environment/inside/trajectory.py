"""What a forked child is told: the calls of one trajectory, and the word that ends the reply to each.

Both lie in memory of their own, outside of Python's objects: what a call finds in memory depends on the calls before
it and not on those that follow, and no name leads to a word before the reply that it ends.
"""

import mmap
import os
import socket
from collections.abc import Iterator
from functools import partial
from typing import Any

WORD_BYTES = 16
"""Length of the word that the parent expects at the end of a reply. A newline follows it."""

_ROUNDED = 1 << 20


class ServedCalls:
    """The calls to serve. Not a dataclass: what it holds is taken out once, and must not be shown by anything."""

    __slots__ = ("count", "lines", "reply", "words")

    def __init__(self, reply: int, count: int, lines: Iterator[bytes], words: Iterator[bytes]) -> None:
        self.reply = reply
        self.count = count
        self.lines = [lines]
        self.words = [words]


def receive(parent: socket.socket) -> ServedCalls:
    """Read the next trajectory, and introduce this process: its pid and, where the system has them, a pidfd."""
    header, descriptors, _, _ = socket.recv_fds(parent, 16, 1)
    count, size = int.from_bytes(header[:8]), int.from_bytes(header[8:])
    words = _mapped(parent, count * (WORD_BYTES + 1))
    calls = _mapped(parent, size)
    _introduce(parent)
    return ServedCalls(descriptors[0], count, iter(calls.readline, b""), iter(partial(words.read, WORD_BYTES + 1), b""))


def received(parent: socket.socket) -> bytearray:
    """One message: eight bytes of length, then so many bytes."""
    content = bytearray(int.from_bytes(parent.recv(8, socket.MSG_WAITALL)))
    parent.recv_into(content, len(content), socket.MSG_WAITALL)
    return content


def _mapped(parent: socket.socket, size: int) -> mmap.mmap:
    memory = mmap.mmap(-1, size // _ROUNDED * _ROUNDED + _ROUNDED)
    # In one go, as the number of pieces in which a message comes would show in the memory.
    with memoryview(memory) as view:
        parent.recv_into(view, size, socket.MSG_WAITALL)
    return memory


def _introduce(parent: socket.socket) -> None:
    open_pidfd: Any = getattr(os, "pidfd_open", None)
    pid = os.getpid()
    message = pid.to_bytes(8)
    try:
        pidfd = open_pidfd(pid)
    except (OSError, TypeError):
        parent.sendall(message)
        return
    socket.send_fds(parent, [message], [pidfd])
    os.close(pidfd)
