"""What an import of a domain leaves: an environment folder with its tasks."""

import json
from collections.abc import Sequence
from pathlib import Path

from toolscale.artifacts import EnvironmentSpec, Task
from toolscale.environment import write_environment
from toolscale.exchange.report import LeftOut, Report
from toolscale.whole import whole_folder


def write_imported(spec: EnvironmentSpec, tasks: Sequence[Task], left_out: list[LeftOut], out: Path) -> Report:
    """Write the environment folder `out` with a tasks.json in it; all or nothing.

    Raises:
        UserError: the disk refuses the folder.
    """
    with whole_folder(out) as made:
        write_environment(spec, made)
        text = json.dumps([task.model_dump(mode="json") for task in tasks], indent=2, ensure_ascii=False)
        (made / "tasks.json").write_text(text + "\n", encoding="utf-8")
    return Report({"functions": len(spec.functions), "tasks": len(tasks)}, left_out)
