"""docs/environment-format.md is true: its example runs, and its lists are the code's."""

import json
import re
from pathlib import Path

from toolscale.artifacts import Call
from toolscale.environment import MODULES_ON_DEMAND, PRELOADED_MODULES, Limits, Sandbox, load_environment

TEXT = (Path(__file__).parents[2] / "docs" / "environment-format.md").read_text()


def test_the_documented_example_runs(tmp_path: Path) -> None:
    database, functions, settings = re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)
    source, *rules = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    folder = tmp_path / "railway"
    folder.mkdir()
    for name, text in {
        "database.json": database,
        "functions.json": functions,
        "environment.json": settings,
        "functions.py": source,
        "rules.py": "\n\n".join(rules),
    }.items():
        (folder / name).write_text(text)
    calls = [Call(name="book_seats", arguments={"train_id": "IC8", "seats": seats}) for seats in (38, 3)]
    spec = load_environment(folder)
    with Sandbox(spec) as sandbox:
        replay = sandbox.run(calls)
        allowed = sandbox.broken_rules(sandbox.run(calls[:1]))
    assert allowed == []
    assert replay.outcomes[1].error == "only 2 seats are left"
    assert [(change.table, change.kind) for change in replay.diff(spec)] == [
        ("bookings", "added"),
        ("trains", "changed"),
    ]
    assert "2026-03-14T09:00:00" in json.dumps(replay.outcomes[0].result)


def test_the_documented_modules_and_limits_are_the_sandboxes() -> None:
    listed = TEXT.partition("### What may be imported")[2].partition("###")[0]
    assert tuple(re.findall(r"`([a-z0-9_]+)`", listed)) == PRELOADED_MODULES + MODULES_ON_DEMAND
    limits = Limits()
    text = " ".join(TEXT.split())
    assert f"{limits.seconds:g} seconds a call, {limits.trajectory_seconds:g} seconds for all calls together" in text
    assert f"{limits.memory_bytes >> 20} MB of memory, {limits.reply_bytes >> 20} MB and" in text
    assert f"{limits.reply_values:,} values a reply" in text
    assert f"{limits.calls:,} calls, and a database of at most {limits.database_bytes >> 20} MB" in text
    assert f"more than {limits.reply_bytes >> 21} MB as JSON, or {limits.reply_values // 2:,} values" in text
