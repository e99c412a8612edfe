"""What SmolLM2-135M learns of the factory's own tasks, and how far that carries.

    python benchmarks/own_tasks.py FOLDER [--domain restaurant] [--other railway] [--keep 320] [--set NAME=VALUE ...]

Makes tasks of two domains with the offline model, trains on short ones of the first by the preset `smollm2-cpu` with
few tools for each, and plays held-out tasks with the checkpoint as it came, after the warm start, and after GRPO: those
as trained on, the same with every function on offer, the domain's as the factory makes them, and the other's. What is
in FOLDER already is not made again, so the command goes on where it was ended. Two hours on two cores, 20 GB of
memory, and 16 of disk. It wants the trainer's packages.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).parents[1])  # Not this file's folder: there `trainer` would be another file.

from benchmarks.tables import show  # noqa: E402
from trainer.demo.model import write_smollm2  # noqa: E402

CALLS = "1:2"
"""Golden calls of short tasks."""

FEWER = 3
"""Status of a run that kept fewer tasks than were wanted."""

TOOLS = 4
"""Functions on offer, golden ones among them."""

SETTINGS = [
    f"data.tools_per_task={TOOLS}",
    *("rollouts.max_prompt_tokens=1400", "rollouts.context_tokens=3072", "rollouts.max_turns=6"),
    *("rollouts.max_sampled_tokens=512", "rollouts.max_message_tokens=128"),
    *("warm_start.examples=200", "optimization.tokens_per_microbatch=3072"),
    *("algorithm.tasks_per_step=8", "steps=10", "evaluation.tasks=96", "evaluation.untrained=true"),
    "checkpoints.keep=9",
]
"""On top of the preset: longer conversations than the parcel shop's, more lessons, steps of half as many tasks; and the
first checkpoint stays, which is played too."""

Row = dict[str, Any]


@dataclass(frozen=True)
class Held:
    """Held-out tasks, and how they are played."""

    name: str
    dataset: Path
    tools: int | None
    prompt: int
    """At most so many tokens of the first prompt; longer ones are left out."""


def main() -> None:
    """Make what is not there yet, train, play, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--domain", default="restaurant")
    parser.add_argument("--other", default="railway")
    parser.add_argument("--keep", type=int, default=320, help="Short tasks of the domain.")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--set", dest="changes", action="append", default=[], metavar="NAME=VALUE")
    options = parser.parse_args()
    folder: Path = options.folder
    short = made(folder / f"{options.domain}-short", options.domain, "--golden-calls", CALLS, "--keep", options.keep)
    whole = made(folder / options.domain, options.domain, "--tasks", 60)
    other = made(folder / options.other, options.other, "--tasks", 60)
    write_smollm2(folder / "smollm2")
    settings = [f"model.path={folder / 'smollm2'}", f"seed={options.seed}", *SETTINGS, *options.changes]
    training = folder / f"training-{options.seed}"
    if not (training / "result.json").exists():
        run("trainer", "train", "--dataset", short, "--out", training, *setting(settings), *resumed(training))
    taught = folder / f"taught-{options.seed}"
    if not taught.exists():
        run("trainer", "export", training, "--to", taught, "--step", 0)
    held = [
        Held(f"{options.domain}, as trained on", short, TOOLS, 1400),
        Held(f"{options.domain}, every function on offer", short, None, 3000),
        Held(f"{options.domain}, tasks of any length", whole, 2 * TOOLS, 2048),
        Held(f"{options.other}, tasks of any length", other, 2 * TOOLS, 2048),
    ]
    models = {"as it came": folder / "smollm2", "after the warm start": taught, "after GRPO": training / "model"}
    show("held-out tasks solved, one greedy attempt each", list(played(folder, held, models, settings, options.seed)))


def made(out: Path, domain: str, *wanted: object) -> Path:
    """A dataset of the domain with such tasks: all stages are real but the teacher and the agent."""
    if not out.exists():
        asked = ("toolscale.cli", "synthesize", domain, "--model", "offline/reference", "--catalogue", "")
        root = str(out.parent / "data" / out.name)
        run(*asked, *wanted, "--out", out, allowed=(0, FEWER), TOOLSCALE_DATA_ROOT=root)
    return out


def played(folder: Path, held: list[Held], models: dict[str, Path], settings: list[str], seed: int) -> Iterator[Row]:
    """Each set of held-out tasks, solved by each checkpoint."""
    for each in held:
        row: Row = {"tasks": each.name}
        for name, model in models.items():
            file = folder / "played" / f"{each.name}, {name}, {seed}.json".replace(" ", "_").replace(":", "to")
            if not file.exists():
                tools = "null" if each.tools is None else each.tools
                changed = [f"data.tools_per_task={tools}", f"rollouts.max_prompt_tokens={each.prompt}"]
                changed.append(f"rollouts.context_tokens={2 * each.prompt}")
                shown = run(
                    "trainer", "evaluate", "--dataset", each.dataset, "--model", model, *setting([*settings, *changed])
                )
                file.parent.mkdir(exist_ok=True)
                file.write_text(shown.splitlines()[-1])
            found = json.loads(file.read_text())
            row["of"] = found["tasks"]
            row[name] = f"{found['pass_rate']:.0%} ({found['low']:.0%} to {found['high']:.0%})"
        yield row


def setting(changes: list[str]) -> list[str]:
    """The preset, and what is set on top."""
    return ["--config", "smollm2-cpu", *(part for each in changes for part in ("--set", each))]


def resumed(training: Path) -> list[str]:
    """Whether a training goes on."""
    return ["--resume"] if (training / "checkpoints").is_dir() else []


def run(module: str, *arguments: object, allowed: tuple[int, ...] = (0,), **variables: str) -> str:
    """What a command prints."""
    print(f"{module} {' '.join(map(str, arguments[:2]))} ...", flush=True)
    command, environment = [sys.executable, "-m", module, *map(str, arguments)], os.environ | variables
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True, env=environment)
    if done.returncode not in allowed:
        raise SystemExit(f"{module} ended with status {done.returncode}")
    return done.stdout


if __name__ == "__main__":
    main()
