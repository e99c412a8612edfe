"""Schedules: the dataset that lies there is audited again every week, and what was paid is summed every day."""

import dagster as dg

from pipelines.assets.release import local_folder
from pipelines.factory import Factory
from pipelines.tags import QUEUE
from toolscale.input_files import files_in

reaudit = dg.define_asset_job(
    "reaudit",
    selection=dg.AssetSelection.assets("audit"),
    executor_def=dg.in_process_executor,
    tags={QUEUE: "assets"},
    description="Every task of the dataset put to the gates again; no model is asked.",
)


sum_costs = dg.define_asset_job(
    "sum_costs",
    selection=dg.AssetSelection.assets("costs"),
    executor_def=dg.in_process_executor,
    description="What model calls have cost so far, by day, domain and stage; no model is asked.",
)

daily_costs = dg.ScheduleDefinition(
    name="daily_costs",
    job=sum_costs,
    cron_schedule="30 5 * * *",
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="Sums the ledger every morning, so that the page of `costs` shows them over time.",
)


@dg.schedule(
    name="weekly_reaudit",
    job=reaudit,
    cron_schedule="0 6 * * 1",
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="Puts every task of the dataset to the gates again, early on Mondays, if there is a dataset.",
)
def weekly_reaudit(factory: dg.ResourceParam[Factory]) -> dg.RunRequest | dg.SkipReason:
    """Audit the dataset again, early on Mondays, if there is one."""
    folder = local_folder(factory.dataset)
    if not files_in(folder / "tasks", "*.parquet"):
        return dg.SkipReason(f"there is no dataset at {folder} yet")
    return dg.RunRequest()
