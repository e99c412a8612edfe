"""Sensors: a file in `domains/` becomes a partition and a run; new tasks become a new dataset."""

from collections.abc import Iterator
from typing import NamedTuple

import dagster as dg
from pydantic import ValidationError

from pipelines.dagster_internals import PARTITION_NAME_TAG
from pipelines.domain_file import DomainFile
from pipelines.domains import DOMAINS, domain_files, domain_in
from pipelines.factory import Factory
from pipelines.jobs import generate, preview, preview_config, release
from pipelines.orders import is_taken, order_in
from pipelines.partitions import Seen, marks, without_a_file
from pipelines.storage import rows_file
from pipelines.tags import DOMAIN, MODEL, ORDER, PREVIEW
from toolscale.errors import UserError
from toolscale.printable import in_one_line
from toolscale.reference.domain import reference_domains


@dg.sensor(
    name="domains",
    job=generate,
    minimum_interval_seconds=15,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Registers each domain that has a file in `domains/`, and generates what is new or was ordered.",
)
def domains_sensor(context: dg.SensorEvaluationContext, factory: dg.ResourceParam[Factory]) -> dg.SensorResult:
    """Register every domain that has a file, and the reference domains; generate those with a file and no rows yet.

    A run is requested once for each content of a file: a description that failed and was mended runs again. What the
    job `new_domain` ordered is run as it was ordered, whether there are rows or not. A domain that is switched off is
    left alone, and its partition is not registered. What is no domain's file, or cannot be read, is named and passed
    over: it registers nothing. The partition of a domain whose file was deleted is removed, or, while data refers to
    it, retired (`pipelines/partitions.py`).
    """
    seen, root = Seen.of(context.cursor), factory.data_root
    known = set(context.instance.get_dynamic_partitions(DOMAINS.name or ""))
    described, runs, odd = _read(factory)
    new = [name for name in dict.fromkeys((*reference_domains(), *described.on)) if name not in known]
    files = [*described.on, *described.off]
    found = without_a_file(root, factory.dataset, known, files, seen)
    remarks = ["passed over: " + "; ".join(map(in_one_line, odd))] if odd else []
    told = ". ".join([*remarks, *found.remarks()])
    if told and told != seen.told:  # told once, and not every 15 seconds
        context.log.warning(told)
    now = Seen(files=sorted(files), retired=found.retired, by_hand=found.by_hand, told=told)
    changes = [DOMAINS.build_add_request(new)] if new else []
    return dg.SensorResult(
        dynamic_partitions_requests=[*changes, *([DOMAINS.build_delete_request(found.gone)] if found.gone else [])],
        run_requests=runs,
        asset_events=list(marks(found, files, seen, _location(context))),
        skip_reason=told if told and not runs else None,
        cursor=now.model_dump_json(),
    )


class _Described(NamedTuple):
    """Names of the domains whose files hold one."""

    on: list[str]
    off: list[str]


def _read(factory: Factory) -> tuple[_Described, list[dg.RunRequest], list[str]]:
    """The domains that have a file, the runs that they ask for, and what is no domain's file, one line each."""
    found = domain_files(factory.data_root)
    on, runs, odd = list[str](), list[dg.RunRequest](), list(found.passed_over)
    for name in found.on:
        try:
            domain_in(found.files[name])
            on.append(name)
            request = _wanted(factory, found.files[name])
        except UserError as error:
            odd.append(str(error))
        else:
            runs += [request] if request else []
    return _Described(on, found.off), runs, odd


def _location(context: dg.SensorEvaluationContext) -> str:
    """The name of the code location, as the pages' addresses have it."""
    origin = context.code_location_origin
    return origin.location_name if origin else ""


def _wanted(factory: Factory, file: DomainFile) -> dg.RunRequest | None:
    """The run that a domain's file asks for, if it does."""
    name, order = file.name, order_in(file)
    if order is None:
        made = rows_file(factory.data_root, "domain", name).exists()
        return None if made else dg.RunRequest(run_key=f"{name}:{file.mark}", partition_key=name)
    if is_taken(factory.data_root, name, order):
        return None
    try:
        model = Factory.model_validate(factory.model_dump() | order.chosen()).teacher()
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "run"
        raise UserError(f"domain `{name}`: `{where}` of its order: {first['msg']}; correct it in its file") from None
    tasks = factory.tasks_per_domain
    return dg.RunRequest(
        run_key=f"{name}:{order.order}",
        partition_key=name,
        run_config=order.run_config(tasks),
        tags=order.tags(tasks, model),
    )


@dg.run_status_sensor(
    run_status=dg.DagsterRunStatus.SUCCESS,
    monitored_jobs=[generate],
    request_jobs=[release, preview],
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Writes the dataset again when a domain was generated, and shows a domain when its preview was.",
)
def release_after_generate(context: dg.RunStatusSensorContext) -> Iterator[dg.RunRequest | dg.SkipReason]:
    """Write the dataset again when a domain was generated; show it, when it was a preview.

    A release that is queued, or began after the run had ended, reads what it wrote: a backfill is released once.
    """
    run = context.dagster_run
    whole = run.tags.get(PREVIEW)
    if whole is None:
        if _released_anyway(context.instance, run.run_id):
            yield dg.SkipReason("a release of all domains reads what this run wrote")
        else:
            yield dg.RunRequest(run_key=run.run_id, job_name=release.name)
    else:
        domain = run.tags[PARTITION_NAME_TAG]
        tags = {DOMAIN: domain} | {tag: said for tag in (MODEL, ORDER) if (said := run.tags.get(tag))}
        config = preview_config(domain, run.run_config, int(whole))
        yield dg.RunRequest(run_key=run.run_id, job_name=preview.name, run_config=config, tags=tags)


def _released_anyway(instance: dg.DagsterInstance, generated: str) -> bool:
    """Whether a release of all domains is queued, or has begun and not failed since a run had ended."""
    ended = getattr(instance.get_run_record_by_id(generated), "end_time", None)
    of_all = (
        each
        for each in instance.get_run_records(dg.RunsFilter(job_name=release.name), limit=20)
        if not each.dagster_run.run_config and not each.dagster_run.is_failure_or_canceled
    )
    return any(
        each.dagster_run.status is dg.DagsterRunStatus.QUEUED
        or (ended is not None and each.start_time is not None and each.start_time > ended)
        for each in of_all
    )
