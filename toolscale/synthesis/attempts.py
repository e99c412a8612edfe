"""One of the agent's attempts at a task, judged, and what a task's attempts come to."""

import asyncio
from collections.abc import Sequence

from toolscale.artifacts import Attempt, Call, Task, Trajectory
from toolscale.checkers import GateContext
from toolscale.episodes.episode import run_episode
from toolscale.llm import Gateway
from toolscale.settings import Settings


async def attempt_task(
    task: Task, context: GateContext, gateway: Gateway, settings: Settings, *, index: int
) -> tuple[Attempt, Trajectory]:
    """Let the agent of the gateway's models try, in the task's environment.

    Raises:
        GatewayError: the endpoint failed, or the budget is spent; that is nobody's attempt.
    """
    trajectory = await run_episode(
        task,
        context.sandbox,
        gateway,
        attempt=index,
        user_mode=settings.user_mode,
        max_turns=settings.max_turns,
        seed=settings.seed,
    )
    model = settings.for_role("agent").model
    return await asyncio.to_thread(_judged, task, context, trajectory, model), trajectory


def counted(attempts: Sequence[Attempt]) -> list[Attempt]:
    """The attempts that say something about the agent: not those that the simulated user spoiled."""
    return [attempt for attempt in attempts if not attempt.user_fault]


def succeeded(attempt: Attempt) -> bool:
    """True for an attempt that counts and solved the task: one that the user broke off is no example to learn from."""
    return attempt.verdict.solved and not attempt.user_fault


def calls_of(trajectory: Trajectory) -> list[Call]:
    """The calls that it made, without what came of them."""
    return [Call(name=outcome.name, arguments=outcome.arguments) for outcome in trajectory.calls]


def _judged(task: Task, context: GateContext, trajectory: Trajectory, model: str) -> Attempt:
    return Attempt(
        index=trajectory.attempt,
        model=model,
        verdict=context.judge(task, calls_of(trajectory), trajectory.agent_messages),
        user_fault=trajectory.termination == "user_error",
        turns=sum(message["role"] == "assistant" for message in trajectory.messages),
        termination=trajectory.termination,
    )
