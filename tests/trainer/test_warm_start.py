"""The warm start: every lesson once an epoch, those of one task side by side, whatever the number of processes."""

from collections import Counter
from typing import Any, get_args

import pytest

from trainer.config import Config, LossName, WarmStart
from trainer.distributed import Processes
from trainer.learning import sft
from trainer.model.policy import Policy
from trainer.sequence import TokenSequence

TASKS, ATTEMPTS = 7, 2


def lesson(task: int, attempt: int) -> TokenSequence:
    return TokenSequence([task, attempt], [False, True], [0.0, 0.0], 1)


def batches_of(
    monkeypatch: pytest.MonkeyPatch, processes: Processes, batch: int, epochs: int
) -> list[list[tuple[int, ...]]]:
    """What a process is given to imitate, step by step."""
    given: list[list[tuple[int, ...]]] = []

    class Recorder:
        def __init__(self, *_: Any, **__: Any) -> None:
            pass

        def imitate(self, sequences: list[TokenSequence], step: int) -> dict[str, float]:
            assert step == len(given)
            given.append([tuple(sequence.ids) for sequence in sequences])
            return {}

    monkeypatch.setattr(sft, "Learner", Recorder)
    lessons = sft.Lessons([[lesson(task, attempt) for attempt in range(ATTEMPTS)] for task in range(TASKS)])
    settings = WarmStart(batch=batch, epochs=epochs)
    nobody: Any = None
    sft.warm_start(nobody, lessons, settings, Config.of({"model": {"path": "m"}}, "a test"), processes, lambda *_: None)
    return given


def test_an_epoch_has_every_lesson_once_and_a_batch_has_all_of_a_tasks_lessons(monkeypatch):
    given = batches_of(monkeypatch, Processes(), batch=4, epochs=2)
    assert [len(batch) for batch in given] == 2 * [4, 4, 4, 2]
    for epoch in (given[:4], given[4:]):
        assert Counter(each for batch in epoch for each in batch) == Counter(
            (task, attempt) for task in range(TASKS) for attempt in range(ATTEMPTS)
        )
    for batch in given:
        assert set(Counter(task for task, _ in batch).values()) == {ATTEMPTS}
    assert given[:4] != given[4:], "each epoch in another order"


def test_processes_share_a_batch_among_them(monkeypatch):
    whole = batches_of(monkeypatch, Processes(), batch=6, epochs=1)
    first, second = (batches_of(monkeypatch, Processes(rank=rank, size=2), batch=6, epochs=1) for rank in (0, 1))
    for one, other, both in zip(first, second, whole, strict=True):
        if len({task for task, _ in both}) > 1:  # lessons of one task are too short to be worth reading twice
            assert one
            assert other
        assert sorted([*one, *other]) == sorted(both)


@pytest.mark.parametrize("loss", get_args(LossName))
def test_lessons_are_imitated_alike_whatever_loss_comes_after_them(tiny_llama, loss):
    settings = {"path": str(tiny_llama), "dtype": "float32"}
    found = []
    for algorithm in ({"loss": loss}, {}):
        config = Config.of({"model": settings, "algorithm": algorithm}, "a test")
        lessons = sft.Lessons([[lesson(task, attempt) for attempt in range(ATTEMPTS)] for task in range(TASKS)])
        told: list[Any] = []
        sft.warm_start(
            Policy.load(config.model),
            lessons,
            WarmStart(batch=6),
            config,
            Processes(),
            lambda step, figures, told=told: told.append(figures["loss"]),
        )
        found.append(told)
    assert found[0] == found[1]
