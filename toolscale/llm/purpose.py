"""On whose behalf a call is made."""

from typing import Literal, NamedTuple

from toolscale.stages import Role


class Purpose(NamedTuple):
    """On whose behalf a call is made: what the ledger sums by."""

    role: Role | Literal["embedder"]
    stage: str
    domain: str
    task: str | None = None
