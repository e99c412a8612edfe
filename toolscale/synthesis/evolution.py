"""Stage: evolved_tasks. From tasks to harder ones: one complication more a round."""

import asyncio
from collections.abc import Mapping, Sequence

from toolscale.artifacts import (
    Database,
    DatabaseSchema,
    Difficulty,
    Domain,
    EnvironmentSpec,
    Reject,
    Task,
    content_id,
)
from toolscale.checkers import GateContext, difficulty_of
from toolscale.environment import Sandbox
from toolscale.llm import Gateway, Unanswerable
from toolscale.prompts import render
from toolscale.synthesis.drafts import ANSWER_FORM, TURNS, TaskDraft, as_task, draft_task
from toolscale.synthesis.excerpt import Excerpts, database_in
from toolscale.synthesis.pruning import pruned
from toolscale.synthesis.sifted import Sifted
from toolscale.synthesis.tally import Told, gathered, unheard
from toolscale.synthesis.tasks import EXCERPTS, first_feasible, unusable, without_doubles

KINDS: Mapping[Difficulty, str] = {
    "dependent": "a goal that depends on another: what one write returns (a new id, a sum) is what a later write needs",
    "arithmetic": "a figure to compute: a total, a difference or a share that the user asks for and no function "
    "returns, of figures that calls return or the user names",
    "recovery": "a first wish that fails (sold out, closed, too late), and what the user wants then",
    "refusal": "a request that the policy forbids, to be noticed and refused, with the figure that explains it (the "
    "deadline, the limit, the price) in `communicate_info`",
    "conditional": "a condition on what a call brings to light",
    "multi-hop": "something that the user does not know, and that takes two look-ups in a row to find",
}
"""What a harder task can have that an old one lacks, in words for the teacher."""


def kinds_wanted(task: Task, has: Sequence[Difficulty]) -> list[str]:
    """The kinds that a task lacks, in words: the one to prefer first, which differs from task to task; all if none."""
    lacking = [said for kind, said in KINDS.items() if kind not in has] or list(KINDS.values())
    first = int(content_id("kind", task.id).rpartition("-")[2], 16) % len(lacking)
    return lacking[first:] + lacking[:first]


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
        context = GateContext(sandbox)
        for _ in range(rounds):
            drafts = [_evolve(domain, environment, excerpts, task, context, gateway, seed) for task in latest]
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
    context: GateContext,
    gateway: Gateway,
    seed: int,
) -> Task | Reject:
    touched = (await asyncio.to_thread(context.golden, task)).replay.operated
    kinds = kinds_wanted(task, await asyncio.to_thread(difficulty_of, task, context))
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
            kinds=kinds,
        )
        return await draft_task(
            "evolver", "evolution", messages, domain.name, context.sandbox, gateway, seed=seed, parent=task.id
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
    return await asyncio.to_thread(pruned, evolved, context)
