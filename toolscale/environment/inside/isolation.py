"""Closing a process off: what is left is memory, a pipe to write to, and one that says how many calls there are."""

import ctypes
import io
import os
import resource
import sys
from typing import Any

REPLY = 3
"""The only descriptor that a closed-off process can write to."""

ORDERS = 4
"""The only one that it can read from: it says how many more calls are to be made."""

_NOBODY = 65534
_CPU_SECONDS = 60
_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 22, 38
_SIGKILL, _SECCOMP_MODE_FILTER = 9, 2
_STACK_BYTES = 8 << 20


class _Program(ctypes.Structure):
    """``struct sock_fprog`` of linux/filter.h."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


class Filter:
    """A seccomp filter that was made elsewhere, loaded in each child by two system calls."""

    def __init__(self, code: bytes) -> None:
        self._code = ctypes.create_string_buffer(code)
        self._program = _Program(len(code) // 8, ctypes.addressof(self._code))

    def load(self) -> None:
        """From here on every other system call fails with EPERM."""
        _prctl(_PR_SET_NO_NEW_PRIVS, 1)
        _prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(self._program))


def close_off(reply: int, orders: int, memory_bytes: int, filter_: Filter | None) -> None:
    """Give up everything but memory and two pipes, which become ``REPLY`` and ``ORDERS``. There is no way back."""
    if orders == REPLY:
        orders = os.dup(orders)
    os.dup2(reply, REPLY)
    os.dup2(orders, ORDERS)
    os.closerange(0, REPLY)
    os.closerange(ORDERS + 1, 4096)
    system: Any = sys
    system.stdin = system.__stdin__ = io.StringIO()
    system.stdout = system.stderr = system.__stdout__ = system.__stderr__ = _Nowhere()
    for limit, value in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_CPU, _CPU_SECONDS),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, ORDERS + 1),
        (resource.RLIMIT_NPROC, 0),
    ):
        hard = resource.getrlimit(limit)[1]
        lowest = value if hard == resource.RLIM_INFINITY else min(value, hard)
        try:
            resource.setrlimit(limit, (lowest, lowest))
        except ValueError:
            # Systems other than Linux do not have all of them; there, somebody has asked to run without isolation.
            if filter_ is not None:
                raise
    if os.getuid() == 0:
        try:
            os.setgroups([])
            os.setgid(_NOBODY)
            os.setuid(_NOBODY)
        except PermissionError:
            # Root of a container without CAP_SETUID: the filter below is what protects then.
            pass
    if filter_ is not None:
        _prctl(_PR_SET_PDEATHSIG, _SIGKILL)
        filter_.load()


def fix_addresses() -> None:
    """Start this process again without address randomization and with a stack of fixed size, where the system allows.

    ``id``, ``repr``, ``hash(None)`` and the order of a set of plain objects follow from addresses, and these from where
    the kernel begins to map memory: under the largest stack that the process might get.
    """
    unrandomized, query = 0x0040000, 0xFFFFFFFF
    current = _libc.personality(ctypes.c_ulong(query))
    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
    stack = (_STACK_BYTES if hard == resource.RLIM_INFINITY else min(_STACK_BYTES, hard), hard)
    if current == -1 or (current & unrandomized and resource.getrlimit(resource.RLIMIT_STACK) == stack):
        return
    if _libc.personality(ctypes.c_ulong(current | unrandomized)) == -1:
        return
    resource.setrlimit(resource.RLIMIT_STACK, stack)
    os.execv(sys.executable, sys.orig_argv)


class _Nowhere(io.TextIOBase):
    """Where prints go."""

    def write(self, text: str) -> int:
        return len(text)


def _prctl(option: int, value: Any, extra: Any = 0) -> None:
    if _libc.prctl(option, value, extra, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl({option}) failed")


_libc: Any = ctypes.CDLL(None, use_errno=True)
