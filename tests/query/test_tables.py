"""A query reads the tables that it names and nothing else: no other file, no network, and it writes nothing."""

import hashlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from toolscale.errors import UserError
from toolscale.query import Tables, View
from toolscale.query.tables import quoted


@pytest.fixture
def file(tmp_path: Path) -> Path:
    pq.write_table(pa.table({"id": ["a", "b"], "n": [1, 2]}), tmp_path / "it's.parquet")
    pq.write_table(pa.table({"id": ["secret"]}), tmp_path / "other.parquet")
    return tmp_path / "it's.parquet"


@pytest.fixture
def tables(file: Path) -> Tables:
    def never() -> pa.Table:
        raise AssertionError("this table was not named")

    return Tables(
        [
            View("rows", "A row.", f"select * from read_parquet([{quoted(file)}])"),
            View("sums", "A sum.", "with sums as (select sum(n)::int as total from rows) select * from sums"),
            View("given", "A row from Python.", load=lambda: pa.table({"k": [3]})),
            View("large", "A row that nobody wants.", load=never, schema=pa.schema([("x", pa.int64())])),
        ],
        [file],
    )


def content(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    "sql",
    [
        "select * from '{folder}/other.parquet'",
        "select * from read_parquet('{folder}/*.parquet')",
        "select * from read_text('/etc/hostname')",
        "select * from read_csv('/etc/passwd')",
        "select * from glob('/*')",
        "select * from 'https://example.org/x.parquet'",
        "select * from sqlite_scan('{folder}/x.db', 't')",
        "select * from query('select * from read_text(''/etc/hostname'')')",
        "select getenv('HOME')",
        "select * from pathlib",
    ],
)
def test_a_query_reads_nothing_but_its_tables(tables: Tables, file: Path, sql: str) -> None:
    with pytest.raises(UserError) as refused:
        tables.rows(sql.format(folder=file.parent))
    assert "\n" not in str(refused.value)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    "sql",
    [
        "copy (select 1) to '{file}'",
        "copy (select 1) to '{file}' (use_tmp_file false)",
        "explain analyze copy (select 1) to '{file}' (use_tmp_file false)",
        "select 1; copy (select 1) to '{file}' (use_tmp_file false)",
        "create table t as select 1",
        "drop view rows",
        "insert into rows values ('c', 3)",
        "set enable_external_access = true",
        "set memory_limit = '1TB'",
        "attach '{folder}/x.db'",
        "install httpfs",
        "load httpfs",
        "pragma database_list",
        "call pragma_version()",
        "export database '{folder}/x'",
        "",
        "-- nothing",
    ],
)
def test_one_select_is_let_in_and_nothing_else(tables: Tables, file: Path, sql: str) -> None:
    before = content(file.parent)
    with pytest.raises(UserError, match="give one SELECT"):
        tables.rows(sql.format(folder=file.parent, file=quoted(file)[1:-1]))
    assert content(file.parent) == before
    assert tables.rows("select * from rows order by id") == [("a", 1), ("b", 2)]


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("select total from sums", [(3,)]),
        ("from given", [(3,)]),
        ('select k from "GIVEN"', [(3,)]),
        ("with large as (select 1 as x) select 2", [(2,)]),
        ("select (select max(n) from rows) as large, 'large'", [(2, "large")]),
        ("select n from rows where id in (select id from rows where n > 1)", [(2,)]),
        ("describe given", [("k", "BIGINT", "YES", None, None, None)]),
        ("values (1)", [(1,)]),
    ],
)
def test_a_table_is_made_when_it_is_named_and_not_before(
    tables: Tables, sql: str, rows: list[tuple[object, ...]]
) -> None:
    assert tables.rows(sql) == rows
    assert tables.frame(sql).shape == (len(rows), len(rows[0]))
    assert tables.arrow(sql).read_all().num_rows == len(rows)


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("select * from nothing", "no table or view nothing: `toolscale query --views`"),
        ("selec 1", "the SQL is not right: syntax error"),
        ("select m from rows", 'column "m" not found'),
        ("select nothing(1)", "nothing does not exist"),
        ("select 'x'::int", "Could not convert string 'x'"),
        (
            "select * from (select repeat('x', 1000000) || range as text from range(1000000)) order by text",
            "2GB of memory",
        ),
        (f"select {'(' * 5000}1{')' * 5000}", "not right|too deep"),
        (f"select {' + '.join(['1'] * 20000)}", "not right|too deep"),
    ],
    ids=lambda value: value[:30],
)
def test_what_is_wrong_with_a_query_is_one_line(tables: Tables, sql: str, told: str) -> None:
    with pytest.raises(UserError, match=told) as refused:
        tables.rows(sql)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 1000
    assert tables.rows("select total from sums") == [(3,)]


def test_the_columns_of_a_table_are_told_without_its_rows(tables: Tables) -> None:
    outline = Tables(view.empty() for view in tables.views.values() if view.name == "large")
    assert outline.columns("large") == [("x", "BIGINT")]
    assert outline.rows("select * from large") == []
