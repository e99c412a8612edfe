"""A census counts what is there: records, their states, and those that belong together."""

from typing import Any

from toolscale.artifacts import DatabaseSchema
from toolscale.synthesis.census import census


def _table(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": {
            "type": "object",
            "properties": fields,
            "required": list(fields),
            "additionalProperties": False,
        },
    }


SCHEMA = DatabaseSchema(
    domain="tool_hire",
    json_schema={
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "members": _table({"member_id": {"type": "string", "x-primary-key": True}}),
            "hires": _table(
                {
                    "hire_id": {"type": "string", "x-primary-key": True},
                    "member_id": {"type": ["string", "null"], "x-references": "members.member_id"},
                    "status": {"type": "string", "enum": ["running", "ended", "lost"]},
                    "colour": {"type": "string", "enum": list("abcdefghij")},
                    "paid": {"type": "boolean"},
                }
            ),
        },
        "required": ["members", "hires"],
        "additionalProperties": False,
    },
)


def _hires(*held: tuple[str | None, str]) -> dict[str, Any]:
    return {
        f"H{at}": {"hire_id": f"H{at}", "member_id": member, "status": status, "colour": "abcdefghij"[at], "paid": True}
        for at, (member, status) in enumerate(held)
    }


def test_records_are_counted_by_state_the_commonest_first_and_by_who_has_several() -> None:
    held = [("M1", "ended"), ("M1", "running"), ("M2", "ended"), ("M1", "ended"), (None, "ended"), (None, "running")]
    database = {"members": {each: {"member_id": each} for each in ("M1", "M2", "M3")}, "hires": _hires(*held)}
    assert census(SCHEMA, database) == {
        "members": "3",
        "hires": "6 (status: ended 4, running 2; of 2 members, 1 with several)",
    }


def test_what_says_nothing_is_left_out_one_state_many_kinds_and_shares_of_one() -> None:
    hires = _hires(*((f"M{at}", "ended") for at in range(9)))
    assert census(SCHEMA, {"hires": hires}) == {"members": "0", "hires": "9"}


def test_what_is_there_for_everybody_is_named_and_people_are_not() -> None:
    key = {"type": "string", "x-primary-key": True}
    text = {"type": "string"}
    tables = {
        "members": _table({"member_id": key, "name": text, "email": text}),
        "tools": _table({"tool_id": key, "name": text}),
        "hires": _table(
            {"hire_id": key, "title": text, "tool_id": {"type": "string", "x-references": "tools.tool_id"}}
        ),
    }
    rules = {**SCHEMA.json_schema, "properties": tables, "required": list(tables)}
    schema = DatabaseSchema(domain="tool_hire", json_schema=rules)
    database = {
        "members": {"M1": {"member_id": "M1", "name": "Ada", "email": "ada@post.example"}},
        "tools": {"T2": {"tool_id": "T2", "name": "wet saw"}, "T1": {"tool_id": "T1", "name": "ladder"}},
        "hires": {"H1": {"hire_id": "H1", "title": "a hire", "tool_id": "T1"}},
    }
    assert census(schema, database) == {"members": "1", "tools": "2 (name: ladder, wet saw)", "hires": "1"}
    many = {f"T{at:02}": {"tool_id": f"T{at:02}", "name": "x" * 40} for at in range(50)}
    said = census(schema, {**database, "tools": many})["tools"]
    assert said.endswith("and 29 more)"), said
    assert len(said) < 1_000
