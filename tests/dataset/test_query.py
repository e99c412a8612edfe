"""`toolscale query` and `toolscale.load` answer about a dataset and the ledger, and so do the examples of the docs."""

import asyncio
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from rich.cells import cell_len
from typer.testing import CliRunner

import toolscale
from tests.dataset.small import KEPT, contents, write_small
from tests.store.calls import call
from toolscale.cli import app
from toolscale.dataset import write_dataset
from toolscale.errors import UserError
from toolscale.instances import InstanceOptions, Instances
from toolscale.store import Store

HOUSE = Path(__file__).parents[2]
DOCS = [HOUSE / "README.md", *sorted((HOUSE / "docs").glob("*.md"))]
EXAMPLES = [
    (file.name, line.split("   #")[0].strip())
    for file in DOCS
    for line in file.read_text(encoding="utf-8").splitlines()
    if re.match(r"(\.venv/bin/)?toolscale query (\"(?!SELECT \.\.\.)|--)", line)
]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A data root with a dataset and a ledger."""
    data = tmp_path_factory.mktemp("made") / "data"
    write_small(data / "demo")
    write_dataset(data / "dataset", **contents(tasks=KEPT[:3], trajectories=[]))
    offering = Instances.beside_functions(InstanceOptions("training"))
    write_dataset(data / "offered", **contents(tasks=KEPT[:3], trajectories=[], instances=offering))
    asyncio.run(ledger(data))
    return data


async def ledger(data):
    with Store(f"sqlite:///{data}/toolscale.db") as store:
        for number, stage in enumerate(("tasks", "tasks", "intents", "episode")):
            answer = json.dumps({"message": {"role": "assistant", "content": "Done."}, "finish_reason": "stop"})
            made = call(f"{number:02x}", stage=stage, dollars=0.25, response=answer)
            await store.save_call(made, [{"role": "user", "content": "?"}], {})


@pytest.fixture
def root(made, tmp_path, monkeypatch):
    """The data root in a working directory of its own."""
    shutil.copytree(made, tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TOOLSCALE_DATA_ROOT", raising=False)
    monkeypatch.delenv("TOOLSCALE_STORE_URL", raising=False)
    return tmp_path


def asked(*arguments, columns=80):
    done = CliRunner().invoke(app, ["query", *arguments], env={"COLUMNS": str(columns)})
    return done.stdout.splitlines() if done.exception is None else done.exception


def test_a_query_prints_a_table(root):
    assert asked(
        "select domain, count(*) as tasks, avg(pass_rate) as rate from tasks group by domain", "data/demo"
    ) == [
        "domain  tasks      rate",
        "shop       22  0.284091",
    ]


def test_without_a_path_it_is_the_dataset_of_the_data_root(root):
    assert asked("select count(*) as n from tasks") == ["n", "3"]
    for file in sorted((root / "data" / "dataset").rglob("*.parquet")):
        file.unlink()
    assert asked("select count(*) as n from tasks") == [" n", "22"]


@pytest.mark.parametrize("columns", [40, 80, 200])
@pytest.mark.parametrize(
    "sql",
    [
        "select * from tasks limit 2",
        "select * from golden_calls",
        "select * from funnel",
        "select 123456789012345678 as a, 1.5 as b, repeat('long ', 50) as c, 12345 as d",
        "select '日本語' || repeat('語', 60) as a, 7 as b",
    ],
)
def test_no_line_is_wider_than_the_terminal_and_every_figure_is_whole(root, sql, columns):
    lines = asked(sql, "data/demo", columns=columns)
    assert max(map(cell_len, lines)) <= columns
    shown = " ".join(lines).split()
    rows = [json.loads(line) for line in asked(sql, "data/demo", "--json")]
    figures = [str(value) for row in rows for value in row.values() if type(value) is int]
    assert set(figures) <= set(shown)


def test_a_models_text_does_nothing_to_the_terminal(root):
    said = "select 'a' || chr(27) || '[31m' || chr(10) || 'b' || chr(8238) as \"x" + '\x1b" limit 1'
    printed = "\n".join(asked(said))
    assert "\x1b" not in printed
    assert "\u202e" not in printed
    assert "a\\x1b[31m b\\u202e" in printed


def test_only_so_many_rows_are_shown_and_json_has_them_all(root):
    many = "select range as n from range(1500)"
    assert len(asked(many)) == 101
    assert [json.loads(line)["n"] for line in asked(many, "--json")] == list(range(1500))


def test_json_is_one_object_a_row_with_what_parquet_nests(root):
    sql = "select id, lineage, attempts, 'nan'::double as none, now() as at from tasks order by id limit 1"
    (row,) = map(json.loads, asked(sql, "data/demo", "--json"))
    assert row["lineage"] == {"parent": None, "depth": 0, "added": "", "pruned": [], "goals": [], "reworded": False}
    assert row["attempts"][0]["solved"] is True
    assert row["none"] is None


def test_the_rows_go_to_a_file(root):
    assert asked("select * from tasks", "data/demo", "--parquet", "rows.parquet") == ["rows.parquet: 22 rows"]
    assert len(pd.read_parquet("rows.parquet")) == 22
    assert asked("select domain, tasks from depths, domains", "--csv", "rows.csv") == ["rows.csv: 2 rows"]
    assert list(pd.read_csv("rows.csv").columns) == ["domain", "tasks"]
    assert "no file can be written" in str(asked("select 1", "--csv", "none/rows.csv"))


@pytest.mark.parametrize("arguments", [[], ["--views"]])
def test_what_there_is_to_name_is_listed_with_its_columns(tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    said = asked(*arguments)
    assert max(map(len, said)) <= 88
    for name in ("tasks", "funnel", "calls", "cost_by_stage"):
        assert name in said
    listed = [json.loads(line) for line in asked("--views", "--json")]
    assert all(one["columns"] and one["says"].endswith(".") for one in listed)
    assert {"golden_calls", "failures", "cache", "facts"} <= {one["name"] for one in listed}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["select * from tasks", "nowhere"], "holds no dataset"),
        (["select * from nothing"], "`toolscale query --views` lists them"),
        (["drop table tasks"], "give one SELECT"),
    ],
)
def test_a_mistake_is_one_line(root, arguments, told):
    error = asked(*arguments)
    assert isinstance(error, UserError)
    assert told in str(error)


def test_without_a_dataset_one_is_asked_for_and_the_ledger_answers_all_the_same(root):
    for file in sorted((root / "data").rglob("*.parquet")):
        file.unlink()
    assert "which dataset?" in str(asked("select count(*) from tasks"))
    assert asked("select sum(calls)::int as calls from cost_by_stage")[1].strip() == "4"


def test_a_notebook_gets_data_frames(root):
    demo = toolscale.load("data/demo")
    assert len(demo["tasks"]) == 22
    assert demo["tasks"] is demo["tasks"]
    assert demo["funnel"].set_index("domain").loc["shop", "kept"] == 22
    assert demo["tasks"].groupby("domain").pass_rate.mean()["shop"] == pytest.approx(
        demo.sql("select avg(pass_rate) as r from tasks").r[0]
    )
    assert {"tasks", "trajectories", "shape", "cost_by_stage"} <= set(demo)
    assert len(demo) == len(list(demo))
    assert len(demo["calls"]) == 4
    with pytest.raises(KeyError):
        demo["nothing"]
    with pytest.raises(UserError, match="holds no dataset"):
        toolscale.load(root / "nowhere")


def test_importing_toolscale_imports_neither_pandas_nor_duckdb():
    code = "import sys, toolscale, toolscale.cli; sys.exit(bool({'pandas', 'duckdb', 'pyarrow'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_docs_have_examples():
    assert sum(name == "dataset.md" for name, _ in EXAMPLES) >= 5
    assert {"README.md", "gates.md", "index.md", "store.md"} <= {name for name, _ in EXAMPLES}


@pytest.mark.parametrize(("file", "example"), EXAMPLES)
def test_every_query_of_the_docs_runs(root, file, example):
    _, *arguments = shlex.split(example)
    done = CliRunner().invoke(app, arguments, env={"COLUMNS": "80"})
    assert done.exit_code == 0, (example, done.exception)
    assert done.stdout


@pytest.mark.parametrize("file", ["README.md", "docs/dataset.md"])
def test_the_python_of_the_docs_runs(root, file):
    blocks = re.findall(r"```python\n(import toolscale\n.*?)```", (HOUSE / file).read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        exec(block, {})
