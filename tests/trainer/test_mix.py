"""Tasks of several datasets come in the configured shares, in an order that the seed and the position alone decide."""

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.exchange.published_code import PAY, question, task, write_checkout
from tests.trainer.schooling import write_taught_dataset
from toolscale.dataset.questions import write_questions
from toolscale.dataset.steps import write_steps
from toolscale.errors import UserError
from toolscale.exchange.toolorchestra import import_toolorchestra
from toolscale.instances import InstanceOptions
from toolscale.mock_endpoint.experts.expert import catalogue_text, read_experts
from toolscale.mock_endpoint.experts.quiz import make_questions
from toolscale.questions.step_sets import steps_in
from toolscale.questions.task import QuestionTask
from trainer.config import Config, Data, Tools
from trainer.tasks.data import Exercises, read_exercises
from trainer.tasks.exercise import Exercise, QuestionExercise, StepExercise
from trainer.tasks.mix import BLOCK, mixed, quotas_of

KINDS = (Exercise, QuestionExercise, StepExercise)
SHARES = (5, 3, 2)


def write_step_set(folder: Path, count: int) -> Path:
    tool = {"name": "add", "description": "Adds.", "parameters": {"a": {"type": "int"}, "b": {"type": "int"}}}
    rows = [
        {
            "query": f"Add {number} and 2.",
            "tools": json.dumps([tool]),
            "answers": json.dumps([{"name": "add", "arguments": {"a": number, "b": 2}}]),
        }
        for number in range(count)
    ]
    steps, rejects = steps_in(rows, "made here")
    assert (len(steps), rejects) == (count, [])
    write_steps(folder, steps)
    return folder


@pytest.fixture(scope="module")
def folders(environment, tasks, tmp_path_factory):
    root = tmp_path_factory.mktemp("mixed")
    quiz = [
        QuestionTask(id=each.id, question=each.question, answer=each.answer, split="eval" if place < 5 else "train")
        for place, each in enumerate(make_questions(30))
    ]
    write_questions(root / "quiz", lambda split: [task for task in quiz if task.split == split])
    catalogue = root / "catalogue.toml"
    catalogue.write_text(catalogue_text(read_experts(), "http://127.0.0.1:1/v1"))
    return {
        "domain": write_taught_dataset(root / "domain", environment, tasks),
        "quiz": root / "quiz",
        "steps": write_step_set(root / "steps", 12),
        "catalogue": catalogue,
    }


@pytest.fixture
def data(folders) -> Data:
    places = (None, folders["quiz"], folders["steps"])
    mix = [{"dataset": place, "share": share} for place, share in zip(places, SHARES, strict=True)]
    return Data.model_validate({"mix": mix})


@pytest.fixture
def exercises(folders, data) -> Exercises:
    return read_exercises(folders["domain"], data, 0, Tools(catalogue=str(folders["catalogue"])))


def test_every_hundred_tasks_have_exactly_the_shares(exercises, data):
    for block in range(3):
        taken = mixed(exercises.train, block * BLOCK, BLOCK, data, seed=1)
        assert [sum(isinstance(one, kind) for one in taken) for kind in KINDS] == [50, 30, 20]


def test_a_step_is_as_mixed_as_the_next(exercises, data):
    taken = mixed(exercises.train, 0, 2 * BLOCK, data, seed=3)
    for start in range(2 * BLOCK - 10):
        window = taken[start : start + 10]
        for kind, share in zip(KINDS, SHARES, strict=True):
            assert abs(sum(isinstance(one, kind) for one in window) - share) <= 2


def test_any_cut_of_the_mixture_is_the_same_mixture(exercises, data):
    ids = [one.id for one in mixed(exercises.train, 0, 3 * BLOCK, data, seed=4)]
    for position, count in ((1, 7), (BLOCK - 3, 6), (2 * BLOCK, 40)):
        taken = [one.id for one in mixed(exercises.train, position, count, data, seed=4)]
        assert taken == ids[position : position + count]
    assert ids != [one.id for one in mixed(exercises.train, 0, 3 * BLOCK, data, seed=5)]
    assert ids[:BLOCK] != ids[BLOCK : 2 * BLOCK]


def test_each_dataset_goes_through_its_own_epochs(exercises, data):
    taken = mixed(exercises.train, 0, 2 * BLOCK, data, seed=2)
    for kind in KINDS:
        own = [one.id for one in exercises.train if isinstance(one, kind)]
        met = [one.id for one in taken if isinstance(one, kind)]
        assert sorted(met[: len(own)]) == sorted(own), "an epoch has every task once"
        assert set(Counter(met).values()) <= {len(met) // len(own), len(met) // len(own) + 1}


def test_shares_need_not_sum_to_one_and_are_whole_per_cents():
    assert quotas_of([1, 1, 1]) == (34, 33, 33)
    assert quotas_of([0.7, 0.3]) == quotas_of([7, 3]) == (70, 30)
    assert sum(quotas_of([3, 5, 7, 11, 13])) == BLOCK
    with pytest.raises(UserError, match="dataset 1 is under a per cent"):
        quotas_of([1000, 1])


def test_a_dataset_of_which_nothing_fits_is_named(exercises, data):
    with pytest.raises(UserError, match="no task of dataset 2"):
        mixed([one for one in exercises.train if one.source != 2], 0, BLOCK, data, seed=0)


def test_both_splits_of_every_dataset_are_read_and_the_version_follows_from_content_and_shares(
    exercises, folders, data
):
    assert [sum(isinstance(one, kind) for one in exercises.held_out) for kind in KINDS[:2]][1] == 5
    tools = Tools(catalogue=str(folders["catalogue"]))
    assert read_exercises(folders["domain"], data, 3, tools).version == exercises.version
    other = Data.model_validate({"mix": [*(each.model_dump() for each in data.mix[:2]), {"dataset": folders["steps"]}]})
    assert read_exercises(folders["domain"], other, 0, tools).version != exercises.version
    assert exercises.catalogue_tools == ("generalist_large", "generalist_small")


def test_a_mixture_stands_in_a_configuration_and_names_every_dataset(folders, tmp_path):
    file = tmp_path / "mixed.yaml"
    file.write_text(
        f"model: {{path: x}}\ndata:\n  mix:\n  - {{dataset: {folders['quiz']}, share: 0.6}}\n  - {{share: 0.4}}\n"
    )
    read = Config.read(file).data
    assert [source.share for source in read.mix] == [0.6, 0.4]
    with pytest.raises(UserError, match=r"Name its folder with --dataset, or in data\.mix"):
        read_exercises(None, read, 0)


def test_the_published_codes_own_data_are_a_mix_of_questions_and_domain_tasks(tmp_path):
    rows = [question(number) for number in range(30)]
    rows += [task(number, [PAY], said=f"Pay one, I am number {number}.") for number in range(30)]
    import_toolorchestra(write_checkout(tmp_path / "code", rows), tmp_path / "out", InstanceOptions("training"))
    data = Data.model_validate(
        {"mix": [{"dataset": tmp_path / "out" / name, "share": 1} for name in ("tasks", "questions")]}
    )
    exercises = read_exercises(None, data, 0)
    for split in (exercises.train, exercises.held_out):
        assert {type(each) for each in split} == {Exercise, QuestionExercise}
    assert len(exercises.train) + len(exercises.held_out) == 60
