"""SQL over a dataset and the ledger: DuckDB in memory, which reads what it is given and touches nothing else."""

from toolscale.query.tables import QueryResult, Tables
from toolscale.query.views import View

__all__ = ["QueryResult", "Tables", "View"]
