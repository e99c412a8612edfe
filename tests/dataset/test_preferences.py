"""The config `preferences`: whole and typed where a dataset has one, and nothing at all where it has none."""

import pandas as pd
import pytest
import yaml

from tests.dataset.small import contents, write_small
from toolscale.dataset import About, read_dataset, write_dataset
from toolscale.dataset.columns import SCHEMAS
from toolscale.dataset.contents import read_contents
from toolscale.dataset.folder import preferences_of
from toolscale.dataset.release import release
from toolscale.errors import UserError
from toolscale.preferences.preference import Preference, split

SAID = "Spend as little as you can, please."
PREFERENCES = split(
    [
        Preference(
            id=f"preference-{number}",
            theme="budget" if number % 2 else "speed",
            instruction=f"{SAID} ({number})",
            tools=["web_search", "code_interpreter"],
            vector=[0.0, number / 10, 1.0, 0.5, 0.0],
        )
        for number in range(10)
    ]
)


def test_what_is_read_is_what_was_written(tmp_path):
    write_dataset(tmp_path / "d", **contents(), preferences=PREFERENCES)
    assert sorted(preferences_of(tmp_path / "d"), key=lambda one: one.id) == PREFERENCES
    assert len(read_dataset(tmp_path / "d")) == len(contents()["tasks"])
    for name in ("train", "eval"):
        frame = pd.read_parquet(tmp_path / "d" / "preferences" / f"{name}.parquet")
        assert list(frame.columns) == SCHEMAS["preferences"].names
        assert set(frame["split"]) == {name}
        assert all(len(row.vector) == len(row.tools) + 3 for row in frame.itertuples())
    assert {file.path for file in release(tmp_path / "d").files} >= {"preferences/train.parquet"}


def test_the_card_names_the_config_counts_it_and_says_who_made_it(tmp_path):
    told = {"catalogue": "full", "proposed_by": "openai/x", "validated_by": "openai/y"}
    write_dataset(tmp_path / "d", **contents(about=About(preferences=told)), preferences=PREFERENCES)
    _, header, text = (tmp_path / "d" / "README.md").read_text().split("---\n", 2)
    (named,) = [config for config in yaml.safe_load(header)["configs"] if config["config_name"] == "preferences"]
    assert [file["split"] for file in named["data_files"]] == ["train", "eval"]
    section = text.partition("## Preferences")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith(("| budget", "| speed"))]
    assert sum(int(train) for _, train, _ in rows) == sum(one.split == "train" for one in PREFERENCES)
    assert sum(int(evaluated) for _, _, evaluated in rows) == sum(one.split == "eval" for one in PREFERENCES)
    assert "proposed by openai/x and validated by openai/y" in section
    sizes = read_contents(tmp_path / "d").sizes
    assert sizes["preferences", "train"] + sizes["preferences", "eval"] == len(PREFERENCES)


def test_without_preferences_there_is_no_such_config_and_no_word_of_it(tmp_path):
    write_small(tmp_path / "d")
    assert not (tmp_path / "d" / "preferences").exists()
    assert preferences_of(tmp_path / "d") == []
    assert ("preferences", "train") not in read_contents(tmp_path / "d").sizes
    assert "## Preferences" not in (tmp_path / "d" / "README.md").read_text()


def test_a_dataset_with_preferences_gives_way_to_one_without(tmp_path):
    write_dataset(tmp_path / "d", **contents(), preferences=PREFERENCES)
    write_dataset(tmp_path / "d", **contents())
    assert preferences_of(tmp_path / "d") == []


def test_a_row_of_another_form_is_named(tmp_path):
    write_dataset(tmp_path / "d", **contents(), preferences=PREFERENCES)
    file = tmp_path / "d" / "preferences" / "train.parquet"
    pd.read_parquet(file).assign(split="dev").to_parquet(file)
    with pytest.raises(UserError, match="not a row of this dataset's form"):
        preferences_of(tmp_path / "d")
