"""A lock that its process holds, and that the kernel lets go of however that ends."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a file or folder that is there, for as long as the block lasts.

    Raises:
        BlockingIOError: somebody else holds it.
        OSError: it is not there any more, or lies where nothing can be locked.
    """
    opened = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)  # NFS locks nothing that cannot be written.
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(opened)
