"""What an update takes on a device: ``python benchmarks/memory.py [--whole] [--memtracker] [--allocator]``.

For each model, number of GPUs and size of a micro-batch what `trainer plan` counts: parameters, gradients, AdamW's
moments, and the most that forward and backward pass take on top, in GiB. A micro-batch is one group of eight rollouts
that share half of its tokens as their prompt. Beside that, where asked for:

``--whole``: the same with every layer of the model, where the plan measures four and counts the others like them.

``--memtracker``: what torch's own MemTracker says of one GPU; minutes a row.

``--allocator``: what the CPU's allocator gave and did not get back in a real update of SmolLM2-135M, at its most. It
takes some minutes.

``--resident``: what a process has of the machine's memory while SmolLM2-135M learns from lessons of 200 to 1,600 tokens
on the CPU, at its most and afterwards, where it keeps what it frees, as a training does, and where glibc does as it
will. It takes some minutes.
"""

import argparse
import gc
import itertools
import json
import resource
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed._tools.mem_tracker import MemTracker
from torch.profiler import ProfilerActivity, profile
from transformers import PretrainedConfig

ROOT = Path(__file__).parents[1]
sys.path[0] = str(ROOT)  # Not this file's folder: there `trainer` would be another file.

from trainer.config import Algorithm, Model, Optimization  # noqa: E402
from trainer.distributed import Processes  # noqa: E402
from trainer.learning import descent  # noqa: E402
from trainer.learning.learner import Learner  # noqa: E402
from trainer.memory.footprint import Footprint, Layout, footprint, measured, microbatch  # noqa: E402
from trainer.memory.plan import GIB  # noqa: E402
from trainer.memory.shape import read_shape  # noqa: E402
from trainer.model import attention  # noqa: E402
from trainer.model.policy import Policy  # noqa: E402
from trainer.sequence import TokenSequence  # noqa: E402

MODELS = ("HuggingFaceTB/SmolLM2-135M-Instruct", "Qwen/Qwen3-1.7B", "Qwen/Qwen3-8B")
TOKENS = (8_000, 20_000, 40_000)
GPUS = (1, 8, 16)
FEW = Layout(groups=4, prompt=1, rollouts=1, sampled=511)
"""For the real update: 2,048 tokens, which take 7 GiB. On the CPU alone, attention to a prompt takes a mask."""


