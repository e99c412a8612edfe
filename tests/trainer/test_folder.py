"""A training goes on with the settings that it began with, but for those that say where it runs and how far it goes."""

import logging

import pytest

from toolscale.errors import UserError
from trainer.config import Config
from trainer.distributed import Processes
from trainer.output.folder import TrainingFolder
from trainer.runs import fine_tune

SERVED = {"backend": "vllm-server", "servers": ["http://one:8000"]}


def settings(**changed) -> Config:
    return Config.of({"model": {"path": "m"}, "rollouts": SERVED, "ppo": {}} | changed, "a test")


@pytest.fixture
def begun(tmp_path) -> TrainingFolder:
    folder = TrainingFolder(tmp_path / "run")
    folder.begin(settings(), None, False, Processes())
    return folder


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"steps": 7}, ""),
        ({"checkpoints": {"keep": 5}}, ""),
        ({"rollouts": SERVED | {"servers": ["http://two:8000"]}}, "rollouts.servers was ['http://one:8000'] so far"),
        ({"rollouts": SERVED | {"at_once": 8}}, "rollouts.at_once was 64 so far, and is 8 from here on"),
        ({"optimization": {"learning_rate": 1e-9}}, "and is 1e-09 from here on"),
        ({"ppo": {"critic_learning_rate": 1e-9}}, "ppo.critic_learning_rate was"),
    ],
    ids=lambda each: next(iter(each)) if isinstance(each, dict) else "",
)
def test_what_a_machine_has_room_for_may_change_and_is_told(begun, changed, said, caplog):
    with caplog.at_level(logging.WARNING):
        begun.begin(settings(**changed), begun.checkpoints, True, Processes())
    assert said in caplog.text
    assert bool(said) == bool(caplog.text)
    assert Config.read(begun.path / "config.yaml") == settings(**changed), "the next one goes on with these"


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ({"seed": 1}, "seed"),
        ({"rollouts": SERVED | {"temperature": 0.5}}, "rollouts.temperature"),
        ({"optimization": {"weight_decay": 0.5}}, "optimization.weight_decay"),
        ({"ppo": None}, "ppo"),
        ({"warm_start": {}}, "warm_start"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_what_is_learnt_stays_as_it_was(begun, changed, name):
    with pytest.raises(UserError, match=f"^`{name}[.`]"):
        begun.begin(settings(**changed), begun.checkpoints, True, Processes())


@pytest.mark.parametrize("there", ["model", "checkpoints/step-00000000"])
def test_fine_tuning_does_not_write_over_a_training(tmp_path, there):
    (tmp_path / "run" / there).mkdir(parents=True)
    with pytest.raises(UserError, match="run holds a training already: choose another --out"):
        fine_tune(settings(), tmp_path / "unread", tmp_path / "run")
    assert not (tmp_path / "run" / "config.yaml").exists()


def test_a_training_does_not_write_over_a_fine_tuning_and_may_begin_again_where_none_was_saved(begun):
    (begun.checkpoints / ".making-step-00000000").mkdir(parents=True)
    assert begun.begin(settings(), None, True, Processes()) is None
    begun.model.mkdir()
    with pytest.raises(UserError, match="holds a training already"):
        begun.begin(settings(), None, False, Processes())
