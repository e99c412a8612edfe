"""How much a trajectory may use."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What one trajectory may use."""

    seconds: float = 5.0
    """Wall time of one call."""
    trajectory_seconds: float = 60.0
    """Wall time of all calls of a trajectory together."""
    memory_bytes: int = 512 << 20
    """Address space of the process."""
    reply_bytes: int = 8 << 20
    """Size of one call's reply as JSON: its result, its access log and the records it changed."""
    reply_values: int = 300_000
    """Values in one reply, since many small ones cost far more than their bytes."""
    calls: int = 1000
    """Calls in one trajectory."""
    database_bytes: int = 64 << 20
    """Size of the initial database as JSON."""
    children: int = 8
    """Trajectories that run at the same time; more wait for their turn."""
