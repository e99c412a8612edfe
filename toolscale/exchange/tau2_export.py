"""`toolscale export --format tau2`: a package for each environment that tau2-bench loads as a domain.

Beside tau2-bench's own files lie those of our environment folder (database.json under the name db.json), and each task
carries what tau2-bench has no place for under `toolscale`, so that an import gives back the very same tasks.
"""

import json
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from toolscale.artifacts import EnvironmentSpec, Task
from toolscale.dataset.folder import Placed
from toolscale.environment import write_environment
from toolscale.exchange.report import LeftOut, Report
from toolscale.exchange.tau2_text import ENVIRONMENT, FROZEN, class_name, toolkit
from toolscale.whole import whole_folder

CARRIED = (
    "domain",
    "intent",
    "fact_kinds",
    "asked",
    "limits",
    "lineage",
    "gates",
    "attempts",
    "attempts_ended",
    "pass_rate",
)
"""What of a task tau2-bench has no place for."""


def export_tau2(placed: Sequence[Placed], out: Path) -> Report:
    """Write one package a environment into `out`.

    Raises:
        UserError: a function cannot be a method of a toolkit.
    """
    environments = {id(one.environment): one.environment for one in placed}
    names = package_names(list(environments.values()))
    left_out: list[LeftOut] = []
    written = 0
    with whole_folder(out) as made:
        for key, environment in environments.items():
            own = [one for one in placed if one.environment is environment]
            fit = [one for one in own if one.task.user_scenario is not None]
            left_out += [
                LeftOut(f"task {one.task.id}", "it has no instruction, and tau2-bench wants one")
                for one in own
                if one.task.user_scenario is None
            ]
            _write_package(made / names[key], names[key], environment, fit)
            written += len(fit)
    return Report({"environments": len(environments), "tasks": written}, left_out)


def package_names(environments: Sequence[EnvironmentSpec]) -> dict[int, str]:
    """A name for each environment: its domain, numbered where merged datasets have several of one domain."""
    names: dict[int, str] = {}
    for environment in environments:
        taken = sum(name.rpartition("_v")[0] == environment.domain for name in names.values())
        taken += environment.domain in names.values()
        names[id(environment)] = environment.domain if not taken else f"{environment.domain}_v{taken + 1}"
    return names


def _write_package(folder: Path, name: str, environment: EnvironmentSpec, placed: Sequence[Placed]) -> None:
    write_environment(environment, folder)
    (folder / "database.json").rename(folder / "db.json")
    splits: dict[str, list[str]] = {"base": [one.task.id for one in placed]}
    for one in placed:
        splits.setdefault(one.split, []).append(one.task.id)
    clock = resources.files("toolscale.environment.inside") / "clock.py"
    dates = resources.files("toolscale.exchange") / "frozen_dates.py"
    texts = {
        "__init__.py": f'"""{name}: a domain for tau2-bench, exported by ToolScale."""\n',
        "tools.py": toolkit(name, environment),
        "environment.py": ENVIRONMENT.replace("CLASS", class_name(name)).replace("NAME", name),
        "frozen.py": FROZEN,
        "clock.py": clock.read_text(encoding="utf-8"),
        "dates.py": dates.read_text(encoding="utf-8"),
        "tasks.json": _as_json([tau2_task(one.task) for one in placed]),
        "split_tasks.json": _as_json(splits),
    }
    for file, text in texts.items():
        (folder / file).write_bytes(text.encode())


def tau2_task(task: Task) -> dict[str, Any]:
    """A task as tau2-bench's `Task` has it, with what it has no place for under `toolscale`."""
    assert task.user_scenario is not None
    facts = [_without_commas(fact) for fact in task.communicate_info]
    carried = {name: value for name, value in task.model_dump(mode="json").items() if name in CARRIED}
    if facts != task.communicate_info:
        carried["communicate_info"] = task.communicate_info
    return {
        "id": task.id,
        "description": {"purpose": task.intent, "relevant_policies": None, "notes": task.lineage.added or None},
        "user_scenario": task.user_scenario.model_dump(mode="json"),
        "initial_state": None,
        "evaluation_criteria": {
            "actions": [
                {
                    "action_id": call.action_id or str(position),
                    "requestor": "assistant",
                    "name": call.name,
                    "arguments": call.arguments,
                }
                for position, call in enumerate(task.golden_calls)
            ]
            if task.database_judged
            else None,
            "communicate_info": facts,
            "nl_assertions": task.nl_assertions,
            "reward_basis": ["DB", "COMMUNICATE"] if task.database_judged else ["COMMUNICATE"],
        },
        "toolscale": carried,
    }


def _without_commas(fact: str) -> str:
    """tau2-bench takes the commas out of what the agent says, and not out of what it looks for."""
    return fact.replace(",", "")


def _as_json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
