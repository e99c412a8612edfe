"""Group release: the dataset, over all domains or over those that the run names."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar, get_args

import dagster as dg

from pipelines.assets.stage import OWNERS, code_version
from pipelines.factory import Factory, refusal
from pipelines.metadata import counted, mean_pass_rate
from toolscale.artifacts import EnvironmentSpec, Reject, Task, Trajectory
from toolscale.dataset import About, write_dataset
from toolscale.errors import UserError
from toolscale.prompts import data_folder, prompt_hash
from toolscale.settings import Role, Settings
from toolscale.store import Store

T = TypeVar("T")


def _everywhere(asset: str) -> dg.AssetIn:
    return dg.AssetIn(asset, partition_mapping=dg.AllPartitionMapping())


@dg.asset(
    group_name="release",
    owners=OWNERS,
    kinds={"python", "parquet", "huggingface"},
    code_version=code_version(write_dataset),
    ins={
        "environments": _everywhere("environment"),
        "verified": _everywhere("verified_tasks"),
        "rejected": _everywhere("rejected_tasks"),
        "solved": _everywhere("trajectories"),
        "refused_entries": _everywhere("entries"),
        "refused_functions": _everywhere("functions"),
        "refused_tasks": _everywhere("tasks"),
        "refused_evolutions": _everywhere("evolved_tasks"),
    },
)
def dataset(
    factory: dg.ResourceParam[Factory],
    environments: dict[str, EnvironmentSpec],
    verified: dict[str, list[Task]],
    rejected: dict[str, list[Task]],
    solved: dict[str, list[Trajectory]],
    refused_entries: dict[str, list[Reject]],
    refused_functions: dict[str, list[Reject]],
    refused_tasks: dict[str, list[Reject]],
    refused_evolutions: dict[str, list[Reject]],
) -> dg.MaterializeResult[None]:
    """The dataset as one folder of Parquet files with a card: tasks, environments, trajectories and rejects."""
    domains = sorted(factory.domains or verified)
    proposed = {domain: len(verified[domain]) + len(rejected[domain]) for domain in domains}
    refused = (refused_entries, refused_functions, refused_tasks, refused_evolutions)
    kept = _of(domains, verified)
    try:
        write_dataset(
            local_folder(factory.dataset),
            tasks=kept,
            environments=[environments[domain] for domain in domains],
            trajectories=_of(domains, solved),
            rejects=[reject for each in refused for reject in _of(domains, each)],
            rejected=_of(domains, rejected),
            about=_about(factory.settings(), domains, proposed),
        )
    except UserError as error:
        raise refusal(error) from error
    return dg.MaterializeResult(
        metadata={
            "path": dg.MetadataValue.path(factory.dataset),
            "tasks": len(kept),
            "proposed": sum(proposed.values()),
            "trajectories": len(_of(domains, solved)),
            "pass_rate": mean_pass_rate(kept) or 0.0,
            **counted("kept", {domain: len(verified[domain]) for domain in domains}),
            "card": dg.MetadataValue.md((local_folder(factory.dataset) / "README.md").read_text(encoding="utf-8")),
        }
    )


def local_folder(path: str) -> Path:
    """The folder of a dataset.

    Raises:
        UserError: it is a URL.
    """
    if "://" in path:
        raise UserError(f"the dataset is written to a local folder, not to {path}; `toolscale push` publishes it")
    return Path(path)


def _of(domains: list[str], rows: Mapping[str, list[T]]) -> list[T]:
    return [row for domain in domains for row in rows.get(domain, [])]


def _about(settings: Settings, domains: list[str], proposed: dict[str, int]) -> About:
    """What the card says beside the rows: models, prompts, seed and cost."""
    prompts = sorted(file.stem for file in data_folder("prompts").glob("*.j2"))
    with Store(settings.database_url()) as store:
        paid = [line for line in store.cost_by("domain") if line.name in domains]
    cost: dict[str, Any] = {"calls": sum(line.calls for line in paid)}
    cost["dollars"] = None if any(line.unpriced for line in paid) else sum(line.dollars for line in paid)
    return About(
        seed=settings.seed,
        models={role: settings.for_role(role).model for role in get_args(Role)},
        prompts={prompt: prompt_hash(prompt) for prompt in prompts},
        proposed=proposed,
        **cost,
    )
