"""How far the store's answers lead a run of a domain, and what would be asked where they end.

The stages themselves are run, on a gateway that answers from the store alone: what it does not know is just what a run
would ask. A stage after one with a missing answer cannot be run, because its prompts depend on that answer; but tasks
do not depend on each other, so those that are known go on to the end.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from toolscale.artifacts import Domain, EnvironmentSpec, Task, canonical_json
from toolscale.checkers import GateContext, examined
from toolscale.checkers.gates import may_pass
from toolscale.environment import Sandbox, not_checkable_in
from toolscale.episodes.episode import run_episode
from toolscale.estimate.history import calls_of
from toolscale.estimate.turns import read_again
from toolscale.llm import Unanswerable
from toolscale.llm.rehearsal import Rehearsal
from toolscale.settings import Settings
from toolscale.stages import Stage
from toolscale.store import Store
from toolscale.synthesis.chain import CHAIN, kept_of
from toolscale.synthesis.entries import DatabaseGap
from toolscale.synthesis.judgement import judged
from toolscale.synthesis.openness import ask_openness
from toolscale.synthesis.plan import PlanAnswer
from toolscale.synthesis.run import DomainRun

GATED_AT_ONCE = 8


@dataclass
class Ahead:
    """What is known of a run without asking anybody."""

    reached: set[Stage] = field(default_factory=set)
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

    def learn(self, made: Any) -> None:
        """Note what a stage's rows tell of the calls to come."""
        match made:
            case PlanAnswer():
                self.planned = len(made.functions)
                self.tools = len(canonical_json([function.tool() for function in made.functions]))
            case EnvironmentSpec():
                self.unseen = bool(not_checkable_in(made.rules))
                self.tools = len(canonical_json(made.tools()))


async def look_ahead(
    domain: Domain, settings: Settings, store: Store, *, tasks: int, rounds: int, made: Mapping[str, Any] | None = None
) -> Ahead:
    """Run a domain's stages as far as the store has the answers. Nothing is asked, and nothing is written.

    Args:
        made: stage -> what it made, of stages that need not be run for this.

    Raises:
        UserError: the settings name a model that cannot be had, or whose price nobody knows.
    """
    ahead = Ahead()
    async with Rehearsal(settings, store) as gateway:
        run = DomainRun(domain, gateway, store, settings, first_tasks=tasks, evolution_rounds=rounds)
        with suppress(Unanswerable, DatabaseGap):  # an answer is missing, or was never good: the domain ends there
            await _through(run, gateway, ahead, made or {})
    ahead.answered.update(gateway.answered)
    for call in gateway.missing:
        ahead.missing[call.purpose.stage].append(call.characters)
    return ahead


async def _through(run: DomainRun, gateway: Rehearsal, ahead: Ahead, there: Mapping[str, Any]) -> None:
    """The chain, until an answer is missing on which the next stage depends."""
    made: dict[str, Any] = {"domain": run.domain}
    *earlier, _ = CHAIN
    for stage in earlier:
        ahead.reached.update(stage.asks)
        if stage.name in there:
            made[stage.name] = there[stage.name]
            ahead.answered.update(calls_of(run.store, run.domain.name, stage.asks))
        else:
            made[stage.name] = kept_of(await stage.make(run, made))
        ahead.learn(made[stage.name])
        if gateway.missing and (stage.group == "environment" or stage.name == "programs"):
            return
    await _attempt(run, made["environment"], [*made["tasks"], *made["evolved_tasks"]], ahead)


async def _attempt(run: DomainRun, environment: EnvironmentSpec, tasks: list[Task], ahead: Ahead) -> None:
    """The last stage: what is asked of every task that the gates of programs let through, as far as it was before.

    The stage itself stops at a task's first missing answer; here, what may be asked after it counts as well.
    """
    at_once, settings = asyncio.Semaphore(GATED_AT_ONCE), run.settings
    with Sandbox(environment) as sandbox:
        context = GateContext(sandbox)

        async def attempts(task: Task) -> None:
            async with at_once:
                task = await asyncio.to_thread(examined, task, context)
                if not may_pass(task.gates):
                    return
                ahead.read_again.append(read_again(context.golden(task).replay.outcomes))
                await judged(task.gates, task, context, run)
                with suppress(Unanswerable):  # it will be asked; should it let the task through, attempts follow
                    if not (await ask_openness(task, context, run)).passed:
                        return
                for index in range(settings.attempts):
                    await run_episode(
                        task,
                        sandbox,
                        run.gateway,
                        attempt=index,
                        user_mode=settings.user_mode,
                        max_turns=settings.max_turns,
                        seed=settings.seed,
                    )

        await asyncio.gather(*map(attempts, tasks))
