"""The seccomp filter of the sandbox: which system calls are left to a closed-off process."""

import os
from functools import cache

from toolscale.environment.inside.isolation import ORDERS, REPLY

_HARMLESS = ("munmap", "brk", "mremap", "madvise", "futex", "rt_sigreturn", "exit", "exit_group")
_PROT_EXEC = 4
_REFUSED = 1  # EPERM


@cache
def filter_program() -> bytes:
    """The filter as the kernel takes it; made here once, so that a template holds nothing that it was made with.

    Raises ImportError, OSError or RuntimeError where pyseccomp or libseccomp is missing or too old.
    """
    import pyseccomp as seccomp

    rules = seccomp.SyscallFilter(seccomp.ERRNO(_REFUSED))
    for name in _HARMLESS:
        rules.add_rule(seccomp.ALLOW, name)
    rules.add_rule(seccomp.ALLOW, "write", seccomp.Arg(0, seccomp.EQ, REPLY))
    rules.add_rule(seccomp.ALLOW, "read", seccomp.Arg(0, seccomp.EQ, ORDERS))
    rules.add_rule(seccomp.ALLOW, "mmap", seccomp.Arg(2, seccomp.MASKED_EQ, _PROT_EXEC, 0))
    # Python takes the clock for chance where the system refuses it.
    rules.add_rule(seccomp.KILL_PROCESS, "getrandom")
    with open(os.memfd_create("filter"), "w+b") as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()
