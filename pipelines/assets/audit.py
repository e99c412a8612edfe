"""Group release: the audit of the dataset as it lies on the disk."""

import json
import tempfile
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import dagster as dg
from upath import UPath

from pipelines.assets.release import dataset, released_folder
from pipelines.assets.stage import release_asset
from pipelines.factory import Factory, observer
from pipelines.lineage import version_of
from pipelines.pictures import bars
from pipelines.refusals import refusal
from pipelines.shown import markdown
from pipelines.storage import write_whole
from pipelines.telling import SECONDS_BETWEEN_SIGNS
from toolscale.dataset import audit as audits
from toolscale.dataset.release import content_version
from toolscale.dataset.report import write_report
from toolscale.errors import UserError

PASSES = "every_task_passes_every_gate"


@release_asset(
    kinds={"python", "json", "html"},
    deps=[dataset],
    freshness_policy=dg.FreshnessPolicy.time_window(timedelta(days=8), warn_window=timedelta(days=7, hours=6)),
    check_specs=[
        dg.AssetCheckSpec(PASSES, asset="audit", description="Put to the gates again today, every task passes each.")
    ],
)
def audit(context: dg.AssetExecutionContext, factory: dg.ResourceParam[Factory]) -> dg.MaterializeResult:  # type: ignore[type-arg]
    """Every task of the dataset checked by the gates again, from the dataset's files alone; and the dataset as a page.

    The schedule `weekly_reaudit` runs it every Monday, to notice an altered file or a library that changed what
    functions do. No model is asked.
    """
    folder = UPath(factory.data_root) / "audit"
    try:
        released = released_folder(factory.dataset)
        version = content_version(released)
        found = audits.audit(released, progress=_told_now_and_then(context)).as_json()
        write_whole(folder / "report.html", _page(released))
    except UserError as error:
        raise refusal(error) from error
    write_whole(folder / "audit.json", json.dumps({"version": version, **found}, indent=1).encode())
    failures = "\n".join(
        f"- {each['task_id']} fails {each['gate']}: {each['reasons'][:2]}" for each in found["failures"]
    )
    return dg.MaterializeResult(
        data_version=dg.DataVersion(version_of([version, json.dumps(found)])),
        metadata={
            "report": dg.MetadataValue.path(str(folder / "report.html")),
            "audit": dg.MetadataValue.path(str(folder / "audit.json")),
            "dataset_version": version,
            "tasks": found["tasks"],
            "passed": found["passed"],
            "solved_by_idle_agents": sum(found["agents"].values()),
            "mutants": found["mutation"]["total"],
            "mutants_killed": found["mutation"]["killed"],
            "gates": bars(
                {gate: counts["failed"] for gate, counts in found["gates"].items()}, "tasks that fail a gate"
            ),
        },
        check_results=[
            dg.AssetCheckResult(
                check_name=PASSES,
                passed=found["passed"] == found["tasks"],
                metadata={"failures": markdown(failures)} if failures else {},
            )
        ],
    )


def _page(released: Path) -> bytes:
    with tempfile.TemporaryDirectory() as beside:
        page = Path(beside, "report.html")
        write_report(released, page)
        return page.read_bytes()


def _told_now_and_then(context: dg.AssetExecutionContext) -> Callable[[int, int], None]:
    observe, told = observer(context), time.monotonic()

    def tell(done: int, total: int) -> None:
        nonlocal told
        if time.monotonic() - told >= SECONDS_BETWEEN_SIGNS:
            told = time.monotonic()
            observe({"done": done, "total": total})

    return tell
