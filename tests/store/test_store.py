"""The store: durable before it answers, one row a primary key, errors in one line."""

import asyncio
import os
import re
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from sqlalchemy import event

from tests.store.calls import call
from toolscale.errors import UserError
from toolscale.store import AttemptRow, GateResult, ModelCall, Store
from toolscale.traces.costs import costs


def gate(task: str, passed: bool = True) -> GateResult:
    return GateResult(task_id=task, gate="replay", domain="railway", passed=passed, reasons="[]")


def attempt(index: int, solved: bool) -> AttemptRow:
    return AttemptRow(
        task_id="t", index=index, domain="railway", execution=solved, fidelity=True, completeness=True, solved=solved
    )


async def test_a_row_written_again_replaces_itself(store: Store) -> None:
    await store.save(gate("a", passed=False), gate("b"))
    await store.save(gate("a", passed=True))
    await store.save(*[attempt(index, index == 3) for index in range(8)])
    assert sorted((row.task_id, row.passed) for row in store.rows(GateResult, domain="railway")) == [
        ("a", True),
        ("b", True),
    ]
    assert [row.index for row in store.rows(AttemptRow, solved=True)] == [3]


async def test_the_same_row_twice_in_one_commit_keeps_the_later(store: Store) -> None:
    await asyncio.gather(*[store.save(gate("a", passed=bool(number % 2))) for number in range(100)])
    assert [row.passed for row in store.rows(GateResult)] == [True]


async def test_an_answer_that_was_paid_for_is_never_replaced(store: Store) -> None:
    await store.save(call("k", status="TimedOut", error="no answer"), call("other"))
    assert await store.find("k") is None
    await store.save(call("k", response="first"))
    await store.save(call("k", status="TimedOut", error="no answer"))
    await store.save(call("k", response="second"))
    found = await store.find("k")
    assert found is not None
    assert found.response == "first"
    assert {row.key: row.status for row in store.rows(ModelCall)} == {"k": "ok", "other": "ok"}


async def test_what_others_said_is_kept_whatever_characters_it_has(store: Store) -> None:
    await store.save(call("k", status="BadRequest", error="a NUL \0, half a pair \ud800, and \U0001f600"))
    assert store.rows(ModelCall)[0].error == "a NUL , half a pair ?, and \U0001f600"


async def test_the_time_of_a_call_is_kept_as_it_was(store: Store) -> None:
    made = call("k")
    await store.save(made)
    assert store.rows(ModelCall)[0].created_at == made.created_at


async def test_a_commands_store_must_be_there(database: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no store at .* yet"):
        Store.existing(f"sqlite:///{tmp_path}/none/toolscale.db")
    assert not (tmp_path / "none").exists()
    with Store(database) as made:
        await made.save(gate("a"))
    with Store.existing(database) as there:
        assert len(there.rows(GateResult)) == 1


def test_threads_and_event_loops_share_a_store(store: Store) -> None:
    async def write(first: int) -> None:
        await asyncio.gather(*[store.save(gate(f"t{first + number}")) for number in range(50)])

    async def everything() -> None:
        await asyncio.gather(*[asyncio.to_thread(asyncio.run, write(first)) for first in (0, 50, 100)])

    asyncio.run(everything())
    assert len(store.rows(GateResult)) == 150


async def test_a_store_closed_and_used_again_goes_on(store: Store) -> None:
    await store.save(gate("a"))
    store.close()
    await store.save(gate("b"))
    assert len(store.rows(GateResult)) == 2


def test_what_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    program = textwrap.dedent("""
        import asyncio, sys
        from toolscale.store import GateResult, Store
        async def main():
            store, number = Store(sys.argv[1]), 0
            while True:
                rows = [GateResult(task_id=f"t{number + k}", gate="replay", domain="d", passed=True) for k in range(20)]
                await asyncio.gather(*[store.save(row) for row in rows])
                number += 20
                print(number, flush=True)
        asyncio.run(main())
    """)
    url = f"sqlite:///{tmp_path}/killed.db"
    with subprocess.Popen([sys.executable, "-c", program, url], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        acknowledged = [int(process.stdout.readline()) for _ in range(10)]
        os.kill(process.pid, signal.SIGKILL)
        acknowledged += [int(line) for line in process.stdout.read().split("\n")[:-1]]
    with Store(url) as store:
        kept = {row.task_id for row in store.rows(GateResult)}
    assert {f"t{number}" for number in range(acknowledged[-1])} <= kept


async def test_a_write_that_fails_is_said_to_whoever_waits(store: Store) -> None:
    with store.engine.begin() as another:
        another.exec_driver_sql("drop table gate_result")
    with pytest.raises(UserError, match=r"cannot write to the store .*gate_result"):
        await store.save(gate("a"))
    await store.save(attempt(0, True))
    assert len(store.rows(AttemptRow)) == 1


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("toolscale.db", "cannot be read"),
        ("mysql://me:hunter22@db/x", "cannot live in mysql"),
        ("sqlite:////proc/nowhere/toolscale.db", "cannot open the store"),
        ("sqlite://", "would forget what was paid for"),
        # The second where the driver is not installed: it is an extra.
        ("postgresql://me:hunter22@127.0.0.1:1/x", "(cannot open the store at postgresql://me:.*127.0.0.1|psycopg)"),
    ],
)
def test_a_store_that_cannot_be_opened_says_so_in_one_line(url: str, said: str) -> None:
    with pytest.raises(UserError, match=said) as caught:
        Store(url)
    assert "\n" not in str(caught.value)
    assert "hunter22" not in str(caught.value)


def test_postgres_without_its_driver_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(UserError, match=r"Postgres needs the package psycopg: pip install 'toolscale\[postgres\]'"):
        Store("postgresql://me@127.0.0.1:1/x")


def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "toolscale.db"
    file.write_bytes(b"this is a letter, not a database " * 100)
    with pytest.raises(UserError, match=f"file is not a database; {file} is not a store"):
        Store(f"sqlite:///{file}")
    assert file.read_bytes().startswith(b"this is a letter")


def test_sums_of_the_ledger_read_no_answer(tmp_path: Path) -> None:
    """Answers are nearly all of a large store; a sum that read them would take minutes at ten million calls."""
    with Store(f"sqlite:///{tmp_path}/store.db") as store:
        asked: list[str] = []
        event.listen(store.engine, "before_cursor_execute", lambda *told: asked.append(told[2]))
        store.cost_by("stage")
        store.cost_by("domain")
        store.cost_by("model", role="agent", domain=["railway", "medicine"])
        store.cost_by("stage", run="r")
        costs(store, "stage")
        plans = []
        with store.reading() as connection:
            for sql in [each for each in asked if each.startswith("SELECT")]:
                marks = dict.fromkeys(re.findall(r":(\w+)", sql), "")
                told = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", marks)
                plans += [line for *_, line in told if "model_call" in line or "gate_result" in line]
    assert len(plans) >= 6
    assert [line for line in plans if "COVERING INDEX" not in line] == []
