"""Group task_synthesis: from an environment to tasks that passed every gate."""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import dagster as dg
from pydantic import BaseModel

from pipelines.assets.stage import Shows, inputs_of, of_a_domain, pool_of, recipe_of, stage_asset
from pipelines.domains import DOMAINS
from pipelines.factory import Factory
from pipelines.metadata import (
    Metadata,
    by_depth,
    cost,
    cost_of_domain,
    counted,
    depths_of,
    funnel,
    page,
    pass_rates,
    preview,
    refusals,
    refused,
    rejected_by_gate,
    task_preview,
)
from pipelines.nothing_kept import READ_REFUSALS, funnel_of_nothing
from pipelines.progress import Listener, Progress
from pipelines.refusals import Refusal
from pipelines.shortage import note_shortage, shortage
from toolscale.artifacts import Domain, Intent, Reject, Task, TaskProgram, Trajectory
from toolscale.synthesis.chain import CHAIN
from toolscale.synthesis.quota import Filled
from toolscale.synthesis.sifted import Sifted


def _intents(found: list[Intent], read: Mapping[str, Any]) -> Metadata:
    return {"intents": len(found), **preview(found, "id", "purpose")}


def _programs(found: Sifted[TaskProgram], read: Mapping[str, Any]) -> Metadata:
    return {
        "programs": len(found.kept),
        "twists": sum(len(program.twists) for program in found.kept),
        **preview(found.kept, "name", "intent"),
    }


def _tasks(found: Sifted[Task], read: Mapping[str, Any]) -> Metadata:
    return {
        "tasks": len(found.kept),
        "golden_calls": sum(len(task.golden_calls) for task in found.kept),
        "drawn_by_programs": sum(bool(task.lineage.goals) for task in found.kept),
        **counted("by_intent", Counter(task.intent for task in found.kept)),
        **task_preview(found.kept),
    }


def _evolved_tasks(found: Sifted[Task], read: Mapping[str, Any]) -> Metadata:
    return {
        "tasks": len(found.kept),
        "golden_calls": sum(len(task.golden_calls) for task in found.kept),
        **counted("operators", Counter(task.lineage.operator or "" for task in found.kept)),
        **by_depth(depths_of([*read["tasks"], *found.kept])),
        **task_preview(found.kept, "added"),
    }


*_EARLIER, _LAST = (stage for stage in CHAIN if stage.group == "tasks")
_SHOWN: Mapping[str, Shows] = {
    "intents": _intents,
    "programs": _programs,
    "tasks": _tasks,
    "evolved_tasks": _evolved_tasks,
}

assets = [stage_asset(stage, _SHOWN[stage.name]) for stage in _EARLIER]

_VERIFIED = recipe_of(_LAST)


def _out(holds: type[BaseModel], description: str) -> dg.AssetOut:
    return dg.AssetOut(
        dagster_type=dg.Any if holds is Reject else list[holds],  # type: ignore[valid-type]
        description=description,
        kinds={"parquet", "llm"},
        **of_a_domain(_VERIFIED, _LAST.group, holds, _LAST.function),
    )


def _logging(context: dg.AssetExecutionContext, listener: Listener) -> Listener:
    """The listener, with a line in the log for every tenth part of the tasks."""
    logged = 0

    def hear(at_work: Progress) -> None:
        nonlocal logged
        listener(at_work)
        if at_work.done > logged and at_work.done % max(1, at_work.total // 10) == 0:
            logged = at_work.done
            kept = at_work.counts["kept"]
            context.log.info("%d of %d tasks met the gates, %d kept", at_work.done, at_work.total, kept)

    return hear


@dg.multi_asset(
    name=_LAST.name,
    description=_LAST.description,
    partitions_def=DOMAINS,
    ins=inputs_of(_LAST),
    outs={
        "verified_tasks": _out(
            Task,
            "The tasks that passed every gate, with the agent's attempts and verdicts. First and evolved tasks meet "
            "the gates that programs decide, what a judge reads of the policy, where a choice is open a blind "
            "solver, then eight attempts of an agent, and what these tell.",
        ),
        "rejected_tasks": _out(
            Task,
            "The tasks that a gate refused, each with its gates' outcomes; made with `verified_tasks`.",
        ),
        "trajectories": _out(
            Trajectory, "All attempts at the kept tasks, solved or not, to learn from. Made with `verified_tasks`."
        ),
        "later_rejects": _out(
            Reject,
            "What never became a task of what was proposed for a wanted number (`keep`); made with `verified_tasks`.",
        ),
    },
    pool=pool_of(_LAST.roles[0]),
)
def verified_tasks(
    context: dg.AssetExecutionContext,
    factory: dg.ResourceParam[Factory],
    progress: dg.ResourceParam[Listener],
    **read: Any,
) -> Iterator[Any]:
    """Run the last stage, whose rows are four assets."""
    domain: Domain = read["domain"]
    hears = progress if factory.keep else _logging(context, progress)  # a wanted number has no tenth parts
    filled: Filled = factory.ask(context, hears, domain, partial(_LAST.make, made=read))
    found, short = filled.verified, shortage(factory, len(filled.verified.kept), filled.short)
    note_shortage(factory.data_root, domain.name, short)
    if short:
        context.log.warning(short)
    kept = page(
        {"short": short} if short else {},
        funnel(found.kept, found.rejected),
        pass_rates([task.pass_rate for task in found.kept]),
        by_depth(depths_of(found.kept)),
        task_preview(found.kept, "pass_rate"),
        last=cost(factory, domain.name, "policy", "openness", "episode", "user")
        | cost_of_domain(factory, domain.name, len(found.kept)),
    )
    yield dg.MaterializeResult(asset_key="verified_tasks", value=found.kept, metadata=kept)
    yield dg.MaterializeResult(
        asset_key="rejected_tasks",
        value=found.rejected,
        metadata=page(funnel(found.kept, found.rejected), refusals(found.rejected)),
    )
    yield dg.MaterializeResult(
        asset_key="trajectories",
        value=found.trajectories,
        metadata={
            "trajectories": len(found.trajectories),
            "calls": sum(len(trajectory.calls) for trajectory in found.trajectories),
            **preview(found.trajectories, "task_id", "attempt", "termination", "agent_messages"),
        },
    )
    yield dg.MaterializeResult(
        asset_key="later_rejects", value=Sifted[Task]([], filled.rejects), metadata=refused(filled.rejects)
    )
    if not found.kept:
        funnel_first = funnel_of_nothing(
            len(found.rejected), "tasks", "passed the gates", rejected_by_gate(found.rejected)
        )
        raise Refusal(" ".join(filter(None, (f"{funnel_first}, in {domain.name}.", short, READ_REFUSALS))))
