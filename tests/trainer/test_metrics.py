"""Figures are on the disk line by line, and a resumed training forgets what it will make again."""

import json
import sys
from types import ModuleType, SimpleNamespace

import pytest

from toolscale.errors import UserError
from trainer.config import Logging
from trainer.output.metrics import FILE, Metrics, read_metrics


def written(folder, steps, **how):
    with Metrics(folder, Logging(), **how) as metrics:
        for step in steps:
            metrics.write("train", step, {"loss": step / 7}, {"rollouts": 0.12345678})


def test_a_line_can_be_read_as_soon_as_it_is_written(tmp_path):
    metrics = Metrics(tmp_path, Logging())
    metrics.write("sft", 1, {"loss": 0.1 + 0.2})
    assert read_metrics(tmp_path) == [{"kind": "sft", "step": 1, "seconds": {}, "loss": 0.1 + 0.2}]


def test_what_is_not_finite_stands_as_null_and_the_file_stays_json(tmp_path):
    Metrics(tmp_path, Logging()).write("train", 1, {"a": float("nan"), "b": float("inf"), "c": 1.0})
    (line,) = [json.loads(line, parse_constant=pytest.fail) for line in (tmp_path / FILE).read_text().splitlines()]
    assert (line["a"], line["b"], line["c"]) == (None, None, 1.0)


def test_a_resumed_training_leaves_the_lines_of_an_uninterrupted_one(tmp_path):
    written(tmp_path / "whole", [1, 2, 3, 4])
    written(tmp_path / "cut", [1, 2, 3])
    with (tmp_path / "cut" / FILE).open("a") as file:
        file.write('{"kind": "train", "st')
    written(tmp_path / "cut", [3, 4], resumed_at=(2, 2))
    assert (tmp_path / "cut" / FILE).read_bytes() == (tmp_path / "whole" / FILE).read_bytes()


def test_a_new_training_begins_a_new_file(tmp_path):
    written(tmp_path, [1, 2])
    written(tmp_path, [1])
    assert [line["step"] for line in read_metrics(tmp_path)] == [1]


@pytest.mark.parametrize("broken", ['{"kind": "train", "st', "", "[1]", '{"step": 1}'])
def test_a_line_that_cannot_be_read_is_named(broken, tmp_path):
    written(tmp_path, [1, 2])
    first, second = (tmp_path / FILE).read_text().splitlines()
    (tmp_path / FILE).write_text(f"{first}\n{broken}\n{second}\n")
    with pytest.raises(UserError, match=r"metrics\.jsonl, line 2: no line of metrics") as raised:
        written(tmp_path, [3], resumed_at=(2, 2))
    assert "\n" not in str(raised.value)
    written(tmp_path, [1])
    assert len(read_metrics(tmp_path)) == 1, "a new training needs none of it"


@pytest.mark.parametrize(
    ("logging", "said"),
    [
        (Logging(tensorboard=True), "tensorboard"),
        (Logging(wandb_project="x"), "wandb"),
        (Logging(trackio_project="x"), "trackio"),
    ],
)
def test_a_writer_whose_package_is_missing_is_refused_in_words(logging, said, tmp_path, monkeypatch):
    for module in ("torch.utils.tensorboard", "wandb", "trackio"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UserError, match=f"pip install {said}"):
        Metrics(tmp_path, logging)


