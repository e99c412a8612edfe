"""Runs that others recorded, as the trajectories.jsonl that `toolscale check` reads."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from toolscale.errors import UserError
from toolscale.exchange.report import LeftOut, Report
from toolscale.whole import whole_folder

TRAJECTORIES = "trajectories.jsonl"
Reader = Callable[[Path], Iterator[tuple[str, dict[str, Any] | str]]]
"""Gives each run of a file with its name: as a line for `check`, or the reason why it cannot be one."""


def import_trajectories(file: Path, out: Path, read: Reader) -> Report:
    """Write the runs of a file as `out`/trajectories.jsonl.

    Raises:
        UserError: the file cannot be read, or none of its runs can.
    """
    lines: list[str] = []
    left_out: list[LeftOut] = []
    for name, row in read(file):
        if isinstance(row, str):
            left_out.append(LeftOut(name, row))
        else:
            lines.append(json.dumps(row, ensure_ascii=False) + "\n")
    if not lines:
        why = f": {left_out[0].reason}" if left_out else ""
        raise UserError(f"{file}: holds no run that could be read{why}; give a file of recorded runs")
    with whole_folder(out) as made:
        (made / TRAJECTORIES).write_text("".join(lines), encoding="utf-8")
    return Report({"trajectories": len(lines)}, left_out)
