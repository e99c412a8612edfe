"""`toolscale cache`: true figures, and nothing that was paid for is removed unless it was named."""

import asyncio
import json
import re
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.store.calls import call
from tests.store.old import TOOLS, conversation
from toolscale.cli import app, main
from toolscale.store import BatchCall, ModelCall, RequestPart, Store, ToolList, Wording, upkeep
from toolscale.store.upkeep import Amount, Selection


@pytest.fixture
async def filled(store: Store) -> Store:
    """Ten calls: seven of today, three of 40 days ago, one of which failed; two stages, models and domains."""
    age = datetime.now(UTC)
    for number in range(10):
        old = number >= 7
        made = call(
            f"k{number}",
            stage="tasks" if number % 2 else "episode",
            model="openai/a" if number < 5 else "openai/b",
            domain="medicine" if number in {0, 9} else "railway",
            tools="old" if old else "new",
            **({"status": "TimedOut", "error": "late", "dollars": 0.0} if number == 9 else {}),
        )
        made.created_at = age - timedelta(days=40 if old else 0)
        list_ = ToolList(hash="old" if old else "new", tools=json.dumps(TOOLS))
        said = [{"role": "system", "content": f"told {number}" * 50}, *conversation(3)]
        await store.save_call(made, said, {"seed": number}, list_)
    return store


def keys(store: Store) -> set[str]:
    return {row.key for row in store.rows(ModelCall)}


async def test_stats_count_what_is_there(filled: Store) -> None:
    held = upkeep.stats(filled)
    assert (held["calls"], held["answers"], held["failed"], held["dollars"]) == (10, 9, 1, 4.5)
    assert held["by_stage"] == {
        "episode": {"calls": 5, "answers": 5, "failed": 0},
        "tasks": {"calls": 5, "answers": 4, "failed": 1},
    }
    assert held["by_model"]["openai/b"] == {"calls": 5, "answers": 4, "failed": 1}
    assert held["by_domain"]["medicine"] == {"calls": 2, "answers": 1, "failed": 1}
    assert held["bytes"] > 4096
    oldest, newest = (datetime.fromisoformat(held[name]) for name in ("oldest", "newest"))
    assert timedelta(days=39) < newest - oldest < timedelta(days=41)


async def test_stats_of_an_empty_store_invent_nothing(store: Store) -> None:
    held = upkeep.stats(store)
    assert (held["calls"], held["dollars"], held["oldest"], held["by_stage"]) == (0, 0.0, None, {})


@pytest.mark.parametrize(
    ("selection", "removed"),
    [
        (Selection(), set()),
        (Selection(older_than=timedelta(days=30)), {"k7", "k8", "k9"}),
        (Selection(failed=True), {"k9"}),
        (Selection(model="openai/a", stage="tasks"), {"k1", "k3"}),
        (Selection(domain="medicine"), {"k0", "k9"}),
        (Selection(older_than=timedelta(days=30), stage="episode"), {"k8"}),
        (Selection(model="openai/nobody"), set()),
    ],
    ids=["nothing", "age", "failed", "model and stage", "domain", "age and stage", "nobody's"],
)
async def test_pruning_removes_the_calls_that_were_named_and_no_other(
    filled: Store, selection: Selection, removed: set[str]
) -> None:
    rows = {row.key: filled.request_of(row) for row in filled.rows(ModelCall)}
    named = upkeep.amount(filled, selection)
    freed = upkeep.prune(filled, selection)
    assert freed.removed == named
    assert named.calls == len(removed)
    assert named.dollars == 0.5 * len(removed - {"k9"})
    assert keys(filled) == rows.keys() - removed
    assert {row.key: filled.request_of(row) for row in filled.rows(ModelCall)} == {
        key: request for key, request in rows.items() if key not in removed
    }


async def test_what_only_removed_calls_referred_to_goes_with_them(filled: Store) -> None:
    freed = upkeep.prune(filled, Selection(older_than=timedelta(days=30)))
    assert freed.removed == Amount(calls=3, answers=2, failed=1, dollars=1.0)
    assert freed.parts == 3 + 1
    assert len(filled.rows(RequestPart)) == 7 + 3
    assert [row.hash for row in filled.rows(ToolList)] == ["new"]


async def test_wordings_go_with_the_call_that_was_answered_with_them(filled: Store) -> None:
    for name, days in (("old", 40), ("new", 0)):
        made = call(name, stage="rewording", task=name)
        made.created_at = datetime.now(UTC) - timedelta(days=days)
        await filled.save(made, Wording(key=name, domain="railway", task=name, said="{}"))
    upkeep.prune(filled, Selection(older_than=timedelta(days=30)))
    assert [row.key for row in filled.rows(Wording)] == ["new"]


