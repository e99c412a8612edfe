"""What all assets have in common, and the asset that each stage of the chain is."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, get_origin
from urllib.parse import urlsplit

import dagster as dg
from pydantic import BaseModel

from pipelines.automation import FOLLOWS
from pipelines.code_references import code_references
from pipelines.columns import columns
from pipelines.domains import DOMAINS
from pipelines.factory import Factory
from pipelines.metadata import Metadata, cost, page, refused
from pipelines.nothing_kept import nothing_kept
from pipelines.progress import Listener
from pipelines.recipe import Recipe, recipe, settings_here
from pipelines.refusals import Refusal
from pipelines.storage import write_rows
from pipelines.tags import SYNTHESIS
from toolscale.artifacts import EnvironmentSpec
from toolscale.environment import write_environment
from toolscale.llm.providers import provider_name
from toolscale.stages import Role
from toolscale.synthesis.chain import SynthesisStage
from toolscale.synthesis.entries import DatabaseGap
from toolscale.synthesis.sifted import Sifted

OWNERS = ["team:toolscale"]

STAGES: dict[str, Recipe] = {}
"""Name of each asset that is partitioned by domain -> how it is made."""

OVER_ALL: dict[str, Recipe] = {}
"""Name of each asset over all domains -> how it is made."""

Shows = Callable[[Any, Mapping[str, Any]], Metadata]
"""What the UI shows of what a stage made, given that and what the stage read."""


def of_a_domain(made: Recipe, group: str, holds: type[BaseModel] | None, source: Callable[..., Any]) -> dict[str, Any]:
    """Options of every asset that is partitioned by domain.

    ``holds`` is what its rows are, if it has rows, and ``source`` the function that makes them.
    """
    described = {"dagster/column_schema": columns(holds)} if holds else {}
    return {
        "group_name": SYNTHESIS[group],
        "owners": OWNERS,
        "tags": asking(made.asks),
        "metadata": {**described, **code_references(source, made.prompts)},
        "io_manager_key": "rows" if holds else "environments",
        "code_version": made.version_here(),
        "automation_condition": FOLLOWS,
    }


def recipe_of(stage: SynthesisStage) -> Recipe:
    """How a stage's rows are made: by its own function alone, since the chain reaches all of them."""
    writes = write_environment if stage.makes is EnvironmentSpec else write_rows
    made = recipe(stage.function, writes, prompts=stage.prompts, asks=stage.roles, told=stage.told)
    return STAGES.setdefault(stage.name, made)


def inputs_of(stage: SynthesisStage) -> dict[str, dg.AssetIn]:
    """The assets that a stage reads, each in the form that it asks for."""
    return {name: dg.AssetIn(dagster_type=form) for name, form in stage.reads.items()}


def stage_asset(stage: SynthesisStage, shows: Shows) -> dg.AssetsDefinition:
    """The asset of a stage, partitioned by domain."""
    holds = None if stage.makes is EnvironmentSpec else stage.kind
    return dg.asset(
        _asking(stage, shows) if stage.asks else _computing(stage, shows),
        name=stage.name,
        description=stage.description,
        ins=inputs_of(stage),
        dagster_type=Any if get_origin(stage.makes) is Sifted else stage.makes,
        partitions_def=DOMAINS,
        kinds={"parquet" if holds else "folder", "llm" if stage.asks else "python"},
        pool=pool_of(stage.roles[0]) if stage.asks else None,
        **of_a_domain(recipe_of(stage), stage.group, holds, stage.function),
    )


def _asking(stage: SynthesisStage, shows: Shows) -> Callable[..., Any]:
    """Runs a stage that asks models, and tells what it made, what it refused and what it cost."""

    def asset(
        context: dg.AssetExecutionContext,
        factory: dg.ResourceParam[Factory],
        progress: dg.ResourceParam[Listener],
        **read: Any,
    ) -> Any:
        domain = read["domain"]
        try:
            found = factory.ask(context, progress, domain, partial(stage.make, made=read))
        except Refusal as ended:
            if isinstance(gap := ended.__cause__, DatabaseGap):  # nothing is stored: what was refused is shown here
                raise Refusal(str(ended), refused(gap.rejects), ended.said) from gap
            raise
        rejects = _rejects_of(found)
        if nothing := nothing_kept(stage.name, domain.name, found, factory):
            raise Refusal(nothing, {**rejects, **cost(factory, domain.name, *stage.asks)})
        metadata = page(shows(found, read), rejects, last=cost(factory, domain.name, *stage.asks))
        return dg.MaterializeResult(value=found, metadata=metadata)

    return asset


def _rejects_of(found: Any) -> Metadata:
    return refused(found.rejects) if isinstance(found, Sifted) else {}


def _computing(stage: SynthesisStage, shows: Shows) -> Callable[..., Any]:
    """Runs a stage that is a program."""

    def asset(factory: dg.ResourceParam[Factory], **read: Any) -> Any:
        made = stage.function(**read, seed=factory.seed)
        return dg.MaterializeResult(value=made, metadata=page(shows(made, read)))

    return asset


def release_asset(
    *,
    group: str = "release",
    prompts: tuple[str, ...] = (),
    asks: tuple[Role, ...] = (),
    told: tuple[str, ...] = (),
    runs: tuple[str, ...] = (),
    **options: Any,
) -> Callable[[Callable[..., Any]], dg.AssetsDefinition]:
    """An asset over all domains, given the prompts and the settings that what it holds depends on.

    ``asks`` are the roles that it calls, ``told`` names settings, and ``runs`` modules that it runs as programs.
    """

    def decorate(made: Callable[..., Any]) -> dg.AssetsDefinition:
        how = OVER_ALL[made.__name__] = recipe(made, *runs, prompts=prompts, asks=asks, told=told)
        shown = {**options.pop("metadata", {}), **code_references(made, prompts)}
        return dg.asset(
            made,
            group_name=group,
            owners=OWNERS,
            tags=asking(asks),
            metadata=shown,
            code_version=how.version_here(),
            **options,
        )

    return decorate


def asking(roles: Iterable[Role]) -> dict[str, str]:
    """Tags by which assets are found that ask a model of a role, such as `asks/teacher`."""
    return {f"asks/{role}": "" for role in roles}


def pool_of(role: Role) -> str | None:
    """The pool of assets that ask the endpoint which answers for a role, such as `openai` or `openai_gpu1_8000`.

    It limits nothing until the instance is told a limit for it. It goes by the settings; a run that is told another
    model in the launchpad stays in the pool of the settings' one.
    """
    settings = settings_here()
    if settings is None:
        return None
    answering = settings.for_role(role)
    place = urlsplit(answering.api_base or "").netloc
    return re.sub(r"\W+", "_", "_".join(filter(None, (provider_name(answering.model), place))))
