"""Running the chain: what `toolscale demo`, `toolscale synthesize` and `toolscale build` do."""

import os
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace

import dagster as dg
from sqlalchemy.exc import OperationalError

from pipelines.alone import alone
from pipelines.assets import environment, tasks
from pipelines.assets.release import local_folder
from pipelines.definitions import definitions
from pipelines.domains import DOMAINS, described, write_domain
from pipelines.factory import Factory
from pipelines.fates import note_fate
from pipelines.hooks import fate_of
from pipelines.orders import PREVIEW_TASKS, QUOTA
from pipelines.output import in_a_terminal
from pipelines.preflight import refuse_early
from pipelines.progress import Listener, Progress, RunReport
from pipelines.refusals import Refusal
from pipelines.reports import report
from pipelines.side_by_side import side_by_side
from pipelines.stopped import RunStopped, StageStopped, stop_behind, where
from pipelines.tags import AGAIN_BY_HAND, QUEUE
from pipelines.unchanged import dataset_unchanged, domain_unchanged, note_dataset, note_domain
from toolscale.artifacts import Domain
from toolscale.dataset.folder import ids_in
from toolscale.errors import UserError, causes_of


def run(
    domains: Sequence[Domain],
    factory: Factory,
    *,
    progress: Listener | None = None,
    instance: dg.DagsterInstance | None = None,
    processes: int = 1,
) -> RunReport:
    """Materialize the chain for the domains, then the dataset over exactly these.

    What was made of the same before and lies unchanged is not made again. Whatever a model answered is kept, so a run
    that broke off goes on where it was. The runs show in the Dagster UI if `DAGSTER_HOME` is set, for which the command
    line reads `.env` too.

    Domains go one after the other, or in so many `processes` at once, which share the budget. Then each process records
    its own runs, so no `instance` can be given.

    Raises:
        UserError: something is wrong that a user can mend, or another run is making one of the domains; if it was found
            at the start, nothing was written.
        RunStopped: the budget ended it.
    """
    started = time.perf_counter()
    names = [domain.name for domain in domains]
    factory = factory.model_copy(update={"domains": names, "run": factory.run or uuid.uuid4().hex})
    refuse_early(domains, factory)
    with alone(factory.data_root, names), _instance(instance) as recorded:
        for domain in domains:
            if described(factory.data_root, domain.name) != domain:
                write_domain(factory.data_root, domain)
        recorded.add_dynamic_partitions(DOMAINS.name or "", names)
        changed = [name for name in names if not domain_unchanged(factory, name)]
        if processes > 1 and len(changed) > 1 and instance is None:
            _generate_side_by_side(changed, factory, progress or _unheard, processes)
        else:
            for index, name in enumerate(changed):
                _generate(name, factory, progress, recorded, left=changed[index + 1 :])
        if changed or not dataset_unchanged(factory, names):
            _release(names, factory, progress, recorded)
    seconds = round(time.perf_counter() - started, 1)
    released = ids_in(local_folder(factory.dataset))
    return RunReport(factory.dataset, seconds, {name: report(factory.data_root, name, released) for name in names})


def run_few(
    domain: Domain, factory: Factory, *, progress: Listener | None = None, instance: dg.DagsterInstance | None = None
) -> None:
    """Materialize a domain with a handful of tasks, to see what it will be like; no dataset is written.

    Raises:
        UserError: something is wrong that a user can mend, or another run is making one of the domains; if it was found
            at the start, nothing was written.
        RunStopped: the budget ended it.
    """
    few = factory.model_copy(
        update={
            "tasks_per_domain": min(PREVIEW_TASKS, factory.first_tasks(domain.name)),
            "more_tasks": {},
            **dict.fromkeys(QUOTA),
            "run": factory.run or uuid.uuid4().hex,
        }
    )
    refuse_early([domain], few)
    with alone(few.data_root, [domain.name]), _instance(instance) as recorded:
        if described(few.data_root, domain.name) != domain:
            write_domain(few.data_root, domain)
        recorded.add_dynamic_partitions(DOMAINS.name or "", [domain.name])
        if not domain_unchanged(few, domain.name):
            _generate(domain.name, few, progress, recorded)


def _generate(
    domain: str, factory: Factory, progress: Listener | None, instance: dg.DagsterInstance, left: Sequence[str] = ()
) -> None:
    """Generate one domain, and remember what it was made of. `left` are the domains that come after it."""
    stage = ""

    def hear(at: Progress) -> None:
        nonlocal stage
        stage = at.stage
        (progress or _unheard)(at)

    job = _job("generate", factory, hear)
    try:
        _execute(job, factory, instance, domain)
    except Exception as error:
        # Dagster calls no hook of a step whose error it raises.
        note_fate(factory.data_root, domain, fate_of(error, stage, factory, domain))
        if isinstance(error, StageStopped):
            raise RunStopped(where(error, _stages(job), left)) from error
        raise
    note_domain(factory, domain)


