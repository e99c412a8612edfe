"""The warm start imitates attempts at tasks of `train`, whatever file of the dataset they lie in."""

from dataclasses import replace

import pytest

from tests.dataset.crossing import as_earlier_versions_wrote_it
from tests.trainer.schooling import write_taught_dataset
from trainer.config import Config
from trainer.data import read_exercises
from trainer.rollout.chat import Chat
from trainer.sft import read_lessons


@pytest.mark.parametrize("earlier", [False, True], ids=["today's", "an earlier version's"])
def test_the_warm_start_reads_no_attempt_at_a_task_of_eval(environment, tasks, tokenizer, tmp_path, earlier):
    folder = write_taught_dataset(tmp_path / "d", environment, tasks)
    if earlier:
        as_earlier_versions_wrote_it(folder)
    config = Config.of({"model": {"path": "none"}}, "the test")
    exercises = read_exercises(folder, config.data, 0)
    assert exercises.held_out
    # Another dataset of a mix may train on what this one holds out.
    everything = replace(exercises, train=(*exercises.train, *exercises.held_out))
    lessons = read_lessons(folder, everything, Chat(tokenizer), config, None)
    assert len(lessons.by_task) == len(exercises.train)
    assert not lessons.left_out
