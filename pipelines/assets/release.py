"""Group release: the dataset, over all domains or over those that the run names."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, get_args

import dagster as dg
from pydantic import Field

from pipelines.assets.preferences import preferences, preferences_there
from pipelines.assets.stage import OVER_ALL, release_asset
from pipelines.automation import RELEASES
from pipelines.column_lineage import column_lineage
from pipelines.columns import dataset_columns
from pipelines.domains import DOMAINS
from pipelines.factory import Factory
from pipelines.launchpad import Launchpad
from pipelines.lineage import version_of_files
from pipelines.metadata import ReleasedDomain, by_depth, domains_table, pass_rates
from pipelines.on_request import GROUP, is_asked_for
from pipelines.portions import Around, Head, Outline, compare, has_begun, outline_of, portions_of
from pipelines.refusals import refusal
from pipelines.shown import markdown
from toolscale.dataset import About
from toolscale.dataset.pass_rates import Conditions
from toolscale.dataset.portions import Portion
from toolscale.dataset.push import push
from toolscale.dataset.release import release
from toolscale.dataset.splits import held_out_domains
from toolscale.dataset.writer import write_portions
from toolscale.errors import UserError
from toolscale.input_files import files_in
from toolscale.preferences.preference import Preferences
from toolscale.prompts import data_folder, prompt_hash
from toolscale.settings import Settings
from toolscale.stages import Role
from toolscale.store import Store

READ = (
    *("environment", "verified_tasks", "rejected_tasks", "trajectories"),
    *("entries", "functions", "rules", "programs", "tasks", "evolved_tasks", "later_rejects"),
)
"""Assets of every domain that a release is made of."""


@release_asset(
    kinds={"python", "parquet", "huggingface"},
    metadata={"dagster/column_schema": dataset_columns()},
    automation_condition=RELEASES,
    freshness_policy=dg.FreshnessPolicy.time_window(timedelta(days=90), warn_window=timedelta(days=30)),
    deps=[preferences, *(dg.AssetDep(asset, partition_mapping=dg.AllPartitionMapping()) for asset in READ)],
    told=("hold_out", "trajectories_per_task"),
)
def dataset(context: dg.AssetExecutionContext, factory: dg.ResourceParam[Factory]) -> dg.MaterializeResult[None]:
    """The dataset as one folder of Parquet files with a card: tasks, environments, attempts and rejects.

    Contains every domain whose assets are complete. No two tasks are near-duplicates, over all domains. Of a domain
    that has not changed since the last release, only the rows that were kept ready are read (`pipelines/portions.py`).
    """
    begun = _begun(context.instance, factory)
    try:
        preferred, hold_out = preferences_there(factory.data_root), factory.hold_out
        said = about(factory, begun)
        most = factory.settings().trajectories_per_task
        around = Around(factory.data_root, held_out_domains(begun, hold_out), said.attempts, most)
        outlines = _outlines(context, factory, begun, around)
        if len(outlines) < len(begun):
            around = around._replace(hold_out=held_out_domains(outlines, hold_out))
            said = about(factory, list(outlines))
        heads: dict[str, Head] = {}

        def portions() -> Iterator[Portion]:
            for domain, head, portion in portions_of(outlines, compare(outlines), around):
                heads[domain] = head
                yield portion

        write_portions(
            local_folder(factory.dataset),
            portions(),
            about=said.model_copy(update={"preferences": _who_prefers(preferred)}),
            preferences=preferred.kept if preferred else (),
            instances=factory.instances(),
            hold_out=around.hold_out,
        )
    except UserError as error:
        raise refusal(error) from error
    kept = [task for head in heads.values() for task in head.kept]
    return dg.MaterializeResult(
        data_version=version_of_files(*files_in(local_folder(factory.dataset), "*.parquet", deep=True)),
        metadata={
            "tasks": len(kept),
            "proposed": sum(outline.proposed for outline in outlines.values()),
            "attempts": sum(head.attempts for head in heads.values()),
            "environments": len(heads),
            **pass_rates([task.pass_rate for task in kept]),
            **by_depth((task.depth, task.golden_calls) for task in kept),
            **domains_table({domain: _row(outlines[domain], head) for domain, head in heads.items()}, factory),
            "path": dg.MetadataValue.path(factory.dataset),
            "report": markdown(f"`toolscale report {factory.dataset}`, or the asset `audit`"),
            "card": markdown((local_folder(factory.dataset) / "README.md").read_text(encoding="utf-8")),
            **column_lineage("dataset"),
        },
    )


def _begun(instance: dg.DagsterInstance, factory: Factory) -> list[str]:
    """The domains that are asked for by name, else all that there is anything of."""
    if factory.domains:
        return sorted(factory.domains)
    known = instance.get_dynamic_partitions(DOMAINS.name or "")
    return sorted(domain for domain in known if has_begun(factory.data_root, domain))


def _outlines(
    context: dg.AssetExecutionContext, factory: Factory, domains: list[str], around: Around
) -> dict[str, Outline]:
    """The domains that are released: each that was asked for by name must be whole, of others those that are."""
    version = OVER_ALL["dataset"].version(factory, factory.settings())
    found = {}
    for domain in domains:
        try:
            if not has_begun(factory.data_root, domain):
                raise UserError(f"no verified tasks of {domain} to release; generate it first")
            found[domain] = outline_of(domain, version, around)
        except UserError as error:
            if factory.domains:
                raise
            context.log.warning("%s is left out: %s", domain, error)
    if not found:
        raise UserError("no domain has verified tasks to release; run `generate` first")
    return found


def _row(outline: Outline, head: Head) -> ReleasedDomain:
    return ReleasedDomain(
        outline.functions,
        outline.entries,
        outline.proposed,
        [task.golden_calls for task in head.kept],
        [task.pass_rate for task in head.kept],
    )


class Publication(Launchpad):
    """Where the dataset is published."""

    repository: str = Field(default="", description="Repository on the Hugging Face Hub: owner/name; must be named.")
    public: bool = Field(default=False, description="Make it public; private by default.")
    pull_request: bool = Field(default=False, description="Open a pull request instead of changing main.")


@release_asset(group=GROUP, kinds={"python", "huggingface"}, deps=[dataset], output_required=False)
def published_dataset(
    context: dg.AssetExecutionContext, config: Publication, factory: dg.ResourceParam[Factory]
) -> Iterator[dg.MaterializeResult[None]]:
    """The dataset on the Hugging Face Hub, under a tag that follows from its content. Published only on request."""
    if not is_asked_for(context):
        return
    try:
        if not config.repository:
            raise UserError("`repository`: name one as owner/name in the launchpad of the job `publish`")
        what = release(released_folder(factory.dataset))
        pushed = push(
            what,
            config.repository,
            public=config.public,
            pull_request=config.pull_request,
            endpoint=Settings.load().hub_endpoint,
        )
    except UserError as error:
        raise refusal(error) from error
    yield dg.MaterializeResult(
        data_version=dg.DataVersion(pushed.version),
        metadata={
            "repository": pushed.repository,
            "outcome": pushed.outcome,
            "version": pushed.version,
            "url": dg.MetadataValue.url(pushed.url),
            "files": len(what.files),
            "bytes": what.size,
        },
    )


def local_folder(path: str) -> Path:
    """The folder of a dataset.

    Raises:
        UserError: it is a URL.
    """
    if "://" in path:
        raise UserError(f"the dataset is written to a local folder, not to {path}; name a folder")
    return Path(path)


def released_folder(path: str) -> Path:
    """The folder of a dataset that was written.

    Raises:
        UserError: there is none, or it is a URL.
    """
    folder = local_folder(path)
    if not folder.is_dir():
        raise UserError(
            f"there is no dataset at {folder}: run the job `release` first, or name another folder as `dataset` of the "
            "resource `factory`"
        )
    return folder


def _who_prefers(made: Preferences | None) -> dict[str, str]:
    return made.model_dump(mode="json", include={"catalogue", "proposed_by", "validated_by"}) if made else {}


def about(factory: Factory, domains: list[str]) -> About:
    """What the card says beside the rows: prompts, and of all calls so far, who answered and what they cost."""
    prompts = [file.stem for file in files_in(data_folder("prompts"), "*.j2")]
    with factory.store() as store:
        models = {role: _answered(store, role, domains) for role in get_args(Role)}
        paid = store.cost_by("domain", domain=domains)
    settings = factory.settings()
    under = Conditions(
        user_model=settings.for_role("user").model if settings.user_mode == "simulated" else None,
        temperature=settings.for_role("agent").temperature,
        max_turns=settings.max_turns,
    )
    cost: dict[str, Any] = {"calls": sum(line.calls for line in paid)}
    cost["dollars"] = None if any(line.unpriced for line in paid) else sum(line.dollars for line in paid)
    return About(
        models={role: named for role, named in models.items() if named},
        prompts={prompt: prompt_hash(prompt) for prompt in prompts},
        attempts=under,
        **cost,
    )


def _answered(store: Store, role: str, domains: list[str]) -> list[str]:
    """The models that ever answered for a role in these domains."""
    lines = store.cost_by("model", role=role, domain=domains)
    return [line.name for line in lines if line.calls > line.failed]
