"""Stage: tasks. From intents, functions and the database to first tasks."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence

from toolscale.artifacts import Database, DatabaseSchema, Domain, EnvironmentSpec, Intent, Reject, Task
from toolscale.checkers import GateContext
from toolscale.environment import Sandbox
from toolscale.llm import Gateway, Unanswerable
from toolscale.prompts import render
from toolscale.synthesis.drafts import ANSWER_FORM, TURNS, TaskDraft, as_task, draft_task
from toolscale.synthesis.excerpt import Excerpts, database_in
from toolscale.synthesis.pruning import pruned
from toolscale.synthesis.sifted import Sifted
from toolscale.synthesis.tally import Told, gathered, unheard

EXCERPTS = 4
"""Excerpts that a teacher is shown, one after the other, before a task is given up as infeasible."""


async def propose_tasks(
    domain: Domain,
    environment: EnvironmentSpec,
    intents: Sequence[Intent],
    gateway: Gateway,
    *,
    count: int,
    seed: int = 0,
    told: Told = unheard,
) -> Sifted[Task]:
    """`count` first tasks, the intents taken in turn, each from an excerpt of its own. Doubles are refused."""
    schema = DatabaseSchema(domain=domain.name, json_schema=environment.json_schema or {})
    excerpts = Excerpts(schema, database_in(environment))
    with Sandbox(environment) as sandbox:
        drafts = [
            _propose(domain, environment, excerpts, intents[index % len(intents)], sandbox, gateway, seed, index)
            for index in range(count)
        ]
        drafted = await gathered(drafts, told)
    return without_doubles(domain, "tasks", drafted)


def without_doubles(
    domain: Domain, stage: str, drafted: Sequence[Task | Reject], known: Collection[str] = ()
) -> Sifted[Task]:
    """The tasks, each once: a second task with the same id, or one whose id is known already, is refused."""
    kept: dict[str, Task] = {}
    rejects: list[Reject] = []
    for result in drafted:
        if isinstance(result, Reject):
            rejects.append(result)
        elif result.id in kept or result.id in known:
            rejects.append(
                Reject(domain=domain.name, stage=stage, check="double", reasons=[f"the same task as {result.id}"])
            )
        else:
            kept[result.id] = result
    return Sifted(list(kept.values()), rejects)


def unusable(domain: Domain, stage: str, error: Unanswerable) -> Reject:
    """The reject that stands for a draft that never came."""
    return Reject(domain=domain.name, stage=stage, check=error.kind, reasons=error.reasons, raw=error.raw or None)


async def first_feasible(
    drafted: Callable[[Database], Awaitable[TaskDraft]], excerpts: Iterable[Database]
) -> TaskDraft:
    """The draft made of the first excerpt that holds what it takes; the last one's refusal if none does."""
    draft = TaskDraft(infeasible="there was nothing to make it of")
    for shown in excerpts:
        draft = await drafted(shown)
        if not draft.infeasible:
            break
    return draft


async def _propose(
    domain: Domain,
    environment: EnvironmentSpec,
    excerpts: Excerpts,
    intent: Intent,
    sandbox: Sandbox,
    gateway: Gateway,
    seed: int,
    index: int,
) -> Task | Reject:
    async def drafted(shown: Database) -> TaskDraft:
        messages = render(
            "tasks",
            domain=domain,
            policy=environment.policy,
            database=shown,
            intent=intent,
            answer_form=ANSWER_FORM,
            turns=TURNS,
        )
        return await draft_task("teacher", "tasks", messages, domain.name, sandbox, gateway, seed=seed, sample=index)

    try:
        draft = await first_feasible(drafted, (excerpts.draw(f"{seed}:{index}:{turn}") for turn in range(EXCERPTS)))
    except Unanswerable as error:
        return unusable(domain, "tasks", error)
    if draft.infeasible:
        return Reject(domain=domain.name, stage="tasks", check="infeasible", reasons=[draft.infeasible])
    task = as_task(domain.name, intent.purpose, draft)
    return await asyncio.to_thread(pruned, task, GateContext(sandbox))
