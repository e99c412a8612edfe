"""What a forked child is told: the calls of one trajectory, as they come, and the word that ends the reply to each.

Both lie in memory that the parent writes to, outside of Python's objects: what a call finds in memory depends on the
calls before it, not on those that follow or on when these were given, and no name leads to a word before the reply that
it ends. What comes on ``ORDERS`` says how many more calls are there.
"""

import mmap
import os
import socket
from collections.abc import Iterator
from functools import partial
from itertools import chain, repeat
from typing import Any

from .isolation import ORDERS

WORD_BYTES = 16
"""Length of the word that the parent expects at the end of a reply. A newline follows it."""

ORDER_BYTES = 8
"""Length of an order: so many more calls are there, in digits."""

WORDS_SIZE = 1 << 20
"""Bytes at the beginning of the memory that are for words; the rest is for the calls, a line each."""


class ServedCalls:
    """The calls to serve. Not a dataclass: what it holds is taken out once, and must not be shown by anything."""

    __slots__ = ("lines", "orders", "reply", "words")

    def __init__(self, reply: int, orders: int, lines: Iterator[bytes], words: Iterator[bytes]) -> None:
        self.reply = reply
        self.orders = orders
        self.lines = [lines]
        self.words = [words]


def receive(parent: socket.socket) -> ServedCalls:
    """Be told of the next trajectory, and introduce this process: its pid and, where the system has them, a pidfd."""
    size, (reply, orders, memory), _, _ = socket.recv_fds(parent, 8, 3)
    words = _mapped(memory, 0, WORDS_SIZE)
    calls = _mapped(memory, WORDS_SIZE, int.from_bytes(size))
    os.close(memory)
    _introduce(parent)
    return ServedCalls(reply, orders, iter(calls.readline, b""), iter(partial(words.read, WORD_BYTES + 1), b""))


def orders() -> Iterator[None]:
    """One for each call, when it is there; ends when there will be none."""
    told = iter(partial(os.read, ORDERS, ORDER_BYTES), b"")
    return chain.from_iterable(map(repeat, repeat(None), map(int, told)))


def received(parent: socket.socket) -> bytearray:
    """One message: eight bytes of length, then so many bytes."""
    content = bytearray(int.from_bytes(parent.recv(8, socket.MSG_WAITALL)))
    parent.recv_into(content, len(content), socket.MSG_WAITALL)
    return content


def _mapped(memory: int, start: int, size: int) -> mmap.mmap:
    return mmap.mmap(memory, size, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ, offset=start)


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
