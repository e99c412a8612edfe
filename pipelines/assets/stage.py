"""What all assets of a domain have in common."""

import inspect
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import dagster as dg

from pipelines.domains import DOMAINS
from toolscale.prompts import prompt_hash

OWNERS = ["team:toolscale"]


def domain_asset(
    group: str,
    *sources: Callable[..., Any],
    prompts: tuple[str, ...] = (),
    kind: str = "parquet",
    io_manager_key: str = "rows",
) -> Callable[[Callable[..., Any]], dg.AssetsDefinition]:
    """An asset partitioned by domain, given the functions and prompts that what it holds depends on."""

    def decorate(stage: Callable[..., Any]) -> dg.AssetsDefinition:
        return dg.asset(
            stage,
            partitions_def=DOMAINS,
            group_name=group,
            owners=OWNERS,
            kinds={kind, "llm" if prompts else "python"},
            io_manager_key=io_manager_key,
            code_version=code_version(*sources, prompts=prompts),
        )

    return decorate


def code_version(*sources: Callable[..., Any], prompts: tuple[str, ...] = ()) -> str:
    """A mark that changes with a prompt, or with the source of a function's module: what follows is then stale."""
    modules = {inspect.getmodule(source): None for source in sources}
    texts = [inspect.getsource(module) for module in modules if module is not None]
    return sha256("".join([prompt_hash(*prompts), *texts]).encode()).hexdigest()[:12]
