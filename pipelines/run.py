"""Running the chain in this process: what `toolscale demo` and `toolscale synthesize` do."""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import get_args

import dagster as dg
from dotenv import dotenv_values

from pipelines.assets.release import local_folder
from pipelines.definitions import definitions
from pipelines.domains import DOMAINS, described, write_domain
from pipelines.factory import Factory
from pipelines.jobs import QUEUE
from pipelines.metadata import mean_pass_rate, rejected_by_gate
from pipelines.progress import DomainReport, Listener, RunReport
from pipelines.storage import read_rows, rows_file
from toolscale.artifacts import Domain, Entry, Function, Reject, Task
from toolscale.dataset.folder import refuse_foreign
from toolscale.errors import UserError
from toolscale.llm.providers import access_to, is_ours
from toolscale.reference.domain import reference_domain
from toolscale.settings import Role


def run(
    domains: Sequence[Domain],
    factory: Factory,
    *,
    progress: Listener | None = None,
    instance: dg.DagsterInstance | None = None,
) -> RunReport:
    """Materialize the chain for the domains, one after the other, then the dataset over exactly these.

    Whatever a model answered is kept, so a run that broke off goes on where it was. The runs show in the Dagster UI
    if `DAGSTER_HOME` is set, here or in `.env`.

    Raises:
        UserError: something is wrong that a user can mend; if it was found at the start, nothing was written.
    """
    started = time.perf_counter()
    names = [domain.name for domain in domains]
    factory = factory.model_copy(update={"domains": names})
    _refuse_early(names, factory)
    jobs = definitions(factory, factory.data_root, progress).get_repository_def()
    with _instance(instance) as recorded:
        for domain in domains:
            if described(factory.data_root, domain.name) != domain:
                write_domain(factory.data_root, domain)
        recorded.add_dynamic_partitions(DOMAINS.name or "", names)
        for name in names:
            _execute(jobs.get_job("generate"), factory, recorded, name)
        _execute(jobs.get_job("release"), factory, recorded)
    seconds = round(time.perf_counter() - started, 1)
    return RunReport(factory.dataset, seconds, {name: report(factory.data_root, name) for name in names})


def report(data_root: str, domain: str) -> DomainReport:
    """What a domain has come to, read from its stored assets."""
    kept = read_rows(rows_file(data_root, "verified_tasks", domain), Task)
    rejected = read_rows(rows_file(data_root, "rejected_tasks", domain), Task)
    refused = [
        read_rows(rows_file(data_root, asset, domain, rejects=True), Reject) for asset in ("tasks", "evolved_tasks")
    ]
    return DomainReport(
        functions=len(read_rows(rows_file(data_root, "functions", domain), Function)),
        entries=len(read_rows(rows_file(data_root, "entries", domain), Entry)),
        proposed=len(kept) + len(rejected),
        kept=len(kept),
        pass_rate=mean_pass_rate(kept),
        rejected=rejected_by_gate(rejected),
        refused=sum(map(len, refused)),
    )


def _refuse_early(domains: Sequence[str], factory: Factory) -> None:
    """Find out before the run what would end it late."""
    if not domains:
        raise UserError("no domain is named; name some with --domains railway,restaurant")
    if len(set(domains)) < len(domains):
        raise UserError(f"a domain is named twice in {','.join(domains)}; name each once")
    settings = factory.settings()
    if is_ours(settings.for_role("teacher").model):
        for domain in domains:
            reference_domain(domain)
    for role in get_args(Role):
        answering = settings.for_role(role)
        access_to(answering.model, answering.api_base)
    refuse_foreign(local_folder(factory.dataset))


def _execute(job: dg.JobDefinition, factory: Factory, instance: dg.DagsterInstance, domain: str | None = None) -> None:
    """Run a job; the error a user can mend comes out as it went in."""
    config = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
    shown = factory.model_dump(include={"seed", "tasks_per_domain", "attempts", "user_mode", "model"})
    tags = {f"toolscale/{name}": str(value) for name, value in shown.items() if value != ""}
    # A command that is killed leaves its run as started for ever: it must not hold a place in the queue of the others.
    tags[QUEUE] = "none"
    try:
        job.execute_in_process(run_config=config, instance=instance, tags=tags, partition_key=domain)
    except dg.DagsterExecutionInterruptedError:
        raise KeyboardInterrupt from None
    except Exception as error:
        mendable = _mendable(error)
        if mendable is None:
            raise
        raise mendable from error


def _mendable(error: BaseException) -> UserError | None:
    """The user's error behind what Dagster raised, if there is one."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, UserError):
            return cause
        if isinstance(cause, dg.Failure):
            return UserError(cause.description or "a stage failed")
        cause = cause.__cause__
    return None


@contextmanager
def _instance(given: dg.DagsterInstance | None) -> Iterator[dg.DagsterInstance]:
    """The instance that keeps the runs: the given one, the one at DAGSTER_HOME, or one that is gone afterwards."""
    if given is not None:
        yield given
        return
    home = os.environ.get("DAGSTER_HOME") or dotenv_values(".env").get("DAGSTER_HOME")
    if home:
        with dg.DagsterInstance.from_config(home) as recorded:
            yield recorded
    else:
        with dg.DagsterInstance.ephemeral() as recorded:
            yield recorded
