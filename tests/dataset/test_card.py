"""The card tells the truth: its header names the files that are there, and its counts are the rows'."""

import pyarrow.parquet as pq
import pytest
import yaml

from tests.dataset.small import FIRST, KEPT, REFUSED, contents, task
from toolscale.dataset import About, write_dataset
from toolscale.dataset.rows import SCHEMAS


def card_of(folder, **changes):
    """The card's YAML header and its text."""
    write_dataset(folder, **contents(**changes))
    _, header, text = (folder / "README.md").read_text().split("---\n", 2)
    return yaml.safe_load(header), text


def table(text, heading):
    """The body of the table below a heading, as lists of cells."""
    section = text.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def named_in(header):
    """(config, split) -> the file that the header names for it."""
    return {
        (config["config_name"], file["split"]): file["path"]
        for config in header.get("configs", [])
        for file in config["data_files"]
    }


def test_the_header_names_exactly_the_files_that_exist(tmp_path):
    header, _ = card_of(tmp_path / "d")
    named = named_in(header)
    there = {str(path.relative_to(tmp_path / "d")) for path in (tmp_path / "d").rglob("*.parquet")}
    assert set(named.values()) == there
    assert {config for config, _ in named} == set(SCHEMAS) - {"preferences"}
    assert [config["config_name"] for config in header["configs"] if config.get("default")] == ["tasks"]
    assert header["license"] == "apache-2.0"


def test_a_split_without_rows_has_a_file_but_is_not_named(tmp_path):
    """`datasets` refuses to load a config of which any split is empty."""
    header, _ = card_of(tmp_path / "d", tasks=[FIRST], rejects=[], rejected=[])
    (tasks,) = [split for config, split in named_in(header) if config == "tasks"]
    assert pq.read_table(tmp_path / "d" / "tasks" / f"{tasks}.parquet").num_rows == 1
    assert {config for config, _ in named_in(header)} == {"tasks", "environments", "trajectories"}
    assert pq.read_table(tmp_path / "d" / "rejects" / "train.parquet").num_rows == 0


def test_a_dataset_without_any_row_still_has_a_header_that_reads(tmp_path):
    nothing = {"tasks": [], "environments": [], "trajectories": [], "rejects": [], "rejected": []}
    header, _ = card_of(tmp_path / "d", **nothing)
    assert "configs" not in header


def test_the_counts_are_those_of_the_rows(tmp_path):
    _, text = card_of(tmp_path / "d")
    ((domain, functions, entries, proposed, kept, paper, calls, rate),) = table(text, "Domains")
    assert (domain, functions, entries, proposed, paper) == ("shop", "2", "11", "23", "not told")
    rows = sum(pq.read_table(file).num_rows for file in (tmp_path / "d" / "tasks").iterdir())
    assert int(kept) == rows == len(KEPT)
    assert float(calls) == 1.0
    assert float(rate) == pytest.approx(sum(task.pass_rate for task in KEPT) / len(KEPT), abs=0.005)


def test_the_funnel_counts_every_reject(tmp_path):
    leaks = [REFUSED, task("shop-2b", FIRST, gates=REFUSED.gates)]
    _, text = card_of(tmp_path / "d", rejected=leaks)
    funnel = {(stage, check): int(count) for stage, check, count in table(text, "What was refused")}
    assert funnel == {
        ("entries", "program"): 1,
        ("evolved_tasks", "infeasible"): 1,
        ("verified_tasks", "no_leak"): 2,
    }
    assert sum(funnel.values()) == pq.read_table(tmp_path / "d" / "rejects").num_rows


def test_pass_rates_count_every_task_once(tmp_path):
    _, text = card_of(tmp_path / "d")
    assert dict(table(text, "Pass rates")) == {"2 of 8": str(len(KEPT) - 1), "8 of 8": "1"}


def test_models_prompts_seed_and_cost_are_told(tmp_path):
    _, text = card_of(tmp_path / "d")
    told = text.partition("## How it was made")[2]
    for fact in (
        "seed: 0\n",
        "so far, over all runs: 9",
        "$0.50",
        "agent, answered so far by: openai/x, openai/y",
        "`abc`",
    ):
        assert fact in told
    assert "not a language model" not in text


def test_a_price_that_is_not_known_is_not_given_as_zero(tmp_path):
    _, text = card_of(tmp_path / "d", about=About(dollars=None))
    assert "not known" in text
    assert "$" not in text


def test_the_offline_model_is_owned_up_to(tmp_path):
    _, text = card_of(tmp_path / "d", about=About(models={"agent": ["openai/x", "offline/reference"]}))
    assert "is not a language model" in text


def test_a_dataset_without_tasks_claims_no_figures(tmp_path):
    _, text = card_of(tmp_path / "d", tasks=[], trajectories=[])
    ((*_, kept, _, calls, rate),) = table(text, "Domains")
    assert (kept, calls, rate) == ("0", "-", "-")
