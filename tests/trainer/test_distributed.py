"""Two processes that split everything (gloo, FSDP2) learn what one process learns from all of it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from toolscale.errors import UserError  # noqa: E402
from trainer.checkpoint import Checkpoints  # noqa: E402
from trainer.distributed import Processes  # noqa: E402

from .chance import policy, write_model  # noqa: E402
from .two_processes import learn, pupil  # noqa: E402

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """What two processes left behind: all cases in one launch, because starting them takes longest."""
    folder = tmp_path_factory.mktemp("two")
    write_model(folder / "tied", tied=True)
    write_model(folder / "untied", tied=False)
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    done = subprocess.run(
        [*launch, "-m", "tests.trainer.two_processes", str(folder)],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return folder


@pytest.mark.parametrize(("case", "model"), [("even", "tied"), ("uneven", "untied"), ("one_has_none", "tied")])
def test_two_processes_give_the_gradients_of_one_and_unequal_micro_batches_do_not_hang(case, model, folder):
    one = learn(pupil(folder / model, Processes()), [0, 1, 2, 3])
    two = torch.load(folder / f"{case}.pt")
    assert len(one["steps"]) == len(two["steps"]) == 2
    for step_of_one, step_of_two in zip(one["steps"], two["steps"], strict=True):
        assert step_of_one.keys() == step_of_two.keys()
        for name, gradient in step_of_one.items():
            error = (gradient - step_of_two[name]).norm() / gradient.norm()
            assert error < 1e-4, f"{name}: {error}"
    for figures_of_one, figures_of_two in zip(one["figures"], two["figures"], strict=True):
        assert figures_of_two == pytest.approx(figures_of_one, rel=1e-4, abs=1e-6)
    assert two["weights"].keys() == one["weights"].keys()
    assert all(each.shape == one["weights"][name].shape for name, each in two["weights"].items())


def test_nothing_to_learn_in_any_process_ends_well_and_leaves_the_weights(folder):
    found = torch.load(folder / "nobody_has_any.pt")
    assert found["steps"] == []
    assert [figures["updates"] for figures in found["figures"]] == [0, 0]
    for name, weight in policy(folder / "untied").weights():
        assert torch.equal(found["weights"][name], weight)


def test_two_processes_resume_to_the_bit(folder):
    found = torch.load(folder / "uneven.pt")
    for name, weight in found["weights"].items():
        assert torch.equal(found["resumed"][name], weight), name


def test_a_checkpoint_of_two_processes_is_refused_by_one(folder):
    alone = pupil(folder / "untied", Processes())
    latest = Checkpoints(folder / "checkpoints").latest()
    assert latest is not None
    with pytest.raises(UserError, match="written by 2 processes"):
        Checkpoints(folder / "checkpoints").load(latest, alone.policy, alone.optimizer)


def test_alone_there_is_no_process_group_and_nothing_to_wait_for():
    processes = Processes()
    assert processes.sums([1.0, 2.0]) == [1.0, 2.0]
    assert processes.largest(3.0) == 3.0
    assert list(processes.in_step(["a", "b"])) == ["a", "b"]
    processes.wait()
