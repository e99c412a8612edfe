"""AdamW whose step one kernel makes, as on every GPU: where its state lies, and that it learns the same."""

import random
from functools import partial
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402

from trainer.config import Optimization  # noqa: E402
from trainer.learning import descent  # noqa: E402
from trainer.learning.learner import Learner  # noqa: E402
from trainer.learning.optimizer import adamw  # noqa: E402
from trainer.output.checkpoint import Checkpoints  # noqa: E402

from .chance import groups, learner, policy, write_model  # noqa: E402


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return write_model(tmp_path_factory.mktemp("model"))


def pupil(folder: Path, monkeypatch: pytest.MonkeyPatch, *, fused: bool, offload: bool = False) -> Learner:
    with monkeypatch.context() as patched:
        patched.setattr(descent, "adamw", partial(adamw, fused=fused))
        return learner(policy(folder), optimization={"learning_rate": 1e-3, "offload": offload})


def taught(pupil: Learner, steps: range) -> dict[str, torch.Tensor]:
    for step in steps:
        pupil.update(*groups(random.Random(step), 3), step)
    return {name: each.clone() for name, each in pupil.tensors().items()}


def layer(device: str) -> torch.nn.ParameterDict:
    """Without values that mean anything: a pretended device draws none."""
    return torch.nn.ParameterDict(
        {name: torch.nn.Parameter(torch.empty(shape, device=device)) for name, shape in (("w", (2, 3)), ("b", (2,)))}
    )


@pytest.mark.parametrize("offload", [False, True])
def test_one_kernel_learns_what_many_do_also_with_offloaded_moments(folder, offload, monkeypatch):
    many = taught(pupil(folder, monkeypatch, fused=False), range(3))
    one = taught(pupil(folder, monkeypatch, fused=True, offload=offload), range(3))
    assert one.keys() == many.keys()
    for name, each in many.items():
        torch.testing.assert_close(one[name], each, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("fused", [False, True])
def test_the_state_lies_as_torch_itself_lays_it_out(fused):
    """On a device that is only pretended, the one way to see on a CPU where a GPU's tensors would lie."""
    with FakeTensorMode():
        ours, theirs = layer("cuda"), layer("cuda")
        made = adamw(ours, Optimization(), fused=fused)
        own = torch.optim.AdamW(theirs.parameters(), fused=fused)
        for parameter in theirs.parameters():
            parameter.grad = torch.ones_like(parameter)
        own.step()
        for one, other in zip(ours.parameters(), theirs.parameters(), strict=True):
            mine, expected = made.state[one], own.state[other]
            assert mine.keys() == expected.keys()
            for name, tensor in expected.items():
                assert (mine[name].device, mine[name].dtype, mine[name].shape) == (
                    tensor.device,
                    tensor.dtype,
                    tensor.shape,
                ), name


def test_a_gpu_has_one_kernel_and_a_cpu_has_not():
    with FakeTensorMode():
        assert adamw(layer("cuda"), Optimization()).defaults["fused"] is True
    assert adamw(layer("cpu"), Optimization()).defaults["fused"] is False


@pytest.mark.parametrize(("saved", "offload"), [(False, False), (False, True), (True, False)])
def test_a_checkpoint_of_either_way_goes_on_in_the_other(folder, saved, offload, monkeypatch, tmp_path):
    first = pupil(folder, monkeypatch, fused=saved)
    taught(first, range(2))
    checkpoint = Checkpoints(tmp_path).save(2, first.tensors(), {})
    second = pupil(folder, monkeypatch, fused=not saved, offload=offload)
    Checkpoints(tmp_path).load(checkpoint, second.tensors())
    assert {state["step"].item() for state in second.optimizer.state.values()} == {2}
    one, other = taught(first, range(2, 3)), taught(second, range(2, 3))
    for name, each in one.items():
        torch.testing.assert_close(other[name], each, rtol=1e-5, atol=1e-7)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="wants a GPU")
@pytest.mark.parametrize("offload", [False, True])
def test_on_a_gpu_a_step_is_made_and_gone_on_with_from_a_checkpoint(offload, tmp_path):
    def stepped(steps: int, loaded: Path | None = None) -> tuple[torch.nn.Linear, dict[str, torch.Tensor]]:
        torch.manual_seed(0)
        made = torch.nn.Linear(3, 2, device="cuda")
        optimizer = adamw(made, Optimization(learning_rate=1e-2, offload=offload))
        named = dict(made.named_parameters())
        tensors = {f"model/{name}": each.detach() for name, each in named.items()}
        for name, each in named.items():
            tensors |= {f"optimizer/{name}/{part}": value for part, value in optimizer.state[each].items()}
        if loaded:
            Checkpoints(tmp_path).load(loaded, tensors)
        for _ in range(steps):
            made(torch.ones(4, 3, device="cuda")).square().sum().backward()
            optimizer.step()
            optimizer.zero_grad()
        return made, tensors

    whole, _ = stepped(2)
    _, tensors = stepped(1)
    again, _ = stepped(1, Checkpoints(tmp_path).save(1, tensors, {}))
    for one, other in zip(whole.parameters(), again.parameters(), strict=True):
        assert torch.equal(one, other)
