"""Two processes that split everything (gloo, FSDP2) learn what one process learns from all of it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from toolscale.errors import UserError  # noqa: E402
from trainer.distributed import Processes  # noqa: E402
from trainer.output.checkpoint import Checkpoints  # noqa: E402

from .chance import policy, write_adapter, write_model  # noqa: E402
from .two_processes import CASES, RESUMED, learn, pupil  # noqa: E402

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """What two processes left behind: all cases in one launch, because starting them takes longest."""
    folder = tmp_path_factory.mktemp("two")
    write_model(folder / "tied", tied=True)
    write_model(folder / "untied", tied=False)
    write_adapter(folder / "adapter", folder / "tied")
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


@pytest.mark.parametrize("case", [case for case in CASES if case != "nobody_has_any"])
def test_two_processes_give_the_gradients_of_one_and_unequal_micro_batches_do_not_hang(case, folder):
    one = learn(pupil(folder, case, Processes()), [0, 1, 2, 3])
    two = torch.load(folder / f"{case}.pt")
    assert len(one["steps"]) == len(two["steps"]) == (4 if "ppo" in case or case == "minibatches" else 2)
    # FSDP and autocast round at other places.
    within = 0.1 if "bfloat16" in case else 1e-5
    for step_of_one, step_of_two in zip(one["steps"], two["steps"], strict=True):
        assert step_of_one.keys() == step_of_two.keys()
        for name, gradient in step_of_one.items():
            error = (gradient - step_of_two[name]).norm() / gradient.norm()
            assert error < within, f"{name}: {error}"
    for figures_of_one, figures_of_two in zip(one["figures"], two["figures"], strict=True):
        assert figures_of_two == pytest.approx(figures_of_one, rel=within, abs=max(1e-6, within**2))
    assert len(one["told"]) == len(two["told"]) == 16
    for of_one, of_two in zip(one["told"], two["told"], strict=True):
        torch.testing.assert_close(torch.tensor(of_two), torch.tensor(of_one), rtol=10 * within, atol=10 * within)
    assert two["tensors"].keys() == one["tensors"].keys()
    assert all(each.shape == one["tensors"][name].shape for name, each in two["tensors"].items())


@pytest.mark.parametrize("case", ["uneven", "one_has_none", "ppo_one_has_none"])
def test_whoever_played_what_is_learnt_from_both_processes_read_about_as_much(case, folder):
    one, other = torch.load(folder / f"{case}.pt")["read"]
    assert 0.7 < one / other < 1.4


def test_nothing_to_learn_in_any_process_ends_well_and_leaves_the_weights(folder):
    found = torch.load(folder / "nobody_has_any.pt")
    assert found["steps"] == []
    assert [figures["updates"] for figures in found["figures"]] == [0, 0]
    for name, weight in policy(folder / "untied").weights():
        assert torch.equal(found["tensors"][name], weight)


@pytest.mark.parametrize("case", RESUMED)
def test_two_processes_resume_to_the_bit_moments_and_critic_included(case, folder):
    found = torch.load(folder / f"{case}.pt")
    assert any(name.startswith("critic/optimizer/value_head") for name in found["tensors"]) == ("ppo" in case)
    for name, tensor in found["tensors"].items():
        assert torch.equal(found["resumed"][name], tensor), name


@pytest.mark.parametrize("model", ["tied", "untied"])
def test_two_processes_begin_in_bfloat16_with_the_bits_of_one(model, folder):
    found = torch.load(folder / f"scattered-{model}.pt")
    one = dict(policy(folder / model, dtype="bfloat16").weights())
    assert found.keys() == one.keys()
    for name, weight in one.items():
        assert torch.equal(found[name], weight), name
        assert not torch.equal(weight, weight.bfloat16().float()), "scattered"


def test_a_checkpoint_of_two_processes_is_refused_by_one(folder):
    alone = pupil(folder, "uneven", Processes())
    latest = Checkpoints(folder / "checkpoints" / "uneven").latest()
    assert latest is not None
    with pytest.raises(UserError, match="written by 2 processes"):
        Checkpoints(folder / "checkpoints" / "uneven").load(latest, alone.tensors())


def test_alone_there_is_no_process_group_and_nothing_to_wait_for():
    processes = Processes()
    assert processes.sums([1.0, 2.0]) == [1.0, 2.0]
    assert processes.largest(3.0) == 3.0
    assert list(processes.in_step(["a", "b"])) == ["a", "b"]
    processes.wait()
