"""Group tasks: from an environment to tasks that passed every gate."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import dagster as dg
from pydantic import BaseModel

from pipelines.assets.stage import OWNERS, STAGES, domain_asset, pool_of
from pipelines.automation import FOLLOWS
from pipelines.columns import columns
from pipelines.domains import DOMAINS
from pipelines.factory import Asking, Factory
from pipelines.metadata import (
    by_depth,
    cost,
    cost_of_domain,
    counted,
    funnel,
    lost_at_gates,
    pass_rates,
    preview,
    refusals,
    refused,
    rejected_by_gate,
    task_preview,
)
from pipelines.progress import Listener
from pipelines.recipe import recipe
from pipelines.shortage import note_shortage, shortage
from pipelines.storage import write_rows
from toolscale.artifacts import Domain, EnvironmentSpec, Intent, Reject, Task, Trajectory
from toolscale.synthesis.evolution import evolve_tasks
from toolscale.synthesis.filtering import verify_tasks
from toolscale.synthesis.intents import propose_intents
from toolscale.synthesis.quota import Filled, fill
from toolscale.synthesis.sifted import Sifted
from toolscale.synthesis.tasks import propose_tasks

GROUP = "tasks"


@domain_asset(GROUP, holds=Intent, prompts=("intents",), asks=("teacher",), told=("seed",))
def intents(
    context: dg.AssetExecutionContext,
    factory: dg.ResourceParam[Factory],
    progress: dg.ResourceParam[Listener],
    domain: Domain,
    environment: EnvironmentSpec,
) -> dg.MaterializeResult[list[Intent]]:
    """The purposes that users come with and that the functions can serve.

    The teacher names them from the functions and the policy.
    """
    found = factory.ask(
        context, progress, lambda ask: propose_intents(domain, environment, ask.gateway, seed=factory.seed)
    )
    return dg.MaterializeResult(
        value=found,
        metadata={
            "intents": len(found),
            **preview(found, "id", "purpose"),
            **cost(factory, domain.name, "intents"),
        },
    )


@domain_asset(
    GROUP,
    holds=Task,
    prompts=("tasks", "task_rules"),
    asks=("teacher",),
    told=("seed", "tasks_per_domain", "keep", "refusals"),
)
def tasks(
    context: dg.AssetExecutionContext,
    factory: dg.ResourceParam[Factory],
    progress: dg.ResourceParam[Listener],
    domain: Domain,
    environment: EnvironmentSpec,
    intents: list[Intent],
) -> dg.MaterializeResult[Any]:
    """First tasks: an instruction, the golden calls that solve it, and what the user must be told.

    The teacher writes each for an intent and an excerpt of the database, and may try calls in a scratch session first.
    It hears the program gates while it can mend its draft; what never passes is a reject of this stage.
    """
    found = factory.ask(
        context,
        progress,
        lambda ask: propose_tasks(
            domain,
            environment,
            intents,
            ask.gateway,
            count=factory.first_tasks(domain.name),
            refusals=ask.settings.refusals,
            seed=factory.seed,
            told=ask.telling.tell,
        ),
    )
    return dg.MaterializeResult(
        value=found,
        metadata={
            "tasks": len(found.kept),
            "golden_calls": sum(len(task.golden_calls) for task in found.kept),
            **counted("by_intent", Counter(task.intent for task in found.kept)),
            **task_preview(found.kept),
            **refused(found.rejects),
            **{f"rejected_by_{gate}": count for gate, count in lost_at_gates(found.rejects).items()},
            **cost(factory, domain.name, "tasks"),
        },
    )


@domain_asset(
    GROUP,
    holds=Task,
    prompts=("evolution", "task_rules"),
    asks=("evolver",),
    told=("seed", "evolution_rounds", "operators"),
)
def evolved_tasks(
    context: dg.AssetExecutionContext,
    factory: dg.ResourceParam[Factory],
    progress: dg.ResourceParam[Listener],
    domain: Domain,
    environment: EnvironmentSpec,
    tasks: list[Task],
) -> dg.MaterializeResult[Any]:
    """The tasks made harder: one complication more a round.

    The evolver is asked for an operator by name (a condition, a refusal, something to work out) and says which it used;
    it hears the program gates as the teacher does. The first tasks stay as well.
    """
    found = factory.ask(
        context,
        progress,
        lambda ask: evolve_tasks(
            domain,
            environment,
            tasks,
            ask.gateway,
            rounds=factory.evolution_rounds,
            operators=ask.settings.operators,
            seed=factory.seed,
            told=ask.telling.tell,
        ),
    )
    return dg.MaterializeResult(
        value=found,
        metadata={
            "tasks": len(found.kept),
            "golden_calls": sum(len(task.golden_calls) for task in found.kept),
            **counted("operators", Counter(task.lineage.operator or "" for task in found.kept)),
            **by_depth([*tasks, *found.kept]),
            **task_preview(found.kept, "added"),
            **refused(found.rejects),
            **{f"rejected_by_{gate}": count for gate, count in lost_at_gates(found.rejects).items()},
            **cost(factory, domain.name, "evolution"),
        },
    )


def _verify(
    context: dg.AssetExecutionContext,
    factory: Factory,
    progress: Listener,
    domain: Domain,
    environment: EnvironmentSpec,
    intents: list[Intent],
    proposed: list[Task],
) -> Filled:
    """Put every task to the test, and where a number is wanted go on until there are so many."""

    async def verified(ask: Asking) -> Filled:
        wanted = factory.wanted(ask.settings)
        if wanted is None:
            hear = _tally(ask, len(proposed))
            return Filled(
                await verify_tasks(
                    environment,
                    proposed,
                    ask.gateway,
                    ask.store,
                    ask.settings,
                    seed=factory.seed,
                    on_verified=hear,
                )
            )
        return await fill(
            domain,
            environment,
            intents,
            proposed,
            ask.gateway,
            ask.store,
            ask.settings.model_copy(update={"wanted_pass_rate": wanted.pass_rate}),
            wanted,
            first=factory.first_tasks(domain.name),
            rounds=factory.evolution_rounds,
            seed=factory.seed,
            told=ask.telling.tell,
        )

    return factory.ask(context, progress, verified)


def _tally(ask: Asking, proposed: int) -> Callable[[Task], None]:
    """Count the tasks as their outcomes become known, and tell; the log hears of every tenth part."""
    met, counts = 0, Counter(kept=0, attempts=0)

    def hear(task: Task) -> None:
        nonlocal met
        met += 1
        counts.update(kept=task.rejected_by is None, attempts=len(task.attempts))
        ask.telling.tell(met, proposed, counts)
        if met % max(1, proposed // 10) == 0:
            ask.context.log.info("%d of %d tasks met the gates, %d kept", met, proposed, counts["kept"])

    return hear


STAGES["verified_tasks"] = recipe(
    _verify,
    write_rows,
    prompts=("judge_policy", "openness", "agent", "user", "tasks", "evolution", "task_rules"),
    asks=("judge", "validator", "agent", "user", "teacher", "evolver"),
    told=(
        *("seed", "attempts", "attempts_stop", "wanted_pass_rate", "user_mode", "max_turns"),
        *("keep", "pass_rate", "golden_calls", "refusals", "operators", "evolution_rounds"),
    ),
)


def _out(holds: type[BaseModel], description: str) -> dg.AssetOut:
    return dg.AssetOut(
        dagster_type=dg.Any if holds is Reject else list[holds],  # type: ignore[valid-type]
        description=description,
        group_name=GROUP,
        owners=OWNERS,
        kinds={"parquet", "llm"},
        metadata={"dagster/column_schema": columns(holds)},
        automation_condition=FOLLOWS,
        io_manager_key="rows",
        code_version=STAGES["verified_tasks"].version_here(),
    )


@dg.multi_asset(
    name="verified_tasks",
    partitions_def=DOMAINS,
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
    pool=pool_of("agent"),
)
def verified_tasks(
    context: dg.AssetExecutionContext,
    factory: dg.ResourceParam[Factory],
    progress: dg.ResourceParam[Listener],
    domain: Domain,
    environment: EnvironmentSpec,
    intents: list[Intent],
    tasks: list[Task],
    evolved_tasks: list[Task],
) -> Iterator[Any]:
    """Put every task to the test: the gates that programs decide, eight attempts of an agent, what these tell.

    Where a number of tasks is wanted, more are proposed and made harder until so many are kept.
    """
    filled = _verify(context, factory, progress, domain, environment, intents, [*tasks, *evolved_tasks])
    found, short = filled.verified, shortage(factory, len(filled.verified.kept), filled.short)
    note_shortage(factory.data_root, domain.name, short)
    if short:
        context.log.warning(short)
    kept = {
        **({"short": short} if short else {}),
        **funnel(found.kept, found.rejected),
        **pass_rates(found.kept),
        **by_depth(found.kept),
        **task_preview(found.kept, "pass_rate"),
        **cost(factory, environment.domain, "policy", "openness", "episode", "user"),
        **cost_of_domain(factory, environment.domain, len(found.kept)),
    }
    yield dg.MaterializeResult(asset_key="verified_tasks", value=found.kept, metadata=kept)
    yield dg.MaterializeResult(
        asset_key="rejected_tasks",
        value=found.rejected,
        metadata={**funnel(found.kept, found.rejected), **refusals(found.rejected)},
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
        taken = ", ".join(f"{gate} {count}" for gate, count in rejected_by_gate(found.rejected).items())
        nothing = f"no task of {domain.name} is kept, of {len(found.rejected)} proposed ({taken or 'none'})"
        raise dg.Failure(f"{nothing}. {short}" if short else nothing, allow_retries=False)
