"""The parts of Dagster that it does not export: no other module imports from `dagster._core`."""

# How an error that another process told of is passed on as it was told.
from dagster._core.errors import DagsterUserCodeProcessError

# `dg.DefaultRunLauncher` is public; what its health check must return is not.
from dagster._core.launcher import CheckRunHealthResult, WorkerStatus

# What dagster.yaml may name is documented; the class itself is exported nowhere.
from dagster._core.storage.compute_log_manager import CapturedLogContext
from dagster._core.storage.local_compute_log_manager import LocalComputeLogManager

# Dagster's documentation names these tags; it exports no constants for them.
from dagster._core.storage.tags import (
    BACKFILL_ID_TAG,
    MAX_RETRIES_TAG,
    PARTITION_NAME_TAG,
    PRIORITY_TAG,
    RETRY_NUMBER_TAG,
    RETRY_ON_ASSET_OR_OP_FAILURE_TAG,
)
from dagster._serdes import ConfigurableClassData
from dagster._utils.error import SerializableErrorInfo  # type: ignore[attr-defined]

__all__ = [
    "BACKFILL_ID_TAG",
    "MAX_RETRIES_TAG",
    "PARTITION_NAME_TAG",
    "PRIORITY_TAG",
    "RETRY_NUMBER_TAG",
    "RETRY_ON_ASSET_OR_OP_FAILURE_TAG",
    "CapturedLogContext",
    "CheckRunHealthResult",
    "ConfigurableClassData",
    "DagsterUserCodeProcessError",
    "LocalComputeLogManager",
    "SerializableErrorInfo",
    "WorkerStatus",
]