class Tracker(ModuleType):
    """In the place of wandb and of trackio."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.begun: list[dict] = []
        self.logged: list[dict] = []
        self.finished = 0

    def init(self, **how):
        if how["project"] == "a/b":
            raise ValueError("a project's name\nhas no slash")
        self.begun.append(how)
        return SimpleNamespace(log=self.logged.append, finish=self.finish, id=f"run-{len(self.begun)}")

    def finish(self):
        self.finished += 1


@pytest.mark.parametrize("module", ["wandb", "trackio"])
def test_a_tracker_gets_every_line_under_its_kind_and_is_closed(module, tmp_path, monkeypatch):
    tracker = Tracker(module)
    monkeypatch.setitem(sys.modules, module, tracker)
    with Metrics(tmp_path, Logging.model_validate({f"{module}_project": "shop"})) as metrics:
        metrics.write("sft", 1, {"loss": 2.0})
        metrics.write("train", 3, {"loss": 0.5}, {"step": 2.0})
    assert tracker.begun[0]["project"] == "shop"
    assert tracker.logged == [
        {"sft/loss": 2.0, "sft/step": 1},
        {"train/loss": 0.5, "train/seconds_step": 2.0, "train/step": 3},
    ]
    assert tracker.finished == 1


def test_a_resumed_training_goes_on_in_its_run_of_trackio(tmp_path, monkeypatch):
    tracker = Tracker("trackio")
    monkeypatch.setitem(sys.modules, "trackio", tracker)
    for resumed_at in (None, (2, 2)):
        Metrics(tmp_path / "first", Logging(trackio_project="shop"), resumed_at=resumed_at).close()
    assert tracker.begun == [
        {"project": "shop", "name": "first", "resume": "never"},
        {"project": "shop", "name": "first", "resume": "allow"},
    ]


def test_a_resumed_training_goes_on_in_its_run_of_weights_and_biases(tmp_path, monkeypatch):
    tracker = Tracker("wandb")
    monkeypatch.setitem(sys.modules, "wandb", tracker)
    for resumed_at in (None, (2, 2)):
        Metrics(tmp_path, Logging(wandb_project="shop"), resumed_at=resumed_at).close()
    assert tracker.begun == [
        {"project": "shop", "dir": str(tmp_path)},
        {"project": "shop", "dir": str(tmp_path), "id": "run-1", "resume": "allow"},
    ]


def test_an_evaluation_that_no_checkpoint_remembers_is_made_again_and_stands_once(tmp_path):
    with Metrics(tmp_path, Logging()) as metrics:
        for kind, step in (("evaluation", 0), ("train", 1), ("train", 2), ("evaluation", 2)):
            metrics.write(kind, step, {})
    Metrics(tmp_path, Logging(), resumed_at=(2, 0)).close()
    assert [(line["kind"], line["step"]) for line in read_metrics(tmp_path)] == [
        *(("evaluation", 0), ("train", 1), ("train", 2))
    ]


def test_a_project_that_trackio_refuses_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "trackio", Tracker("trackio"))
    with pytest.raises(UserError, match=r"logging\.trackio_project: a project's name has no slash"):
        Metrics(tmp_path, Logging(trackio_project="a/b"))


def points(folder, kind, name):
    """What TensorBoard shows of a curve."""
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    read = accumulator.EventAccumulator(str(folder / "tensorboard" / kind)).Reload()
    return [(event.step, event.value) for event in read.Scalars(f"{kind}/{name}")]


def test_tensorboard_gets_the_same_figures(tmp_path):
    with Metrics(tmp_path, Logging(tensorboard=True)) as metrics:
        metrics.write("train", 3, {"loss": 0.5}, {"step": 2.0})
    assert points(tmp_path, "train", "loss") == [(3, 0.5)]
    assert points(tmp_path, "train", "seconds_step") == [(3, 2.0)]


def test_tensorboard_hides_what_a_resumed_training_makes_again_and_nothing_else(tmp_path):
    with Metrics(tmp_path, Logging(tensorboard=True)) as metrics:
        for step in (1, 2, 3, 4):
            metrics.write("sft", step, {"loss": float(step)})
        for step in (-1, 0, 2):
            metrics.write("evaluation", step, {"pass_rate": 0.0})
        for step in (1, 2, 3):
            metrics.write("train", step, {"loss": 0.0})
    with Metrics(tmp_path, Logging(tensorboard=True), resumed_at=(2, 0)) as metrics:
        metrics.write("evaluation", 2, {"pass_rate": 1.0})
        metrics.write("train", 3, {"loss": 1.0})
    assert points(tmp_path, "sft", "loss") == [(1, 1.0), (2, 2.0), (3, 3.0), (4, 4.0)]
    assert points(tmp_path, "evaluation", "pass_rate") == [(-1, 0.0), (0, 0.0), (2, 1.0)]
    assert points(tmp_path, "train", "loss") == [(1, 0.0), (2, 0.0), (3, 1.0)]
