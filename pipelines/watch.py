"""Checks of kept tasks that warn: do they cover the functions, do gates and agent behave as before, what do they cost?

None stops a run: what they find is worth a person's look, and may be quite right after a change of prompt or model.
"""

from collections.abc import Iterator, Sequence
from math import sqrt
from statistics import mean, median, pstdev
from typing import Any

import dagster as dg

from pipelines.domains import DOMAINS
from pipelines.factory import Factory
from pipelines.shown import markdown
from toolscale.artifacts import EnvironmentSpec, Task

COVERED = 0.8
"""Share of a domain's functions that some kept task should need, where there are tasks enough for it."""

REMEMBERED = 10
"""Earlier materializations of a partition that are its history."""

LEAST_DRIFT = 0.1
"""A share that moved by less is left alone, however many tasks there are."""

_WHAT = {
    "functions_are_covered": "Some kept task needs each function, or nearly each: at least 80%, tasks permitting.",
    "gates_let_through_as_before": "The share of tasks that pass every gate is about that of earlier runs.",
    "pass_rate_is_as_before": "The mean pass rate of the kept tasks is about that of earlier runs.",
    "a_kept_task_costs_its_due": "All stages together cost no more for each kept task than `cost_per_task` allows.",
}


@dg.multi_asset_check(
    name="watch_verified_tasks",
    specs=[
        dg.AssetCheckSpec(
            name, asset="verified_tasks", description=what, additional_deps=["environment"], partitions_def=DOMAINS
        )
        for name, what in _WHAT.items()
    ],
)
def watch_verified_tasks(
    context: dg.AssetCheckExecutionContext,
    factory: dg.ResourceParam[Factory],
    verified_tasks: list[Task],
    environment: EnvironmentSpec,
) -> Iterator[dg.AssetCheckResult]:
    """Read the partition's history from its materializations, and compare the latest with it."""
    latest, *earlier = remembered(context.instance, context.partition_key) or [{}]
    for name, result in {
        "functions_are_covered": coverage(verified_tasks, environment),
        "gates_let_through_as_before": survival(latest, earlier),
        "pass_rate_is_as_before": drift(verified_tasks, earlier),
        "a_kept_task_costs_its_due": cost_of_a_task(latest, factory.cost_per_task),
    }.items():
        passed, metadata = result
        yield dg.AssetCheckResult(
            asset_key="verified_tasks",
            check_name=name,
            passed=passed,
            severity=dg.AssetCheckSeverity.WARN,
            metadata=metadata,
        )


def remembered(instance: dg.DagsterInstance, domain: str) -> list[dict[str, float]]:
    """The figures of the partition's materializations, the latest first."""
    wanted = dg.AssetRecordsFilter(dg.AssetKey("verified_tasks"), asset_partitions=[domain])
    records = instance.fetch_materializations(wanted, limit=REMEMBERED + 1).records
    found = [record.asset_materialization for record in records]
    return [
        {name: value.value for name, value in each.metadata.items() if isinstance(value.value, int | float)}
        for each in found
        if each is not None
    ]


def coverage(tasks: Sequence[Task], environment: EnvironmentSpec) -> tuple[bool, dict[str, Any]]:
    """Whether golden calls use the functions; a domain of few tasks need not use more of them than it has tasks."""
    offered = {function.name for function in environment.functions}
    unused = offered - {call.name for task in tasks for call in task.golden_calls}
    used, least = len(offered) - len(unused), COVERED * min(len(offered), len(tasks))
    listed = ", ".join(f"`{name}`" for name in sorted(unused))
    metadata: dict[str, Any] = {"used": used, "functions": len(offered)}
    return used >= least, metadata | ({"unused": markdown(listed)} if unused else {})


def survival(latest: dict[str, float], earlier: Sequence[dict[str, float]]) -> tuple[bool, dict[str, Any]]:
    """Whether about as many of the proposed tasks were kept as at the earlier materializations."""
    history = [each["kept"] / each["proposed"] for each in earlier if each.get("proposed")]
    if not latest.get("proposed"):
        return True, {"earlier_runs": len(history)}
    share = latest["kept"] / latest["proposed"]
    usual = median(history) if history else share
    return _as_before("survival", share, history, chance=sqrt(usual * (1 - usual) / latest["proposed"]))


def drift(tasks: Sequence[Task], earlier: Sequence[dict[str, float]]) -> tuple[bool, dict[str, Any]]:
    """Whether the kept tasks are about as hard for the agent as those of the earlier materializations."""
    history = [each["pass_rate"] for each in earlier if "pass_rate" in each]
    rates = [task.pass_rate for task in tasks if task.pass_rate is not None]
    if not rates:
        return True, {"earlier_runs": len(history)}
    return _as_before("pass_rate", mean(rates), history, chance=pstdev(rates) / sqrt(len(rates)))


def cost_of_a_task(latest: dict[str, float], most: float | None) -> tuple[bool, dict[str, Any]]:
    """Whether a kept task cost no more than it may; where nothing was said or no price is known, any cost is right."""
    paid = latest.get("dollars_per_kept_task")
    metadata = {"dollars_per_kept_task": paid, "allowed": most}
    said = {name: value for name, value in metadata.items() if value is not None}
    return paid is None or most is None or paid <= most, said


def _as_before(name: str, now: float, history: Sequence[float], chance: float) -> tuple[bool, dict[str, Any]]:
    """Within three standard errors of what was usual, which is the median of the history."""
    found: dict[str, Any] = {name: round(now, 4), "earlier_runs": len(history)}
    if not history:
        return True, found
    usual, allowed = median(history), max(LEAST_DRIFT, 3 * chance)
    found |= {"usual": round(usual, 4), "allowed_difference": round(allowed, 4)}
    return abs(now - usual) <= allowed, found
