"""Group release: the dataset, over all domains or over those that the run names."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar, get_args

import dagster as dg
from pydantic import Field

from pipelines.assets.preferences import preferences, preferences_there
from pipelines.assets.stage import release_asset
from pipelines.automation import RELEASES
from pipelines.columns import dataset_columns
from pipelines.factory import Factory, refusal
from pipelines.lineage import StepLineage, version_of_files
from pipelines.metadata import by_depth, domains_table, lost_at_gates, pass_rates
from pipelines.shown import markdown
from toolscale.artifacts import EnvironmentSpec, Reject, Task, Trajectory
from toolscale.dataset import About, write_dataset
from toolscale.dataset.pass_rates import Conditions
from toolscale.dataset.push import push
from toolscale.dataset.release import release
from toolscale.errors import UserError
from toolscale.input_files import files_in
from toolscale.preferences.preference import Preferences
from toolscale.prompts import data_folder, prompt_hash
from toolscale.settings import Settings
from toolscale.stages import Role
from toolscale.store import Store
from toolscale.synthesis.filtering import keep_distinct

T = TypeVar("T")


def _everywhere(asset: str) -> dg.AssetIn:
    return dg.AssetIn(asset, partition_mapping=dg.AllPartitionMapping())


@release_asset(
    kinds={"python", "parquet", "huggingface"},
    metadata={"dagster/column_schema": dataset_columns()},
    automation_condition=RELEASES,
    deps=[preferences],
    told=("hold_out", "trajectories_per_task"),
    ins={
        "environments": _everywhere("environment"),
        "verified": _everywhere("verified_tasks"),
        "rejected": _everywhere("rejected_tasks"),
        "attempted": _everywhere("trajectories"),
        "refused_entries": _everywhere("entries"),
        "refused_functions": _everywhere("functions"),
        "refused_rules": _everywhere("rules"),
        "refused_tasks": _everywhere("tasks"),
        "refused_evolutions": _everywhere("evolved_tasks"),
        "refused_later": _everywhere("later_rejects"),
    },
)
def dataset(
    context: dg.AssetExecutionContext,
    factory: dg.ResourceParam[Factory],
    lineage: dg.ResourceParam[StepLineage],
    environments: dict[str, EnvironmentSpec],
    verified: dict[str, list[Task]],
    rejected: dict[str, list[Task]],
    attempted: dict[str, list[Trajectory]],
    refused_entries: dict[str, list[Reject]],
    refused_functions: dict[str, list[Reject]],
    refused_rules: dict[str, list[Reject]],
    refused_tasks: dict[str, list[Reject]],
    refused_evolutions: dict[str, list[Reject]],
    refused_later: dict[str, list[Reject]],
) -> dg.MaterializeResult[None]:
    """The dataset as one folder of Parquet files with a card: tasks, environments, attempts and rejects.

    Contains every domain whose assets are complete. No two tasks are near-duplicates, over all domains.
    """
    broken: dict[str, str] = {}
    for domain in sorted({*environments, *verified}):
        try:
            refuse_half(domain, environments, verified, rejected, attempted)
            lineage.refuse_unfit(domain)
        except UserError as error:
            broken[domain] = str(error)
            context.log.warning("%s is left out: %s", domain, error)
    domains = sorted(factory.domains) or sorted({*environments, *verified} - broken.keys())
    for domain in domains:
        if domain in broken or domain not in verified:
            raise refusal(UserError(broken.get(domain, f"no verified tasks of {domain} to release; generate it first")))
    if not domains:
        raise refusal(UserError("no domain has verified tasks to release; run `generate` first"))
    refused_drafts = (refused_tasks, refused_evolutions, refused_later)
    drafts = {domain: lost_at_gates(_of([domain], *refused_drafts)) for domain in domains}
    proposed = {domain: len(verified[domain]) + len(rejected[domain]) + drafts[domain].total() for domain in domains}
    refused = (refused_entries, refused_functions, refused_rules, *refused_drafts)
    compared = keep_distinct(_of(domains, verified), {domain: environments[domain] for domain in domains})
    kept = [task for task in compared if task.rejected_by != "distinct"]
    ids = {task.id for task in kept}
    trajectories = [trajectory for trajectory in _of(domains, attempted) if trajectory.task_id in ids]
    try:
        preferred = preferences_there(factory.data_root)
        write_dataset(
            local_folder(factory.dataset),
            tasks=kept,
            environments=[environments[domain] for domain in domains],
            trajectories=trajectories,
            rejects=_of(domains, *refused),
            rejected=[*_of(domains, rejected), *(task for task in compared if task.rejected_by == "distinct")],
            about=about(factory, domains).model_copy(update={"preferences": _who_prefers(preferred)}),
            preferences=preferred.kept if preferred else (),
            hold_out=factory.hold_out,
            attempts_of_a_task=factory.settings().trajectories_per_task,
        )
    except UserError as error:
        raise refusal(error) from error
    return dg.MaterializeResult(
        data_version=version_of_files(*files_in(local_folder(factory.dataset), "*.parquet", deep=True)),
        metadata={
            "path": dg.MetadataValue.path(factory.dataset),
            "tasks": len(kept),
            "proposed": sum(proposed.values()),
            "attempts": len(trajectories),
            "environments": len(domains),
            **domains_table(environments, kept, proposed, factory),
            **pass_rates(kept),
            **by_depth(kept),
            "report": markdown(f"`toolscale report {factory.dataset}`, or the asset `audit`"),
            "card": markdown((local_folder(factory.dataset) / "README.md").read_text(encoding="utf-8")),
        },
    )


class Publication(dg.Config):
    """Where the dataset is published."""

    repository: str = Field(description="Repository on the Hugging Face Hub: owner/name.")
    public: bool = Field(default=False, description="Make it public; private by default.")
    pull_request: bool = Field(default=False, description="Open a pull request instead of changing main.")


@release_asset(kinds={"python", "huggingface"}, deps=[dataset])
def published_dataset(config: Publication, factory: dg.ResourceParam[Factory]) -> dg.MaterializeResult[None]:
    """The dataset on the Hugging Face Hub, under a tag that follows from its content. Published only on request."""
    try:
        what = release(local_folder(factory.dataset))
        pushed = push(
            what,
            config.repository,
            public=config.public,
            pull_request=config.pull_request,
            endpoint=Settings.load().hub_endpoint,
        )
    except UserError as error:
        raise refusal(error) from error
    return dg.MaterializeResult(
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


def refuse_half(
    domain: str,
    environments: Mapping[str, EnvironmentSpec],
    verified: Mapping[str, list[Task]],
    rejected: Mapping[str, list[Task]],
    attempted: Mapping[str, list[Trajectory]],
) -> None:
    """See that a domain's assets are all there: one that is being generated may not have them yet.

    Raises:
        UserError: they are not.
    """
    there = {
        "environment": environments,
        "verified_tasks": verified,
        "rejected_tasks": rejected,
        "trajectories": attempted,
    }
    if missing := [asset for asset, domains in there.items() if domain not in domains]:
        raise UserError(f"{domain}: there is no `{'`, no `'.join(missing)}` to release; generate it first")
    if not {trajectory.task_id for trajectory in attempted[domain]} <= {task.id for task in verified[domain]}:
        raise UserError(f"{domain}: `trajectories` are of other tasks than `verified_tasks`; generate it again")


def local_folder(path: str) -> Path:
    """The folder of a dataset.

    Raises:
        UserError: it is a URL.
    """
    if "://" in path:
        raise UserError(f"the dataset is written to a local folder, not to {path}; name a folder")
    return Path(path)


def _who_prefers(made: Preferences | None) -> dict[str, str]:
    return made.model_dump(mode="json", include={"catalogue", "proposed_by", "validated_by"}) if made else {}


def _of(domains: list[str], *assets: Mapping[str, list[T]]) -> list[T]:
    return [row for rows in assets for domain in domains for row in rows.get(domain, [])]


def about(factory: Factory, domains: list[str]) -> About:
    """What the card says beside the rows: prompts, and of all calls so far, who answered and what they cost."""
    prompts = [file.stem for file in files_in(data_folder("prompts"), "*.j2")]
    with factory.store() as store:
        models = {role: _answered(store, role, domains) for role in get_args(Role)}
        paid = [line for line in store.cost_by("domain") if line.name in domains]
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
    lines = [line for domain in domains for line in store.cost_by("model", role=role, domain=domain)]
    return sorted({line.name for line in lines if line.calls > line.failed})
