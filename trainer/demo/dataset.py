"""The demo's dataset: the shop's tasks behind the program gates, and scripted trajectories for the warm start."""

import json
from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from toolscale.artifacts import EnvironmentSpec, Task, Trajectory
from toolscale.checkers import GateContext, judges_at_once, run_gates
from toolscale.dataset import About, write_dataset
from toolscale.environment import Sandbox, Session
from toolscale.episodes.tools import tool_content
from toolscale.prompts import render
from trainer.demo import shop

TASKS = 1000
"""Enough that the eval split has more than 128, and training need not come back to a task."""


def write_demo_dataset(folder: Path, seed: int = 0, count: int = TASKS) -> int:
    """Write the dataset of about `count` tasks to `folder` and return how many the gates kept.

    Raises:
        UserError: `folder` holds something that is not a dataset.
    """
    environment = shop.environment(seed)
    proposed = shop.tasks(environment, count, seed)
    with Sandbox(environment) as sandbox, ThreadPoolExecutor(judges_at_once()) as threads:
        judged = gated(proposed, sandbox, threads)
        kept = [task for task in judged if all(gate.passed for gate in task.gates)]
        lessons = list(threads.map(lambda task: _lesson(task, environment, sandbox), kept))
    write_dataset(
        folder,
        tasks=kept,
        environments=[environment],
        trajectories=lessons,
        rejects=[],
        rejected=[task for task in judged if task not in kept],
        about=About(models={"agent": ["script/parcel-shop"]}),
    )
    return len(kept)


def gated(proposed: Sequence[Task], sandbox: Sandbox, threads: Executor) -> list[Task]:
    """The tasks with what the program gates say of them."""
    context = GateContext(sandbox)
    outcomes = threads.map(lambda task: run_gates(task, context), proposed)
    return [task.model_copy(update={"gates": gates}) for task, gates in zip(proposed, outcomes, strict=True)]


def _lesson(task: Task, environment: EnvironmentSpec, sandbox: Sandbox) -> Trajectory:
    """The golden calls as a conversation, one call a message, and the facts that they brought at the end."""
    spec = environment
    session = Session(sandbox)
    messages: list[dict[str, Any]] = [
        *render("agent", domain=spec.domain, policy=spec.policy, now=spec.now, direct=True),
        {"role": "user", "content": task.instruction},
    ]
    for place, call in enumerate(task.golden_calls):
        name, arguments = call.name, json.dumps(call.arguments)
        made = {"id": f"call_{place}", "type": "function", "function": {"name": name, "arguments": arguments}}
        outcome = session.call(call.name, call.arguments)
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [made]},
            {"role": "tool", "tool_call_id": made["id"], "content": tool_content(outcome)},
        ]
    told = f"Done: {', '.join(task.communicate_info)}."
    messages.append({"role": "assistant", "content": told})
    return Trajectory(
        task_id=task.id,
        messages=messages,
        calls=list(session.replay.outcomes),
        agent_messages=[told],
        termination="done",
    )
