"""An asset of our own that follows from ToolScale's dataset."""

import os
from pathlib import Path

import dagster as dg

import toolscale


@dg.asset(deps=["dataset"], group_name="acme", kinds={"parquet"})
def lessons() -> dg.MaterializeResult[None]:
    """The tasks that an agent sometimes solves and sometimes does not: the ones to train on first."""
    tasks = toolscale.load(os.environ.get("ACME_DATASET", "acme-dataset"))["tasks"]
    hard = tasks.query("0 < pass_rate < 1")
    file = Path(os.environ.get("ACME_LESSONS", "acme-lessons.parquet"))
    hard[["id", "domain", "intent", "user_scenario", "pass_rate"]].to_parquet(file)
    return dg.MaterializeResult(metadata={"lessons": len(hard), "path": dg.MetadataValue.path(str(file.absolute()))})
