"""How many trajectories a second GRPO plays and learns from: ``.venv-trainer/bin/python benchmarks/trainer.py``.

The parcel shop of ``trainer/demo``, SmolLM2-135M after a short warm start, 8 tasks x 4 rollouts a step, in bfloat16, or
in float32 where the CPU has no arithmetic for that; real tool calls, first with tools that answer at once, then with
tools that take 0 to 2 seconds.
Beside it, where an interpreter that has TRL is given, TRL's GRPOTrainer from the same checkpoint on the same prompts
(``benchmarks/peers/trl_grpo.py``).

Trajectories a second: those of all steps but the first, over their wall time, weights pushed to the engine included.
CPU seconds are those of the trainer's process and all its children in the same time. Wall time wants a machine of its
own.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).parents[1]
sys.path[0] = str(ROOT)  # Not this file's folder: there it would be taken for the package `trainer` itself.

from benchmarks.tables import show  # noqa: E402
from trainer.config import Config  # noqa: E402
from trainer.demo.dataset import write_demo_dataset  # noqa: E402
from trainer.demo.model import write_smollm2  # noqa: E402
from trainer.tasks.data import read_exercises  # noqa: E402
from trainer.threads import TAKE_TURNS  # noqa: E402

PEER = Path(__file__).parent / "peers" / "trl_grpo.py"
PRESET = "smollm2-cpu"
COMPLETION_TOKENS = 512
"""What TRL counts as one: messages and tool answers together."""

Row = dict[str, Any]


@dataclass(frozen=True)
class Course:
    """What both are given."""

    model: Path
    dataset: Path
    config: Config
    steps: int
    latency: tuple[float, float]

    @property
    def trajectories(self) -> int:
        """Of one step."""
        return self.config.algorithm.tasks_per_step * self.config.algorithm.rollouts_per_task


def prepared(folder: Path) -> tuple[Path, Path]:
    """The dataset, and the checkpoint after the demo's warm start; made once."""
    dataset, model = folder / "dataset", folder / "warm"
    write_smollm2(folder / "smollm2")
    if not dataset.exists():
        write_demo_dataset(dataset)
    if not model.exists():
        command = [sys.executable, "-m", "trainer", "sft", "--config", PRESET, "--dataset", str(dataset)]
        subprocess.run([*command, "--out", str(model), "--set", f"model.path={folder}/smollm2"], check=True, cwd=ROOT)
    return dataset, model / "model"


def ours(course: Course, folder: Path) -> Row:
    """Our trainer: `python -m trainer train`, evaluating next to nothing."""
    changes = {
        "model.path": course.model,
        "warm_start": "null",
        "steps": course.steps,
        "evaluation.tasks": 1,
        "evaluation.every": 0,
        "checkpoints.every": course.steps,
        "rollouts.tool_latency": list(course.latency),
    }
    command = [sys.executable, "-m", "trainer", "train", "--config", PRESET]
    command += ["--dataset", str(course.dataset), "--out", str(folder)]
    command += [part for name, value in changes.items() for part in ("--set", f"{name}={value}")]
    marks = list(steps_of(command, folder / "metrics.jsonl", course.steps))
    return measured("toolscale", course, marks)


def trl(course: Course, folder: Path, interpreter: str, vllm: bool) -> Row:
    """TRL's GRPOTrainer, told of the same tasks."""
    exercises = read_exercises(course.dataset, course.config.data, course.config.seed)
    shop = exercises.train[0].environment
    rollouts, algorithm = course.config.rollouts, course.config.algorithm
    (folder / "database.json").write_text(json.dumps(shop.database))
    (folder / "functions.py").write_text(shop.source)
    tasks = [
        {
            "prompt": exercise.messages,
            "golden": json.dumps(
                [call.model_dump(include={"name", "arguments"}) for call in exercise.task.golden_calls]
            ),
            "facts": exercise.task.communicate_info,
        }
        for exercise in exercises.train[: 4 * course.steps * algorithm.tasks_per_step]
    ]
    settings = {
        "model": str(course.model),
        "tasks": tasks,
        "tools": exercises.train[0].tools,
        "functions": str(folder / "functions.py"),
        "database": str(folder / "database.json"),
        "latency": course.latency,
        "steps": course.steps,
        "tasks_per_step": algorithm.tasks_per_step,
        "rollouts": algorithm.rollouts_per_task,
        "learning_rate": course.config.optimization.learning_rate,
        "dtype": course.config.model.dtype,
        "temperature": rollouts.temperature,
        "turns": rollouts.max_turns,
        "message_tokens": rollouts.max_message_tokens,
        "completion_tokens": COMPLETION_TOKENS,
        "context_tokens": rollouts.context_tokens,
        "vllm": vllm,
        "log": str(folder / "log.jsonl"),
        "out": str(folder),
    }
    (folder / "settings.json").write_text(json.dumps(settings))
    marks = list(steps_of([interpreter, str(PEER), str(folder / "settings.json")], folder / "log.jsonl", course.steps))
    return measured(f"TRL {version(interpreter, 'trl')}, {'vLLM' if vllm else 'generate'}", course, marks)


