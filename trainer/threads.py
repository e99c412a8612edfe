"""How OpenMP's threads behave where a trainer and its engine share a machine: read once, when torch is imported."""

import os

TAKE_TURNS = {"OMP_NUM_THREADS": str(os.cpu_count() or 1), "OMP_WAIT_POLICY": "PASSIVE"}
"""As many threads as cores, and none that spins while it waits: the other process wants the core."""


def take_turns() -> None:
    """Let threads of this process sleep while they wait, unless its environment says otherwise.

    How many there are stays torch's choice, and torchrun's.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", TAKE_TURNS["OMP_WAIT_POLICY"])
