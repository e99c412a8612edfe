"""Whether the program gates tell sound tasks from others: ``python benchmarks/yardstick.py FOLDER``.

The folder holds an environment (``environment/``), tasks as somebody proposed them (``tasks.json``), and for each
whether a reader finds it sound (``labels.json``: id, sound, note). Prints which gate refuses what, and how many.
"""

import argparse
import json
from collections import Counter
from pathlib import Path

from toolscale.artifacts import Task
from toolscale.checkers import GateContext, run_gates
from toolscale.environment import Sandbox, load_environment


def main() -> None:
    """Print a line for each task that is judged otherwise than by its reader, and the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    labels = {label["id"]: label for label in json.loads((folder / "labels.json").read_text())}
    tasks = [Task.model_validate(row) for row in json.loads((folder / "tasks.json").read_text())]
    refused: Counter[tuple[bool, str]] = Counter()
    with Sandbox(load_environment(folder / "environment")) as sandbox:
        context = GateContext(sandbox)
        for task in tasks:
            sound = labels[task.id]["sound"]
            failed = [gate for gate in run_gates(task, context) if not gate.passed]
            refused[sound, failed[0].gate if failed else "none"] += 1
            if sound == bool(failed):
                print(f"{task.id}: {'sound' if sound else 'not sound: ' + labels[task.id]['note']}")
                for gate in failed:
                    print(*(f"  {gate.gate}: {reason}" for reason in gate.reasons), sep="\n")
    for sound in (True, False):
        first = {gate: count for (label, gate), count in sorted(refused.items()) if label == sound}
        print(f"{'sound' if sound else 'not sound'}: {sum(first.values())}, refused first by {first}")


if __name__ == "__main__":
    main()
