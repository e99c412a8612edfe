"""A domain whose functions use the clock, chance, optional and odd parameters, and a dataset that plays in it."""

import json
from datetime import datetime

from tests.dataset.small import PASSED, attempts
from toolscale.artifacts import EnvironmentSpec, FunctionSpec, GoldenCall, Instructions, Lineage, Task, UserScenario
from toolscale.dataset.folder import Placed
from toolscale.environment import write_environment

SOURCE = """\
import random
import uuid
from datetime import date, datetime

TRIES = []


def get_room(db, room_id):
    if room_id not in db["rooms"]:
        raise ValueError(f"there is no room {room_id}")
    return db["rooms"][room_id]


def book_room(db, room_id, nights, extras=(), rate="flex"):
    room = get_room(db, room_id)
    booking = {
        "id": f"B-{uuid.uuid4().hex[:6]}",
        "room_id": room_id,
        "nights": nights,
        "price": nights * room["price"],
        "extras": list(extras),
        "rate": rate,
        "pin": random.randint(1000, 9999),
        "day": date.today().isoformat(),
        "at": datetime.now().isoformat(),
    }
    db["bookings"][booking["id"]] = booking
    TRIES.append(booking["id"])
    return {**booking, "tries": len(TRIES)}
"""

FUNCTIONS = [
    FunctionSpec(
        name="get_room",
        description='One room.\n\nSays """what""" it costs, in C:\\new money.',
        parameters={
            "type": "object",
            "properties": {"room_id": {"type": "string", "pattern": "^R-", "description": "such as R-1."}},
            "required": ["room_id"],
        },
        kind="read",
    ),
    FunctionSpec(
        name="book_room",
        description="Book a room.",
        parameters={
            "type": "object",
            "properties": {
                "extras": {"type": "array", "items": {"enum": ["tea", "bath"]}},
                "room_id": {"type": "string"},
                "nights": {"type": "integer", "minimum": 1},
                "rate": {"type": "string", "enum": ["flex", "saver"]},
            },
            "required": ["room_id", "nights"],
        },
        kind="write",
    ),
]

WORLD = EnvironmentSpec(
    domain="hotel_desk",
    now=datetime(2026, 3, 14, 9),
    seed=7,
    policy="Be kind.",
    functions=FUNCTIONS,
    source=SOURCE,
    database={"rooms": {"R-1": {"price": 1250}, "R-2": {"price": 80.5}}, "bookings": {}, "copy": {}},
    json_schema={"type": "object"},
)
"""`copy` is a name that pydantic's models have for themselves."""

TASK = Task(
    id="hotel-1",
    domain="hotel_desk",
    intent="book a room",
    user_scenario=UserScenario(
        persona="In a hurry.",
        instructions=Instructions(
            domain="hotel_desk", reason_for_call="Room R-1, two nights, twice.", known_info="R-1"
        ),
    ),
    golden_calls=[
        GoldenCall(action_id="a", name="get_room", arguments={"room_id": "R-1"}),
        GoldenCall(action_id="b", name="book_room", arguments={"room_id": "R-1", "nights": 2}),
        GoldenCall(action_id="c", name="book_room", arguments={"room_id": "R-1", "nights": 2}),
        GoldenCall(action_id="d", name="book_room", arguments={"room_id": "R-2", "nights": 1, "extras": ["tea"]}),
        GoldenCall(action_id="e", name="get_room", arguments={"room_id": "R-9"}),
    ],
    communicate_info=["2,500", "Zürich"],
    nl_assertions=["is polite"],
    lineage=Lineage(parent="hotel-0", depth=1, added="a second booking"),
    gates=PASSED,
    attempts=attempts(3),
    pass_rate=0.375,
)
"""Two of its calls are equal, one fails."""

FINE = TASK.model_copy(update={"golden_calls": TASK.golden_calls[:4]})
"""None of its calls fails."""

PLACED = [
    Placed(TASK, WORLD, "train"),
    Placed(TASK.model_copy(update={"id": "hotel-2", "communicate_info": []}), WORLD, "eval"),
]


def write_hotel(folder):
    """The domain as an environment folder, with the task whose calls are fine."""
    write_environment(WORLD, folder)
    (folder / "tasks.json").write_text(json.dumps([FINE.model_dump(mode="json")]))
    return folder
