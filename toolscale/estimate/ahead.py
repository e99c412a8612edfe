"""How far the store's answers lead a run of a domain, and what would be asked where they end.

The stages themselves are run, on a gateway that answers from the store alone: what it does not know is just what a run
would ask. A stage after one with a missing answer cannot be run, because its prompts depend on that answer; but tasks
do not depend on each other, so those that are known go on to the end.
"""

import asyncio
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import dataclass, field

from toolscale.artifacts import Domain, EnvironmentSpec, Task, canonical_json
from toolscale.checkers import GateContext, examined
from toolscale.checkers.gates import may_pass
from toolscale.environment import Sandbox
from toolscale.episodes.episode import run_episode
from toolscale.estimate.turns import read_again
from toolscale.llm import Unanswerable
from toolscale.llm.rehearsal import Rehearsal
from toolscale.settings import Settings
from toolscale.store import Store
from toolscale.synthesis.assembly import assemble, database_of
from toolscale.synthesis.entries import DatabaseGap, write_entries
from toolscale.synthesis.evolution import evolve_tasks
from toolscale.synthesis.functions import plan_functions, write_functions
from toolscale.synthesis.intents import propose_intents
from toolscale.synthesis.judgement import judged
from toolscale.synthesis.openness import ask_openness
from toolscale.synthesis.rules import write_rules
from toolscale.synthesis.schema import design_schema
from toolscale.synthesis.subjects import propose_subjects
from toolscale.synthesis.tasks import propose_tasks

GATED_AT_ONCE = 8


@dataclass
class Ahead:
    """What is known of a run without asking anybody."""

    reached: set[str] = field(default_factory=set)
    """Stages that could be run, the last of them perhaps with answers missing."""
    planned: int | None = None
    """Functions to write."""
    tools: int | None = None
    """Characters of the functions as tools, once they are planned or written."""
    unseen: bool | None = None
    """Whether the policy has sentences that no program can check, so that a judge reads them with each task."""
    answered: Counter[str] = field(default_factory=Counter)
    """Stage -> calls that the store answers, which a run gets for nothing."""
    missing: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    """Stage -> characters of each call at which the store's answers end."""
    read_again: list[float] = field(default_factory=list)
    """For each task before the agent, the characters by which its golden calls lengthen a turn's prompt."""


async def look_ahead(domain: Domain, settings: Settings, store: Store, *, tasks: int, rounds: int, seed: int) -> Ahead:
    """Run a domain's stages as far as the store has the answers. Nothing is asked, and nothing is written.

    Raises:
        UserError: the settings name a model that cannot be had, or whose price nobody knows.
    """
    ahead = Ahead()
    async with Rehearsal(settings, store) as gateway:
        with suppress(Unanswerable, DatabaseGap):  # an answer is missing, or was never good: the domain ends there
            await _through(domain, gateway, settings, ahead, tasks, rounds, seed)
    ahead.answered = gateway.answered
    for call in gateway.missing:
        ahead.missing[call.purpose.stage].append(call.characters)
    return ahead


async def _through(
    domain: Domain, gateway: Rehearsal, settings: Settings, ahead: Ahead, count: int, rounds: int, seed: int
) -> None:
    """The chain of the pipeline, until an answer is missing."""
    ahead.reached.add("subjects")
    subjects = await propose_subjects(domain, gateway, seed=seed)
    ahead.reached.add("schema")
    schema = await design_schema(domain, subjects, gateway, seed=seed)
    ahead.reached |= {"entries", "validation"}
    entries = (await write_entries(domain, subjects, schema, gateway, scale=settings.entries_scale, seed=seed)).kept
    if gateway.missing:
        return
    database = database_of(schema, entries)
    ahead.reached.add("functions_plan")
    plan = await plan_functions(domain, schema, database, gateway, seed=seed)
    ahead.planned = len(plan.functions)
    ahead.tools = len(canonical_json([function.tool() for function in plan.functions]))
    ahead.reached.add("functions")
    functions = (await write_functions(domain, schema, database, plan, gateway, seed=seed)).kept
    if gateway.missing:
        return
    ahead.reached.add("rules")
    rules = (await write_rules(domain, schema, database, plan, functions, gateway, seed=seed)).kept
    if gateway.missing:
        return
    ahead.unseen = any(rule.by == "judge" for rule in rules)
    environment = assemble(domain, schema, entries, functions, plan.policy, rules=rules, seed=seed)
    ahead.tools = len(canonical_json(environment.tools()))
    ahead.reached.add("intents")
    intents = await propose_intents(domain, environment, gateway, seed=seed)
    ahead.reached.add("tasks")
    first = (
        await propose_tasks(domain, environment, intents, gateway, count=count, refusals=settings.refusals, seed=seed)
    ).kept
    evolved = (
        await evolve_tasks(domain, environment, first, gateway, rounds=rounds, operators=settings.operators, seed=seed)
    ).kept
    await _attempt(environment, [*first, *evolved], gateway, settings, ahead, seed)


async def _attempt(
    environment: EnvironmentSpec, tasks: list[Task], gateway: Rehearsal, settings: Settings, ahead: Ahead, seed: int
) -> None:
    """What is asked of every task that the gates of programs let through, as far as it was asked before."""
    at_once = asyncio.Semaphore(GATED_AT_ONCE)
    with Sandbox(environment) as sandbox:
        context = GateContext(sandbox)

        async def attempts(task: Task) -> None:
            async with at_once:
                task = await asyncio.to_thread(examined, task, context)
                if not may_pass(task.gates):
                    return
                ahead.read_again.append(read_again(context.golden(task).replay.outcomes))
                await judged(task.gates, task, context, gateway, settings, seed=seed)
                with suppress(Unanswerable):  # it will be asked; should it let the task through, attempts follow
                    if not (await ask_openness(task, context, gateway, seed=seed)).passed:
                        return
                for index in range(settings.attempts):
                    await run_episode(
                        task,
                        sandbox,
                        gateway,
                        attempt=index,
                        user_mode=settings.user_mode,
                        max_turns=settings.max_turns,
                        seed=seed,
                    )

        await asyncio.gather(*map(attempts, tasks))
