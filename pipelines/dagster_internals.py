"""The parts of Dagster that it does not export: no other module imports from `dagster._core`."""

# `dg.DefaultRunLauncher` is public; what its health check must return is not.
from dagster._core.launcher import CheckRunHealthResult, WorkerStatus

# Dagster's documentation names these tags; it exports no constants for them.
from dagster._core.storage.tags import (
    BACKFILL_ID_TAG,
    MAX_RETRIES_TAG,
    PARTITION_NAME_TAG,
    PRIORITY_TAG,
    RETRY_NUMBER_TAG,
    RETRY_ON_ASSET_OR_OP_FAILURE_TAG,
)

__all__ = [
    "BACKFILL_ID_TAG",
    "MAX_RETRIES_TAG",
    "PARTITION_NAME_TAG",
    "PRIORITY_TAG",
    "RETRY_NUMBER_TAG",
    "RETRY_ON_ASSET_OR_OP_FAILURE_TAG",
    "CheckRunHealthResult",
    "WorkerStatus",
]
