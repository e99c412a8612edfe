"""Stage: tasks. From intents, functions and the database to first tasks."""

import asyncio
from collections.abc import Sequence

from toolscale.artifacts import DatabaseSchema, Domain, EnvironmentSpec, Intent, Reject, Task
from toolscale.environment import Sandbox
from toolscale.llm import Gateway, MalformedAnswer
from toolscale.prompts import render
from toolscale.synthesis.drafts import ANSWER_FORM, as_task, draft_task
from toolscale.synthesis.excerpt import database_in, excerpt
from toolscale.synthesis.sifted import Sifted


async def propose_tasks(
    domain: Domain,
    environment: EnvironmentSpec,
    intents: Sequence[Intent],
    gateway: Gateway,
    *,
    count: int,
    seed: int = 0,
) -> Sifted[Task]:
    """`count` first tasks, the intents taken in turn, each from an excerpt of its own. Doubles are refused."""
    schema = DatabaseSchema(domain=domain.name, json_schema=environment.json_schema or {})
    with Sandbox(environment) as sandbox:
        drafted = await asyncio.gather(
            *(
                _propose(
                    domain, environment, schema, intents[index % len(intents)], sandbox, gateway, f"{seed}:{index}"
                )
                for index in range(count)
            )
        )
    return without_doubles(domain, "tasks", drafted)


def without_doubles(domain: Domain, stage: str, drafted: Sequence[Task | Reject]) -> Sifted[Task]:
    """The tasks, each once: a second task with the same id is refused."""
    kept: dict[str, Task] = {}
    rejects: list[Reject] = []
    for result in drafted:
        if isinstance(result, Reject):
            rejects.append(result)
        elif result.id in kept:
            rejects.append(
                Reject(domain=domain.name, stage=stage, check="double", reasons=[f"the same task as {result.id}"])
            )
        else:
            kept[result.id] = result
    return Sifted(list(kept.values()), rejects)


async def _propose(
    domain: Domain,
    environment: EnvironmentSpec,
    schema: DatabaseSchema,
    intent: Intent,
    sandbox: Sandbox,
    gateway: Gateway,
    seed: str,
) -> Task | Reject:
    messages = render(
        "tasks",
        domain=domain,
        policy=environment.policy,
        database=excerpt(schema, database_in(environment), seed=seed),
        intent=intent,
        answer_form=ANSWER_FORM,
    )
    number = int(seed.rpartition(":")[2])
    try:
        draft = await draft_task("teacher", "tasks", messages, domain.name, sandbox, gateway, number)
    except MalformedAnswer as error:
        return Reject(domain=domain.name, stage="tasks", check="form", reasons=error.reasons, raw=error.raw)
    if draft.infeasible:
        return Reject(domain=domain.name, stage="tasks", check="infeasible", reasons=[draft.infeasible])
    return as_task(domain.name, intent.purpose, draft)
