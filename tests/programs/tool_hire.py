"""A service that hires out tools, as the prompt `programs` has it in its demonstration; written for these tests."""

import json
from datetime import date, timedelta
from random import Random
from typing import Any

import jinja2

from toolscale.artifacts import PRESENT, DatabaseSchema, EnvironmentSpec, FunctionSpec, Intent, TaskProgram
from toolscale.prompts import data_folder
from toolscale.synthesis.programs import ProgramDraft, program_of

TOOLS = {
    "TO-1": ("hedge trimmer", 9.5),
    "TO-2": ("wet saw", 14.0),
    "TO-3": ("wacker plate", 31.5),
    "TO-4": ("ladder", 4.0),
}
POLICY = "A running hire is extended once, by at most fourteen days. Only who hired a tool may have its hire extended."
INTENT = Intent(id="tool_hire-intent-1", domain="tool_hire", purpose="Keep a hired tool for longer.")

SOURCE = """
import datetime


def _hire(db, hire_id):
    if hire_id not in db["hires"]:
        raise ValueError(f"there is no hire {hire_id}")
    hire = db["hires"][hire_id]
    tool = db["tools"][hire["tool_id"]]
    return {**hire, "tool": tool["name"], "daily_fee": tool["daily_fee"]}


def get_hire(db, hire_id):
    return _hire(db, hire_id)


def list_hires(db, member_id, status):
    if member_id not in db["members"]:
        raise ValueError(f"there is no member {member_id}")
    mine = [h for h in db["hires"].values() if h["member_id"] == member_id and h["status"] == status]
    return [_hire(db, h["hire_id"]) for h in sorted(mine, key=lambda h: h["hire_id"])]


def extend_hire(db, hire_id, days):
    _hire(db, hire_id)
    hire = db["hires"][hire_id]
    if hire["status"] != "running" or hire["extensions"] or not 0 < days < 15:
        raise ValueError(f"hire {hire_id} cannot be extended by {days} days")
    due = datetime.date.fromisoformat(hire["due_on"]) + datetime.timedelta(days=days)
    hire["due_on"], hire["extensions"] = due.isoformat(), 1
    return {"hire_id": hire_id, "due_on": hire["due_on"]}


def return_tool(db, hire_id):
    _hire(db, hire_id)
    hire = db["hires"][hire_id]
    if hire["status"] != "running":
        raise ValueError(f"hire {hire_id} is {hire['status']}")
    hire["status"] = "returned"
    return {"hire_id": hire_id, "status": "returned"}
"""


def function_of(name: str, kind: Any, **parameters: Any) -> FunctionSpec:
    """A function that takes so named arguments."""
    properties = {key: {"type": value, "description": key} for key, value in parameters.items()}
    schema = {"type": "object", "properties": properties, "required": [*parameters], "additionalProperties": False}
    return FunctionSpec(name=name, description=f"{name} of a tool hire.", parameters=schema, kind=kind)


def table_of(key: str, references: dict[str, str], *fields: str) -> dict[str, Any]:
    """The schema of a table."""
    properties: dict[str, Any] = {key: {"type": "string", "x-primary-key": True}}
    properties |= {field: {"type": "string", "x-references": target} for field, target in references.items()}
    properties |= {field: {} for field in fields}
    return {"type": "object", "additionalProperties": {"type": "object", "properties": properties, "required": [key]}}


SCHEMA = DatabaseSchema(
    domain="tool_hire",
    json_schema={
        "type": "object",
        "properties": {
            "members": table_of("member_id", {}, "name"),
            "tools": table_of("tool_id", {}, "name", "daily_fee"),
            "hires": table_of(
                "hire_id",
                {"member_id": "members.member_id", "tool_id": "tools.tool_id"},
                *("status", "due_on", "extensions"),
            ),
        },
    },
)


def environment() -> EnvironmentSpec:
    """Twelve members with some four hires each."""
    rng = Random(5)
    members = {f"ME-{number}": {"member_id": f"ME-{number}", "name": f"Member {number}"} for number in range(100, 112)}
    hires: dict[str, Any] = {}
    for number in range(48):
        key = f"HI-{7000 + 13 * number}"
        due = PRESENT.date() + timedelta(days=rng.randint(1, 20))
        hires[key] = {
            "hire_id": key,
            "member_id": rng.choice(sorted(members)),
            "tool_id": rng.choice(sorted(TOOLS)),
            "status": rng.choice(["running", "running", "running", "returned"]),
            "due_on": date.isoformat(due),
            "extensions": rng.choice([0, 0, 0, 1]),
        }
    tools = {key: {"tool_id": key, "name": name, "daily_fee": fee} for key, (name, fee) in TOOLS.items()}
    return EnvironmentSpec(
        domain="tool_hire",
        now=PRESENT,
        policy=POLICY,
        functions=[
            function_of("get_hire", "read", hire_id="string"),
            function_of("list_hires", "read", member_id="string", status="string"),
            function_of("extend_hire", "write", hire_id="string", days="integer"),
            function_of("return_tool", "write", hire_id="string"),
        ],
        source=SOURCE,
        database={"members": members, "tools": tools, "hires": hires},
        json_schema=SCHEMA.json_schema,
    )


def example() -> dict[str, Any]:
    """The program that the prompt shows."""
    text = (data_folder("prompts") / "programs_example.j2").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(jinja2.Template(text).render())
    return found


def program(**changed: Any) -> TaskProgram:
    """The program that the prompt shows, with parts of it otherwise."""
    return program_of("tool_hire", INTENT, ProgramDraft.model_validate(example() | changed))


RETURN_SOURCE = """
def draw(db, rng):
    running = [h for _, h in sorted(db["hires"].items()) if h["status"] == "running"]
    if not running:
        return None
    hire = rng.choice(running)
    return {"member_id": hire["member_id"], "hire_id": hire["hire_id"]}


def solve(call, facts):
    hire = call("get_hire", hire_id=facts["hire_id"])
    call("return_tool", hire_id=facts["hire_id"])
    return {"fee": hire["daily_fee"]}
"""


def returning(**changed: Any) -> TaskProgram:
    """Another program: a tool is brought back, and its daily fee asked for."""
    texts = {
        "A builder in a hurry.": "please book hire {hire_id} as returned and tell me its daily fee",
        "A pensioner who explains.": "I have brought back what I had on hire {hire_id}. Please note that it is "
        "returned. What was the daily fee?",
        "A student.": "{hire_id} is back on your shelf, can you close the hire? And what did it cost per day?",
    }
    asks = {"fee": "[tell me its daily fee|What was the daily fee|what did it cost per day]"}
    draft = {
        "name": "bring_back",
        "user": "member_id",
        "answers": {"fee": {"kind": "amount", "called": "the daily fee"}},
        "wordings": [
            {"persona": who, "text": text, "known": "I am member {member_id}.", "asks": asks}
            for who, text in texts.items()
        ],
        "again": "hire_id",
        "source": RETURN_SOURCE,
    }
    intent = Intent(id="tool_hire-intent-2", domain="tool_hire", purpose="Bring a tool back.")
    return program_of("tool_hire", intent, ProgramDraft.model_validate(draft | changed))
