"""What bfloat16 does to the training demo's warm start: one suspect at a time against float32.

    python benchmarks/precision.py [--seeds 0 1 2] [--folder FOLDER]

Prints for each seed the loss of the last batch, and that of 32 lessons kept aside with the weights rounded to bfloat16:
what an engine in bfloat16 samples from. The demo's model and dataset are made in FOLDER, once. It wants the trainer's
packages.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
sys.path[0] = str(Path(__file__).parents[1])  # Not this file's folder: there `trainer` would be another file.

import torch  # noqa: E402

from trainer.config import Config  # noqa: E402
from trainer.demo.dataset import write_demo_dataset  # noqa: E402
from trainer.demo.model import write_smollm2  # noqa: E402
from trainer.distributed import Processes  # noqa: E402
from trainer.learning.sft import Lessons, read_lessons, warm_start  # noqa: E402
from trainer.model import logprobs  # noqa: E402
from trainer.model.packing import microbatches  # noqa: E402
from trainer.model.policy import Policy  # noqa: E402
from trainer.model.tokenizer import open_tokenizer  # noqa: E402
from trainer.rollout.chat import Chat  # noqa: E402
from trainer.sequence import TokenSequence  # noqa: E402
from trainer.tasks.data import read_exercises  # noqa: E402

PRESET = Path("smollm2-cpu")
ASIDE = 32


def as_loaded(policy: Policy) -> None:
    """Leave the weights as they are."""


def on_the_grid(policy: Policy) -> None:
    """Round every weight to what bfloat16 can hold."""
    for parameter in policy.parameters():
        parameter.data = parameter.data.bfloat16().float()


def in_float32(policy: Policy) -> None:
    """Compute in float32 with the weights that were loaded for bfloat16."""
    policy.compute = torch.float32


def rounded_logits() -> AbstractContextManager[object]:
    """While it lasts, the head's products are as bfloat16 makes them: logits, and the head's gradient."""
    exact = logprobs._product
    return patch.object(logprobs, "_product", lambda left, right: exact(left, right).bfloat16().float())


@dataclass(frozen=True)
class Way:
    """How a warm start computes."""

    name: str
    dtype: str
    prepare: Callable[[Policy], None] = as_loaded
    during: Callable[[], AbstractContextManager[object]] = nullcontext
    rate: float = 1.0


WAYS = [
    Way("float32", "float32"),
    Way("weights scattered, all else in float32", "bfloat16", in_float32),
    Way("bfloat16, weights on its grid", "bfloat16", on_the_grid),
    Way("the same, at twice the rate", "bfloat16", on_the_grid, rate=2.0),
    Way("bfloat16, weights scattered", "bfloat16"),
    Way("the same, logits and the head's gradient rounded", "bfloat16", during=rounded_logits),
]
"""The checkpoint lies on bfloat16's grid, so that the third differs from the first in the arithmetic alone."""


def warm_started(folder: Path, way: Way, seed: int) -> tuple[float, float]:
    """The loss of the warm start's last batch, and that of lessons kept aside as bfloat16 sees the weights after it."""
    config = Config.read(PRESET, {"model.path": str(folder / "smollm2"), "model.dtype": way.dtype, "seed": seed})
    assert config.warm_start is not None
    assert config.warm_start.examples is not None
    dataset, taught = folder / "dataset", config.warm_start.examples
    exercises = read_exercises(dataset, config.data, config.seed, config.tools)
    chat = Chat(open_tokenizer(config.model))
    lessons = read_lessons(dataset, exercises, chat, config, taught + ASIDE).by_task
    kept = [sequence for sequences in lessons[taught:] for sequence in sequences]
    policy = Policy.load(config.model)
    way.prepare(policy)
    start = config.warm_start.model_copy(update={"learning_rate": config.warm_start.learning_rate * way.rate})
    losses: list[float] = []
    with way.during():
        warm_start(
            policy,
            Lessons(lessons[:taught]),
            start,
            config,
            Processes(),
            lambda _, figures: losses.append(figures["loss"]),
        )
    on_the_grid(policy)
    return losses[-1], loss(policy, kept, config.optimization.tokens_per_microbatch)


@torch.no_grad()
def loss(policy: Policy, lessons: list[TokenSequence], budget: int) -> float:
    """The mean over sampled tokens, computed in float32."""
    policy.compute = torch.float32
    scores = [policy(batch).logprobs for batch in microbatches(lessons, budget, policy.shares_prompts)]
    return -torch.cat(scores).mean().item()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    with TemporaryDirectory() as made:
        folder = asked.folder or Path(made)
        write_smollm2(folder / "smollm2")
        if not (folder / "dataset").exists():
            write_demo_dataset(folder / "dataset")
        print("| seed | how | loss of the last batch | kept aside, as bfloat16 sees it | CPU seconds |")
        print("| --- | --- | ---: | ---: | ---: |")
        for seed in asked.seeds:
            for way in WAYS:
                began = time.process_time()
                last, aside = warm_started(folder, way, seed)
                print(
                    f"| {seed} | {way.name} | {last:.3f} | {aside:.3f} | {time.process_time() - began:.0f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
