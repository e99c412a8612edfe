"""What a reader makes of tasks of two kinds who is not told which is which.

    python benchmarks/blind_reading.py sheet --drafted FILE... --drawn FILE... --each 15 --out FOLDER
    python benchmarks/blind_reading.py score FOLDER ANSWERS...

`sheet` takes tasks (JSON lines, as `toolscale synthesize` writes them) and mixes as many of each kind: `sheet.md` for
the reader, `key.json` for afterwards. The reader sees all that a user says in a task, whichever part of the instruction
it stands in: drafts say much of it in `task_instructions`, programs in `reason_for_call`, and whoever leaves a part out
compares a half with a whole. An answer is a JSON list of objects with `task` (the number), `natural` and `interesting`
(1 to 5), and `kind` (A or B, as the reader groups them); `score` prints the means of each kind.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from statistics import mean, stdev
from typing import Any

from toolscale.artifacts import Task

KINDS = ("drafted", "drawn")


def main() -> None:
    """Write a sheet, or score answers to one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    sheet = commands.add_parser("sheet")
    for kind in KINDS:
        sheet.add_argument(f"--{kind}", nargs="+", type=Path, required=True)
    sheet.add_argument("--each", type=int, default=15)
    sheet.add_argument("--seed", type=int, default=0)
    sheet.add_argument("--out", type=Path, required=True)
    score = commands.add_parser("score")
    score.add_argument("folder", type=Path)
    score.add_argument("answers", nargs="+", type=Path)
    options = parser.parse_args()
    if options.command == "sheet":
        write_sheet({kind: getattr(options, kind) for kind in KINDS}, options.each, options.seed, options.out)
    else:
        for answers in options.answers:
            for line in scored(json.loads((options.folder / "key.json").read_text()), answers):
                print(line)


def write_sheet(files: dict[str, list[Path]], each: int, seed: int, out: Path) -> None:
    """Thirty tasks, say: half of each kind, half of these made harder, of as many intents as there are."""
    rng = Random(seed)
    mixed: list[tuple[str, Task]] = []
    for kind, paths in files.items():
        tasks = [task for path in paths for task in _read(path)]
        first = [task for task in tasks if not task.lineage.depth]
        harder = [task for task in tasks if task.lineage.depth]
        chosen = [*_of_many_intents(first, each - each // 2, rng), *_of_many_intents(harder, each // 2, rng)]
        mixed += [(kind, task) for task in chosen]
    rng.shuffle(mixed)
    out.mkdir(parents=True, exist_ok=True)
    (out / "sheet.md").write_text("\n".join(_shown(number, task) for number, (_, task) in enumerate(mixed, start=1)))
    key = {number: [kind, task.id] for number, (kind, task) in enumerate(mixed, start=1)}
    (out / "key.json").write_text(json.dumps(key, indent=1))


def _read(path: Path) -> list[Task]:
    return [Task.model_validate_json(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _of_many_intents(tasks: Sequence[Task], count: int, rng: Random) -> list[Task]:
    shuffled = rng.sample(tasks, len(tasks))
    one_each = {task.intent: task for task in reversed(shuffled)}
    chosen = list(one_each.values())
    return [*chosen, *(task for task in shuffled if task not in chosen)][:count]


def _shown(number: int, task: Task) -> str:
    called = ", ".join(call.name for call in task.golden_calls)
    told = ", ".join(task.communicate_info) or "nothing"
    return (
        f"## Task {number}\n\nThe user says: {' '.join(task.instruction.split())}\n\n"
        f"Functions the solution calls: {called}\n\nThe user must be told: {told}\n"
    )


def scored(key: dict[str, list[str]], answers: Path) -> Iterator[str]:
    """The means of each kind, and whether the reader told them apart."""
    rows: dict[str, dict[str, Any]] = {str(row["task"]): row for row in json.loads(answers.read_text())}
    groups = {kind: [rows[number] for number, (own, _) in key.items() if own == kind] for kind in KINDS}
    for kind, own in groups.items():
        natural, interesting = [row["natural"] for row in own], [row["interesting"] for row in own]
        error = stdev(natural) / len(natural) ** 0.5
        yield (
            f"{answers.stem}: {kind}, {len(own)} tasks: natural {mean(natural):.2f} (standard error {error:.2f}), "
            f"interesting {mean(interesting):.2f}, called A: {sum(row['kind'] == 'A' for row in own)}"
        )


if __name__ == "__main__":
    main()
