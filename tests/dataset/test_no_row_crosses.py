"""Splits follow the task: no row of any config, and no line of any export, crosses from `eval` into `train`."""

import json
import shutil
from functools import partial

import datasets
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from tests.dataset.crossing import as_earlier_versions_wrote_it, crossing, rows_of, splits_of_tasks
from tests.dataset.small import LEAKED, contents, task
from tests.dataset.small import spoken as said_in
from toolscale.artifacts import GateOutcome, Instructions, Reject, UserScenario
from toolscale.cli import app
from toolscale.dataset import write_dataset
from toolscale.dataset.audit import audit
from toolscale.dataset.card import card
from toolscale.dataset.contents import read_contents
from toolscale.dataset.folder import misplaced_in, read_trajectories
from toolscale.dataset.opened import open_tables
from toolscale.dataset.release import release
from toolscale.errors import UserError


def saying(one, name):
    said = Instructions(domain="shop", reason_for_call=f"Cancel order O-1, please, says {name}.")
    return one.model_copy(update={"user_scenario": UserScenario(instructions=said)})


FIRSTS = [saying(task(f"first-{number}"), f"first-{number}") for number in range(40)]
REFUSED = [task(f"{first.id}-b", first, gates=LEAKED) for first in FIRSTS]
GRANDCHILDREN = [saying(task(f"{one.id}-c", one), one.id) for one in REFUSED]
ORPHANS = [task(f"orphan-{number}", gates=LEAKED) for number in range(20)]
"""Families of which nothing was kept."""


def alike(name):
    """A task that was refused because it doubles another."""
    double = GateOutcome(gate="distinct", passed=False, reasons=[f"a near-duplicate of {name}: 0.9"])
    return task(f"double-of-{name}", gates=[double])


def spoken(one, attempt):
    """An attempt at a task: of the first two the task says that they solved it, of the others that they did not."""
    made = said_in(one.id, attempt)
    messages = [
        {**message, "content": one.instruction} if message["role"] == "user" else message for message in made.messages
    ]
    return made.model_copy(update={"messages": messages})


DRAFTS = [
    *(
        Reject(domain="shop", stage="evolved_tasks", check="infeasible", reasons=[f"{first.id}: no more"])
        for first in FIRSTS
    ),
    *(
        Reject(domain="shop", stage="tasks", check="double", reasons=[f"the same task as {first.id}"])
        for first in FIRSTS
    ),
    Reject(domain="shop", stage="evolved_tasks", check="form", reasons=["not JSON"], raw="a draft of who knows what"),
]

EVERYTHING = partial(
    contents,
    tasks=[*FIRSTS, *GRANDCHILDREN],
    trajectories=[spoken(one, attempt) for one in (*FIRSTS, *GRANDCHILDREN) for attempt in (0, 1, 5)],
    rejects=[*contents()["rejects"], *DRAFTS],
    rejected=[*REFUSED, *ORPHANS, *(alike(first.id) for first in FIRSTS)],
)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made") / "d"
    write_dataset(folder, **EVERYTHING())
    return folder


@pytest.fixture
def folder(made, tmp_path):
    return shutil.copytree(made, tmp_path / "d")


def test_no_row_of_any_config_crosses(folder):
    splits = splits_of_tasks(folder)
    assert {"train", "eval"} == set(splits.values())
    assert crossing(folder) == []
    for config in ("trajectories", "failed_attempts", "rejects"):
        assert all(rows_of(folder / config / f"{split}.parquet") for split in ("train", "eval")), config
    attempts = [
        row["task_id"] for split in ("train", "eval") for row in rows_of(folder / f"trajectories/{split}.parquet")
    ]
    assert sorted(attempts) == sorted([*splits, *splits])


def test_what_was_refused_of_a_family_stands_where_the_family_does(folder):
    splits = splits_of_tasks(folder)
    rows = {split: rows_of(folder / "rejects" / f"{split}.parquet") for split in ("train", "eval")}
    where = {
        json.loads(row["raw"])["id"]: split
        for split, found in rows.items()
        for row in found
        if row["stage"] == "verified_tasks"
    }
    assert {one.id for one in (*REFUSED, *ORPHANS)} < where.keys()
    assert all(where[f"{first.id}-b"] == splits[first.id] == splits[f"{first.id}-b-c"] for first in FIRSTS)
    assert {where[f"double-of-{first.id}"] for first in FIRSTS if splits[first.id] == "eval"} == {"eval"}
    assert {row["stage"] for row in rows["train"]} >= {"entries"}
    assert not any("who knows" in row["raw"] for row in rows["train"])


