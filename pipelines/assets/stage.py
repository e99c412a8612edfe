"""What all assets have in common."""

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import dagster as dg
from pydantic import BaseModel

from pipelines.automation import FOLLOWS
from pipelines.columns import columns
from pipelines.domains import DOMAINS
from pipelines.recipe import Recipe, recipe, settings_here
from pipelines.storage import write_rows
from toolscale.environment import write_environment
from toolscale.llm.providers import provider_name
from toolscale.settings import Role

OWNERS = ["team:toolscale"]

STAGES: dict[str, Recipe] = {}
"""Name of each asset that is partitioned by domain -> how it is made."""

OVER_ALL: dict[str, Recipe] = {}
"""Name of each asset over all domains -> how it is made."""


def domain_asset(
    group: str,
    *,
    holds: type[BaseModel] | None = None,
    prompts: tuple[str, ...] = (),
    asks: tuple[Role, ...] = (),
    told: tuple[str, ...] = (),
    kind: str = "parquet",
    io_manager_key: str = "rows",
) -> Callable[[Callable[..., Any]], dg.AssetsDefinition]:
    """An asset partitioned by domain, given the prompts and the settings that what it holds depends on.

    ``holds`` is what each of its rows is, ``asks`` the roles that it calls, the one that it calls most first, and
    ``told`` names settings.
    """

    def decorate(stage: Callable[..., Any]) -> dg.AssetsDefinition:
        writes = write_rows if io_manager_key == "rows" else write_environment
        made = STAGES[stage.__name__] = recipe(stage, writes, prompts=prompts, asks=asks, told=told)
        return dg.asset(
            stage,
            partitions_def=DOMAINS,
            group_name=group,
            owners=OWNERS,
            kinds={kind, "llm" if prompts else "python"},
            metadata={"dagster/column_schema": columns(holds)} if holds else {},
            io_manager_key=io_manager_key,
            code_version=made.version_here(),
            automation_condition=FOLLOWS,
            pool=pool_of(asks[0]) if asks else None,
        )

    return decorate


def release_asset(
    *,
    prompts: tuple[str, ...] = (),
    asks: tuple[Role, ...] = (),
    told: tuple[str, ...] = (),
    runs: tuple[str, ...] = (),
    **options: Any,
) -> Callable[[Callable[..., Any]], dg.AssetsDefinition]:
    """An asset over all domains; ``runs`` names modules that it runs as programs, the others are as a domain's."""

    def decorate(stage: Callable[..., Any]) -> dg.AssetsDefinition:
        made = OVER_ALL[stage.__name__] = recipe(stage, *runs, prompts=prompts, asks=asks, told=told)
        return dg.asset(stage, group_name="release", owners=OWNERS, code_version=made.version_here(), **options)

    return decorate


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
