"""A split of a data set of the Hub is the files that its card names, or their names: as `datasets` reads it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import datasets
import pandas as pd
import pytest

from tests.conftest import FREE
from tests.dataset.hub import Hub, hub
from toolscale.errors import UserError
from toolscale.questions.tables import rows_at

SET = "team/sums"


def rows(first, count=3):
    return [{"question": f"How much is {n} + 1?", "answer": str(n + 1)} for n in range(first, first + count)]


def written(file: Path, found: list[dict]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.suffix == ".parquet":
        pd.DataFrame(found).to_parquet(file)
    elif file.suffix == ".csv":
        pd.DataFrame(found).to_csv(file, index=False)
    else:
        lines = file.suffix == ".jsonl"
        file.write_text("\n".join(map(json.dumps, found)) if lines else json.dumps(found))


def card(text: str) -> str:
    return f"---\n{text}---\n\n# Sums\n"


LAYOUTS = {
    "shards by their names": (["data/train-00000-of-00002.parquet", "data/train-00001-of-00002.parquet"], ""),
    "splits by their names": (["train.jsonl", "test.jsonl", "validation.jsonl"], ""),
    "splits by their folders": (["train/a.json", "train/b.json", "test/a.json"], ""),
    "one file that says nothing": (["sums.json"], ""),
    "a table in text": (["train.csv"], ""),
    "as the card says": (
        ["a/one.parquet", "a/two.parquet", "b/one.parquet"],
        "configs:\n- config_name: default\n  data_files:\n  - split: train\n    path: a/*\n"
        "  - split: test\n    path: b/*\n",
    ),
    "several patterns": (
        ["one.jsonl", "two.jsonl", "three.jsonl"],
        "configs:\n- config_name: sums\n  data_files:\n  - split: train\n    path:\n    - one.jsonl\n    - two.jsonl\n",
    ),
    "the config that is the default": (
        ["easy/train.parquet", "hard/train.parquet"],
        "configs:\n- config_name: easy\n  data_files: easy/*.parquet\n"
        "- config_name: hard\n  default: true\n  data_files: hard/*.parquet\n",
    ),
    "a folder of the card": (
        ["easy/a.jsonl", "hard/a.jsonl"],
        "configs:\n- config_name: easy\n  data_dir: easy\n",
    ),
}


@pytest.fixture
def server(monkeypatch, tmp_path):
    from huggingface_hub import close_session

    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("huggingface_hub.constants.HF_TOKEN_PATH", str(tmp_path / "no-token"))
    monkeypatch.setenv("HF_TOKEN", "hf_writer")
    close_session()
    with hub() as started:
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", started.address)
        url = started.address + "/{repo_id}/resolve/{revision}/{filename}"
        monkeypatch.setattr("huggingface_hub.constants.HUGGINGFACE_CO_URL_TEMPLATE", url)
        yield started


def published(server: Hub, folder: Path, files: list[str], text: str) -> Path:
    from huggingface_hub import HfApi

    for number, file in enumerate(files):
        written(folder / file, rows(10 * number))
    if text:
        (folder / "README.md").write_text(card(text))
    api = HfApi(endpoint=server.address)
    api.create_repo(SET, repo_type="dataset")
    api.upload_folder(repo_id=SET, repo_type="dataset", folder_path=folder)
    return folder


def said(found) -> list[tuple[str, str]]:
    return [(row["question"], str(row["answer"])) for row in found]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_split_has_the_rows_that_datasets_gives(server, tmp_path, monkeypatch, layout):
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    folder = published(server, tmp_path / "set", *LAYOUTS[layout])
    loaded = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "datasets"))
    for split, expected in loaded.items():
        assert said(rows_at(SET, split=split)) == said(expected), split
    missing = next(name for name in ("validation", "other") if name not in loaded)
    with pytest.raises(UserError, match=f"has no split `{missing}`; its splits: {', '.join(sorted(loaded))}$"):
        list(rows_at(SET, split=missing))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            "configs:\n- config_name: a\n  data_files: a\n- config_name: b\n  data_files: b\n",
            r"several configs \(a, b\)",
        ),
        ("configs: [\n", "card of the data set team/sums cannot be read"),
        ("configs:\n- config_name: a\n  data_files:\n  - split: train\n", "is not available from the Hub"),
        ("configs:\n- config_name: a\n  data_files: none/*\n", "no split `train`; its splits: none that can be read"),
    ],
)
def test_a_card_that_leaves_the_rows_open_is_one_line(server, tmp_path, text, complaint):
    published(server, tmp_path / "set", ["a/train.jsonl"], text)
    with pytest.raises(UserError, match=complaint):
        list(rows_at(SET))


def test_what_the_hub_refuses_is_one_line(server, tmp_path):
    with pytest.raises(UserError, match="the Hub has no data set team/none for you"):
        list(rows_at("team/none"))
    published(server, tmp_path / "set", ["train.jsonl"], "")
    server.fails("resolve", 403, "not today")
    with pytest.raises(UserError, match="is not available from the Hub"):
        list(rows_at(SET))


def test_the_import_from_the_hub_needs_no_datasets(server, tmp_path):
    published(server, tmp_path / "set", *LAYOUTS["shards by their names"])
    blocked = "import sys; sys.modules['datasets'] = None; from toolscale.cli import main; main()"
    surroundings = {
        **os.environ,
        **FREE,
        "HF_ENDPOINT": server.address,
        "HF_HOME": str(tmp_path / "home"),
        "HF_HUB_DISABLE_XET": "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", blocked, "import", SET, "--format", "questions", "--out", "out", "--json"],
        cwd=tmp_path,
        env={name: value for name, value in surroundings.items() if name != "HF_HUB_OFFLINE"}
        | {"PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert sum(json.loads(done.stdout)["written"].values()) == 6
    assert len(pd.read_parquet(tmp_path / "out" / "questions")) == 6
