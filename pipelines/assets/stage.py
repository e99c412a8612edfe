"""What all assets of a domain have in common."""

import inspect
import re
from collections.abc import Callable
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

import dagster as dg
from pydantic import BaseModel

from pipelines.automation import FOLLOWS
from pipelines.columns import columns
from pipelines.domains import DOMAINS
from toolscale.errors import UserError
from toolscale.llm.providers import provider_name
from toolscale.prompts import prompt_hash
from toolscale.settings import Role, Settings

OWNERS = ["team:toolscale"]


def domain_asset(
    group: str,
    *sources: Callable[..., Any],
    holds: type[BaseModel] | None = None,
    prompts: tuple[str, ...] = (),
    asks: Role | None = None,
    kind: str = "parquet",
    io_manager_key: str = "rows",
) -> Callable[[Callable[..., Any]], dg.AssetsDefinition]:
    """An asset partitioned by domain, given the functions and prompts that what it holds depends on.

    ``holds`` is what each of its rows is, ``asks`` the role that makes most of its model calls.
    """

    def decorate(stage: Callable[..., Any]) -> dg.AssetsDefinition:
        return dg.asset(
            stage,
            partitions_def=DOMAINS,
            group_name=group,
            owners=OWNERS,
            kinds={kind, "llm" if prompts else "python"},
            metadata={"dagster/column_schema": columns(holds)} if holds else {},
            io_manager_key=io_manager_key,
            code_version=code_version(*sources, prompts=prompts),
            automation_condition=FOLLOWS,
            pool=pool_of(asks) if asks else None,
        )

    return decorate


def code_version(*sources: Callable[..., Any], prompts: tuple[str, ...] = ()) -> str:
    """A mark that changes with a prompt, or with the source of a function's module: what follows is then stale."""
    modules = {inspect.getmodule(source): None for source in sources}
    texts = [inspect.getsource(module) for module in modules if module is not None]
    return sha256("".join([prompt_hash(*prompts), *texts]).encode()).hexdigest()[:12]


def pool_of(role: Role) -> str | None:
    """The pool of assets that ask the endpoint which answers for a role, such as `openai` or `openai_gpu1_8000`.

    It limits nothing until the instance is told a limit for it. It goes by the settings; a run that is told another
    model in the launchpad stays in the pool of the settings' one.
    """
    try:
        answering = Settings.load().for_role(role)
    except UserError:  # whoever needs the settings says what is wrong with them
        return None
    place = urlsplit(answering.api_base or "").netloc
    return re.sub(r"\W+", "_", "_".join(filter(None, (provider_name(answering.model), place))))
