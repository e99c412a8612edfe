"""A domain of two functions and two dozen short tasks, written by hand: what the trainer's tests play."""

from datetime import datetime

from toolscale.artifacts import EnvironmentSpec, FunctionSpec, GoldenCall, Instructions, Task, UserScenario

SOURCE = """
def find_coat(db, ticket):
    if ticket not in db["coats"]:
        raise ValueError(f"there is no ticket {ticket}")
    return db["coats"][ticket]


def hang_coat(db, ticket, hook):
    find_coat(db, ticket)["hook"] = hook
    return {"label": f"{ticket}-{hook}"}
"""


def environment() -> EnvironmentSpec:
    """The cloakroom: 24 coats, each on a hook of its own."""
    ticket, hook = {"type": "string"}, {"type": "integer"}
    return EnvironmentSpec(
        domain="cloakroom",
        now=datetime(2026, 3, 2, 9, 0),
        policy="Find the coat first.",
        functions=[
            _function("find_coat", "Where a coat hangs.", "read", ticket=ticket),
            _function("hang_coat", "Hang a coat elsewhere.", "write", ticket=ticket, hook=hook),
        ],
        source=SOURCE,
        database={"coats": {f"T{number}": {"ticket": f"T{number}", "hook": number} for number in range(1, 25)}},
    )


def tasks(count: int = 24) -> list[Task]:
    """One task a coat: hang it on another hook and tell its new label."""
    return [_task(number) for number in range(1, count + 1)]


def _task(number: int) -> Task:
    ticket, hook = f"T{number}", number + 30
    instructions = Instructions(domain="cloakroom", reason_for_call=f"Hang coat {ticket} on {hook}. Tell me the label.")
    return Task(
        id=f"cloakroom-{number:02}",
        domain="cloakroom",
        intent="hang_coat",
        user_scenario=UserScenario(instructions=instructions),
        golden_calls=[
            GoldenCall(action_id="0", name="find_coat", arguments={"ticket": ticket}),
            GoldenCall(action_id="1", name="hang_coat", arguments={"ticket": ticket, "hook": hook}),
        ],
        communicate_info=[f"{ticket}-{hook}"],
    )


def _function(name: str, description: str, kind: str, **properties: dict[str, str]) -> FunctionSpec:
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return FunctionSpec.model_validate(
        {"name": name, "description": description, "kind": kind, "parameters": parameters}
    )
