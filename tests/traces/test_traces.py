"""Any call can be found and read, and nothing that a model wrote acts on the reader's terminal."""

import asyncio
import io
import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
from rich.console import Console
from typer.testing import CliRunner

from toolscale.cli import app
from toolscale.errors import UserError
from toolscale.store import ModelCall, Store, ToolList
from toolscale.traces import Filters, call_of, calls, whole_call
from toolscale.traces.showing import print_call, print_calls

HOSTILE = "\x1b[2J\x1b]0;owned\x07 \x9b31m [bold red]rich[/] \u202eback\u202c \r overwritten é 漢"
TOOLS = [{"type": "function", "function": {"name": "find_trains", "parameters": {"type": "object"}}}]
MESSAGES = [{"role": "system", "content": "be brief"}, {"role": "user", "content": HOSTILE}]
ASKED = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "find_trains", "arguments": '{"to": "\x1b[31mRome"}'},
}
FORM = {"type": "json_schema", "json_schema": {"name": "Draft", "schema": {"type": "object", "title": "a" * 400}}}
BEGAN = datetime(2026, 11, 20, 12, tzinfo=UTC)


def call(key: str, minute: int, **differs: Any) -> ModelCall:
    message = {"role": "assistant", "content": HOSTILE, "tool_calls": [ASKED]}
    given = {
        "key": key.ljust(64, "0"),
        "created_at": BEGAN + timedelta(minutes=minute),
        **{"role": "agent", "stage": "episode", "domain": "railway", "task": "railway-1", "sample": 0},
        **{"endpoint": "http://127.0.0.1:1/v1", "model": "openai/anything", "tools": "t1", "status": "ok"},
        **{"prompt_tokens": 1200, "completion_tokens": 30, "dollars": 0.0123, "seconds": 1.5},
        "response": json.dumps({"message": message, "finish_reason": "tool_calls"}, ensure_ascii=False),
    }
    return ModelCall(**given | differs)


@pytest.fixture
def ledger(store: Store) -> Store:
    failed = {"status": "Refused", "response": None, "error": f"{HOSTILE} no such thing", "dollars": 0.0}

    async def fill() -> None:
        kept = [
            call("aa11", 0),
            call("aa22", 1, stage="tasks", role="teacher", task=None, tools=None, model="openai/big"),
            call("bb33", 2, domain="medicine", task="medicine-1", **failed),
            call(
                "cc44",
                2,
                stage="evolution",
                role="evolver",
                task="a_long_domain-0123456789ab",
                status="TimedOut",
                response=None,
                error="100% late_r",
            ),
        ]
        for each in kept:
            await store.save_call(
                each, MESSAGES, {"seed": 7, "response_format": FORM}, ToolList(hash="t1", tools=json.dumps(TOOLS))
            )

    asyncio.run(fill())
    return store


def found(store: Store, **wanted: Any) -> list[str]:
    return [each.key[:4] for each in calls(store, Filters(**wanted))]


@pytest.mark.parametrize(
    ("wanted", "keys"),
    [
        ({}, ["bb33", "cc44", "aa22", "aa11"]),
        ({"stage": "tasks"}, ["aa22"]),
        ({"domain": "medicine"}, ["bb33"]),
        ({"role": "evolver"}, ["cc44"]),
        ({"task": "railway-1"}, ["aa11"]),
        ({"model": "BIG"}, ["aa22"]),
        ({"error": "TimedOut"}, ["cc44"]),
        ({"failed": True}, ["bb33", "cc44"]),
        ({"failed": True, "domain": "railway"}, ["cc44"]),
        ({"text": "OVERWRITTEN é"}, ["bb33", "aa22", "aa11"]),
        ({"text": "100% late"}, ["cc44"]),
        ({"text": "100_"}, []),
        ({"stage": "%"}, []),
    ],
)
def test_the_calls_that_were_asked_for_come_newest_first(
    ledger: Store, wanted: dict[str, Any], keys: list[str]
) -> None:
    assert found(ledger, **wanted) == keys


def test_a_phrase_with_quotes_and_line_ends_is_found_in_an_answer(store: Store) -> None:
    said = 'he said: "no",\nand left'
    answer = json.dumps({"message": {"role": "assistant", "content": said}, "finish_reason": "stop"})
    asyncio.run(store.save_call(call("dd55", 0, response=answer), MESSAGES, {}))
    assert found(store, text=said) == ["dd55"]


def test_the_limit_keeps_the_newest(ledger: Store) -> None:
    assert [each.key[:4] for each in calls(ledger, Filters(), 2)] == ["bb33", "cc44"]


