"""A dataset folder appears whole or not at all, is the same for the same input, and keeps kin in one split."""

import hashlib
import os
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.dataset.small import BROKEN_CALLS, FIRST, KEPT, SPOKEN, WORLD, contents, task, write_small
from toolscale.dataset import read_dataset, write_dataset
from toolscale.dataset.splits import split_of
from toolscale.errors import UserError


def files(folder):
    """Every file below a folder, hidden ones too, with the hash of its content."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def ids(folder, split):
    return set(pq.read_table(folder / "tasks" / f"{split}.parquet")["id"].to_pylist())


def test_what_is_read_is_what_was_written(tmp_path):
    write_small(tmp_path / "d")
    read = read_dataset(tmp_path / "d")
    assert sorted((task for task, _ in read), key=lambda task: task.id) == sorted(KEPT, key=lambda task: task.id)
    assert all(environment == WORLD for _, environment in read)


def test_equal_input_in_any_order_gives_equal_files(tmp_path):
    write_dataset(tmp_path / "a", **contents())
    turned = {name: value[::-1] for name, value in contents().items() if isinstance(value, list)}
    write_dataset(tmp_path / "b", **contents(**turned))
    assert files(tmp_path / "a") == files(tmp_path / "b")
    assert len(files(tmp_path / "a")) == 15


def test_a_task_and_what_evolved_from_it_share_a_split(tmp_path):
    names = [f"first-{number}" for number in range(60)]
    firsts = [task(name) for name in names]
    refused = [task(f"{first.id}-b", first) for first in firsts]
    lasts = [task(f"{first.id}-c", second) for first, second in zip(firsts, refused, strict=True)]
    write_dataset(tmp_path / "d", **contents(tasks=[*firsts, *lasts], rejected=refused, trajectories=[]))
    train, evaluation = ids(tmp_path / "d", "train"), ids(tmp_path / "d", "eval")
    assert train | evaluation == {task.id for task in (*firsts, *lasts)}
    assert not train & evaluation
    for split in (train, evaluation):
        assert {name for name in names if name in split} == {name for name in names if f"{name}-c" in split}
    assert 0 < len(evaluation) < len(train)
    assert evaluation == {f"{name}{suffix}" for name in names if split_of(name) == "eval" for suffix in ("", "-c")}


@pytest.mark.parametrize("step", ["a row", "a file", "the card", "putting it in place"])
def test_a_failure_half_way_leaves_the_earlier_dataset_and_nothing_else(tmp_path, monkeypatch, step):
    write_small(tmp_path / "d")
    before = files(tmp_path)
    changes = {}
    if step == "a row":
        changes = {"trajectories": [SPOKEN.model_copy(update={"agent_messages": [], "messages": [{"content": 1}]})]}
    elif step == "a file":
        open_file = pq.ParquetWriter

        def fails_on_rejects(where, *arguments, **options):
            if "rejects" in str(where):
                raise OSError("no space left on device")
            return open_file(where, *arguments, **options)

        monkeypatch.setattr(pq, "ParquetWriter", fails_on_rejects)
    elif step == "the card":
        changes = {"about": None}
    else:
        rename = Path.rename

        def fails_at_last(source, target):
            if source.name == "made":
                raise OSError("no space left on device")
            return rename(source, target)

        monkeypatch.setattr(Path, "rename", fails_at_last)
    with pytest.raises(Exception):  # noqa: B017, PT011 - whatever it was, the folder must be as before
        write_dataset(tmp_path / "d", **contents(**changes))
    assert files(tmp_path) == before
    assert os.listdir(tmp_path) == ["d"]


def test_a_new_dataset_replaces_the_earlier_one_wholly(tmp_path):
    write_small(tmp_path / "d")
    write_dataset(tmp_path / "d", **contents(tasks=[FIRST]))
    assert read_dataset(tmp_path / "d") == [(FIRST, WORLD)]
    assert os.listdir(tmp_path) == ["d"]


@pytest.mark.parametrize(
    "foreign", ["notes.txt", "tasks/plan.md", ".git/HEAD"], ids=["a file", "another's tasks", "a repository"]
)
def test_a_folder_that_holds_something_else_is_refused_and_left_alone(tmp_path, foreign):
    file = tmp_path / "d" / foreign
    file.parent.mkdir(parents=True)
    file.write_text("mine")
    with pytest.raises(UserError, match="choose a"):
        write_dataset(tmp_path / "d", **contents())
    assert files(tmp_path) == {f"d/{foreign}": hashlib.sha256(b"mine").hexdigest()}


def test_a_dataset_with_something_of_the_users_in_it_is_refused_and_left_alone(tmp_path):
    write_small(tmp_path / "d")
    (tmp_path / "d" / "results.csv").write_text("mine")
    before = files(tmp_path)
    with pytest.raises(UserError, match=r"results\.csv"):
        write_dataset(tmp_path / "d", **contents(tasks=[FIRST]))
    assert files(tmp_path) == before


def test_a_file_in_the_way_is_refused(tmp_path):
    (tmp_path / "d").write_text("mine")
    with pytest.raises(UserError, match="is a file"):
        write_dataset(tmp_path / "d", **contents())
    assert (tmp_path / "d").read_text() == "mine"


def test_a_link_to_a_folder_stays_a_link(tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "d").symlink_to(tmp_path / "disk")
    for _ in range(2):
        write_dataset(tmp_path / "d", **contents())
    assert (tmp_path / "d").is_symlink()
    assert len(read_dataset(tmp_path / "disk")) == len(KEPT)


def test_attempts_with_calls_that_nobody_could_read_are_not_taught(tmp_path):
    broken = [trajectory.model_copy(update={"task_id": "shop-1"}) for trajectory in BROKEN_CALLS]
    write_dataset(tmp_path / "d", **contents(trajectories=[*broken, SPOKEN]))
    assert pq.read_table(tmp_path / "d" / "trajectories" / "train.parquet").num_rows == 1


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda folder: (folder / "tasks" / "train.parquet").write_bytes(b"PAR1 not really"), "cannot be read"),
        (lambda folder: (folder / "environments" / "train.parquet").unlink(), "holds no Parquet file"),
        (
            lambda folder: pq.write_table(
                pq.read_table(folder / "tasks" / "train.parquet").drop_columns("lineage"),
                folder / "tasks" / "train.parquet",
            ),
            "lineage",
        ),
    ],
    ids=["not Parquet", "no environments", "a column gone"],
)
def test_a_dataset_that_cannot_be_read_says_what_is_wrong(tmp_path, spoil, said):
    write_small(tmp_path / "d")
    spoil(tmp_path / "d")
    with pytest.raises(UserError, match=said):
        read_dataset(tmp_path / "d")