async def test_tools_of_a_batch_under_way_stay(filled: Store) -> None:
    await filled.save(BatchCall(job="j", key="x", purpose="{}", sample=0, tools="old", request="{}"))
    upkeep.prune(filled, Selection(older_than=timedelta(days=30)))
    assert {row.hash for row in filled.rows(ToolList)} == {"old", "new"}


async def test_pruning_gives_the_room_back(file: Path) -> None:
    with Store(f"sqlite:///{file}") as store:
        await asyncio.gather(*[store.save(call(f"k{n}", response="y" * 20_000)) for n in range(100)])
        freed = upkeep.prune(store, Selection(stage="episode"))
        assert freed.bytes_before > 2_000_000
        assert freed.bytes_after == upkeep.stats(store)["bytes"] < 200_000


async def test_pruning_while_another_writes_leaves_no_call_without_its_parts(database: str) -> None:
    with Store(database) as run, Store(database) as pruner:
        for number in range(10):
            await run.save_call(call(f"a{number}", stage="tasks"), conversation(4), {})
            writing = [run.save_call(call(f"b{number}{n}"), conversation(4), {}) for n in range(5)]
            await asyncio.gather(asyncio.to_thread(upkeep.prune, pruner, Selection(stage="tasks")), *writing)
        rows = run.rows(ModelCall)
        assert {row.stage for row in rows} == {"episode"}
        assert len(rows) == 50
        assert all(run.request_of(row)["messages"] == conversation(4) for row in rows)


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of three calls where the command line looks for it."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "data" / "toolscale.db"

    async def fill() -> None:
        with Store(f"sqlite:///{file}") as store:
            await store.save(call("a"), call("b", stage="tasks"), call("c", status="TimedOut", dollars=0.0))

    asyncio.run(fill())
    return file


def run(*arguments: str, says: str = "") -> tuple[int, str]:
    done = CliRunner().invoke(app, ["cache", *arguments], input=says)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        return 2, str(done.exception)
    return done.exit_code, done.output


def left(file: Path) -> set[str]:
    with sqlite3.connect(file) as connection:
        return {key for (key,) in connection.execute("select key from model_call")}


def test_stats_as_a_user_sees_them(command: Path) -> None:
    status, printed = run("stats")
    assert status == 0
    assert "2 answers ($1.0000), 1 failed call; from 2026-11-20T12:30:15+00:00" in printed
    assert re.search(r"^episode +1 +1$", printed, re.MULTILINE)
    status, printed = run("stats", "--json")
    assert json.loads(printed)["answers"] == 2


def test_prune_removes_nothing_unless_something_was_named(command: Path) -> None:
    assert run("prune", "--yes") == (
        2,
        "say which calls to remove: --older-than, --model, --stage, --domain or --failed",
    )
    assert left(command) == {"a", "b", "c"}


def test_a_dry_run_says_what_would_go_and_removes_nothing(command: Path) -> None:
    status, printed = run("prune", "--stage", "tasks", "--dry-run")
    assert (status, printed.split(" would")[0]) == (0, "1 answer ($0.5000) and 0 failed calls")
    assert left(command) == {"a", "b", "c"}


def test_without_a_terminal_prune_wants_a_yes(command: Path) -> None:
    assert run("prune", "--failed")[0] == 2
    assert left(command) == {"a", "b", "c"}
    status, printed = run("prune", "--failed", "--yes")
    assert (status, left(command)) == (0, {"a", "b"})
    assert printed.startswith("removed 0 answers ($0.0000) and 1 failed call")


def test_at_a_terminal_prune_asks(command: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolscale.cli.cache._at_a_terminal", lambda: True)
    status, printed = run("prune", "--stage", "tasks", says="n\n")
    assert (status, left(command)) == (1, {"a", "b", "c"})
    assert "Remove 1 answer ($0.5000) and 0 failed calls from" in printed
    assert run("prune", "--stage", "tasks", says="y\n")[0] == 0
    assert left(command) == {"a", "c"}


@pytest.mark.parametrize("age", ["30", "d", "-3d", "30 days", "1y"])
def test_an_age_that_cannot_be_read_removes_nothing(command: Path, age: str) -> None:
    status, said = run("prune", f"--older-than={age}", "--yes")
    assert status == 2
    assert "such as 30d" in said
    assert left(command) == {"a", "b", "c"}


def test_a_store_that_is_not_there_is_said_and_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["toolscale", "cache", "stats"])
    with pytest.raises(SystemExit) as left_with:
        main()
    assert left_with.value.code == 2
    assert (
        capsys.readouterr().err == "toolscale: there is no store at data/toolscale.db yet: no run has been made there\n"
    )
    assert not list(tmp_path.iterdir())


def test_the_command_salvages_into_a_new_file(command: Path, tmp_path: Path) -> None:
    status, printed = run("salvage", "--out", str(tmp_path / "new.db"))
    assert status == 0
    assert re.search(r"^model_call +3 rows$", printed, re.MULTILINE)
    assert left(tmp_path / "new.db") == left(command) == {"a", "b", "c"}