def test_a_call_is_named_by_what_no_other_key_begins_with(ledger: Store) -> None:
    assert call_of(ledger, "AA1").key.startswith("aa11")
    with pytest.raises(UserError, match=r"several calls.*aa11.*aa22"):
        call_of(ledger, "aa")
    with pytest.raises(UserError, match="no call has a key that begins with %"):
        call_of(ledger, "%")


def test_a_call_in_json_is_the_request_and_the_response_whole(ledger: Store) -> None:
    shown = whole_call(ledger, call_of(ledger, "aa11"))
    assert shown["request"] == {
        **{"model": "openai/anything", "messages": MESSAGES, "tools": TOOLS, "seed": 7, "response_format": FORM}
    }
    (choice,) = shown["response"]["choices"]
    assert choice["message"]["tool_calls"] == [ASKED]
    assert choice["finish_reason"] == "tool_calls"
    assert shown["response"]["usage"] == {"prompt_tokens": 1200, "completion_tokens": 30, "total_tokens": 1230}
    assert whole_call(ledger, call_of(ledger, "bb33"))["response"] is None


def shown(store: Store, key: str, *, width: int = 200, full: bool = False) -> str:
    """What a terminal gets, with rich's own colours left out so that any escape is the model's."""
    terminal = Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None, highlight=False)
    print_calls(list(calls(store, Filters())), terminal)
    print_call(call_of(store, key), store, terminal, full=full)
    return terminal.file.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize("key", ["aa11", "bb33"])
def test_nothing_that_a_model_wrote_acts_on_the_terminal(ledger: Store, key: str) -> None:
    text = shown(ledger, key, full=True)
    assert not set(text) & set("\x1b\x07\x9b\r\u202e\u202c")
    assert r"\x1b[2J\x1b]0;owned\x07 \x9b31m [bold red]rich[/] \u202eback\u202c \x0d overwritten é 漢" in text


def test_a_call_reads_from_what_was_asked_to_what_came_back(ledger: Store) -> None:
    text = shown(ledger, "aa11")
    parts = ["params  seed 7", "json_schema Draft", "tools   find_trains", "1,200 in, 30 out, $0.0123"]
    parts = [*parts, "be brief", "user", "answer (tool_calls)", r'calls find_trains {"to": "\x1b[31mRome"}']
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert '"type": "object"' not in text, "schemas are for --full"
    assert '"type": "object"' in shown(ledger, "aa11", full=True)


@pytest.mark.parametrize("width", [80, 120])
def test_the_list_fits_the_terminal_and_keeps_the_key(ledger: Store, width: int) -> None:
    terminal = Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)
    print_calls(list(calls(ledger, Filters())), terminal)
    lines = terminal.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert max(map(len, lines)) <= width
    assert all(heading in lines[0] for heading in ("key", "when (UTC)", "stage", "for", "in", "out", "s", "status"))
    assert [line.split()[-1] for line in lines[1:]] == ["Refused", "TimedOut", "ok", "ok"]
    assert [line[:12] for line in lines[1:]] == [f"{key}00000000" for key in ("bb33", "cc44", "aa22", "aa11")]


@pytest.fixture
def command(ledger: Store, database: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("TOOLSCALE_STORE_URL", database)
    return lambda *options: CliRunner().invoke(app, ["traces", *options], catch_exceptions=False)


def test_piped_nothing_is_cut_off(command: Any) -> None:
    listed = command().stdout
    assert "openai/anything" in listed
    assert "…" not in listed
    assert command("cc44").stdout.count("100% late_r") == 1


def test_duckdb_reads_what_the_command_exports(command: Any, tmp_path: Path) -> None:
    (tmp_path / "traces.jsonl").write_text(command("--json", "--full", "--limit", "0").stdout)
    query = f"""select stage, count(*), sum(prompt_tokens), count(*) filter (status != 'ok')
                from '{tmp_path}/traces.jsonl' group by stage order by stage"""
    with duckdb.connect() as connection:
        rows = connection.sql(query).fetchall()
    assert rows == [("episode", 2, 2400, 1), ("evolution", 1, 1200, 1), ("tasks", 1, 1200, 0)]


def test_json_of_a_list_is_its_lines_and_with_full_the_requests_too(command: Any) -> None:
    brief, full = (json.loads(command("--json", "--limit", "1", *more).stdout) for more in ((), ("--full",)))
    assert "request" not in brief
    assert full["request"]["messages"] == MESSAGES
    assert brief.items() <= full.items()
    assert brief["created_at"].startswith("2026-11-20T12:02")


def test_where_there_is_no_ledger_the_command_says_so_and_makes_none(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "toolscale.cli", "traces"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 2
    assert len(ran.stderr.splitlines()) == 1
    assert not list(tmp_path.iterdir())
