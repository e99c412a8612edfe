"""Exercises come in an order that the seed and the position alone decide."""

import shutil
from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from toolscale.dataset import About, write_dataset
from toolscale.errors import UserError
from trainer.__main__ import app
from trainer.config import Data
from trainer.tasks.data import from_position, read_exercises


@pytest.fixture(scope="module")
def dataset(environment, tasks, tmp_path_factory):
    folder = tmp_path_factory.mktemp("data") / "dataset"
    write_dataset(
        folder, tasks=tasks, environments=[environment], trajectories=[], rejects=[], rejected=[], about=About()
    )
    return folder


def test_the_splits_are_those_of_the_files(dataset):
    read = read_exercises(dataset, Data(), 0)
    for split, exercises in (("train", read.train), ("eval", read.held_out)):
        ids = pq.read_table(dataset / "tasks" / f"{split}.parquet")["id"].to_pylist()
        assert [exercise.task.id for exercise in exercises] == ids
    assert len({id(exercise.environment) for exercise in (*read.train, *read.held_out)}) == 1


def test_any_cut_of_the_order_is_the_same_order(dataset):
    train = read_exercises(dataset, Data(), 0).train
    ids = [one.task.id for one in from_position(train, 0, 3 * len(train), Data(), seed=5)]
    for position in (1, len(train) - 1, len(train), 2 * len(train) - 3):
        assert [one.task.id for one in from_position(train, position, 7, Data(), seed=5)] == ids[
            position : position + 7
        ]


def test_every_epoch_has_every_task_once_in_an_order_of_its_own(dataset):
    train = read_exercises(dataset, Data(), 0).train
    size = len(train)
    epochs = [[one.task.id for one in from_position(train, epoch * size, size, Data(), seed=1)] for epoch in range(3)]
    assert all(Counter(epoch) == Counter(epochs[0]) and max(Counter(epoch).values()) == 1 for epoch in epochs)
    assert len({tuple(epoch) for epoch in epochs}) == 3
    assert epochs[0] != [one.task.id for one in from_position(train, 0, size, Data(), seed=2)]
    unshuffled = from_position(train, 0, size, Data(shuffle=False), seed=1)
    assert [one.task.id for one in unshuffled] == [one.task.id for one in train]


def test_golden_functions_are_always_offered(dataset):
    for exercise in read_exercises(dataset, Data(tools_per_task=1), 3).train:
        assert {call.name for call in exercise.task.golden_calls} <= set(exercise.offered)
        assert [tool["function"]["name"] for tool in exercise.tools] == list(exercise.offered)


def test_a_dataset_is_told_by_its_content(dataset, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(dataset, other)
    assert read_exercises(other, Data(), 0).version == read_exercises(dataset, Data(), 1).version
    (other / "about.json").write_text("{}")
    assert read_exercises(other, Data(), 0).version != read_exercises(dataset, Data(), 0).version


@pytest.mark.parametrize(
    ("data", "said"),
    [(Data(domains=["zoo"]), "no domain `zoo`, only cloakroom"), (Data(max_golden_calls=1), "loosen it")],
)
def test_settings_that_leave_nothing_are_refused(dataset, data, said):
    with pytest.raises(UserError, match=said):
        read_exercises(dataset, data, 0)


def test_a_dataset_of_another_version_is_refused_by_name(dataset, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(dataset, other)
    file = other / "tasks" / "train.parquet"
    pq.write_table(_renamed(pq.read_table(file)), file)
    with pytest.raises(UserError, match="not a row of this dataset's form"):
        read_exercises(other, Data(), 0)


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(UserError, match="no such folder"):
        read_exercises(tmp_path / "none", Data(), 0)


def _renamed(table: pa.Table) -> pa.Table:
    return table.rename_columns(["goals" if name == "evaluation_criteria" else name for name in table.column_names])


def test_a_split_that_is_empty_is_not_blamed_on_the_settings(dataset, tmp_path):
    bare = tmp_path / "bare"
    shutil.copytree(dataset, bare)
    (bare / "tasks" / "train.parquet").unlink()
    with pytest.raises(UserError, match="its split `train` is empty, whatever `data` says"):
        read_exercises(bare, Data(), 0)


def test_rows_that_occur_twice_are_told(dataset, tmp_path, caplog):
    read_exercises(dataset, Data(), 0)
    assert not caplog.text
    doubled = tmp_path / "doubled"
    shutil.copytree(dataset, doubled)
    rows = pq.read_table(doubled / "tasks" / "train.parquet")
    pq.write_table(pa.concat_tables([rows, rows.slice(0, 1)]), doubled / "tasks" / "train.parquet")
    read_exercises(doubled, Data(), 0)
    assert f"1 of 24 tasks stand in it more than once, the first {rows['id'][0]}" in caplog.text


def test_a_folder_that_is_typed_as_nothing_is_not_the_one_that_one_is_in():
    for given in (["--dataset", "", "--out", "x"], ["--dataset", "x", "--out", " "]):
        told = CliRunner().invoke(app, ["train", "--config", "single-gpu", *given])
        assert told.exit_code == 2
        assert "is empty: name a folder" in told.output
