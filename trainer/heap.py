"""What a process keeps of the CPU's memory that it has freed."""

import ctypes
import os
import re

# glibc's mallopt and malloc.h; its numbers are ints, so none is larger.
TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
LARGEST = 2**31 - 1
THRESHOLDS = re.compile(r"mmap_threshold|trim_threshold", re.IGNORECASE)
"""In the names of `MALLOC_MMAP_THRESHOLD_` and the like, and of the same in GLIBC_TUNABLES."""


def keep_freed() -> None:
    """Keep it for the next micro-batch; elsewhere than on glibc nothing happens, nor where the environment sets when.

    Else glibc hands a freed activation of some size back to the system, which clears each page before the next one
    has it: a fifth of an update of a small model. What the process has of memory at its most rises by a tenth.
    """
    if any(THRESHOLDS.search(each) for each in (*os.environ, os.environ.get("GLIBC_TUNABLES", ""))):
        return
    if tunes := getattr(ctypes.CDLL(None), "mallopt", None):
        tunes(TRIM_THRESHOLD, LARGEST)
        tunes(MMAP_THRESHOLD, LARGEST)
