"""Run by torchrun in a test: each process learns from its share of the groups, and the first writes what came out.

    python -m torch.distributed.run --nproc-per-node 2 -m tests.trainer.two_processes FOLDER

FOLDER has the models `tied` and `untied`; `CASE.pt` and the checkpoints are written into it.
"""

import random
import sys
from pathlib import Path
from typing import Any

import torch

from trainer.checkpoint import Checkpoints
from trainer.distributed import Processes, full, join, leave
from trainer.learner import Learner
from trainer.policy import Policy

from .chance import groups, learner, policy

CASES = {
    "even": ("tied", [[0, 1], [2, 3]]),
    "uneven": ("untied", [[0, 1, 2], [3]]),
    "one_has_none": ("tied", [[0, 1, 2, 3], []]),
    "nobody_has_any": ("untied", [[], []]),
}
"""Which model, and which of the four groups each process has."""


def pupil(model: Path, processes: Processes) -> Learner:
    """A learner that uses everything: many micro-batches, an old policy and a reference."""
    reference = policy(model, processes)
    reference.requires_grad_(False)
    return learner(
        policy(model, processes),
        {"kl_coefficient": 0.1, "old_policy": "recompute", "loss_norm": "sequence"},
        {"tokens_per_microbatch": 30, "learning_rate": 1e-3},
        processes=processes,
        reference=reference,
    )


def weights(policy: Policy) -> dict[str, torch.Tensor]:
    """Copies of all of them."""
    return {name: each.clone() for name, each in policy.weights()}


def learn(pupil: Learner, share: list[int], steps: range = range(2)) -> dict[str, Any]:
    """Updates from this share of four groups; the gradients of each step, the figures, the weights that came out."""
    batch, rewards = groups(random.Random(1), 4)
    caught: list[dict[str, torch.Tensor]] = []

    def catch(*_: object) -> None:
        named = pupil.policy.model.named_parameters()
        caught.append({name: full(each.grad).clone() for name, each in named if each.grad is not None})

    pupil.optimizer.register_step_pre_hook(catch)
    figures = [pupil.update([batch[i] for i in share], [rewards[i] for i in share], step) for step in steps]
    return {"steps": caught, "figures": figures, "weights": weights(pupil.policy)}


def resumed(model: Path, folder: Path, share: list[int], processes: Processes) -> dict[str, torch.Tensor]:
    """One update, a checkpoint, and the second update by a learner that knows the checkpoint alone; the weights."""
    first, second = pupil(model, processes), pupil(model, processes)
    checkpoints = Checkpoints(folder, processes=processes)
    learn(first, share, range(1))
    torch.manual_seed(processes.rank)
    checkpoints.save(1, first.policy, first.optimizer, {"step": 1})
    drawn = torch.rand(3)
    latest = checkpoints.latest()
    assert latest is not None
    assert checkpoints.load(latest, second.policy, second.optimizer) == {"step": 1}
    assert torch.equal(torch.rand(3), drawn), "each process goes on with its own random state"
    learn(second, share, range(1, 2))
    return weights(second.policy)


def main(folder: Path) -> None:
    processes = join()
    torch.set_num_threads(1)
    for case, (model, shares) in CASES.items():
        found = learn(pupil(folder / model, processes), shares[processes.rank])
        if case == "uneven":
            found["resumed"] = resumed(folder / model, folder / "checkpoints", shares[processes.rank], processes)
        if processes.leads:
            torch.save(found, folder / f"{case}.pt")
    leave()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