Mark = tuple[int, float, float]
"""A step that is done, and the wall and CPU seconds until then."""


def steps_of(command: Sequence[str], log: Path, steps: int) -> Iterator[Mark]:
    """Run a trainer that writes a line a step to `log`, and yield when each was done.

    Its output goes to a file beside the log; the end of that is shown where the trainer fails.
    """
    said = log.with_suffix(".out")
    log.parent.mkdir(parents=True, exist_ok=True)
    with said.open("w") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, cwd=ROOT, env=environment())
        try:
            done = 0
            while done < steps:
                if process.poll() is not None:
                    sys.exit(f"{' '.join(map(str, command))} failed:\n{said.read_text()[-3000:]}")
                time.sleep(0.05)
                seen = [step for step in steps_in(log) if step > done]
                if seen:
                    done = seen[-1]
                    yield done, time.perf_counter(), cpu_seconds(process.pid)
            process.wait()
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()


def steps_in(log: Path) -> list[int]:
    """The steps that the log calls done."""
    lines = [json.loads(line) for line in log.read_text().splitlines() if line.endswith("}")] if log.exists() else []
    return [line["step"] for line in lines if line.get("kind", "train") == "train" and line.get("step")]


def cpu_seconds(pid: int) -> float:
    """CPU seconds that a process and all its living descendants have taken."""
    process = psutil.Process(pid)
    total = 0.0
    for each in [process, *process.children(recursive=True)]:
        try:
            times = each.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += times.user + times.system
    return total


def measured(path: str, course: Course, marks: Sequence[Mark]) -> Row:
    """The figures of the steps after the first."""
    (first, began, cpu), (last, ended, spent) = marks[0], marks[-1]
    trajectories = (last - first) * course.trajectories
    return {
        "path": path,
        "tool_seconds": f"{course.latency[0]:g} to {course.latency[1]:g}",
        "trajectories_per_second": trajectories / (ended - began),
        "trajectories_per_cpu_second": trajectories / (spent - cpu),
    }


def environment() -> dict[str, str]:
    """Two threads, as many as the machine has cores; nothing from the network."""
    return {**os.environ, **TAKE_TURNS, "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}


def version(interpreter: str, package: str) -> str:
    """Of a package that an interpreter has."""
    asked = f"from importlib.metadata import version; print(version('{package}'))"
    return subprocess.run([interpreter, "-c", asked], check=True, capture_output=True, text=True).stdout.strip()


def over_repeats(rows: Sequence[Row]) -> Row:
    """The median of each figure, and how far the rates of the repeats lie apart."""
    rates = [row["trajectories_per_second"] for row in rows]
    figures = ("trajectories_per_second", "trajectories_per_cpu_second")
    return {
        **rows[0],
        **{name: round(statistics.median(row[name] for row in rows), 3) for name in figures},
        "least_and_most": [round(min(rates), 3), round(max(rates), 3)],
    }


def main(given: argparse.Namespace) -> None:
    """Measure, alternating between the paths so that a busy minute hits them alike."""
    dataset, model = prepared(given.folder)
    found: dict[tuple[str, tuple[float, float]], list[Row]] = {}
    for latency in ((0.0, 0.0), (0.0, 2.0)):
        course = Course(model, dataset, Config.read(Path(PRESET)), given.steps, latency)
        for _ in range(given.repeats):
            with tempfile.TemporaryDirectory() as folder:
                found.setdefault(("ours", latency), []).append(ours(course, Path(folder) / "ours"))
                for vllm in [False] * bool(given.trl) + [True] * bool(given.trl_vllm):
                    own = Path(folder) / f"trl-{vllm}"
                    own.mkdir()
                    row = trl(course, own, given.trl_vllm if vllm else given.trl, vllm)
                    found.setdefault((f"trl-{vllm}", latency), []).append(row)
    rows = [over_repeats(repeats) for repeats in found.values()]
    if given.json:
        print(json.dumps(rows, indent=2))
        return
    show(f"GRPO, {given.steps} steps, {given.repeats} repeats", rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--trl", metavar="PYTHON", help="an interpreter that has TRL")
    parser.add_argument("--trl-vllm", metavar="PYTHON", help="one that has TRL and vLLM, for TRL's colocated vLLM")
    parser.add_argument("--steps", type=int, default=6, help="the first is not counted")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--folder", type=Path, default=ROOT / "runs" / "benchmark", help="model and dataset, made once")
    main(parser.parse_args())
