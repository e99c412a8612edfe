"""A dataset of the cloakroom with a trajectory for every task, and settings with which a tiny model trains on it."""

import json
from collections.abc import Sequence
from pathlib import Path

import yaml

from toolscale.artifacts import EnvironmentSpec, Task, Trajectory
from toolscale.dataset import About, write_dataset
from toolscale.environment import Sandbox, Session
from toolscale.episodes.tools import tool_content
from trainer.tasks.exercise import Exercise


def write_taught_dataset(folder: Path, environment: EnvironmentSpec, tasks: Sequence[Task]) -> Path:
    """The cloakroom's tasks, each with a trajectory that solves it."""
    with Sandbox(environment) as sandbox:
        lessons = [lesson(task, environment, sandbox) for task in tasks]
    write_dataset(
        folder, tasks=tasks, environments=[environment], trajectories=lessons, rejects=[], rejected=[], about=About()
    )
    return folder


def lesson(task: Task, environment: EnvironmentSpec, sandbox: Sandbox) -> Trajectory:
    """The golden calls as a conversation."""
    session = Session(sandbox)
    messages = Exercise(task, environment, ("find_coat", "hang_coat")).messages
    for place, call in enumerate(task.golden_calls):
        function = {"name": call.name, "arguments": json.dumps(call.arguments)}
        made = {"id": f"call_{place}", "type": "function", "function": function}
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [made]},
            {
                "role": "tool",
                "tool_call_id": made["id"],
                "content": tool_content(session.call(call.name, call.arguments)),
            },
        ]
    told = f"Done: {task.communicate_info[0]}."
    messages.append({"role": "assistant", "content": told})
    return Trajectory(
        task_id=task.id,
        messages=messages,
        calls=list(session.replay.outcomes),
        agent_messages=[told],
        termination="done",
    )


def write_tiny_settings(file: Path, model: Path) -> Path:
    """Three steps of GRPO after a warm start, on transformers."""
    file.write_text(
        yaml.safe_dump(
            {
                "model": {"path": str(model), "dtype": "float32"},
                "rollouts": {
                    "backend": "transformers",
                    "max_turns": 3,
                    "max_prompt_tokens": 500,
                    "max_sampled_tokens": 160,
                    "max_message_tokens": 64,
                    "context_tokens": 900,
                    "sandboxes": 2,
                },
                # After such a warm start some episodes come to an end of their own and some do not, and ToolRL's reward
                # tells them apart: without that no step would change anything.
                "rewarding": {"kind": "toolrl"},
                "algorithm": {"tasks_per_step": 2, "rollouts_per_task": 4, "least_std": 0.05, "drop_malformed": False},
                "optimization": {"learning_rate": 2e-4, "tokens_per_microbatch": 2048},
                "warm_start": {"batch": 4, "epochs": 15, "learning_rate": 4e-3},
                "evaluation": {"tasks": 2, "every": 2},
                "checkpoints": {"every": 1},
                "logging": {"rescore_every": 2, "report_every": 3},
                "steps": 3,
            }
        )
    )
    return file
    return file
