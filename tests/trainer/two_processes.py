"""Run by torchrun in a test: each process learns from its share of the groups, and the first writes what came out.

    python -m torch.distributed.run --nproc-per-node 2 -m tests.trainer.two_processes FOLDER

FOLDER has the models `tied` and `untied`, and an `adapter` for the first; `CASE.pt` and checkpoints come into it.
"""

import random
import sys
from functools import partial
from pathlib import Path
from typing import Any, get_args
from unittest import mock

import torch

from trainer.config import LossName
from trainer.distributed import Processes, full, join, leave
from trainer.learning import descent
from trainer.learning.learner import Learner
from trainer.learning.optimizer import adamw
from trainer.learning.reference import AsItBegan
from trainer.learning.watch import Watch
from trainer.model.policy import Policy
from trainer.output.checkpoint import Checkpoints

from .chance import critic, groups, learner, policy

CASES = {
    "even": ("tied", [[0, 1], [2, 3]]),
    "uneven": ("untied", [[0, 1, 2], [3]]),
    "one_has_none": ("tied", [[0, 1, 2, 3], []]),
    "nobody_has_any": ("untied", [[], []]),
    "ppo": ("untied", [[0, 1, 2], [3]]),
    "ppo_one_has_none": ("tied", [[], [0, 1, 2, 3]]),
    "dr_grpo": ("tied", [[0], [1, 2, 3]]),
    "gspo": ("untied", [[0, 1], [2, 3]]),
    "cispo": ("tied", [[0, 1, 2], [3]]),
    "minibatches": ("tied", [[0, 1, 2], [3]]),
    "offloaded": ("untied", [[0, 1, 2], [3]]),
    "fused": ("tied", [[0, 1, 2], [3]]),
    "fused_offloaded": ("untied", [[0, 1], [2, 3]]),
    "lora": ("tied", [[0, 1, 2], [3]]),
    "ppo_lora": ("tied", [[0, 1], [2, 3]]),
    "lora_in_bfloat16": ("tied", [[0, 1], [2, 3]]),
}
"""Which model, and which of the four groups each process has; the case of a loss has that loss."""
RESUMED = ("uneven", "ppo", "offloaded", "fused", "fused_offloaded", "lora", "ppo_lora")


def pupil(folder: Path, case: str, processes: Processes) -> Learner:
    """A learner that uses everything: many micro-batches, an old policy and a reference, and what the case names."""
    model, settings = folder / CASES[case][0], {}
    loss = case if case in get_args(LossName) else "grpo"
    if "lora" in case:
        settings = {"lora": {"rank": 4, "alpha": 8, "path": folder / "adapter"}}
        settings["dtype"] = "bfloat16" if "bfloat16" in case else "float32"
    learning = policy(model, processes, **settings)
    reference: Policy | AsItBegan = AsItBegan(learning)
    if not settings:
        reference = policy(model, processes)
        reference.requires_grad_(False)
    with mock.patch.object(descent, "adamw", partial(adamw, fused="fused" in case)):
        return learner(
            learning,
            {
                "kl_coefficient": 0.1,
                "old_policy": "recompute",
                "loss": loss,
                "minibatches": 1 + (case == "minibatches"),
            },
            {"tokens_per_microbatch": 30, "learning_rate": 1e-3, "offload": "offloaded" in case},
            processes=processes,
            reference=reference,
            critic=critic(model, processes, **settings) if "ppo" in case else None,
            ppo={"critic_learning_rate": 3e-3, "gae_lambda": 0.9},
        )


def tensors(pupil: Learner) -> dict[str, torch.Tensor]:
    """Copies of weights and moments, whole: the policy's weights under their own names, as engines get them."""
    named = {name: full(each).clone() for name, each in pupil.tensors().items()}
    return named | {name: each.clone() for name, each in pupil.policy.weights()}


def learn(pupil: Learner, share: list[int], steps: range = range(2)) -> dict[str, Any]:
    """Updates from this share of four groups; the gradients of each step, the figures, the weights that came out, what
    the last one made of each rollout's tokens, and how many each process read."""
    batch, rewards = groups(random.Random(1), 4)
    caught: list[dict[str, torch.Tensor]] = []

    def catch(of: str, model: torch.nn.Module) -> None:
        named = model.named_parameters()
        caught.append({f"{of}/{name}": full(each.grad).clone() for name, each in named if each.grad is not None})

    read: list[int] = []
    pupil.policy.register_forward_pre_hook(lambda _, given: read.append(len(given[0].ids)))
    pupil.optimizer.register_step_pre_hook(lambda *_: catch("policy", pupil.policy))
    if judge := pupil.critic:
        judge.optimizer.register_step_pre_hook(lambda *_: catch("critic", judge.critic))
    watch = Watch()
    figures = [pupil.update([batch[i] for i in share], [rewards[i] for i in share], step, watch) for step in steps]
    own = [watch.tokens(rollout.sequence) for i in share for rollout in batch[i].rollouts]
    told = [list(zip(each.trainer, each.advantages, strict=True)) if each else [] for each in own]
    return {
        "steps": caught,
        "figures": figures,
        "tensors": tensors(pupil),
        "told": [each for process in pupil.processes.everywhere(told) for each in process],
        "read": pupil.processes.everywhere(sum(read)),
    }


def resumed(first: Learner, second: Learner, folder: Path, share: list[int]) -> dict[str, torch.Tensor]:
    """One update, a checkpoint, and the second update by a learner that knows the checkpoint alone; what came out."""
    processes = first.processes
    checkpoints = Checkpoints(folder, processes=processes)
    learn(first, share, range(1))
    torch.manual_seed(processes.rank)
    checkpoints.save(1, first.tensors(), {"step": 1})
    drawn = torch.rand(3)
    latest = checkpoints.latest()
    assert latest is not None
    assert checkpoints.load(latest, second.tensors()) == {"step": 1}
    assert torch.equal(torch.rand(3), drawn), "each process goes on with its own random state"
    learn(second, share, range(1, 2))
    return tensors(second)


def main(folder: Path) -> None:
    processes = join()
    torch.set_num_threads(1)
    for case, (_, shares) in CASES.items():
        share = shares[processes.rank]
        found = learn(pupil(folder, case, processes), share)
        if case in RESUMED:
            first, second = (pupil(folder, case, processes) for _ in range(2))
            found["resumed"] = resumed(first, second, folder / "checkpoints" / case, share)
        if processes.leads:
            torch.save(found, folder / f"{case}.pt")
    for model in ("tied", "untied"):
        scattered = dict(policy(folder / model, processes, dtype="bfloat16").weights())
        if processes.leads:
            torch.save(scattered, folder / f"scattered-{model}.pt")
    leave()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
