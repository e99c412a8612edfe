"""A store of an older version is upgraded whole or not at all, and gives every answer under its old key."""

import asyncio
import json
import signal
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from sqlalchemy import select

from tests.store.calls import call
from tests.store.old import TOOLS, make_format_1, request
from toolscale.errors import UserError
from toolscale.store import CachedAnswer, GateResult, ModelCall, Store
from toolscale.store.formats import CURRENT

CALLS = 300


def assert_whole(store: Store, calls: int = CALLS) -> None:
    """Every call of a store that was of format 1 says what it said then."""
    rows = store.rows(ModelCall)
    assert len(rows) == calls

    async def answers() -> list[CachedAnswer | None]:
        return [await store.find(row.key) for row in rows]

    for row, found in zip(rows, asyncio.run(answers()), strict=True):
        number = int(row.key.removeprefix("key "))
        sent = store.request_of(row)
        assert {"messages": sent["messages"], "params": sent["params"]} == request(number)
        assert sent["tools"] == (TOOLS if number % 2 else None)
        if number % 7 == 0:
            assert (found, row.status, row.error) == (None, "TimedOut", "no answer came")
        else:
            assert found == (f'{{"answer": "réponse {number}"}}', 11, 5, 0.5)
        assert (row.task, row.dollars, row.created_at.second) == (None, 0.25, number % 60)


def test_every_answer_of_an_old_store_is_found_under_its_key(file: Path) -> None:
    make_format_1(file, CALLS)
    size = file.stat().st_size
    with Store(f"sqlite:///{file}") as store:
        assert_whole(store)
        assert [row.task_id for row in store.rows(GateResult)] == ["a"]
        assert len(store.rows(ModelCall, task=None)) == CALLS
    assert file.stat().st_size < size / 4
    with Store(f"sqlite:///{file}") as again:
        assert_whole(again)


def columns(store: Store) -> set[tuple[str, str, str]]:
    query = "select m.name, i.name, i.type from sqlite_master m join pragma_table_info(m.name) i where m.type = 'table'"
    with store.reading() as connection:
        return {tuple(row) for row in connection.exec_driver_sql(query)}


def indexes(store: Store) -> dict[str, str]:
    with store.reading() as connection:
        found = connection.exec_driver_sql(
            "select name, sql from sqlite_master where type = 'index' and sql is not null"
        )
        return {name: " ".join(sql.replace("IF NOT EXISTS ", "").split()) for name, sql in found}


def test_an_upgraded_store_has_the_columns_and_indexes_of_a_new_one(tmp_path: Path) -> None:
    make_format_1(tmp_path / "old.db", 1)
    with Store(f"sqlite:///{tmp_path}/old.db") as old, Store(f"sqlite:///{tmp_path}/new.db") as new:
        assert columns(old) == columns(new)
        assert indexes(old) == indexes(new)


UPGRADE = textwrap.dedent("""
    import os, signal, sys
    from sqlalchemy import event
    from sqlalchemy.engine import Engine
    from toolscale.store import Store

    left = [int(sys.argv[2])]
    def count(*_):
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
    event.listen(Engine, "before_cursor_execute", count)
    event.listen(Engine, "commit", count)
    Store(f"sqlite:///{sys.argv[1]}").close()
""")


def test_an_upgrade_that_is_killed_at_any_point_is_taken_up_again(file: Path) -> None:
    make_format_1(file, CALLS)
    killed = 0
    for statements in range(1, 200, 9):
        command = [sys.executable, "-c", UPGRADE, str(file), str(statements)]
        died = subprocess.run(command, check=False, capture_output=True).returncode
        if died == 0:
            break
        assert died == -signal.SIGKILL
        killed += 1
        with sqlite3.connect(file) as connection:
            (calls,) = connection.execute("select count(*) from model_call where key like 'key %'").fetchone()
        assert calls == CALLS
    else:
        pytest.fail("the upgrade never came to its end")
    assert killed > 3
    with Store(f"sqlite:///{file}") as store:
        assert_whole(store)


def test_programs_that_open_an_old_store_at_once_upgrade_it_once(file: Path) -> None:
    make_format_1(file, CALLS)
    code = "import sys; from toolscale.store import Store; Store(sys.argv[1]).close()"
    command = [sys.executable, "-c", code, f"sqlite:///{file}"]
    programs = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    told = [program.communicate()[1] for program in programs]
    assert [program.returncode for program in programs] == [0, 0, 0], told
    assert sum("making it" in said for said in told) == 1


def test_a_store_of_a_newer_version_is_refused_and_left_as_it_is(database: str) -> None:
    with Store(database) as store, store.engine.begin() as connection:
        connection.exec_driver_sql(f"update store_format set version = {CURRENT + 1}")
        connection.exec_driver_sql("alter table model_call add column colour varchar")
        connection.exec_driver_sql("drop table gate_result")
    with pytest.raises(UserError, match=f"of format {CURRENT + 1}.*up to {CURRENT}: upgrade toolscale"):
        Store(database)
    with store.engine.connect() as connection:
        assert connection.exec_driver_sql("select version from store_format").scalar() == CURRENT + 1
        assert connection.execute(select(1)).scalar() == 1
        with pytest.raises(Exception, match="gate_result"):
            connection.exec_driver_sql("select * from gate_result")


async def test_a_call_that_an_older_version_wrote_meanwhile_is_read_as_it_stands(store: Store) -> None:
    await store.save(call("k", request=json.dumps(request(3))))
    sent = store.request_of(store.rows(ModelCall)[0])
    assert {"messages": sent["messages"], "params": sent["params"]} == request(3)


def test_a_full_disk_leaves_an_old_store_as_it_was(file: Path) -> None:
    make_format_1(file, CALLS)
    code = textwrap.dedent(f"""
        import resource
        from toolscale.errors import UserError
        from toolscale.store import Store
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, -1))
        try:
            Store("sqlite:///{file}")
        except UserError as error:
            print(error)
    """)
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "cannot open the store" in said
    assert "has room" in said
    with sqlite3.connect(file) as connection:
        tables = {name for (name,) in connection.execute("select name from sqlite_master")}
        (request_kept,) = connection.execute("select request from model_call where key = 'key 3'").fetchone()
    assert not tables & {"request_part", "store_format"}
    assert json.loads(request_kept) == request(3)
    with Store(f"sqlite:///{file}") as store:
        assert_whole(store)
