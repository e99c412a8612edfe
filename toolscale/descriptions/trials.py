"""Sampled tasks, tried in their environments by a model that is to be described."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from random import Random

from toolscale.artifacts import Call, EnvironmentSpec, Task
from toolscale.catalogue.catalogue import CatalogueModel
from toolscale.checkers import judge
from toolscale.descriptions.description import Trial, shortened
from toolscale.environment import Sandbox
from toolscale.episodes.episode import run_episode
from toolscale.llm import Gateway

SAMPLED = 10
"""The paper's number of tasks (section 3.1)."""


def sample_tasks(tasks: Sequence[Task], *, seed: int, count: int = SAMPLED) -> list[Task]:
    """Tasks drawn at random, from every domain as evenly as there are any. The same seed, the same tasks."""
    random = Random(seed)
    by_domain: dict[str, list[Task]] = defaultdict(list)
    for task in sorted(tasks, key=lambda each: each.id):
        by_domain[task.domain].append(task)
    queues = [random.sample(each, len(each)) for _, each in sorted(by_domain.items())]
    random.shuffle(queues)
    drawn: list[Task] = []
    while len(drawn) < count and any(queues):
        drawn += [queue.pop() for queue in queues if queue]
    return drawn[:count]


async def try_tasks(
    model: CatalogueModel,
    tasks: Sequence[Task],
    environments: Mapping[str, EnvironmentSpec],
    gateway: Gateway,
    *,
    seed: int = 0,
) -> list[Trial]:
    """One attempt of a model, as the agent, at each task; in the tasks' order.

    Args:
        model: who tries.
        tasks: of domains in `environments`.
        environments: by domain.
        gateway: every call goes through it; attempts that were made before are free.
        seed: another seed tries anew.

    Raises:
        GatewayError: the model cannot be had.
    """
    agent = gateway.with_model("agent", model.settings())

    async def attempts(domain: str) -> list[Trial]:
        with Sandbox(environments[domain]) as sandbox:
            return list(await asyncio.gather(*(attempt(task, sandbox) for task in tasks if task.domain == domain)))

    async def attempt(task: Task, sandbox: Sandbox) -> Trial:
        trajectory = await run_episode(task, sandbox, agent, seed=seed)
        calls = [Call(name=made.name, arguments=made.arguments) for made in trajectory.calls]
        verdict = await asyncio.to_thread(judge, sandbox, task, calls, trajectory.agent_messages)
        return Trial(
            task=task.id,
            topic=task.domain,
            instruction=task.instruction,
            did=shortened(trajectory.messages),
            solved=verdict.solved,
            reasons=verdict.reasons,
        )

    domains = sorted({task.domain for task in tasks})
    tried = [trial for trials in await asyncio.gather(*map(attempts, domains)) for trial in trials]
    order = {task.id: position for position, task in enumerate(tasks)}
    return sorted(tried, key=lambda trial: order[trial.task])
