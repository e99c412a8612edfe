"""The store: every model call (cache and ledger in one), every gate's outcome and every attempt, in one database."""

from toolscale.store.database import CachedAnswer, Dimension, LedgerLine, Store
from toolscale.store.tables import AttemptRow, BatchCall, BatchJob, GateResult, ModelCall, RequestPart, ToolList

__all__ = [
    "AttemptRow",
    "BatchCall",
    "BatchJob",
    "CachedAnswer",
    "Dimension",
    "GateResult",
    "LedgerLine",
    "ModelCall",
    "RequestPart",
    "Store",
    "ToolList",
]
