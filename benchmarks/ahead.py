"""Rollouts that run ahead, and over-sampling, beside lock-step: ``.venv-trainer/bin/python benchmarks/ahead.py``.

The parcel shop of ``trainer/demo``, 8 tasks x 8 rollouts a step and two epochs on them, real calls in the sandbox that
take 0 to 2 seconds, vLLM beside the trainer on the CPU. The model is a Llama of four layers that was taught the shop
for a minute; ToolRL's reward without a filter, so that every step has something to learn. The same tasks in every row.
The rows take turns, ``--repeats`` times, so that a busy minute of the machine hits them alike; compare rows, not runs.

*Steps an hour*: by the median of all steps but the first. *Learner idle*: the share of a step in which the learner
waits for rollouts. *Engine idle*: the share in which no rollout is played. *Age*: by how many versions the weights of a
rollout's oldest message were behind those that learn from it.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Any

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

ROOT = Path(__file__).parents[1]
sys.path[0] = str(ROOT)  # Not this file's folder: there it would be taken for the package `trainer` itself.

from benchmarks.tables import show  # noqa: E402
from trainer.config import Data  # noqa: E402
from trainer.demo.dataset import write_demo_dataset  # noqa: E402
from trainer.demo.model import SIGNATURES, TEMPLATE  # noqa: E402
from trainer.output.metrics import read_metrics  # noqa: E402
from trainer.tasks.data import read_exercises  # noqa: E402
from trainer.tasks.exercise import Exercise  # noqa: E402
from trainer.threads import TAKE_TURNS  # noqa: E402

PRESET = "smollm2-cpu"
VOCABULARY = 2000
UNCOUNTED = 1
"""First steps, in which the engine is slower than later."""
WAYS: dict[str, dict[str, Any]] = {
    "lock-step": {},
    "1 ahead": {"rollouts.ahead": 1},
    "2 ahead": {"rollouts.ahead": 2},
    "1.5 x the groups": {"rollouts.oversample": 1.5},
    "1 ahead, 1.5 x the groups": {"rollouts.ahead": 1, "rollouts.oversample": 1.5},
}
SETTINGS: dict[str, Any] = {
    "model.dtype": "float32",
    "rollouts.tool_latency": [0, 2],
    "rewarding": {"kind": "toolrl"},
    "algorithm.tasks_per_step": 8,
    "algorithm.rollouts_per_task": 8,
    "algorithm.epochs_per_batch": 2,
    "algorithm.least_std": 0,
    "algorithm.old_policy": "recompute",
    "warm_start": None,
    "evaluation.tasks": 1,
}

Row = dict[str, Any]


def write_small_model(folder: Path, dataset: Path) -> None:
    """Four random layers, and a tokenizer that has seen the shop's texts and nothing else: a small one learns soon."""
    exercises = read_exercises(dataset, Data(), 0).train
    texts = [TEMPLATE.read_text(encoding="utf-8")]
    for exercise in exercises:
        texts += [json.dumps(exercise.messages), json.dumps(exercise.tools)]
        if isinstance(exercise, Exercise):
            texts += [call.model_dump_json(include={"name", "arguments"}) for call in exercise.task.golden_calls]
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer, bpe.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    alphabet, special = pre_tokenizers.ByteLevel.alphabet(), ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    trained = trainers.BpeTrainer(
        vocab_size=VOCABULARY, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )
    bpe.train_from_iterator(texts, trained)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=bpe, eos_token=special[2], pad_token=special[0], additional_special_tokens=[special[1]]
    )
    tokenizer.chat_template = SIGNATURES + TEMPLATE.read_text(encoding="utf-8")
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    shape = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=128,
        intermediate_size=512,
        num_hidden_layers=4,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=2048,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
    )
    LlamaForCausalLM(shape).save_pretrained(folder)


def prepared(folder: Path) -> tuple[Path, Path]:
    """The dataset, and a small model that has learned to make calls; made once."""
    dataset, small, taught = folder / "dataset", folder / "small", folder / "small-taught"
    if not dataset.exists():
        write_demo_dataset(dataset)
    if not taught.exists():
        write_small_model(small, dataset)
        lessons = {"examples": 256, "epochs": 8, "batch": 8, "learning_rate": 3e-3}
        run("sft", dataset, taught, {"model.path": str(small), "model.dtype": "float32", "warm_start": lessons})
    return dataset, taught / "model"


def run(command: str, dataset: Path, out: Path, changes: dict[str, Any]) -> None:
    """A command of the trainer, with two threads and nothing from the network."""
    given = [part for name, value in changes.items() for part in ("--set", f"{name}={json.dumps(value)}")]
    surroundings = {**os.environ, **TAKE_TURNS, "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    arguments = [command, "--config", PRESET, "--dataset", str(dataset), "--out", str(out), *given]
    trainer = [sys.executable, "-m", "trainer", *arguments]
    done = subprocess.run(trainer, cwd=ROOT, env=surroundings, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"trainer {' '.join(arguments)} failed:\n{done.stderr[-3000:]}")


def trained(way: dict[str, Any], dataset: Path, model: Path, steps: int) -> list[Row]:
    """The metrics of a training's counted steps."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "training"
        changes = {"model.path": str(model), **SETTINGS, **way, "steps": steps, "checkpoints.every": steps}
        run("train", dataset, out, changes)
        lines = [line for line in read_metrics(out) if line["kind"] == "train"]
    assert all(line["updates"] for line in lines), "a step had nothing to learn from"
    return lines[UNCOUNTED:]


def row_of(way: str, lines: Sequence[Row]) -> Row:
    """Over the counted steps of all repeats; medians, since one step in which the machine stands still says nothing."""

    def share(name: str) -> float:
        return median(line["seconds"][name] / line["seconds"]["step"] for line in lines)

    return {
        "way": way,
        "steps_an_hour": round(3600 / median(line["seconds"]["step"] for line in lines)),
        "learner_idle": round(share("rollouts"), 2),
        "engine_idle": round(max(0.0, 1 - share("playing")), 2),
        "age_mean": round(fmean(line["age_mean"] for line in lines), 2),
        "age_max": int(max(line["age_max"] for line in lines)),
        "sampled_tokens": round(fmean(line["sampled_tokens"] for line in lines), 1),
        "mismatch_kl": float(f"{fmean(line['mismatch_kl'] for line in lines):.1g}"),
    }


def main(given: argparse.Namespace) -> None:
    """Measure, one way after the other, and again."""
    dataset, model = prepared(given.folder)
    lines: dict[str, list[Row]] = {name: [] for name in WAYS}
    for _ in range(given.repeats):
        for name, way in WAYS.items():
            found = trained(way, dataset, model, given.steps)
            print(json.dumps(row_of(name, found)), file=sys.stderr, flush=True)
            lines[name] += found
    rows = [row_of(name, found) for name, found in lines.items()]
    if given.json:
        print(json.dumps(rows, indent=2))
        return
    show(f"{given.repeats} x {given.steps} steps each", rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--steps", type=int, default=8, help=f"the first {UNCOUNTED} not counted")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--folder", type=Path, default=ROOT / "runs" / "benchmark", help="model and dataset, made once")
    main(parser.parse_args())
