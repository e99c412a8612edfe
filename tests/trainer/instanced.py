"""The cloakroom's tasks with instances: a catalogue of two models, what users prefer, and settings to play them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from toolscale.artifacts import EnvironmentSpec, Task
from toolscale.dataset import About, write_dataset
from toolscale.instances import InstanceOptions, Instances
from toolscale.preferences.preference import Preference, Preferences
from trainer.config import Config
from trainer.tasks.exercise import Exercise, Playable

CATALOGUE = """
[[model]]
name = "Qwen/Qwen3-32B"
model = "openai/expert"
api_base = "{url}"
description = "Knows how coats are hung."
latency = {{ seconds = 30.0, seconds_per_token = 0.5, spread = 0.0 }}
simulated = true

[[model]]
name = "ours/tiny"
model = "openai/tiny"
api_base = "{url}"
description = "Quick."
price = {{ input = 1.0, output = 2.0 }}
latency = {{ seconds = 2.0, seconds_per_token = 0.0, spread = 0.0 }}
simulated = true

[sets.cloakroom]
math = ["ours/tiny"]
generalist = ["Qwen/Qwen3-32B"]
"""
EXPERT, TINY = "generalist_qwen3_32b", "math_tiny"
PRICED = ("nebius", "novita")
"""Schedules that list both the expert and, the second, the policy."""


def preferences_at(folder: Path) -> Path:
    """In each split one who wants it cheap, and one who wants the expert asked."""
    kept = []
    for split in ("train", "eval"):
        wants: list[dict[str, float]] = [{"outcome": 1, "compute": 0.5}, {"outcome": 0.5, EXPERT: 1}]
        for number, wanted in enumerate(wants):
            vector = [wanted.get(name, 0.0) for name in (TINY, EXPERT, "outcome", "compute", "latency")]
            said = f"This is what I want in {split}, wish number {number}."
            kept.append(
                Preference.model_validate(
                    {
                        "id": f"{split}-{number}",
                        "theme": "budget",
                        "instruction": said,
                        "tools": [TINY, EXPERT],
                        "vector": vector,
                        "split": split,
                    }
                )
            )
    made = Preferences(catalogue="ours", schedule="nebius", proposed_by="a", validated_by="b", kept=kept, rejects=[])
    (folder / "preferences.json").write_text(made.model_dump_json())
    return folder / "preferences.json"


def write_catalogue(folder: Path, url: str = "http://127.0.0.1:1/v1") -> Path:
    """The catalogue, whose models are asked at `url`."""
    (folder / "ours.toml").write_text(CATALOGUE.format(url=url))
    return folder / "ours.toml"


def write_instances(folder: Path, catalogue: Path, environment: EnvironmentSpec, tasks: Sequence[Task]) -> Path:
    """A dataset of the tasks, each with an instance in its row."""
    options = InstanceOptions(str(catalogue), PRICED, preferences_at(folder), seed=5)
    write_dataset(
        folder / "dataset",
        tasks=tasks,
        environments=[environment],
        trajectories=[],
        rejects=[],
        rejected=[],
        about=About(),
        instances=Instances.beside_functions(options),
    )
    return folder / "dataset"


def settings(catalogue: Path, **tools: Any) -> Config:
    return Config.of(
        {
            "model": {"path": "none"},
            "tools": {"catalogue": str(catalogue), "domain_tasks": True, **tools},
            "rollouts": {
                "backend": "transformers",
                "max_turns": 6,
                "max_prompt_tokens": 3000,
                "max_sampled_tokens": 900,
                "context_tokens": 6000,
                "at_once": 1,
            },
            "rewarding": {
                "priced_as": "Qwen/Qwen3-8B",
                "dollars_per_million_prompt_tokens": 3.0,
                "dollars_per_million_sampled_tokens": 5.0,
            },
        },
        "made here",
    )


def one_of(exercises: Sequence[Playable], preference: str) -> Exercise:
    """The first task with both tools whose user has this preference."""
    for one in exercises:
        instance = one.instance if isinstance(one, Exercise) else None
        wanted = instance.preference if instance else None
        if isinstance(one, Exercise) and wanted and (wanted.id, len(wanted.tools)) == (preference, 2):
            return one
    raise AssertionError(f"nobody has {preference}")