def _generate_side_by_side(domains: Sequence[str], factory: Factory, progress: Listener, processes: int) -> None:
    """Generate domains in several processes; the first that cannot be made ends the others that wait."""
    shared, done = factory.model_copy(update={"at_once": min(processes, len(domains))}), set[str]()
    with closing(side_by_side(generate_alone, domains, shared, progress, shared.at_once)) as made:
        for domain, future in made:
            try:
                future.result()
            except RunStopped as stopped:
                left = [each for each in domains if each not in {*done, domain}]
                raise RunStopped(replace(stopped.stop, left_domains=left)) from None
            done.add(domain)


def generate_alone(domain: str, factory: Factory, progress: Listener) -> None:
    """Generate one domain in a process of its own.

    Raises:
        UserError: something is wrong that a user can mend.
        RunStopped: the budget ended it.
    """
    with _instance(None) as recorded:
        recorded.add_dynamic_partitions(DOMAINS.name or "", [domain])
        _generate(domain, factory, progress, recorded)


def release_of(domains: Sequence[str], factory: Factory, progress: Listener) -> None:
    """Write the dataset over domains that are made, unless just that lies there.

    Raises:
        UserError: something is wrong that a user can mend.
    """
    held_out = None if factory.hold_out is None else [name for name in factory.hold_out if name in domains]
    factory = factory.model_copy(update={"domains": list(domains), "hold_out": held_out})
    if not dataset_unchanged(factory, domains):
        with _instance(None) as recorded:
            recorded.add_dynamic_partitions(DOMAINS.name or "", list(domains))
            _release(domains, factory, progress, recorded)


def _release(domains: Sequence[str], factory: Factory, progress: Listener | None, instance: dg.DagsterInstance) -> None:
    _execute(_job("release", factory, progress), factory, instance)
    note_dataset(factory, domains)


def _job(name: str, factory: Factory, progress: Listener | None) -> dg.JobDefinition:
    return definitions(factory, factory.data_root, progress).get_repository_def().get_job(name)


def _unheard(progress: Progress) -> None:
    """Nobody listens."""


def _stages(job: dg.JobDefinition) -> list[str]:
    """The stages of a job in their order, without the checks between them."""
    loaded = dg.load_assets_from_modules([environment, tasks])
    assets = {asset.op.name for asset in loaded if isinstance(asset, dg.AssetsDefinition)}
    return [node.name for node in job.nodes_in_topological_order if node.name in assets]


def _execute(job: dg.JobDefinition, factory: Factory, instance: dg.DagsterInstance, domain: str | None = None) -> None:
    """Run a job; the error a user can mend comes out as it went in."""
    config = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
    shown = factory.model_dump(include={"seed", "tasks_per_domain", "attempts", "user_mode", "model"})
    tags = {f"toolscale/{name}": str(value) for name, value in shown.items() if value != ""}
    # A command that is killed leaves its run as started, for ever where no daemon runs: it must not hold a place in the
    # queue of the others. Whoever killed it begins it again, not the daemon.
    tags |= {QUEUE: "none", **AGAIN_BY_HAND}
    try:
        with in_a_terminal():
            job.execute_in_process(run_config=config, instance=instance, tags=tags, partition_key=domain)
    except dg.DagsterExecutionInterruptedError:
        raise KeyboardInterrupt from None
    except Exception as error:
        if stopped := stop_behind(error):
            raise stopped from None
        mendable = _mendable(error)
        if mendable is None:
            raise
        raise mendable from None  # it may be among the causes of `error`


def _mendable(error: BaseException) -> UserError | None:
    """The user's error behind what Dagster raised, if there is one."""
    for cause in causes_of(error):
        if isinstance(cause, UserError):
            return cause
        if isinstance(cause, Refusal):
            return UserError(cause.said)
        if isinstance(cause, dg.Failure):
            return UserError(cause.description or "a stage failed")
        if isinstance(cause, OperationalError):
            return _unrecorded(cause)
    return None


def _unrecorded(error: OperationalError) -> UserError:
    said = " ".join(str(error.orig).split())
    return UserError(
        f"cannot use the store at DAGSTER_HOME, which keeps the runs: {said}; see that its disk has room and may be "
        "written to, and run again: what was committed is kept"
    )


@contextmanager
def _instance(given: dg.DagsterInstance | None) -> Iterator[dg.DagsterInstance]:
    """The instance that keeps the runs: the given one, the one at DAGSTER_HOME, or one that is gone afterwards."""
    if given is not None:
        yield given
        return
    home = os.environ.get("DAGSTER_HOME")
    if home:
        try:
            with dg.DagsterInstance.from_config(home) as recorded:
                yield recorded
        except OperationalError as error:
            raise _unrecorded(error) from None
    else:
        with dg.DagsterInstance.ephemeral() as recorded:
            yield recorded
