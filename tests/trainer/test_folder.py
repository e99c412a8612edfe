"""A training goes on with the settings that it began with, but for those that say where it runs and how far it goes."""

import logging
from pathlib import Path

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


def test_two_trainings_do_not_share_a_folder_and_the_next_one_finds_it_free(tmp_path):
    folder = TrainingFolder(tmp_path / "run")
    with folder.alone(Processes()):
        with pytest.raises(UserError, match=r"another training runs in .*run: end it, or choose another --out"):
            folder.alone(Processes()).__enter__()
        with folder.alone(Processes(rank=1, size=2)):
            pass
    with folder.alone(Processes()):
        pass


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"steps": 7}, ""),
        ({"checkpoints": {"keep": 5}}, ""),
        ({"rollouts": SERVED | {"servers": ["http://two:8000"]}}, "rollouts.servers was ['http://one:8000'] so far"),
        ({"rollouts": SERVED | {"at_once": 8}}, "rollouts.at_once was 64 so far, and is 8 from here on"),
        ({"rollouts": SERVED | {"enforce_eager": True}}, "rollouts.enforce_eager was False so far"),
        ({"rollouts": SERVED | {"tensor_parallel": 2}}, "rollouts.tensor_parallel was 1 so far"),
        ({"optimization": {"tokens_per_microbatch": 9}}, "optimization.tokens_per_microbatch was 16384 so far"),
        ({"model": {"path": "m", "activation_checkpointing": True}}, "model.activation_checkpointing was False"),
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
    with pytest.raises(UserError, match=f"^`{name}[.`].*what may differ is steps, .*, rollouts.kv_cache_gib, "):
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


@pytest.fixture
def unused(begun) -> Path:
    """What a training leaves whose engine did not start: its first checkpoint, and metrics without a line."""
    first = begun.checkpoints / "step-00000000"
    first.mkdir(parents=True)
    (first / "progress.json").write_text("{}")
    (begun.path / "metrics.jsonl").touch()
    return first


@pytest.mark.parametrize("resume", [False, True])
def test_a_training_that_came_to_nothing_is_begun_afresh_with_whatever_settings(begun, unused, resume):
    other = settings(rollouts=SERVED | {"context_tokens": 31_000}, seed=5)
    assert begun.begin(other, unused, resume, Processes()) is None
    assert Config.read(begun.path / "config.yaml") == other
    assert not [*begun.checkpoints.iterdir()], "its checkpoint would be in the way of the new one"


@pytest.mark.parametrize("there", ["line", "no metrics", "warm-start", "model", "later step"])
def test_what_a_training_came_to_is_never_begun_afresh(begun, unused, there):
    if there == "line":
        (begun.path / "metrics.jsonl").write_text('{"kind": "sft", "step": 1, "seconds": {}}\n')
    elif there == "no metrics":
        (begun.path / "metrics.jsonl").unlink()
    elif there == "later step":
        unused = unused.rename(unused.with_name("step-00000010"))
    else:
        (begun.path / there).mkdir()
    with pytest.raises(UserError, match=r"holds a training already .*continue with --resume"):
        begun.begin(settings(), unused, False, Processes())
    with pytest.raises(UserError, match="`seed` is not as it was"):
        begun.begin(settings(seed=5), unused, True, Processes())
    assert begun.begin(settings(), unused, True, Processes()) == unused
    assert unused.is_dir()


@pytest.mark.parametrize("out", ["dataset", "dataset/run", "dataset/tasks", "."])
def test_no_training_writes_into_a_dataset(tmp_path, monkeypatch, out):
    monkeypatch.chdir(tmp_path)
    dataset = Path("model/dataset") if out == "." else Path("dataset")
    (dataset / "tasks").mkdir(parents=True)
    with pytest.raises(UserError, match=r"would write into the dataset .*choose a folder of its own"):
        TrainingFolder(Path(out)).see_that_no_dataset_is_there([Path("elsewhere"), dataset])


@pytest.mark.parametrize("out", [".", "dataset-run", "run", "dataset/../run"])
def test_a_training_may_lie_beside_or_around_its_dataset(tmp_path, monkeypatch, out):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dataset" / "tasks").mkdir(parents=True)
    TrainingFolder(Path(out)).see_that_no_dataset_is_there([Path("dataset")])
