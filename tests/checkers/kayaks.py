"""A kayak hire, small enough to keep in one's head, where most of what is asked for can be had in several ways."""

from datetime import datetime

from toolscale.artifacts import EnvironmentSpec, FunctionSpec, GoldenCall, Instructions, Json, Task, UserScenario

SOURCE = '''
import uuid


def find_hours(db, day):
    """The free hours of a day."""
    return {"day": day, "hours": [dict(hour) for hour in db["hours"].values() if hour["day"] == day and hour["free"]]}


def list_kayaks(db):
    """The kayaks by their numbers."""
    return {key: {"name": kayak["name"], "seats": kayak["seats"]} for key, kayak in db["kayaks"].items()}


def find_hires(db, member):
    """What a member has hired, with the extras of each hire."""
    return [dict(hire) for hire in db["hires"].values() if hire["member"] == member]


def hire(db, member, kayak_id, starts, fee):
    """Hire a kayak for an hour; the fee has to be the one of that kayak."""
    hour = next(hour for hour in db["hours"].values() if hour["kayak_id"] == kayak_id and hour["starts"] == starts)
    if not hour["free"] or hour["fee"] != fee:
        raise ValueError("that hour is taken, or costs something else")
    hour["free"] = False
    key = "HI-" + uuid.uuid4().hex[:6]
    db["hires"][key] = {"hire_id": key, "member": member, "kayak_id": kayak_id, "starts": starts, "extras": []}
    return dict(db["hires"][key])


def add_extra(db, hire_id, extra):
    """Add a dry bag or a second paddle to a hire."""
    db["hires"][hire_id]["extras"].append(extra)
    return "added"


def inspect(db, kayak_id):
    """Note that a kayak is to be inspected."""
    if kayak_id not in db["kayaks"]:
        raise ValueError("no such kayak")
    db["kayaks"][kayak_id]["inspect"] = True
    return "noted"
'''


def _hour(kayak_id: str, name: str, day: str, clock: str, fee: float, *, free: bool = True) -> dict[str, Json]:
    return {
        "kayak_id": kayak_id,
        "name": name,
        "day": day,
        "starts": f"{day}T{clock}",
        "fee": fee,
        "free": free,
    }


HOURS = [
    _hour("KY-1", "Heron", "2026-12-04", "10:00", 18.5),
    _hour("KY-2", "Otter", "2026-12-04", "10:00", 16.5),
    _hour("KY-1", "Heron", "2026-12-04", "15:00", 21.5),
    _hour("KY-2", "Otter", "2026-12-04", "16:00", 24.5),
    _hour("KY-3", "Teal", "2026-12-05", "09:00", 16.5),
    _hour("KY-3", "Teal", "2026-12-05", "10:00", 16.5, free=False),
    _hour("KY-1", "Heron", "2026-12-05", "11:00", 18.5),
]
HIRES = {
    "HI-1": {"hire_id": "HI-1", "member": "MB-1", "kayak_id": "KY-1", "starts": "2026-12-10T10:00", "extras": []},
    "HI-2": {"hire_id": "HI-2", "member": "MB-1", "kayak_id": "KY-3", "starts": "2026-12-12T10:00", "extras": []},
}
_TEXT = {"type": "string"}
_FUNCTIONS = {
    "find_hours": ("read", {"day": _TEXT}),
    "list_kayaks": ("read", {}),
    "find_hires": ("read", {"member": _TEXT}),
    "hire": ("write", {"member": _TEXT, "kayak_id": _TEXT, "starts": _TEXT, "fee": {"type": "number"}}),
    "add_extra": ("write", {"hire_id": _TEXT, "extra": {"type": "string", "enum": ["dry bag", "paddle"]}}),
    "inspect": ("write", {"kayak_id": _TEXT}),
}


def environment(rules: str = "") -> EnvironmentSpec:
    """The environment, with the rules of its policy."""
    return EnvironmentSpec(
        domain="kayaks",
        now=datetime(2026, 11, 30, 9),
        policy="Kayaks are hired by the hour, by members.",
        functions=[
            FunctionSpec.model_validate(
                {
                    "name": name,
                    "description": f"{name}.",
                    "kind": kind,
                    "parameters": {"type": "object", "properties": properties, "required": list(properties)},
                }
            )
            for name, (kind, properties) in _FUNCTIONS.items()
        ],
        source=SOURCE,
        rules=rules,
        database={
            "kayaks": {
                "KY-1": {"name": "Heron", "seats": 1},
                "KY-2": {"name": "Otter", "seats": 2},
                "KY-3": {"name": "Teal", "seats": 1},
            },
            "hours": {f"HR-{number}": dict(hour) for number, hour in enumerate(HOURS)},
            "hires": {key: dict(hire) for key, hire in HIRES.items()},
        },
    )


def call(name: str, **arguments: Json) -> GoldenCall:
    """A golden call."""
    return GoldenCall(name=name, arguments=arguments)


def hiring(hour: dict[str, Json]) -> GoldenCall:
    """The call that hires an hour for member MB-1."""
    return call("hire", member="MB-1", **{name: hour[name] for name in ("kayak_id", "starts", "fee")})


def asking(says: str, *calls: GoldenCall) -> Task:
    """A task of member MB-1."""
    instructions = Instructions(domain="kayaks", reason_for_call=says, known_info="I am member MB-1.")
    return Task(
        id="kayaks-1",
        domain="kayaks",
        user_scenario=UserScenario(instructions=instructions),
        golden_calls=list(calls),
    )
