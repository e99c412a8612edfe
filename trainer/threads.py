"""How OpenMP's threads behave where a trainer and its engine share a machine: read once, when torch is imported."""

import os

TAKE_TURNS = {"OMP_NUM_THREADS": str(os.cpu_count() or 1), "OMP_WAIT_POLICY": "PASSIVE"}
"""As many threads as cores, and none that spins while it waits: the other process wants the core."""


def take_turns() -> None:
    """Set what the caller's environment leaves open."""
    for name, value in TAKE_TURNS.items():
        os.environ.setdefault(name, value)
