"""A harbour whose tables refer to each other in a chain, and a writer that fills it from its prompts alone."""

import json
import re
from datetime import date, timedelta

from toolscale.artifacts import DatabaseSchema, Domain, Subject

DOMAIN = Domain(name="harbour", description="A harbour where boats land.")
STATES = ["announced", "landed", "left", "turned away"]


def _table(key, **fields):
    record = {"type": "object", "properties": {key: {"type": "string", "x-primary-key": True}, **fields}}
    record |= {"required": [key, *fields], "additionalProperties": False}
    return {"type": "object", "additionalProperties": record}


def refers(target, *, optional=False):
    return {"type": ["string", "null"] if optional else "string", "x-references": target}


JSON_SCHEMA = {
    "type": "object",
    "properties": {
        "landings": _table(
            "landing_id",
            boat_id=refers("boats.boat_id"),
            berth_id=refers("berths.berth_id"),
            day={"type": "string", "format": "date"},
            crew={"type": "integer"},
            status={"enum": STATES},
        ),
        "boats": _table("boat_id", skipper_id=refers("skippers.skipper_id"), name={"type": "string"}),
        "skippers": _table("skipper_id", name={"type": "string"}, email={"type": "string", "format": "email"}),
        "berths": _table("berth_id", metres={"type": "integer"}),
    },
}
SUBJECTS = [Subject(domain="harbour", name=name) for name in ("landings", "boats and skippers", "berths")]
RECORDS = {"landings": {"landings": 200}, "boats and skippers": {"skippers": 20, "boats": 30}, "berths": {"berths": 6}}
SCHEMA = DatabaseSchema(domain="harbour", json_schema=JSON_SCHEMA, records=RECORDS)


def landing(number):
    """A landing as there may be, whichever of many."""
    return {
        "landing_id": f"L-{number}",
        "boat_id": f"B-{number * 7 % 30}",
        "berth_id": f"M-{number % 6}",
        "day": (DOMAIN.now.date() + timedelta(days=number % 50 - 25)).isoformat(),
        "crew": 2 + number % 9,
        "status": STATES[number // 3 % 4],
    }


def _skipper(number):
    return {"skipper_id": f"S-{number}", "name": f"Skipper {number}", "email": f"s{number}@example.org"}


MAKERS = {
    "landings": landing,
    "boats": lambda n: {"boat_id": f"B-{n}", "skipper_id": f"S-{n % 20}", "name": f"Gull {n}"},
    "skippers": _skipper,
    "berths": lambda n: {"berth_id": f"M-{n}", "metres": 8 + n},
}
LETTERS = {"landings": "L", "boats": "B", "skippers": "S", "berths": "M"}


def prompt_of(request):
    return next(message["content"] for message in request["messages"] if message["role"] == "user")


def complaint_in(request):
    """What the writer was last told of its answer; empty if it was not asked before."""
    return request["messages"][-1]["content"] if len(request["messages"]) > 2 else ""


def wanted(request):
    """Table -> how many, as the prompt says."""
    (line,) = re.findall(r"^Write of this subject now: (.+)\.$", prompt_of(request), re.MULTILINE)
    return {table: int(number) for number, table in re.findall(r"(\d+) `(\w+)`", line)}


def first_free(request, table):
    """The number after the highest that the prompt says is taken."""
    taken = re.search(rf"^`{table}`: \d+ so far$.*?^keys that are taken: (.+?)$", prompt_of(request), re.M | re.S)
    return 1 + max(int(number) for number in re.findall(rf"{LETTERS[table]}-(\d+)", taken[1])) if taken else 0


def written(request):
    """The records that a prompt asks for, with the keys that come next."""
    found = {}
    for table, number in wanted(request).items():
        first = first_free(request, table)
        found[table] = {f"{LETTERS[table]}-{n}": MAKERS[table](n) for n in range(first, first + number)}
    return found


def satisfied():
    return json.dumps({**{f"condition_{n}": "satisfied" for n in (1, 2, 3)}, "faults": []})


def far(record):
    """The same landing, three years before."""
    return {**record, "day": (date.fromisoformat(record["day"]) - timedelta(days=1100)).isoformat()}
