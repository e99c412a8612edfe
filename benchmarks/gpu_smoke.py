"""What one device does in a training, measured: run by ``benchmarks/gpu_smoke.sh``.

*update*: supervised updates on sequences drawn by chance; tokens a second, and which share of the arithmetic that the
device can do in bfloat16 the model's own FLOPs are (MFU). What it can do is measured too, by one large matrix product,
so the share needs no data sheet; ``--peak`` takes the data sheet's figure instead.

*training*: a few steps of GRPO on the demo's tasks; trajectories and sampled tokens a second.
"""

import argparse
import json
import random
import subprocess
import sys
import time
from pathlib import Path

import torch

ROOT = Path(__file__).parents[1]
sys.path[0] = str(ROOT)  # Not this file's folder: there `trainer` would be another file.

from trainer.config import Config  # noqa: E402
from trainer.demo.dataset import write_demo_dataset  # noqa: E402
from trainer.demo.model import write_smollm2  # noqa: E402
from trainer.distributed import Processes  # noqa: E402
from trainer.learner import Learner  # noqa: E402
from trainer.metrics import read_metrics  # noqa: E402
from trainer.plan import shape_of  # noqa: E402
from trainer.policy import Policy  # noqa: E402
from trainer.sequence import TokenSequence  # noqa: E402

PRESET = Path("smollm2-cpu")
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def wait() -> None:
    """Until the device has done what it was asked to."""
    if DEVICE.type == "cuda":
        torch.cuda.synchronize()


def peak_flops() -> float:
    """FLOPs a second of a large bfloat16 matrix product."""
    size, times = (8192, 20) if DEVICE.type == "cuda" else (2048, 4)
    one, other = (torch.randn(size, size, device=DEVICE, dtype=torch.bfloat16) for _ in range(2))
    one @ other
    wait()
    began = time.perf_counter()
    for _ in range(times):
        one @ other
    wait()
    return times * 2 * size**3 / (time.perf_counter() - began)


def measure_update(config: Config, length: int, budget: int, peak: float) -> dict[str, float]:
    """Tokens a second and MFU of an update on one micro-batch full of sequences without a prompt in common."""
    policy = Policy.load(config.model, Processes(device=DEVICE))
    optimization = config.optimization.model_copy(update={"tokens_per_microbatch": budget})
    learner = Learner(policy, config.algorithm, optimization, steps=10, processes=Processes(device=DEVICE))
    shape, draw = shape_of(config), random.Random(0)
    sequences = []
    for _ in range(budget // length):
        sequence = TokenSequence.of_prompt([draw.randrange(shape.vocabulary)])
        sequence.append_sampled([draw.randrange(shape.vocabulary) for _ in range(length - 1)], [-1.0] * (length - 1), 0)
        sequences.append(sequence)
    learner.imitate(sequences, 0)
    wait()
    began = time.perf_counter()
    for step in range(1, 4):
        learner.imitate(sequences, step)
    wait()
    seconds = (time.perf_counter() - began) / 3
    tokens = len(sequences) * (length - 1)
    flops = shape.training_flops(tokens, length, recomputed=config.model.activation_checkpointing)
    return {"tokens_per_second": round(tokens / seconds), "mfu": round(flops / seconds / peak, 4)}


def measure_training(model: Path, dataset: Path, out: Path, backend: str, steps: int) -> dict[str, float]:
    """Figures of a short training, its first step left out."""
    changes = {
        "model.path": model,
        "rollouts.backend": backend,
        "rollouts.weight_transfer": "auto",
        "rollouts.kv_cache_gib": "null" if DEVICE.type == "cuda" else 1,
        "warm_start.examples": 16,
        "evaluation.tasks": 4,
        "steps": steps,
    }
    command = [sys.executable, "-m", "trainer", "train", "--config", str(PRESET)]
    command += ["--dataset", str(dataset), "--out", str(out)]
    command += [part for name, value in changes.items() for part in ("--set", f"{name}={value}")]
    subprocess.run(command, check=True, cwd=ROOT)
    lines = [line for line in read_metrics(out) if line["kind"] == "train"][1:]
    rollouts = sum(line["rollouts"] for line in lines)
    sampled = sum(line["rollouts"] * line["sampled_tokens"] for line in lines)
    return {
        "trajectories_per_second": round(rollouts / sum(line["seconds"]["step"] for line in lines), 3),
        "sampled_tokens_per_second": round(sampled / sum(line["seconds"]["rollouts"] for line in lines), 1),
        "mismatch_kl": max((line["mismatch_kl"] for line in lines if "mismatch_kl" in line), default=float("nan")),
    }


def main(given: argparse.Namespace) -> None:
    """Both measurements, as JSON."""
    given.folder.mkdir(parents=True, exist_ok=True)
    model, dataset = given.model or given.folder / "smollm2", given.folder / "dataset"
    if given.model is None:
        write_smollm2(model)
    if not dataset.exists():
        write_demo_dataset(dataset)
    out = given.folder / f"training-{int(time.time())}"
    config = Config.read(PRESET, {"model.path": str(model)})
    on_gpu = DEVICE.type == "cuda"
    peak = given.peak * 1e12 if given.peak else peak_flops()
    length = given.length or (1024 if on_gpu else 256)
    found = {
        "device": torch.cuda.get_device_name() if on_gpu else "CPU",
        "backend": given.backend,
        "peak_tflops": round(peak / 1e12, 2),
        "update": measure_update(config, length, given.tokens or (16384 if on_gpu else 1024), peak),
        "training": measure_training(model, dataset, out, given.backend, given.steps),
    }
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", choices=["vllm", "transformers"], default="vllm")
    parser.add_argument("--model", type=Path, help="a checkpoint's folder; else the demo's")
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--length", type=int, help="tokens of a sequence in the update")
    parser.add_argument("--tokens", type=int, help="tokens of the update")
    parser.add_argument("--peak", type=float, help="TFLOPS of the device in bfloat16, by its data sheet")
    parser.add_argument("--folder", type=Path, default=ROOT / "runs" / "gpu-smoke")
    main(parser.parse_args())
