"""The hotels that the agency books, and the kinds of rooms they have."""

from toolscale.reference.travel.catalogue import HOTELS

__all__ = ["HOTELS", "KINDS"]

KINDS: dict[str, tuple[str, int, float, int]] = {
    "S": ("single", 1, 0.78, 8),
    "D": ("double", 2, 1.0, 14),
    "F": ("family", 4, 1.62, 8),
    "U": ("suite", 3, 2.35, 6),
}
"""Letter -> kind of room, how many it sleeps, its price beside a double room's, how many a hotel has."""
