"""Stage: evolved_tasks. From tasks to harder ones: one complication more a round."""

import asyncio
from collections.abc import Sequence

from toolscale.artifacts import Database, DatabaseSchema, Domain, EnvironmentSpec, Reject, Task
from toolscale.checkers import GateContext
from toolscale.environment import Sandbox
from toolscale.llm import Gateway, Unanswerable
from toolscale.prompts import render
from toolscale.synthesis.drafts import ANSWER_FORM, TURNS, TaskDraft, as_task, draft_task
from toolscale.synthesis.excerpt import Excerpts, database_in
from toolscale.synthesis.pruning import pruned
from toolscale.synthesis.sifted import Sifted
from toolscale.synthesis.tally import Told, gathered, unheard
from toolscale.synthesis.tasks import EXCERPTS, first_feasible, unusable, without_doubles


async def evolve_tasks(
    domain: Domain,
    environment: EnvironmentSpec,
    tasks: Sequence[Task],
    gateway: Gateway,
    *,
    rounds: int = 1,
    seed: int = 0,
    told: Told = unheard,
) -> Sifted[Task]:
    """Every task made harder, `rounds` times over; each round evolves what the last one gave, and is told apart."""
    schema = DatabaseSchema(domain=domain.name, json_schema=environment.json_schema or {})
    excerpts = Excerpts(schema, database_in(environment))
    kept: list[Task] = []
    rejects: list[Reject] = []
    latest = list(tasks)
    with Sandbox(environment) as sandbox:
        for _ in range(rounds):
            drafts = [_evolve(domain, environment, excerpts, task, sandbox, gateway, seed) for task in latest]
            drafted = await gathered(drafts, told)
            known = {task.id for task in (*tasks, *kept)}
            sifted = without_doubles(domain, "evolved_tasks", drafted, known)
            latest = sifted.kept
            kept += sifted.kept
            rejects += sifted.rejects
    return Sifted(kept, rejects)


async def _evolve(
    domain: Domain,
    environment: EnvironmentSpec,
    excerpts: Excerpts,
    task: Task,
    sandbox: Sandbox,
    gateway: Gateway,
    seed: int,
) -> Task | Reject:
    touched = (await asyncio.to_thread(sandbox.run, task.golden_calls)).operated
    shown = {"user_scenario", "golden_calls", "communicate_info", "asked", "limits", "nl_assertions"}

    async def drafted(database: Database) -> TaskDraft:
        messages = render(
            "evolution",
            domain=domain,
            policy=environment.policy,
            database=database,
            task=task.model_dump(mode="json", include=shown),
            answer_form=ANSWER_FORM,
            turns=TURNS,
        )
        return await draft_task(
            "evolver", "evolution", messages, domain.name, sandbox, gateway, seed=seed, parent=task.id
        )

    drawn = (excerpts.draw(f"{seed}:{task.id}:{turn}", focus=sorted(touched)) for turn in range(EXCERPTS))
    try:
        draft = await first_feasible(drafted, drawn)
    except Unanswerable as error:
        return unusable(domain, "evolved_tasks", error)
    if draft.infeasible:
        reason = f"{task.id}: {draft.infeasible}"
        return Reject(domain=domain.name, stage="evolved_tasks", check="infeasible", reasons=[reason])
    evolved = as_task(domain.name, task.intent, draft, parent=task)
    return await asyncio.to_thread(pruned, evolved, GateContext(sandbox))
