"""Run as a process of its own in a test: trainings that are killed at every point, and what they come to when resumed.

    python -m tests.trainer.killed FOLDER

Each training is a fork of this process, which itself never computes anything, so that torch is imported only once.
FOLDER has the model; `found.json` is written into it: for each way of dying the digests of every step that was made.
"""

import hashlib
import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from trainer.learning.learner import Learner
from trainer.output.checkpoint import Checkpoints

from .chance import critic, groups, learner, policy

STEPS = 4


def digest(pupil: Learner, position: int) -> str:
    """Of everything that a training is: weights and moments of policy and critic, random state, place in the data."""
    made = hashlib.sha256()
    for name, tensor in sorted(pupil.tensors().items()):
        made.update(name.encode() + tensor.numpy().tobytes())
    made.update(repr((random.getstate(), np.random.get_state(), position)).encode())
    made.update(torch.get_rng_state().numpy().tobytes())
    return made.hexdigest()


def train(model: Path, folder: Path) -> None:
    """From the latest checkpoint, or from the start, to the last step; a line in `digests.jsonl` for every step."""
    torch.set_num_threads(1)
    random.seed(1), np.random.seed(2), torch.manual_seed(3)
    pupil, checkpoints = (
        learner(policy(model), optimization={"learning_rate": 1e-2}, critic=critic(model)),
        Checkpoints(folder / "saved", keep=2),
    )
    latest = checkpoints.latest()
    progress: dict[str, Any] = {"step": 0, "position": 0}
    if latest:
        progress = checkpoints.load(latest, pupil.tensors())
    for step in range(progress["step"], STEPS):
        # Tasks and tokens come from all three sources of chance and from the place in the data.
        seed = (random.random(), float(np.random.random()), torch.rand(()).item(), progress["position"])
        batch, rewards = groups(random.Random(repr(seed)), 2)
        pupil.update(batch, rewards, step)
        progress = {"step": step + 1, "position": progress["position"] + len(batch)}
        with (folder / "digests.jsonl").open("a") as file:
            file.write(json.dumps([step + 1, digest(pupil, progress["position"])]) + "\n")
        checkpoints.save(step + 1, pupil.tensors(), progress)


def dying_at(owner: Any, name: str, call: int) -> Callable[[], None]:
    """Kill this process when a function is called for the `call`-th time, before it does anything."""

    def patch() -> None:
        real, calls = getattr(owner, name), 0

        def die_or_do(*arguments: Any, **keywords: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == call:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*arguments, **keywords)

        setattr(owner, name, die_or_do)

    return patch


def forked(work: Callable[[], None], kill_after: float | None = None) -> bool:
    """Do `work` in a fork; whether it was killed."""
    child = os.fork()
    if not child:
        try:
            work()
        except BaseException as error:
            print(repr(error), file=sys.stderr, flush=True)
            os._exit(1)
        os._exit(0)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return True
    assert os.WEXITSTATUS(status) == 0, "a training failed"
    return False


def died_and_resumed(model: Path, folder: Path, patch: Callable[[], None], kill_after: float | None = None) -> Any:
    """A training that dies, then one that resumes; None if it came to its end before it could die."""
    folder.mkdir()

    def doomed() -> None:
        patch()
        train(model, folder)

    if not forked(doomed, kill_after):
        return None
    forked(lambda: train(model, folder))
    return [json.loads(line) for line in (folder / "digests.jsonl").read_text().splitlines()]


def main(folder: Path) -> None:
    model, found = folder / "model", {}
    (folder / "whole").mkdir()
    forked(lambda: train(model, folder / "whole"))
    found["whole"] = [json.loads(line) for line in (folder / "whole" / "digests.jsonl").read_text().splitlines()]
    points = [(Learner, "update"), (os, "fsync"), (Path, "rename"), (sys.modules["shutil"], "rmtree")]
    for owner, name in points:
        for call in range(1, 100):
            way = f"{name}-{call}"
            digests = died_and_resumed(model, folder / way, dying_at(owner, name, call))
            if digests is None:
                break
            found[way] = digests
    chance = random.Random(0)
    for attempt in range(6):
        way = f"any-time-{attempt}"
        digests = died_and_resumed(model, folder / way, lambda: None, kill_after=chance.uniform(0.05, 1.0))
        if digests is not None:
            found[way] = digests
    (folder / "found.json").write_text(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
