"""What `trainer plan` says of disks is what a training leaves on them."""

from pathlib import Path

import pytest

from trainer.config import Config
from trainer.distributed import Processes
from trainer.learning.learner import Learner
from trainer.learning.ppo import CriticLearner
from trainer.memory.storage import storage, told
from trainer.model.critic import Critic
from trainer.model.policy import Policy
from trainer.output.checkpoint import Checkpoints
from trainer.output.export import Provenance, write_model

DOCS = Path(__file__).parents[2] / "docs"


def on_disk(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


@pytest.mark.parametrize("lora", [None, {"rank": 4, "alpha": 8}], ids=["whole", "adapters"])
@pytest.mark.parametrize("ppo", [None, {}], ids=["grpo", "ppo"])
def test_a_checkpoint_is_as_large_as_planned(tiny_llama, tmp_path, ppo, lora):
    settings = {"model": {"path": str(tiny_llama), "dtype": "float32", "lora": lora}, "ppo": ppo}
    config = Config.of(settings | {"checkpoints": {"keep": 2}}, "test")
    critic = None
    if config.ppo:
        critic = CriticLearner(
            Critic.load(config.model), config.ppo, config.optimization, steps=1, processes=Processes()
        )
    learner = Learner(Policy.load(config.model), config.algorithm, config.optimization, steps=1, critic=critic)
    saved = Checkpoints(tmp_path).save(1, learner.tensors(), {})
    planned = storage(config)
    # Beside each tensor lie its name and shape, a few kilobytes whatever its size.
    assert 0 <= on_disk(saved) - planned.checkpoint < 4096 * len(learner.tensors())
    assert planned.checkpoints == 3 * planned.checkpoint


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_an_exported_model_is_as_large_as_planned(tiny_llama, tokenizer, tmp_path, dtype):
    config = Config.of({"model": {"path": str(tiny_llama), "dtype": dtype}}, "test")
    policy = Policy.load(config.model)
    weights, about = dict(policy.weights()), Provenance(config, "v", 1, None, None)
    write_model(tmp_path / "model", weights, policy.model.config, tokenizer, about)
    planned = storage(config)
    assert 0 <= (tmp_path / "model" / "model.safetensors").stat().st_size - planned.models < 10_000
    assert planned.host == planned.models + sum(each.numel() * each.element_size() for each in weights.values())


def test_where_a_warm_start_is_kept_there_are_two_models(tiny_llama):
    settings = {"model": {"path": str(tiny_llama)}, "warm_start": {}}
    plain, with_kl = (Config.of({**settings, "algorithm": {"kl_coefficient": kl}}, "test") for kl in (0.0, 0.1))
    assert storage(with_kl).models == 2 * storage(plain).models
    adapted, kept = (
        storage(Config.of({**settings, "model": {**settings["model"], "lora": {}}, **more}, "test"))
        for more in ({}, {"algorithm": {"kl_coefficient": 0.1}})
    )
    adapters = adapted.checkpoint // 3
    assert (adapted.models, kept.models) == (storage(plain).models + adapters, storage(plain).models + 2 * adapters)
    shown = told(storage(with_kl))
    for row in ("a checkpoint", "checkpoints at once", "models, exported", "memory of the host"):
        assert row in shown


def test_the_page_on_clusters_shows_what_the_command_prints():
    assert told(storage(Config.read(Path("qwen3-8b-16xh100")))) in (DOCS / "clusters.md").read_text(encoding="utf-8")
