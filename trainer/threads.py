"""How OpenMP's threads behave where a trainer and its engine share a machine: read once, when torch is imported."""

import os

SPINS = "10000"
"""How often a thread looks for more work before it sleeps: some tenths of a millisecond. An operation of a small model
takes less than being woken does; longer, and a thread without work keeps its core from the other process."""

TAKE_TURNS = {
    "OMP_NUM_THREADS": str(os.cpu_count() or 1),
    "OMP_WAIT_POLICY": "PASSIVE",
    "GOMP_SPINCOUNT": SPINS,
}
"""As many threads as cores, and none that waits for long awake: the other process wants the core. GNU's OpenMP, which
comes with torch, takes the count before the policy; others know the policy alone."""


def take_turns() -> None:
    """Let threads of this process sleep where there is no work; what its environment sets of these variables stays.

    How many there are stays torch's choice, and torchrun's.
    """
    for name in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT"):
        os.environ.setdefault(name, TAKE_TURNS[name])
