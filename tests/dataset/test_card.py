"""The card tells the truth: its header names the files that are there, and its counts are the rows'."""

import json
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

from tests.dataset.small import FIRST, KEPT, REFUSED, contents, task, write_small
from toolscale.dataset import About, write_dataset
from toolscale.dataset.columns import SCHEMAS
from toolscale.dataset.folder import read_trajectories
from toolscale.dataset.usage import size_category


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
    assert {config for config, _ in named_in(header)} == {
        "tasks",
        "environments",
        "prompts",
        "trajectories",
        "failed_attempts",
    }
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


def programs(folder):
    """The card's Python, with the folder in place of the repository."""
    text = (folder / "README.md").read_text()
    return [code.replace("PATH_OR_REPO", str(folder)) for code in re.findall(r"```python\n(.*?)```", text, re.DOTALL)]


def test_every_program_of_the_card_runs_and_the_golden_calls_are_worth_1(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("datasets.config.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", tmp_path / "cache")
    write_small(tmp_path / "d")
    left = {}
    for code in programs(tmp_path / "d"):
        exec(code, left)
    assert left["golden"] == [("cancel_order", {"order_id": "O-1"})]
    assert left["reward"] == 1.0
    expected = {row["task_id"]: row for split, row in read_trajectories(tmp_path / "d") if split == "train"}
    assert len(left["chats"]) == 2
    for row in left["chats"]:
        assert row["messages"][0] == {"role": "system", "content": "Policy.", "tool_calls": None, "tool_call_id": None}
        assert [one["role"] for one in row["messages"]] == [one["role"] for one in expected[row["task_id"]]["messages"]]
        assert row["tools"] == expected[row["task_id"]]["tools"]


def test_the_card_shows_a_row_every_column_the_licence_and_how_to_cite(tmp_path):
    header, text = card_of(tmp_path / "d")
    row = json.loads(text.partition("```json\n")[2].partition("```")[0])
    assert list(row) == SCHEMAS["tasks"].names
    assert row["id"] in {task.id for task in KEPT}
    there = {config for config, _ in named_in(header)}
    for config in there:
        listed = {
            line.split("`")[1]
            for line in text.partition(f"**`{config}`**")[2].partition("**`")[0].splitlines()
            if line.startswith("| `")
        }
        assert listed == set(SCHEMAS[config].names), config
    assert (tmp_path / "d" / "LICENSE").read_text() == (Path(__file__).parents[2] / "LICENSE").read_text()
    assert header["size_categories"] == ["n<1K"]
    assert "2511.21689" in text.partition("```bibtex\n")[2]


@pytest.mark.parametrize(
    ("rows", "named"), [(0, "n<1K"), (999, "n<1K"), (1000, "1K<n<10K"), (4567, "1K<n<10K"), (10_000, "10K<n<100K")]
)
def test_the_size_category_is_the_hubs(rows, named):
    assert size_category(rows) == named


@pytest.mark.parametrize("agent", ["openai/x", "offline/reference"])
def test_the_offline_agents_attempts_are_called_lessons_in_format_only(tmp_path, agent):
    _, text = card_of(tmp_path / "d", about=About(models={"agent": [agent]}))
    section = text.partition("## Attempts\n")[2].partition("\n## ")[0]
    assert ("lessons in format only" in section) == (agent == "offline/reference")
    counted = {config: [int(attempts), int(tasks)] for config, attempts, tasks, *_ in table(text, "Attempts")}
    assert counted == {"trajectories": [3, 2], "failed_attempts": [2, 2]}