@pytest.mark.parametrize("form", ["openai", "toolscale", "verifiers"])
@pytest.mark.parametrize("earlier", [False, True], ids=["today's", "an earlier version's"])
def test_no_line_of_any_export_crosses(folder, tmp_path, form, earlier):
    if earlier:
        as_earlier_versions_wrote_it(folder)
    out = tmp_path / "out"
    done = CliRunner().invoke(app, ["export", str(folder), "--format", form, "--out", str(out), "--json"])
    assert done.exit_code == 0, done.output
    lines = {
        split: [text for file in out.rglob(f"{split}.jsonl") for text in rows_of(file)] for split in ("train", "eval")
    }
    expected = json.loads(done.stdout)["written"]
    assert (
        sum(map(len, lines.values()))
        == expected["chats" if form == "openai" else "rows" if form == "toolscale" else "tasks"]
    )
    assert lines["train"]
    assert lines["eval"]
    assert crossing(folder, out) == []


def test_tau2_is_told_the_split_of_every_task(folder, tmp_path):
    done = CliRunner().invoke(app, ["export", str(folder), "--format", "tau2", "--out", str(tmp_path / "out")])
    assert done.exit_code == 0, done.output
    told = json.loads((tmp_path / "out" / "shop" / "split_tasks.json").read_text())
    assert {name: split for split in ("train", "eval") for name in told[split]} == splits_of_tasks(folder)


def test_the_attempts_of_an_older_folder_have_the_split_of_their_task(folder):
    splits = splits_of_tasks(folder)
    sizes = read_contents(folder).sizes
    as_earlier_versions_wrote_it(folder)
    assert crossing(folder), "otherwise the test shows nothing"
    found = [(split, row["task_id"]) for split, row in read_trajectories(folder)]
    assert len(found) == 2 * len(splits)
    assert all(splits[name] == split for split, name in found)
    now = read_contents(folder).sizes
    assert {split: now["trajectories", split] for split in ("train", "eval")} == {
        split: sizes["trajectories", split] for split in ("train", "eval")
    }


def test_an_older_folder_is_not_published_and_the_audit_says_why(folder):
    assert (misplaced_in(folder), audit(folder).as_json()["misplaced_trajectories"]) == (0, 0)
    release(folder)
    as_earlier_versions_wrote_it(folder)
    count = 2 * list(splits_of_tasks(folder).values()).count("eval")
    assert (misplaced_in(folder), audit(folder).as_json()["misplaced_trajectories"]) == (count, count)
    with pytest.raises(UserError, match=f"{count} attempts lie in another split than their tasks.*build the dataset"):
        release(folder)
    said = CliRunner().invoke(app, ["audit", str(folder)]).stdout
    assert f"{count} trajectories lie in another split" in said


def test_datasets_loads_the_attempts_of_each_split(folder, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    splits = splits_of_tasks(folder)
    for split in ("train", "eval"):
        loaded = datasets.load_dataset(str(folder), "trajectories", split=split, cache_dir=str(tmp_path / "cache"))
        assert {splits[name] for name in loaded["task_id"]} == {split}


def test_attempts_whose_prompt_is_gone_are_not_published(folder):
    """A chat without its system prompt and tools would be read as another."""
    file = folder / "prompts" / "train.parquet"
    pq.write_table(pq.read_table(file).slice(0, 0), file)
    with pytest.raises(UserError, match="attempts name a prompt that is not there"):
        release(folder)
    with pytest.raises(UserError, match="no prompt `shop-"):
        next(read_trajectories(folder))


def test_an_older_dataset_is_queried_in_todays_columns(folder):
    chats = "select task_id, attempt, role, content from (select task_id, attempt, unnest(messages, recursive := true) "
    chats += "from trajectories) order by all"
    prompts = "select distinct task_id, system_prompt, p.tools from trajectories t join prompts p on p.id = t.prompt_id"
    with open_tables(folder) as tables:
        now = [tables.rows(chats), sorted(tables.rows(prompts))]
    as_earlier_versions_wrote_it(folder)
    with open_tables(folder) as tables:
        assert [tables.rows(chats), sorted(tables.rows(prompts))] == now
        assert tables.rows("select distinct pass_rates, unseen_domain, ancestors from tasks") == [(None, None, None)]
        assert tables.rows("select count(*) from failed_attempts") == [(0,)]
    assert card(read_contents(folder))
