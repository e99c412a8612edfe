"""The store: every model call (cache and ledger in one), every gate's outcome and every attempt, in one database."""

from toolscale.store.database import CachedAnswer, Dimension, LedgerLine, Store
from toolscale.store.tables import AttemptRow, GateResult, ModelCall, ToolList

__all__ = ["AttemptRow", "CachedAnswer", "Dimension", "GateResult", "LedgerLine", "ModelCall", "Store", "ToolList"]
