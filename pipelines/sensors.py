"""Sensors: a file in `domains/` becomes a partition and a run; new tasks become a new dataset."""

from collections.abc import Iterator

import dagster as dg

from pipelines.domains import DOMAINS, domains_in
from pipelines.factory import Factory
from pipelines.jobs import generate, release
from pipelines.storage import rows_file
from toolscale.reference.domain import REFERENCE_DOMAINS


@dg.sensor(name="domains", job=generate, minimum_interval_seconds=15, default_status=dg.DefaultSensorStatus.RUNNING)
def domains_sensor(context: dg.SensorEvaluationContext, factory: dg.ResourceParam[Factory]) -> dg.SensorResult:
    """Register every domain that has a file, and the reference domains; generate those with a file and no rows yet.

    A run is requested once for each content of a file: a description that failed and was mended runs again.
    """
    found = domains_in(factory.data_root)
    known = set(context.instance.get_dynamic_partitions(DOMAINS.name or ""))
    new = [name for name in dict.fromkeys((*REFERENCE_DOMAINS, *found)) if name not in known]
    return dg.SensorResult(
        dynamic_partitions_requests=[DOMAINS.build_add_request(new)] if new else [],
        run_requests=[
            dg.RunRequest(run_key=f"{name}:{mark}", partition_key=name)
            for name, mark in found.items()
            if not rows_file(factory.data_root, "domain", name).exists()
        ],
    )


@dg.run_status_sensor(
    run_status=dg.DagsterRunStatus.SUCCESS,
    monitored_jobs=[generate],
    request_job=release,
    default_status=dg.DefaultSensorStatus.RUNNING,
)
def release_after_generate(context: dg.RunStatusSensorContext) -> Iterator[dg.RunRequest]:
    """Write the dataset again when a domain was generated."""
    yield dg.RunRequest(run_key=context.dagster_run.run_id)
