"""What the training demo learns, seed by seed, by its preset and in other ways.

    python benchmarks/learning.py FOLDER [--ways preset redraw ...] [--seeds 0 1 2] [--float32]

Each training is `python -m trainer.demo` with a setting on top, in a folder of its own under FOLDER; one that is there
already is not run again, so the command goes on where it was ended. Prints the pass rates on the demo's held-out tasks,
and the means over the seeds. Ten to fifteen minutes a training on two cores. It wants the trainer's packages.
"""

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).parents[1])  # Not this file's folder: there `trainer` would be another file.

from benchmarks.tables import show  # noqa: E402
from trainer.output.metrics import read_metrics  # noqa: E402

WAYS: dict[str, tuple[str, list[str]]] = {
    "preset": ("the preset: R is whether it is solved", []),
    "toolrl": ("ToolRL's reward, 8 steps", ["rewarding.kind=toolrl", "steps=8"]),
    "matched": (
        "solved, and half of the matched calls, 8 steps",
        ['rewarding.parts={"outcome": 1.0, "matched_calls": 0.5}', "steps=8"],
    ),
    "redraw": ("alike groups drawn again, 8 steps", ["algorithm.redraw=1", "steps=8"]),
    "twice": ("at twice the rate, 12 steps", ["steps=12", "optimization.learning_rate=2e-5"]),
    "narrow": (
        "at twice the rate and at once, 20 steps of 8 tasks",
        [
            *("steps=20", "algorithm.tasks_per_step=8"),
            *("optimization.learning_rate=2e-5", "optimization.warmup_steps=0"),
        ],
    ),
    "curriculum": ("curriculum, 8 steps", ["data.curriculum={}", "steps=8"]),
}
HALFWAY = 8

Row = dict[str, Any]


@dataclass(frozen=True)
class Training:
    """A training that has ended."""

    way: str
    seed: int
    report: Row
    halfway: Row | None
    """The evaluation after eight steps, if there was one."""
    played: int
    """Rollouts of all steps."""

    @property
    def row(self) -> Row:
        """As the table has it."""
        before, after = self.report["before"], self.report["after"]
        evaluating = sum(self.halfway["seconds"].values()) if self.halfway else 0.0
        return {
            "way": WAYS[self.way][0],
            "seed": self.seed,
            "arithmetic": self.report["dtype"],
            "before GRPO": f"{before['pass_rate']:.0%}",
            f"after {HALFWAY} steps": f"{self.halfway['pass_rate']:.0%}" if self.halfway else "-",
            "in the end": f"{after['pass_rate']:.0%} ({after['low']:.0%} to {after['high']:.0%})",
            "rollouts": self.played,
            "minutes, but for the evaluation halfway": f"{(self.report['seconds'] - evaluating) / 60:.1f}",
        }


def main() -> None:
    """Run what is not there yet, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--float32", action="store_true", help="Compute in float32 whatever the machine can do.")
    options = parser.parse_args()
    dtype = ["model.dtype=float32"] if options.float32 else []
    done: list[Training] = []
    for seed in options.seeds:
        for way in options.ways:
            out = options.folder / f"{way}{'-float32' if options.float32 else ''}-{seed}"
            if not (out / "report.json").exists():
                learn(options.folder, out, seed, [*WAYS[way][1], *dtype])
            done.append(training(out, way, seed))
    show("held-out tasks solved", [each.row for way in options.ways for each in done if each.way == way])
    show("over all seeds", list(over_all(done, options.ways)))


def learn(folder: Path, out: Path, seed: int, changes: Sequence[str]) -> None:
    """One training, with model and dataset of an earlier one where there is one."""
    for part in ("smollm2", "dataset"):
        made = next(iter(sorted(folder.glob(f"*/{part}"))), None)
        if made is not None and not (out / part).exists():
            shutil.copytree(made, out / part)
    settings = [f"evaluation.every={HALFWAY}", *changes]
    command = [sys.executable, "-m", "trainer.demo", "--seed", str(seed), "--out", str(out)]
    print(f"{out.name} ...", flush=True)
    subprocess.run([*command, *(f"--set={each}" for each in settings)], check=True, stdout=subprocess.DEVNULL)


def training(out: Path, way: str, seed: int) -> Training:
    """What a demo's folder says."""
    lines = read_metrics(out / "training")
    report = json.loads((out / "report.json").read_text())
    played = {each["step"]: each for each in lines if each["kind"] == "evaluation" and each["step"] < report["steps"]}
    return Training(
        way=way,
        seed=seed,
        report=report,
        halfway=played.get(HALFWAY),
        played=int(sum(each["rollouts"] for each in lines if each["kind"] == "train")),
    )


def over_all(done: Sequence[Training], ways: Sequence[str]) -> Iterator[Row]:
    """For each way the mean over its seeds."""
    for way in ways:
        own = [each for each in done if each.way == way]
        rates = [each.report["after"]["pass_rate"] for each in own]
        yield {
            "way": WAYS[way][0],
            "seeds": ", ".join(str(each.seed) for each in own),
            "before GRPO": f"{sum(each.report['before']['pass_rate'] for each in own) / len(own):.0%}",
            "after": f"{sum(rates) / len(own):.0%}",
            "least, most": f"{min(rates):.0%}, {max(rates):.0%}",
            "rollouts": sum(each.played for each in own) // len(own),
        }


if __name__ == "__main__":
    main()
