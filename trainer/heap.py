"""Memory of a CPU that is free, and that its process holds on to all the same."""

import ctypes


def trim() -> None:
    """Give what is free back to the system; elsewhere than on glibc nothing happens.

    glibc keeps freed activations of a small model in heaps for others of their size. Micro-batches are of many lengths,
    so that gigabytes gather there, which an engine beside the trainer cannot have.
    """
    if trims := getattr(ctypes.CDLL(None), "malloc_trim", None):
        trims(0)
