"""Stores as older versions of this program made them."""

import json
import sqlite3
from pathlib import Path

FORMAT_1 = """
CREATE TABLE model_call (
    "key" VARCHAR NOT NULL, created_at DATETIME NOT NULL, role VARCHAR NOT NULL, stage VARCHAR NOT NULL,
    domain VARCHAR NOT NULL, endpoint VARCHAR NOT NULL, model VARCHAR NOT NULL, sample INTEGER NOT NULL,
    tools VARCHAR, request TEXT NOT NULL, response TEXT, prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL, dollars FLOAT, seconds FLOAT NOT NULL, status VARCHAR NOT NULL,
    error VARCHAR, PRIMARY KEY ("key")
);
CREATE INDEX ix_model_call_stage ON model_call (stage);
CREATE INDEX ix_model_call_status ON model_call (status);
CREATE INDEX ix_model_call_domain ON model_call (domain);
CREATE TABLE tool_list (hash VARCHAR NOT NULL, tools TEXT NOT NULL, PRIMARY KEY (hash));
CREATE TABLE gate_result (
    task_id VARCHAR NOT NULL, gate VARCHAR NOT NULL, domain VARCHAR NOT NULL, passed BOOLEAN NOT NULL,
    reasons TEXT NOT NULL, PRIMARY KEY (task_id, gate)
);
CREATE INDEX ix_gate_result_domain ON gate_result (domain);
CREATE TABLE attempt (
    task_id VARCHAR NOT NULL, "index" INTEGER NOT NULL, domain VARCHAR NOT NULL, execution BOOLEAN NOT NULL,
    fidelity BOOLEAN NOT NULL, completeness BOOLEAN NOT NULL, solved BOOLEAN NOT NULL, user_fault BOOLEAN NOT NULL,
    turns INTEGER NOT NULL, termination VARCHAR NOT NULL, reasons TEXT NOT NULL, PRIMARY KEY (task_id, "index")
);
CREATE INDEX ix_attempt_domain ON attempt (domain);
"""

TOOLS = [{"type": "function", "function": {"name": "find", "parameters": {"type": "object"}}}]
FORM = {"type": "json_schema", "json_schema": {"name": "train", "schema": {"enum": ["x" * 300]}}}


def conversation(turns: int) -> list[dict[str, str]]:
    return [{"role": ("user", "assistant")[turn % 2], "content": f"turn {turn}: {'é' * 400}"} for turn in range(turns)]


def request(number: int) -> dict:
    params = {"seed": number, **({"response_format": FORM} if number % 3 == 0 else {})}
    return {"messages": conversation(1 + number % 20), "params": params}


def make_format_1(file: Path, calls: int) -> None:
    """A store of format 1. Call number n has the key ``key n``, and failed if n is a multiple of 7."""
    with sqlite3.connect(file) as old:
        old.execute("PRAGMA journal_mode=WAL")
        old.executescript(FORMAT_1)
        old.execute("insert into tool_list values ('tools', ?)", [json.dumps(TOOLS)])
        old.execute("insert into gate_result values ('a', 'replay', 'railway', 1, '[]')")
        for number in range(calls):
            failed = number % 7 == 0
            old.execute(
                "insert into model_call values (?,?,'agent','episode','railway','e','m',?,?,?,?,11,5,0.25,0.5,?,?)",
                (
                    f"key {number}",
                    f"2026-11-20 18:55:{number % 60:02}.756287",
                    number,
                    "tools" if number % 2 else None,
                    json.dumps(request(number), sort_keys=True, separators=(",", ":"), ensure_ascii=False),
                    None if failed else f'{{"answer": "réponse {number}"}}',
                    "TimedOut" if failed else "ok",
                    "no answer came" if failed else None,
                ),
            )
    old.close()
