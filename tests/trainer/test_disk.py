"""A disk without room for a training is named before it begins, and where it fills up later what was finished stays."""

import resource
import shutil
from collections import namedtuple
from contextlib import contextmanager

import pytest

torch = pytest.importorskip("torch")

from toolscale.errors import UserError  # noqa: E402
from trainer.config import Config  # noqa: E402
from trainer.memory.storage import storage  # noqa: E402
from trainer.model.policy import Policy  # noqa: E402
from trainer.output.checkpoint import Checkpoints  # noqa: E402
from trainer.output.disk import check_room  # noqa: E402
from trainer.output.export import Provenance, write_model  # noqa: E402
from trainer.runs import fine_tune  # noqa: E402

from . import schooling  # noqa: E402

Usage = namedtuple("Usage", "total used free")


@contextmanager
def room_for(bytes_):
    """No file may become larger than that, as on a disk that is nearly full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("bytes_", [100, 10_000], ids=["nothing", "a_part"])
def test_a_checkpoint_that_finds_no_room_leaves_the_one_before_and_says_so(tmp_path, bytes_):
    checkpoints = Checkpoints(tmp_path)
    tensors = {"weight": torch.arange(10_000.0)}
    first = checkpoints.save(1, tensors, {"at": 1})
    with room_for(bytes_), pytest.raises(UserError, match=r"cannot write .*step-00000002: .* its disk has room"):
        checkpoints.save(2, tensors, {"at": 2})
    assert checkpoints.latest() == first
    read = {"weight": torch.zeros(10_000)}
    assert checkpoints.load(first, read) == {"at": 1}
    assert torch.equal(read["weight"], tensors["weight"])
    assert checkpoints.save(2, tensors, {"at": 2}) == checkpoints.latest()


def test_a_model_that_finds_no_room_leaves_the_one_before(tiny_llama, tokenizer, tmp_path):
    config = Config.of({"model": {"path": str(tiny_llama), "dtype": "float32"}}, "test")
    policy = Policy.load(config.model)
    given = (dict(policy.weights()), policy.model.config, tokenizer, Provenance(config, "v", 1, None, None))
    write_model(tmp_path / "model", *given)
    before = {file.name: file.read_bytes() for file in (tmp_path / "model").iterdir()}
    with room_for(10_000), pytest.raises(UserError, match=r"cannot write .*model: .* its disk has room"):
        write_model(tmp_path / "model", *given)
    assert {file.name: file.read_bytes() for file in (tmp_path / "model").iterdir()} == before
    assert [each.name for each in tmp_path.iterdir()] == ["model"]


def test_a_training_asks_for_the_room_that_it_still_needs(tiny_llama, tmp_path, monkeypatch):
    config = Config.of({"model": {"path": str(tiny_llama)}, "checkpoints": {"keep": 1}}, "test")
    planned, out = storage(config), tmp_path / "not" / "yet"
    free = planned.disk
    monkeypatch.setattr(shutil, "disk_usage", lambda place: Usage(0, 0, free) if place.exists() else 1 / 0)
    check_room(config, out)
    free = planned.disk - 1
    with pytest.raises(UserError, match=r"2 checkpoints at once of .* set checkpoints.keep lower"):
        check_room(config, out)
    written = out / "checkpoints" / "step-00000001"
    written.mkdir(parents=True)
    (written / "all").write_bytes(b"x")
    check_room(config, out)
    (out / "model").mkdir()
    (out / "model" / "earlier").write_bytes(b"xx")
    free -= 1
    with pytest.raises(UserError, match=r"has .* GiB left"):  # A model is written beside an earlier one.
        check_room(config, out)


@pytest.mark.parametrize("lora", [None, {"rank": 4}], ids=["whole", "adapters"])
def test_a_fine_tuning_asks_for_the_room_of_its_model_before_it_is_loaded(
    tiny_llama, environment, tasks, tmp_path, monkeypatch, lora
):
    schooling.write_taught_dataset(tmp_path / "dataset", environment, tasks)
    model = {"path": str(tiny_llama), "dtype": "float32", "lora": lora}
    settings = {"model": model, "warm_start": {"examples": 2, "batch": 2}, "algorithm": {"kl_coefficient": 0.1}}
    config = Config.of(settings, "test")
    whole = sum(each.numel() for each in Policy.load(config.model.model_copy(update={"lora": None})).parameters())
    adapters = sum(each.numel() for each in Policy.load(config.model).parameters() if each.requires_grad)
    free = 4 * (whole + (adapters if lora else 0))
    monkeypatch.setattr(shutil, "disk_usage", lambda place: Usage(0, 0, free))
    fine_tune(config, tmp_path / "dataset", tmp_path / "fits")
    written = [*(tmp_path / "fits").rglob("*.safetensors")]
    assert 0 <= sum(file.stat().st_size for file in written) - free < 10_000 * len(written)
    free -= 1
    monkeypatch.setattr(Policy, "load", lambda *_: 1 / 0)
    with pytest.raises(UserError, match=r"will write .*: its model; make room"):
        fine_tune(config, tmp_path / "dataset", tmp_path / "full")
    assert not (tmp_path / "full").exists()
