"""The store: every model call (cache and ledger in one), every gate's outcome and every attempt, in one database."""

from toolscale.store.database import CachedAnswer, Dimension, LedgerLine, Store
from toolscale.store.shares import Drawn, Share
from toolscale.store.tables import (
    AttemptRow,
    BatchCall,
    BatchJob,
    GateResult,
    ModelCall,
    RequestPart,
    ToolList,
    Wording,
)

__all__ = [
    "AttemptRow",
    "BatchCall",
    "BatchJob",
    "CachedAnswer",
    "Dimension",
    "Drawn",
    "GateResult",
    "LedgerLine",
    "ModelCall",
    "RequestPart",
    "Share",
    "Store",
    "ToolList",
    "Wording",
]