def layout_of(tokens: int) -> Layout:
    """One group of eight whose prompt is half of it all."""
    return Layout(1, tokens // 2, 8, tokens // 16)


def update(found: Footprint) -> float:
    """GiB of the policy with its optimizer, at their most."""
    return (found.parameters + 2 * found.trained + found.gradients + found.passes) / GIB


def memtracker(settings: Model, shape: PretrainedConfig, layout: Layout) -> float:
    """GiB of the same by torch's own instrument, in the first micro-batch; gradients that come to be are in it."""
    policy = Policy.empty(settings, shape, Processes())
    with FakeTensorMode(allow_non_fake_inputs=True):
        policy.to_empty(device="cpu")
        policy.model.tie_weights()
        moments = 2 * sum(each.numel() * each.element_size() for each in policy.parameters())
        tracker = MemTracker()
        tracker.track_external(policy)
        with tracker:
            policy(microbatch(layout)).logprobs.sum().backward()
    (peak,) = tracker.get_tracker_snapshot("peak").values()
    return float(peak["Total"] + moments) / GIB


def first_of(settings: Model, shape: PretrainedConfig, layout: Layout) -> float:
    """GiB of the first micro-batch alone, to compare with that."""
    found = measured(Policy, settings, shape, 1, layout, micro_batches=1)
    return (found.parameters + 2 * found.trained + found.gradients + found.passes) / GIB


def random_policy(settings: Model, shape: PretrainedConfig) -> Policy:
    """A policy of random weights, the same each time."""
    torch.manual_seed(0)
    policy = Policy.empty(settings, shape, Processes()).to_empty(device="cpu")
    policy.model.tie_weights()
    policy.model.init_weights()
    return policy


def allocator(settings: Model, shape: PretrainedConfig) -> float:
    """GiB of a real update of two micro-batches, by the profiler's events of the CPU's allocator."""
    policy = random_policy(settings, shape)
    learner = Learner(policy, Algorithm(), Optimization(tokens_per_microbatch=FEW.tokens), steps=1)
    sequences = []
    for _ in range(2 * FEW.groups):
        sequence = TokenSequence.of_prompt([1])
        sequence.append_sampled([2] * (FEW.sampled + 1), [-1.0] * (FEW.sampled + 1), 0)
        sequences.append(sequence)
    held = sum(each.numel() * each.element_size() for each in (*policy.parameters(), *policy.buffers()))
    held += 2 * sum(each.numel() * each.element_size() for each in policy.parameters())
    gc.collect()
    # The CPU's attention would copy what a GPU's reads as it is.
    attention.reads_groups = lambda query, *_: query.dtype != torch.float32
    return (held + most_at_once(lambda: learner.imitate(sequences, 0))) / GIB


def resident(settings: Model, shape: PretrainedConfig, keeps: bool) -> tuple[float, float, float]:
    """GiB of this process at its most and afterwards, and the CPU seconds of five updates of eight lessons."""
    if not keeps:
        descent.keep_freed = lambda: None
    policy = random_policy(settings, shape)
    learner = Learner(policy, Algorithm(), Optimization(tokens_per_microbatch=4096), steps=5)
    lengths, began = Random(0), time.process_time()
    for step in range(5):
        sequences = []
        for _ in range(8):
            sequence = TokenSequence.of_prompt([1])
            sampled = lengths.randint(200, 1600)
            sequence.append_sampled([2] * sampled, [-1.0] * sampled, 0)
            sequences.append(sequence)
        learner.imitate(sequences, step)
    took = time.process_time() - began
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 2**10
    return most / GIB, pages * resource.getpagesize() / GIB, took


def most_at_once(work: Callable[[], object]) -> int:
    """The bytes that the allocator gave and did not get back while `work` ran, at the moment when these were most."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        work()
    traced: Any = profiler.profiler
    changes = [event for event in traced.kineto_results.events() if event.name() == "[memory]"]
    return max(itertools.accumulate(each.nbytes() for each in sorted(changes, key=lambda each: each.start_ns())))


def rows(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """A row as soon as it is known."""
    for path, checkpointing, gpus, tokens in itertools.product(given.models, (True, False), given.gpus, given.tokens):
        settings = Model(path=path, dtype="bfloat16", activation_checkpointing=checkpointing)
        shape, layout = read_shape(settings), layout_of(tokens)
        row = {"model": path, "checkpointing": checkpointing, "gpus": gpus, "tokens": tokens}
        found = footprint(Policy, settings, shape, gpus, layout)
        row |= {"plan": round(update(found), 2), "passes": round(found.passes / GIB, 2)}
        if given.whole:
            row["whole"] = round(update(measured(Policy, settings, shape, gpus, layout)), 2)
        if given.memtracker and gpus == 1:
            row["first micro-batch"] = round(first_of(settings, shape, layout), 2)
            row["by MemTracker"] = round(memtracker(settings, shape, layout), 2)
        yield row
    if given.allocator:
        for dtype, checkpointing in itertools.product(("float32", "bfloat16"), (True, False)):
            settings = Model(path=MODELS[0], dtype=dtype, activation_checkpointing=checkpointing)
            shape = read_shape(settings)
            row = {"model": MODELS[0], "dtype": dtype, "checkpointing": checkpointing, "tokens": FEW.tokens}
            row["plan"] = round(update(measured(Policy, settings, shape, 1, FEW)), 2)
            yield {**row, "by the allocator": round(allocator(settings, shape), 2)}
    if given.resident:
        settings = Model(path=MODELS[0], dtype="bfloat16")
        shape = read_shape(settings)
        for keeps in (False, True):
            # A process of its own: what one has left behind the other would begin with.
            with ProcessPoolExecutor(1, get_context("spawn")) as alone:
                most, after, took = alone.submit(resident, settings, shape, keeps).result()
            yield {
                "keeps what it frees": keeps,
                "at its most": round(most, 2),
                "afterwards": round(after, 2),
                "CPU seconds": round(took),
            }


def main() -> None:
    """A line of JSON for each row."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", nargs="*", default=MODELS)
    parser.add_argument("--gpus", nargs="*", type=int, default=GPUS)
    parser.add_argument("--tokens", nargs="*", type=int, default=TOKENS)
    for also in ("whole", "memtracker", "allocator", "resident"):
        parser.add_argument(f"--{also}", action="store_true")
    for row in rows(parser.parse_args()):
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
