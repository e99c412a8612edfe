"""Every config of a dataset loads with pandas, polars, DuckDB and `datasets`, also where a split is empty."""

import json
from functools import partial
from itertools import product

import duckdb
import pandas as pd
import pyarrow.parquet as pq
import pytest

from tests.dataset.small import FIRST, contents
from toolscale.dataset import write_dataset
from toolscale.dataset.columns import SCHEMAS

FULL = contents()
EMPTY = contents(tasks=[], environments=[], trajectories=[], rejects=[], rejected=[])
CONFIGS = ("tasks", "trajectories", "failed_attempts", "rejects")
FILES = [("environments", "train"), ("prompts", "train"), *product(CONFIGS, ("train", "eval"))]


@pytest.fixture(scope="module", params=[FULL, EMPTY], ids=["full", "empty"])
def folder(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("loading") / "dataset"
    write_dataset(folder, **request.param)
    return folder


@pytest.fixture
def load_dataset(monkeypatch, tmp_path):
    """`datasets.load_dataset` as a machine without a network has it, with a cache of the test's own."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    import datasets

    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    return partial(datasets.load_dataset, cache_dir=str(tmp_path / "cache"))


def rows_of(folder, config, split):
    return pq.read_table(folder / config / f"{split}.parquet").num_rows


@pytest.mark.parametrize(("config", "split"), FILES)
def test_pandas_reads_it(folder, config, split):
    frame = pd.read_parquet(folder / config / f"{split}.parquet")
    assert len(frame) == rows_of(folder, config, split)
    assert list(frame.columns) == SCHEMAS[config].names


@pytest.mark.parametrize(("config", "split"), FILES)
def test_duckdb_reads_it(folder, config, split):
    found = duckdb.sql(f"select * from '{folder}/{config}/{split}.parquet'")
    assert found.columns == SCHEMAS[config].names
    assert len(found.fetchall()) == rows_of(folder, config, split)


@pytest.mark.parametrize(("config", "split"), FILES)
def test_polars_reads_it(folder, config, split):
    polars = pytest.importorskip("polars")
    frame = polars.read_parquet(folder / config / f"{split}.parquet")
    assert frame.columns == SCHEMAS[config].names
    assert frame.to_dicts() == pq.read_table(folder / config / f"{split}.parquet").to_pylist()


@pytest.mark.parametrize(("config", "split"), FILES)
def test_datasets_loads_it_by_the_card(tmp_path, load_dataset, config, split):
    write_dataset(tmp_path / "d", **FULL)
    loaded = load_dataset(str(tmp_path / "d"), config, split=split)
    assert loaded.column_names == SCHEMAS[config].names
    assert loaded.to_list() == pq.read_table(tmp_path / "d" / config / f"{split}.parquet").to_pylist()


def test_datasets_loads_a_config_of_which_a_split_is_empty(tmp_path, load_dataset):
    write_dataset(tmp_path / "d", **contents(tasks=[FIRST], rejects=[], rejected=[]))
    loaded = load_dataset(str(tmp_path / "d"), "tasks")
    assert [row["id"] for rows in loaded.values() for row in rows] == ["shop-1"]


def test_tasks_are_what_loads_unasked_and_their_arguments_are_json(tmp_path, load_dataset):
    write_dataset(tmp_path / "d", **FULL)
    loaded = load_dataset(str(tmp_path / "d"))
    assert {split: len(rows) for split, rows in loaded.items()} == {
        split: rows_of(tmp_path / "d", "tasks", split) for split in ("train", "eval")
    }
    actions = [action for rows in loaded.values() for row in rows for action in row["evaluation_criteria"]["actions"]]
    assert all(json.loads(action["arguments"]) == {"order_id": "O-1"} for action in actions)
    assert len(actions) == len(FULL["tasks"])


def test_duckdb_joins_tasks_with_their_environment(tmp_path):
    write_dataset(tmp_path / "d", **FULL)
    query = (
        f"select count(*) from '{tmp_path}/d/tasks/*.parquet' t "
        f"join '{tmp_path}/d/environments/*.parquet' e on t.environment = e.id and t.domain = e.domain"
    )
    assert duckdb.sql(query).fetchall() == [(len(FULL["tasks"]),)]
